// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/collective_summary.h"

#include "testbench/config/described_json.h"
#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/text.h"

namespace t3 {
boost::json::value collectiveJson(const Report& report, const CollectiveSummary& summary) {
  ReportForm form = reportForm(report);
  for (RunForm& run : form.runs) run.collective = summary;
  return toJson(form);
}

std::string collectiveCsv(const Report& report, const CollectiveSummary& summary) {
  const auto number = [](double value) { return fixed(value, 6); };
  return formatCsv(csvRows(
      report, {{"collective.file", summary.file},
               {"collective.name", summary.name},
               {"collective.coll", summary.coll},
               {"collective.in_place", summary.in_place ? "true" : "false"},
               {"collective.chunks", std::to_string(summary.chunks)},
               {"collective.thread_blocks", std::to_string(summary.thread_blocks)},
               {"collective.steps", std::to_string(summary.steps)},
               {"collective.bytes", std::to_string(summary.bytes)},
               {"collective.algbw_gb_s", number(summary.algbw_gb_s)},
               {"collective.busbw_gb_s", summary.busbw_gb_s ? number(*summary.busbw_gb_s) : ""}}));
}

std::string collectiveTable(const Report& report, const CollectiveSummary& summary) {
  const SystemConfig& scenario = report.scenario;
  std::string text =
      summary.coll + " \"" + summary.name + "\" on " + std::to_string(summary.gpus) + " GPUs, " +
      (summary.in_place ? "in place" : "out of place") + ": " + std::to_string(summary.bytes) +
      " bytes of " + spelling(scenario.collective.data_type) + " in " +
      std::to_string(summary.chunks) + " chunks, " + std::to_string(summary.thread_blocks) +
      " thread blocks, " + std::to_string(summary.steps) + " steps, " + spelling(scenario.data) +
      " data\n\n";
  TextTable table;
  for (const RunRecord& run : report.runs) {
    const RunResult& result = run.result;
    table.add({"", spelling(run.mode)});
    if (!run.failed()) {
      const auto megabytes = [](std::uint64_t bytes) {
        return fixed(static_cast<double>(bytes) / 1e6, 1);
      };
      const PhaseFigures figures = result.others().front();
      table.add({"time (us)", fixed(static_cast<double>(result.time_ps) / 1e6, 2)});
      if (result.steady_ns) {
        table.add({"  from one to the next (us)", fixed(*result.steady_ns / 1e3, 2)});
      }
      table.add({"algorithm bandwidth (GB/s)", fixed(summary.algbw_gb_s, 2)});
      table.add({"bus bandwidth (GB/s)", summary.busbw_gb_s ? fixed(*summary.busbw_gb_s, 2) : "-"});
      table.add({"busiest link alone (us)", fixed(result.bound_ns / 1e3, 2)});
      table.add({"DRAM read, mean of the GPUs (MB)", megabytes(figures.dram_read)});
      table.add({"DRAM write, mean of the GPUs (MB)", megabytes(figures.dram_write)});
      table.add({"all links (MB)", megabytes(result.link_bytes)});
      if (const TrackerTotals& tracker = result.tracker_stats; tracker.updates != 0) {
        table.add({"tracker, all GPUs: updates", std::to_string(tracker.updates)});
        table.add({"  DMA commands triggered", std::to_string(tracker.triggers)});
        table.add({"  stall cycles", std::to_string(tracker.stall_cycles)});
      }
    }
    table.add({"wall (s)", fixed(run.host.wall_s, 2)});
    table.add({"verified", run.failed()                       ? "FAILED"
                           : result.verification.elements > 0 ? "data exact"
                                                              : "traffic"});
  }
  text += table.text();
  for (const RunRecord& run : report.runs) {
    if (run.failed()) text += "FAILED " + spelling(run.mode) + ": " + run.result.error + "\n";
  }
  return text;
}

}  // namespace t3
