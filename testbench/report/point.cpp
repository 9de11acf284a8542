// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/point.h"

#include <algorithm>

namespace t3 {

const RunRecord* PointResult::run(Mode mode) const {
  const auto found = std::ranges::find(report.runs, mode, &RunRecord::mode);
  return found != report.runs.end() && !found->failed() ? &*found : nullptr;
}

std::optional<double> PointResult::speedup(Mode mode) const {
  const RunRecord* found = run(mode);
  return found == nullptr ? std::nullopt : report.speedup(*found);
}

}  // namespace t3
