// SPDX-License-Identifier: Apache-2.0
#include "testbench/output/interrupt.h"

#include <csignal>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace t3 {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// Global, because a signal handler gets no arguments. Changed only while the signals are blocked.
std::vector<std::string>& temporaries() {
  static std::vector<std::string> list;
  return list;
}

// Read and written by the handler, the simulation and the thread that watches it.
std::atomic<bool> askFirst = false;  // the first interrupt only asks to stop
std::atomic<bool> wasInterrupted = false;
std::atomic<bool> wasAnswered = false;
std::atomic<int> exitCode = kInterrupted;
static_assert(std::atomic<bool>::is_always_lock_free, "safe in a signal handler");

sigset_t interruptSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

/// Async-signal-safe.
[[noreturn]] void endProgram() {
  for (const std::string& path : temporaries()) unlink(path.c_str());
  if (isatty(STDERR_FILENO) != 0) {
    constexpr char kEndOfProgressLine[] = "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kEndOfProgressLine, 1);
  }
  _exit(exitCode);
}

extern "C" void onInterrupt(int) {
  if (askFirst && !wasInterrupted.exchange(true)) return;
  endProgram();
}

}  // namespace

void exitOnInterrupt() {
  temporaries();  // constructed here, so that the handler need not
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_mask = interruptSignals();
  for (const int signal : kSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    const bool ignored = signal == SIGHUP && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(signal, &action, nullptr);
  }
}

void endOnInterruptWith(int code) { exitCode = code; }

InterruptsAnswered::InterruptsAnswered() { askFirst = true; }

InterruptsAnswered::~InterruptsAnswered() {
  askFirst = false;
  if (wasInterrupted && !wasAnswered) endProgram();
}

bool interrupted() { return wasInterrupted; }
void answerInterrupt() { wasAnswered = true; }
bool interruptAnswered() { return wasAnswered; }

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
