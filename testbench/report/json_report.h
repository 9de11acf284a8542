// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/config/json_schema.h"
#include "testbench/report/collective_summary.h"
#include "testbench/report/run_record.h"

namespace t3 {

// The JSON of results, as described structs: what is written, and its schema, follow from these.
// Fields may be added in later versions, never renamed.

/// What the program was built from.
struct BuildForm {
  std::string version, commit;
  bool dirty = false;
  std::string rtl_sha256;

  static constexpr MemberText kTexts[] = {
      {"commit", "of the source tree"},
      {"dirty", "files were changed since that commit"},
      {"rtl_sha256", "of all files of the RTL that ran"},
  };
};
BOOST_DESCRIBE_STRUCT(BuildForm, (), (version, commit, dirty, rtl_sha256))

enum class RunStatus : std::uint8_t { Ok, Failed };
BOOST_DESCRIBE_ENUM(RunStatus, Ok, Failed)

/// `bound_ns` of a run.
struct BoundForm {
  double gemm = 0, reduce_scatter = 0, all_gather = 0, consumer = 0, total = 0;
};
BOOST_DESCRIBE_STRUCT(BoundForm, (), (gemm, reduce_scatter, all_gather, consumer, total))
BoundForm boundForm(const RunResult& result);

/// One run: a RunRecord, with what the other runs of its report say about it.
struct RunForm {
  RunRecord record;
  std::optional<double> speedup;
  bool memory = true;  ///< with the statistics of the memories
  IfSet<CollectiveSummary> collective;
  IfSet<double> prefill_ns;

  static constexpr MemberText kTexts[] = {
      {"tracker", "which implementation of the track-and-trigger unit ran"},
      {"status", "failed: a check of the run did not hold, or it was stuck"},
      {"error", "null if ok; else one line, and for a run that was stuck the report below it"},
      {"time_ns", "from the start of the first GPU to the end of the last"},
      {"speedup", "over sequential; null if that was not among the runs"},
      {"derived_from",
       "the run whose phases this one was computed from; null if it was simulated by itself"},
      {"phase_ns", "exposed times, which add up to time_ns"},
      {"bound_ns", "what no machine with these compute units, memory and links can be faster than"},
      {"phases", "when each phase began and ended, over all GPUs"},
      {"nodes",
       "what each node of the graph of kernels did, in all sublayers; of a bound, as its parts "
       "were "
       "simulated"},
      {"sublayers", "the sublayers of workload.repeat"},
      {"steady_ns", "mean time of all sublayers but the first; null if there is only one"},
      {"setup", "what it costs to set a tracker up"},
      {"dram_bytes", "mean of the GPUs; an op-and-store counts once, as a write"},
      {"other_collectives", "other collectives than reduce-scatter and all-gather"},
      {"link_bytes", "payload bytes, sum over the links of all GPUs"},
      {"plain_link_bytes", "the same in front of codecs, where they change anything"},
      {"per_gpu", "of the simulated GPUs"},
      {"memory", "statistics of the memories"},
      {"tracker_stats", "sums over all GPUs"},
      {"merged", "what a switch has added, sums over all ports"},
      {"summed", "loads that a switch has answered with sums, over all ports"},
      {"verification", "what was compared with the reference"},
      {"host", "what the simulation cost on the machine that ran it; all else is reproducible"},
      {"collective", "the collective from a file that ran"},
      {"prefill_ns", "of all layers of a model, continued from those that ran (docs/models.md)"},
  };
};

void visitMembers(const RunForm& run, auto visit) {
  const RunResult& result = run.record.result;
  visit("mode", run.record.mode);
  visit("tracker", run.record.tracker);
  visit("status", run.record.failed() ? RunStatus::Failed : RunStatus::Ok);
  visit("error", run.record.failed() ? std::optional(result.error) : std::nullopt);
  visit("time_ns", static_cast<double>(result.time_ps) / 1e3);
  visit("time_ps", result.time_ps);
  visit("speedup", run.speedup);
  visit("derived_from", run.record.derived_from);
  visit("phase_ns", result.phaseNs());
  visit("bound_ns", boundForm(result));
  visit("phases", result.phases);
  visit("nodes", result.nodes);
  visit("sublayers", result.sublayers);
  visit("steady_ns", result.steady_ns);
  visit("setup", result.setup);
  visit("dram_bytes", result.dramBytes());
  visit("other_collectives",
        result.others().empty() ? IfSet<std::vector<PhaseFigures>>() : result.others());
  visit("link_bytes", result.link_bytes);
  const bool coded = result.plain_link_bytes > result.link_bytes;
  visit("plain_link_bytes", coded ? IfSet<std::uint64_t>(result.plain_link_bytes) : std::nullopt);
  visit("per_gpu", result.per_gpu);
  visit("memory", run.memory ? IfSet<MemoryReport>(result.memory) : std::nullopt);
  visit("tracker_stats", result.tracker_stats);
  visit("merged", IfSet<MergeFigures>(result.merged));
  visit("summed", IfSet<LoadFigures>(result.summed));
  visit("verification", result.verification);
  visit("host", run.record.host);
  visit("collective", run.collective);
  visit("prefill_ns", run.prefill_ns);
}

/// "t3sim/1"
struct ReportForm {
  static constexpr const char* kSchema = "t3sim/1";

  std::string schema = kSchema;
  BuildForm build;
  SystemConfig scenario;
  std::vector<RunForm> runs;

  static constexpr MemberText kTexts[] = {
      {"scenario", "every setting; itself valid for --config"},
      {"runs", "one for each mode"},
  };
};
BOOST_DESCRIBE_STRUCT(ReportForm, (), (schema, build, scenario, runs))

BuildForm buildForm();
RunForm runForm(const Report& report, const RunRecord& run);
ReportForm reportForm(const Report& report);
boost::json::value jsonReport(const Report& report);

}  // namespace t3
