// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/probe/scope.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// What a timeline shows, and of which time.
struct TimelineOptions {
  std::string path;
  std::string title;                               ///< what was simulated
  std::optional<std::vector<std::string>> scopes;  ///< all, if there are none
  TimeWindow window;
  Picoseconds samplePeriod = 1'000'000;  ///< of counters
};

/// --timeline and its companions.
void addTimelineOptions(Options& options);
/// Nothing without --timeline. Throws ConfigError.
std::optional<TimelineOptions> timelineOptionsOf(const Options& options);

}  // namespace t3
