// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <systemc>
#include <thread>

#include "testbench/output/interrupt.h"

namespace t3 {

/// Watches SystemC's kernel from a thread of its own: an interrupt is seen at once, whatever is
/// simulated, and a simulation in which no time passes does not run for ever.
///
/// The thread asks the kernel for an update (`async_request_update`), in which, between two delta
/// cycles, the kernel is paused if there is a reason to end the run. If no delta cycle ends for a
/// while after an interrupt (results are being checked, for example), the thread repeats the
/// signal, which ends the program.
///
/// Must be constructed before the simulation starts.
class KernelWatch : private sc_core::sc_prim_channel {
 public:
  /// Delta cycles and processor time at one simulated time after which a simulation is stuck.
  static constexpr std::uint64_t kMostDeltas = 1'000'000;
  static constexpr double kMostSeconds = 30;

  /// An interrupt pauses the kernel if `answersInterrupts`; else it ends the program.
  explicit KernelWatch(bool answersInterrupts, double mostSeconds = kMostSeconds);
  ~KernelWatch() override;

  /// Why the simulation is stuck, "" if it is not.
  const std::string& stuck() const { return stuck_; }

 private:
  void update() override;
  void watch();

  std::optional<InterruptsAnswered> answered_;
  std::string stuck_;
  const double mostSeconds_;
  sc_core::sc_time at_ = sc_core::sc_max_time();  ///< simulated time at the last look; none yet
  std::uint64_t deltas_ = 0;                      ///< when that time was first seen
  double seconds_ = 0;                            ///< of processor time, at the same moment
  const pthread_t simulation_;                    ///< the thread that simulates …
  clockid_t simulationClock_ = {};                ///< … and its processor time
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;  ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace t3
