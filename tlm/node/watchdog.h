// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/node/system_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// How much is simulated between two looks at progress and at the watchdog.
inline constexpr Picoseconds kLookInterval = 20'000'000;

/// Ends a run that makes no progress. All errors are std::runtime_error, a line with the simulated
/// time, and who waits for what below it.
class Watchdog {
 public:
  /// `watchdog_us` without a change, from the last launch on, ends a run; where that is -1, 1 ms
  /// more than all latencies of the scenario together, since somebody may wait for one after the
  /// other. `whoWaits` stands below the error.
  Watchdog(const SystemConfig& config, std::function<std::string()> whoWaits);

  /// `beats` is the sum of the heartbeats of all GPUs at the time `when`. An error if it has not
  /// changed for longer than `watchdog_us`. A GPU that starts late is no hang.
  void look(std::uint64_t beats, Picoseconds when);

  /// Nothing is left to happen, and the run has not ended.
  [[noreturn]] void deadlock() const;
  /// An error if `why` is not empty.
  void expectNotStuck(const std::string& why) const;

 private:
  Picoseconds patience_, lastChange_;
  std::function<std::string()> whoWaits_;
  std::uint64_t lastBeats_ = 0;
};

}  // namespace t3
