// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/probe/instrument.h"
#include "testbench/wave/wave_options.h"
#include "tlm/tracker/rtl_tracker.h"
#include "tlm/transport/probe.h"

namespace t3 {

/// A waveform of both worlds on one time axis: all signals of Verilated trackers, and the values
/// that models publish.
///
/// RTL is drawn clock by clock: inputs change with the falling edge half a period before the rising
/// one that takes them, registers with the rising one. (Of several trackers the edges are drawn one
/// after the other within that half period.) A unit's own clk_i stands still where the simulation
/// left out clocks in which nothing changes; `tracker_clock` goes on. Reset and register accesses,
/// which take no simulated time, show with what they leave behind. Values of models are read every
/// `samplePeriod`; of counters of bytes the mean rate since the microsecond before is drawn.
class Wave : public Instrument, public RtlWatcher, private EventSink {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit Wave(const WaveOptions& options);
  ~Wave() override;

  /// How the RTL of a tracker, named by its place, is to be simulated for this.
  RtlOptions rtl(const std::string& tracker);
  void begin(Listeners& listeners) override;
  void sample() override;  ///< reads all values
  Picoseconds samplePeriod() const override;
  void finish() override;  ///< writes the view as well
  /// The view beside a waveform.
  static std::string viewPath(const std::string& wave);
  /// What opens the waveform, for a shell, or why there is none; after `finish`.
  std::string summary() const;

  void attach(RtlUnit& unit, Picoseconds period) override;
  void edge(Picoseconds when) override;
  void low(Picoseconds when) override;

 private:
  struct File;

  void happened(const Event& event) override;

  std::unique_ptr<File> file_;
};

}  // namespace t3
