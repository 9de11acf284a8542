// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// Exit code of an interrupted program.
inline constexpr int kInterrupted = 130;

/// From now on SIGINT, SIGTERM and SIGHUP end the program with exit code 130, after removing the
/// temporary files registered below. The handler makes async-signal-safe calls only, so nothing can
/// delay it. SIGHUP stays ignored if it was (nohup).
void exitOnInterrupt();

/// The results are written, nothing is left to stop: these signals now end with this exit code.
void endOnInterruptWith(int exitCode);

/// While this object lives, the first of these signals only makes `interrupted` true, so that the
/// program can say where it is. The second ends the program, and so does the destructor if the
/// first was not answered.
class InterruptsAnswered {
 public:
  InterruptsAnswered();
  ~InterruptsAnswered();
  InterruptsAnswered(const InterruptsAnswered&) = delete;
  InterruptsAnswered& operator=(const InterruptsAnswered&) = delete;
};

/// Whether a signal has come that did not end the program.
bool interrupted();
/// Called by the code that sees `interrupted` and ends what is running.
void answerInterrupt();
bool interruptAnswered();

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
