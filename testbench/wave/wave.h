// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/probe/listeners.h"
#include "testbench/probe/scope.h"
#include "tlm/rtl/rtl_block.h"
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

/// Bytes that must be free on the disk of a waveform of so many RTL units and values of the models:
/// a MiB, one more for each unit and one for every 256 values.
std::uint64_t waveRoom(std::size_t units, std::size_t values);

/// A waveform of both worlds on one time axis: all signals of Verilated trackers and merge units,
/// and the values that models publish.
///
/// RTL is drawn clock by clock: inputs change with the falling edge, half a period before the
/// rising edge that samples them. (The falling edges of several units follow one another within
/// that half period.) The simulation skips clocks in which nothing changes: a unit's own clk_i
/// stands still then, `rtl_clock` goes on. All units drawn have one period. Reset and register
/// accesses take no simulated time; only their results show. Values of models are read every
/// `samplePeriod`; a counter of bytes is drawn as its mean rate over the last microsecond.
class Wave : public Instrument, public RtlWatcher, private EventSink {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit Wave(const WaveOptions& options);
  ~Wave() override;

  /// How the RTL of the tracker of that name must be simulated: with or without tracing.
  RtlTracing tracker(const std::string& name);
  /// The same of the join of several stacks' trackers.
  RtlTracing stackJoin(const std::string& name);
  /// The same of the merge unit of a switch's port.
  RtlTracing mergeUnit(const std::string& port);
  void begin(Listeners& listeners) override;
  void sample() override;  ///< reads all values
  Picoseconds samplePeriod() const override;
  void finish() override;  ///< writes the view as well
  /// The view beside a waveform.
  static std::string viewPath(const std::string& wave);
  /// After `finish`: the shell command that opens the waveform, or why there is none.
  std::string summary() const;
  /// Whether there is a waveform.
  bool drawn() const;

  void attach(RtlBlock& block, Picoseconds period) override;
  void edge(Picoseconds when) override;
  void low(Picoseconds when) override;

 private:
  struct File;

  RtlTracing tracing(const std::string& block);
  void happened(const Event& event) override;

  std::unique_ptr<File> file_;
};

}  // namespace t3
