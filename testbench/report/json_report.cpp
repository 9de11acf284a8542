// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/json_report.h"

#include "testbench/build_info.h"

namespace t3 {

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
  return {run, report.speedup(run), true, {}, prefillOf(report, run)};
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
