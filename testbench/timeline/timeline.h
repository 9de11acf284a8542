// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/probe/listeners.h"
#include "testbench/probe/scope.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"
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

/// What the parts of all GPUs do when, in the Trace Event format: kernels, chunks, workgroups,
/// steps of collectives, DMA commands, updates that arrive, what links send, waits for zeros or
/// credit; counters of bandwidths and queues; and arrows from the last update of a tile over the
/// DMA command that sends it on to the updates in the next GPU.
///
/// `config` and `mode` are those of the run. Throws ConfigError if the file cannot be written.
std::unique_ptr<Instrument> makeTimeline(const TimelineOptions& options, const SystemConfig& config,
                                         Mode mode);
/// The same of a collective from a file, in which there are no output tiles.
std::unique_ptr<Instrument> makeTimeline(const TimelineOptions& options);

}  // namespace t3
