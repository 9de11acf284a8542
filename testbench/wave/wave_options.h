// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/probe/scope.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// An event that a waveform may begin with.
struct WaveTrigger {
  EventKind kind = EventKind::Trigger;
  std::optional<std::uint64_t> number;  ///< of a command
};

/// What a waveform shows, and of which time.
struct WaveOptions {
  std::string path;  ///< ends in .fst or .vcd
  /// Parts of the hierarchy: "gpu3.tracker", "gpu3.hbm.ch7"; `*` stands for one name.
  std::vector<std::string> scopes = {"gpu0"};
  TimeWindow window;
  std::optional<WaveTrigger> from;    ///< nothing before the first of these
  std::optional<Picoseconds> keep;    ///< only that much before the end
  Picoseconds samplePeriod = 10'000;  ///< of what is not RTL
};

/// --wave and its companions.
void addWaveOptions(Options& options);
/// Nothing without --wave. Throws ConfigError.
std::optional<WaveOptions> waveOptionsOf(const Options& options);

}  // namespace t3
