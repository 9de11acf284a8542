// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/config/options.h"
#include "testbench/simulate/simulation.h"
#include "testbench/timeline/timeline.h"
#include "testbench/trace/command_trace.h"
#include "testbench/trace/transactions.h"
#include "testbench/wave/wave.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// --command-trace, --timeline, --transactions and --wave, with their companions.
void addRecordingOptions(Options& options);

/// The waveform of the first difference of a lockstep run: in the directory of --out.
std::string differencePathOf(const Options& options);

/// What a run writes while it goes on, beside its report: DRAM commands, a timeline, transactions,
/// a waveform; each only if its option is there. Throws ConfigError for a bad option and for a file
/// that cannot be written.
class Recordings {
 public:
  /// Of a sublayer.
  Recordings(const Options& options, const SystemConfig& scenario, Mode mode);
  /// Of a collective from a file, whose requests can name so many workgroups.
  Recordings(const Options& options, const SystemConfig& scenario, std::uint32_t workgroups);

  /// Before the run: all that record become its observers.
  void observe(Observers& observers);
  /// After the run: says where the waveform is or, in any case, that there is none.
  void sayWaveform(bool quiet) const;
  /// The same: completes what the run does not complete itself.
  void finish();

 private:
  explicit Recordings(const Options& options);

  std::optional<CommandTrace> commands_;
  std::optional<Timeline> timeline_;
  std::optional<Transactions> transactions_;
  std::optional<Wave> wave_;
};

}  // namespace t3
