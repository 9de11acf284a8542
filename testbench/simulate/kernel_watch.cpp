// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/kernel_watch.h"

#include <chrono>
#include <csignal>
#include <stdexcept>

namespace t3 {
namespace {

using namespace std::chrono_literals;

constexpr auto kPeriod = 20ms;
/// How long an interrupt may stay without an answer while a simulation works. The first counts
/// processor time, of which a busy machine may give little.
constexpr double kAnswerSeconds = 0.1;
constexpr auto kAnswerWall = 1s;

double secondsOf(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

KernelWatch::KernelWatch(bool answersInterrupts, double mostSeconds)
    : sc_prim_channel("kernel_watch"), mostSeconds_(mostSeconds), simulation_(pthread_self()) {
  if (pthread_getcpuclockid(simulation_, &simulationClock_) != 0) {
    throw std::runtime_error("no clock of the processor time");
  }
  if (answersInterrupts) answered_.emplace();
  const InterruptsHeld
      held;  // in the new thread for ever: interrupts are for the one that simulates
  thread_ = std::thread([this] { watch(); });
}

KernelWatch::~KernelWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void KernelWatch::watch() {
  bool seen = false;
  double seenSeconds = 0;
  std::chrono::steady_clock::time_point seenWall;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kPeriod, [this] { return ending_; })) {
    async_request_update();
    if (!interrupted() || interruptAnswered()) continue;
    if (!seen) {
      seen = true;
      seenSeconds = secondsOf(simulationClock_);
      seenWall = std::chrono::steady_clock::now();
    } else if (secondsOf(simulationClock_) > seenSeconds + kAnswerSeconds ||
               std::chrono::steady_clock::now() > seenWall + kAnswerWall) {
      pthread_kill(simulation_, SIGINT);
    }
  }
}

void KernelWatch::update() {
  if (interrupted()) return sc_core::sc_pause();
  const double seconds = secondsOf(simulationClock_);
  const std::uint64_t deltas = sc_core::sc_delta_count();
  if (sc_core::sc_time_stamp() != at_) {
    at_ = sc_core::sc_time_stamp();
    deltas_ = deltas;
    seconds_ = seconds;
    return;
  }
  if (deltas - deltas_ <= kMostDeltas && seconds - seconds_ <= mostSeconds_) return;
  stuck_ = "no simulated time passes, after " + std::to_string(deltas - deltas_) +
           " delta cycles at this time";
  sc_core::sc_pause();
}

}  // namespace t3
