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

BuildForm buildForm() {
  return {.version = build::kVersion,
          .commit = build::kCommit,
          .dirty = build::kDirty,
          .rtl_sha256 = build::kRtlSha256};
}

RunForm runForm(const Report& report, const RunRecord& run) {
  const RunResult& result = run.result;
  RunForm form;
  form.mode = run.mode;
  form.tracker = run.tracker;
  if (run.failed()) {
    form.status = RunStatus::Failed;
    form.error = result.error;
  }
  form.time_ns = static_cast<double>(result.time_ps) / 1e3;
  form.time_ps = result.time_ps;
  form.speedup = report.speedup(run);
  form.derived_from = run.derived_from;
  form.phase_ns = result.phase_ns;
  form.bound_ns = result.bound_ns;
  form.phases = result.phases;
  form.sublayers = result.sublayers;
  form.steady_ns = result.steady_ns;
  form.setup = result.setup;
  form.dram_bytes = result.dram_bytes;
  if (!result.other_collectives.empty()) form.other_collectives = result.other_collectives;
  form.link_bytes = result.link_bytes;
  form.per_gpu = result.per_gpu;
  form.memory = result.memory;
  form.tracker_stats = result.tracker_stats;
  if (result.merged) form.merged = *result.merged;
  if (result.summed) form.summed = *result.summed;
  form.verification = result.verification;
  form.host = run.host;
  return form;
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
