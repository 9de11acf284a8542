// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "testbench/config/mode_spelling.h"  // found by toJson
#include "testbench/report/phase_keys.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// One process of a simulation in many.
struct ProcessFigures {
  std::uint32_t gpus = 0;  ///< that it simulated
  std::uint64_t windows = 0;
  double waiting = 0;  ///< for the others, part of its wall time
  std::uint64_t sent_bytes = 0;
  double peak_rss_mb = 0;  ///< 1e6 bytes
};
BOOST_DESCRIBE_STRUCT(ProcessFigures, (), (gpus, windows, waiting, sent_bytes, peak_rss_mb))

/// What a simulation cost on the machine that ran it.
struct HostFigures {
  double wall_s = 0;
  std::uint64_t dram_bursts = 0;  ///< simulated, all GPUs
  double dram_bursts_per_s = 0;
  double peak_rss_mb = 0;                 ///< of the process that ran this mode, 1e6 bytes
  std::vector<ProcessFigures> processes;  ///< of one simulation in many
};
BOOST_DESCRIBE_STRUCT(HostFigures, (),
                      (wall_s, dram_bursts, dram_bursts_per_s, peak_rss_mb, processes))

/// One mode of a scenario, run.
struct RunRecord {
  Mode mode = Mode::Sequential;
  TrackerKind tracker = TrackerKind::Rtl;
  /// Set if no simulation of its own was needed: `ideal-overlap` is computed from the phases of a
  /// `sequential` run of the same comparison. Its host figures are that run's.
  std::optional<Mode> derived_from;
  RunResult result;
  HostFigures host;

  bool failed() const { return !result.error.empty(); }
};
BOOST_DESCRIBE_STRUCT(RunRecord, (), (mode, tracker, derived_from, result, host))

/// A scenario and what became of it: the content of every report.
struct Report {
  SystemConfig scenario;
  std::vector<RunRecord> runs;

  bool failed() const;
  /// Time of `sequential` over that of `run`; nothing if `sequential` was not run or either failed.
  std::optional<double> speedup(const RunRecord& run) const;
};

/// The time of all layers of the model that ran (ModelRun), in ns; none of other runs, and of
/// failed ones.
std::optional<double> prefillOf(const Report& report, const RunRecord& run);

/// Marks runs that beat an ideal that bounds their mode (ModeKind::boundedBy) as failed: such a
/// model is wrong, however plausible its other figures. An ideal adds up parts that all GPUs run in
/// step, so it bounds nothing where GPUs, or their chunks, differ: the early ones go on while the
/// late ones work.
void checkBounds(const SystemConfig& scenario, std::vector<RunRecord>& runs);

}  // namespace t3
