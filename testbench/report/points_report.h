// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// `points` of "t3sim-reproduce/1" and "t3sim-sweep/1": {"part", "preset", "study", "label",
/// "settings", "runs": [as in t3sim/1]}, where part, study and label are absent if empty. "memory",
/// the long statistics of the memory, is only written for points of which `wantsMemory` is true.
boost::json::array pointsJson(const std::vector<PointResult>& points,
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
