// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/figure_data.h"

#include <algorithm>

#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/report/text.h"

namespace t3 {

namespace {

std::string speedupData(const Selection& selection, const std::vector<Mode>& modes) {
  std::vector<CsvRow> rows;
  for (const PointResult* result : selection) {
    for (const Mode& mode : modes) {
      const RunRecord* run = result->run(mode);
      const auto speedup = result->speedup(mode);
      if (run == nullptr || !speedup) continue;
      CsvRow row = pointColumns(result->point);
      row.emplace_back("mode", spelling(mode));
      row.emplace_back("time_ns", formatNumber(nanoseconds(run->result.time_ps)));
      row.emplace_back("speedup", formatNumber(*speedup));
      rows.push_back(std::move(row));
    }
  }
  return formatCsv(rows);
}

std::string speedupRanges(const Selection& selection, const std::vector<Mode>& modes) {
  std::string text;
  for (const Mode& mode : modes) {
    std::vector<double> values;
    for (const PointResult* result : selection) {
      if (const auto speedup = result->speedup(mode)) values.push_back(*speedup);
    }
    if (values.empty()) continue;
    const auto [low, high] = std::ranges::minmax(values);
    text +=
        (text.empty() ? "" : ", ") + spelling(mode) + " " + fixed(low, 3) + " to " + fixed(high, 3);
  }
  return text;
}

}  // namespace

CsvRow pointColumns(const Point& point) {
  return {{"preset", point.preset},
          {"model", point.scenario.workload.model},
          {"sublayer", point.scenario.workload.sublayer},
          {"gpus", std::to_string(point.scenario.gpus)},
          {"study", point.study},
          {"changed", point.label}};
}

Figure withSpeedups(Figure figure, const Selection& selection, const std::vector<Mode>& modes) {
  figure.alt += " Speedups over sequential: " + speedupRanges(selection, modes) + ".";
  figure.data = speedupData(selection, modes);
  figure.modes = modes;
  return figure;
}

}  // namespace t3
