// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/report/point.h"

namespace t3 {

class RunStore;

/// Simulates all points, `parallel` processes at a time, and returns them in order. Runs that
/// several points share (same scenario, mode and tracker) are made once; with a `store`, those in
/// it are taken from there, and each one that ends without a failure is put there at once.
std::vector<PointResult> runPoints(const std::vector<Point>& points, TrackerKind tracker,
                                   unsigned parallel, const RunStore* store, bool showProgress);

}  // namespace t3
