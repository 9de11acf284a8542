// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/points_report.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/text.h"

namespace t3 {
namespace {

namespace json = boost::json;

std::pair<std::string, std::string> split(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

json::object settingsJson(const Point& point) {
  json::object object;
  for (const std::string& assignment : point.settings) {
    const auto [key, text] = split(assignment);
    json::error_code error;
    json::value value = json::parse(text, error);
    object[key] = error ? json::value(text) : std::move(value);
  }
  return object;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string nameOf(const Point& point) {
  std::string name = point.preset;
  for (const std::string& setting : point.settings) name += " " + shortened(setting);
  return name;
}

}  // namespace

std::vector<PointForm> pointForms(const std::vector<PointResult>& points,
                                  bool (*wantsMemory)(const Point&)) {
  std::vector<PointForm> list;
  for (const auto& [point, report] : points) {
    PointForm& form = list.emplace_back();
    if (!point.part.empty()) form.part = point.part;
    form.preset = point.preset;
    if (!point.study.empty()) form.study = point.study;
    if (!point.label.empty()) form.label = point.label;
    form.settings = settingsJson(point);
    for (const RunRecord& run : report.runs) {
      form.runs.push_back(runForm(report, run));
      form.runs.back().memory = wantsMemory != nullptr && wantsMemory(point);
    }
  }
  return list;
}

std::string pointsCsv(const std::vector<PointResult>& points, bool settingColumns) {
  std::vector<CsvRow> rows;
  for (const auto& [point, report] : points) {
    CsvRow leading;
    if (!settingColumns) leading.emplace_back("part", point.part);
    leading.emplace_back("preset", point.preset);
    if (settingColumns) {
      for (const std::string& assignment : point.settings) leading.push_back(split(assignment));
    } else {
      leading.emplace_back("settings", joined(point.settings, " "));
    }
    for (CsvRow& row : csvRows(report, leading)) rows.push_back(std::move(row));
  }
  return formatCsv(rows);
}

std::string pointsTable(const std::vector<PointResult>& points, std::size_t width) {
  TextTable table(points.empty() ? 1 : 1 + points.front().point.settings.size());
  std::vector<std::string> heading = {"preset"};
  if (!points.empty()) {
    for (const std::string& setting : points.front().point.settings) {
      heading.push_back(split(setting).first);
    }
    for (const Mode mode : points.front().point.modes) {
      heading.push_back(spelling(mode) + " (us)");
      if (mode != Mode::Sequential) heading.push_back("speedup");
    }
  }
  table.add(heading);
  for (const auto& [point, report] : points) {
    std::vector<std::string> line = {point.preset};
    for (const std::string& setting : point.settings) line.push_back(split(setting).second);
    for (const RunRecord& run : report.runs) {
      const auto speedup = report.speedup(run);
      line.push_back(run.failed() ? "FAILED"
                                  : fixed(static_cast<double>(run.result.time_ps) * 1e-6, 1));
      if (run.mode != Mode::Sequential) line.push_back(speedup ? fixed(*speedup, 3) : "-");
    }
    table.add(line);
  }
  return table.text(width) + failuresOf(points);
}

bool anyFailed(const std::vector<PointResult>& points) {
  return std::ranges::any_of(points,
                             [](const PointResult& result) { return result.report.failed(); });
}

std::string failuresOf(const std::vector<PointResult>& points) {
  std::string text;
  for (const auto& [point, report] : points) {
    for (const RunRecord& run : report.runs) {
      if (!run.failed()) continue;
      text +=
          "FAILED " + nameOf(point) + ", " + spelling(run.mode) + ": " + run.result.error + "\n";
    }
  }
  return text;
}

}  // namespace t3
