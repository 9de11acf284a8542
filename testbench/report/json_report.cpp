// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/json_report.h"
#include "testbench/build_info.h"

namespace t3 {

std::span<const MemberText> BuildForm::texts() {
  static constexpr MemberText kTexts[] = {
      {"commit", "of the source tree"},
      {"dirty", "files were changed since that commit"},
      {"rtl_sha256", "of all files of the RTL that ran"},
  };
  return kTexts;
}

std::span<const MemberText> RunForm::texts() {
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
      {"per_gpu", "of the simulated GPUs"},
      {"memory", "statistics of the memories"},
      {"tracker_stats", "sums over all GPUs"},
      {"merged", "what a switch has added, sums over all ports"},
      {"summed", "loads that a switch has answered with sums, over all ports"},
      {"verification", "what was compared with the reference"},
      {"host", "what the simulation cost on the machine that ran it; all else is reproducible"},
      {"collective", "the collective from a file that ran"},
  };
  return kTexts;
}

std::span<const MemberText> ReportForm::texts() {
  static constexpr MemberText kTexts[] = {
      {"scenario", "every setting; itself valid for --config"},
      {"runs", "one for each mode"},
  };
  return kTexts;
}

BoundForm boundForm(const RunResult& result) {
  return {result.of(Phase::Gemm).bound_ns, result.of(Phase::ReduceScatter).bound_ns,
          result.of(Phase::AllGather).bound_ns, result.of(Phase::Consumer).bound_ns,
          result.bound_ns};
}

BuildForm buildForm() {
  return {.version = build::kVersion,
          .commit = build::kCommit,
          .dirty = build::kDirty,
          .rtl_sha256 = build::kRtlSha256};
}

RunForm runForm(const Report& report, const RunRecord& run) {
  return {run, report.speedup(run), true, {}};
}

ReportForm reportForm(const Report& report) {
  ReportForm form;
  form.build = buildForm();
  form.scenario = report.scenario;
  for (const RunRecord& run : report.runs) form.runs.push_back(runForm(report, run));
  return form;
}

boost::json::value jsonReport(const Report& report) { return toJson(reportForm(report)); }

}  // namespace t3
