// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// Exit code of an interrupted program.
inline constexpr int kInterrupted = 130;

/// From now on SIGINT, SIGTERM and SIGHUP end the program with exit code 130, after removing the
/// temporary files registered below. The handler does it all itself, with nothing but
/// async-signal-safe calls: a simulation is never asked to stop, so it cannot refuse to.
void exitOnInterrupt();

/// From now on the first of these signals only makes `interrupted` true, for what can say where it
/// is before it ends; the second one does as above.
void stopOnInterrupt();
bool interrupted();

/// Registers a file for removal on interrupt; `forgetTemporary` takes it off the list again.
void removeOnInterrupt(const std::string& path);
void forgetTemporary(const std::string& path);

/// In a forked copy of the process: forgets all registered files, which belong to the parent.
void leaveTemporariesToParent();

/// Delays interrupts as long as it lives: between making a file and registering it, for example, or
/// while several files appear that belong together.
class InterruptsHeld {
 public:
  InterruptsHeld();
  ~InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;

 private:
  bool outermost_;
};

}  // namespace t3
