// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/run_record.h"

namespace t3 {

/// One scenario of a list, and the modes in which it is simulated.
struct Point {
  std::string part;                   ///< of the evaluation it belongs to; "" in a sweep
  std::string preset;                 ///< or, in a sweep of a file, its name
  std::string study;                  ///< points of a part that belong together; "": all do
  std::string label;                  ///< what distinguishes it in its study; "": nothing
  std::vector<std::string> settings;  ///< key.path=value: the differences from the preset
  std::vector<Mode> modes;
  SystemConfig scenario;  ///< with the settings applied
  bool usual = false;     ///< nothing that a study of the evaluation varies differs from the preset
};

/// A point that has been simulated.
struct PointResult {
  Point point;
  Report report;

  /// The run of that mode, if it was asked for and did not fail.
  const RunRecord* run(Mode mode) const {
    const auto found = std::ranges::find(report.runs, mode, &RunRecord::mode);
    return found != report.runs.end() && !found->failed() ? &*found : nullptr;
  }
  /// Of that mode over `sequential`, if both ran.
  std::optional<double> speedup(Mode mode) const {
    const RunRecord* found = run(mode);
    return found == nullptr ? std::nullopt : report.speedup(*found);
  }
};

}  // namespace t3
