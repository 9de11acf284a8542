// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/report/point.h"
#include "testbench/simulate/crew.h"

namespace t3 {

class RunStore;

/// Has the crew simulate all points, and returns their results in order. A run that several points
/// share (same scenario, mode and tracker) is made once. With a `store`, runs
/// are taken from it if it has them, and each new run without a failure is saved in it at once.
std::vector<PointResult> runPoints(const std::vector<Point>& points, TrackerKind tracker,
                                   Crew& crew, const RunStore* store, bool showProgress);

}  // namespace t3
