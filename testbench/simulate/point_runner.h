// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/report/point.h"
#include "testbench/report/run_record.h"
#include "testbench/simulate/crew.h"

namespace t3 {

/// Of the modes of one scenario, those that need a simulation of their own: `ideal-overlap` needs
/// none beside `sequential`, because it would be the very same simulation.
std::vector<Mode> simulatedModes(const SystemConfig& scenario, const std::vector<Mode>& modes);

/// The records of all `modes` of a scenario from those of its `simulatedModes`: adds what is
/// derived, and marks runs that break a bound as failed.
std::vector<RunRecord> assembleRuns(const SystemConfig& scenario, const std::vector<Mode>& modes,
                                    const std::vector<RunRecord>& simulated);

/// Has the crew simulate all points. A run that several points share (same scenario, mode and
/// tracker) is made once. `store` may be null.
std::vector<PointResult> runPoints(const std::vector<Point>& points, TrackerKind tracker,
                                   Crew& crew, const RunStore* store, bool showProgress);

}  // namespace t3
