// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/json_report.h"

#include "build_info.h"
#include "testbench/config/described_json.h"

namespace t3 {

namespace json = boost::json;

json::object runJson(const Report& report, const RunRecord& run) {
  const RunResult& result = run.result;
  json::object object;
  object["mode"] = toJson(run.mode);
  object["tracker"] = toJson(run.tracker);
  object["status"] = run.failed() ? "failed" : "ok";
  object["error"] = run.failed() ? json::value(result.error) : json::value(nullptr);
  object["time_ns"] = static_cast<double>(result.time_ps) / 1e3;
  object["time_ps"] = result.time_ps;
  object["speedup"] = toJson(report.speedup(run));
  object["derived_from"] = toJson(run.derived_from);
  object["phase_ns"] = toJson(result.phase_ns);
  object["bound_ns"] = toJson(result.bound_ns);
  object["phases"] = toJson(result.phases);
  object["sublayers"] = toJson(result.sublayers);
  object["steady_ns"] = toJson(result.steady_ns);
  object["setup"] = toJson(result.setup);
  object["dram_bytes"] = toJson(result.dram_bytes);
  if (!result.other_collectives.empty()) {
    object["other_collectives"] = toJson(result.other_collectives);
  }
  object["link_bytes"] = result.link_bytes;
  object["per_gpu"] = toJson(result.per_gpu);
  object["memory"] = toJson(result.memory);
  object["tracker_stats"] = toJson(result.tracker_stats);
  object["verification"] = toJson(result.verification);
  object["host"] = toJson(run.host);
  return object;
}

json::value buildJson() {
  return {{"version", build::kVersion},
          {"commit", build::kCommit},
          {"dirty", build::kDirty},
          {"rtl_sha256", build::kRtlSha256}};
}

json::value jsonReport(const Report& report) {
  json::object object;
  object["schema"] = "t3sim/1";
  object["build"] = buildJson();
  object["scenario"] = toJson(report.scenario);
  json::array runs;
  for (const RunRecord& run : report.runs) runs.push_back(runJson(report, run));
  object["runs"] = std::move(runs);
  return object;
}

}  // namespace t3
