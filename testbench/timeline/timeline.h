// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/probe/instrument.h"
#include "testbench/timeline/timeline_options.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What the parts of all GPUs do when, as a trace in the Trace Event format: kernels,
/// chunks, workgroups, steps of collectives, thread block by thread block, DMA commands, what
/// arrives as updates, what the links send, who waits for zeros or credit; counters of bandwidths
/// and queues; and arrows from the last update of a tile over the DMA command that sends it on to
/// the updates in the next GPU.
class Timeline : public Instrument {
 public:
  /// `config` and `mode` are those of the run. Throws ConfigError if the file cannot be written.
  Timeline(const TimelineOptions& options, const SystemConfig& config, Mode mode);
  /// Of a collective from a file, in which there are no output tiles.
  explicit Timeline(const TimelineOptions& options);
  ~Timeline() override;

  void begin(Listeners& listeners) override;
  void sample() override;
  Picoseconds samplePeriod() const override;
  void finish() override;

 private:
  struct Drawing;

  std::unique_ptr<Drawing> drawing_;
};

}  // namespace t3
