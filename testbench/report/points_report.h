// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <vector>

#include "testbench/report/json_report.h"
#include "testbench/report/point.h"

namespace t3 {

/// One of `points` of "t3sim-reproduce/1" and "t3sim-sweep/1".
struct PointForm {
  IfSet<std::string> part;
  std::string preset;
  IfSet<std::string> study, label;
  boost::json::object settings;
  std::vector<RunForm> runs;

  static constexpr MemberText kTexts[] = {
      {"part", "of the evaluation"},
      {"preset", "or the file of the scenario"},
      {"study", "points of a part that belong together"},
      {"label", "what distinguishes it in its study"},
      {"settings", "key.path: value, the differences from the preset"},
      {"runs", "one for each mode"},
  };
};
BOOST_DESCRIBE_STRUCT(PointForm, (), (part, preset, study, label, settings, runs))

/// "t3sim-sweep/1"
struct SweepForm {
  static constexpr const char* kSchema = "t3sim-sweep/1";

  std::string schema = kSchema;
  BuildForm build;
  std::vector<PointForm> points;
};
BOOST_DESCRIBE_STRUCT(SweepForm, (), (schema, build, points))

/// "memory", the long statistics of the memory, is only there for points of which `wantsMemory` is
/// true.
std::vector<PointForm> pointForms(const std::vector<PointResult>& points,
                                  bool (*wantsMemory)(const Point&) = nullptr);

/// One line per run of all points. With `settingColumns` each setting has a column of its own, and
/// every point must have the same settings; otherwise all settings of a point share one column.
std::string pointsCsv(const std::vector<PointResult>& points, bool settingColumns);

/// For people: one line per point, its settings, and time and speedup of each mode.
std::string pointsTable(const std::vector<PointResult>& points, std::size_t width);

bool anyFailed(const std::vector<PointResult>& points);

/// One line for each run that failed, "" if none did.
std::string failuresOf(const std::vector<PointResult>& points);

}  // namespace t3
