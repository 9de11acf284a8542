// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/report/run_record.h"

namespace t3 {

/// Of the modes of one scenario, those that need a simulation of their own: `ideal-overlap` does
/// not where `sequential` is among them, because it would be the very same simulation.
std::vector<Mode> simulatedModes(const SystemConfig& scenario, const std::vector<Mode>& modes);

/// The records of all `modes` of a scenario, in their order, from the records of
/// `simulatedModes(modes)`: what is derived is added, and runs that break a bound are marked as
/// failed.
std::vector<RunRecord> assembleRuns(const SystemConfig& scenario, const std::vector<Mode>& modes,
                                    const std::vector<RunRecord>& simulated);

}  // namespace t3
