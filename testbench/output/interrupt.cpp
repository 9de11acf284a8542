// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/interrupt.h"

#include <csignal>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace t3 {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// Global, because a signal handler gets no arguments. Changed only while the signals are blocked.
std::vector<std::string>& temporaries() {
  static std::vector<std::string> list;
  return list;
}

volatile std::sig_atomic_t stopFirst = 0;  // the first interrupt only asks to stop
volatile std::sig_atomic_t wasInterrupted = 0;

sigset_t interruptSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

extern "C" void onInterrupt(int) {
  if (stopFirst != 0 && wasInterrupted == 0) {
    wasInterrupted = 1;
    return;
  }
  for (const std::string& path : temporaries()) unlink(path.c_str());
  if (isatty(STDERR_FILENO) != 0) {
    constexpr char kEndOfProgressLine[] = "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kEndOfProgressLine, 1);
  }
  _exit(kInterrupted);
}

}  // namespace

void exitOnInterrupt() {
  temporaries();  // constructed here, so that the handler need not
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_mask = interruptSignals();
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

void stopOnInterrupt() { stopFirst = 1; }

bool interrupted() { return wasInterrupted != 0; }

void removeOnInterrupt(const std::string& path) {
  const InterruptsHeld held;
  temporaries().push_back(path);
}

void forgetTemporary(const std::string& path) {
  const InterruptsHeld held;
  std::erase(temporaries(), path);
}

void leaveTemporariesToParent() {
  const InterruptsHeld held;
  temporaries().clear();
}

// May be nested: only the outermost one found the signals unblocked, and unblocks them.
InterruptsHeld::InterruptsHeld() {
  const sigset_t set = interruptSignals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &set, &before);
  outermost_ = sigismember(&before, SIGINT) == 0;
}

InterruptsHeld::~InterruptsHeld() {
  if (!outermost_) return;
  const sigset_t set = interruptSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace t3
