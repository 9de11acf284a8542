// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "testbench/output/command_trace.h"
#include "testbench/report/run_record.h"

namespace t3 {

/// Simulates one mode in this process (once: SystemC's kernel is global). Whatever goes wrong in
/// the simulation is in the record, not thrown. `progress` gets fractions from 0 to 1. `commands`,
/// if given, gets every DRAM command and is for the caller to finish.
RunRecord simulate(const SystemConfig& scenario, Mode mode, TrackerKind tracker,
                   const std::function<void(double)>& progress, CommandTrace* commands = nullptr);

}  // namespace t3
