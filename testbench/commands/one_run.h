// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "testbench/commands/recordings.h"
#include "testbench/commands/report_files.h"
#include "testbench/config/options.h"
#include "testbench/report/run_record.h"
#include "testbench/simulate/simulation.h"
#include "tlm/node/mode.h"

namespace t3 {

/// What runs of `t3sim run` do each in their own way.
struct OneRun {
  std::function<std::unique_ptr<Recordings>()> record;
  std::function<RunRecord(const Observers&)> simulate;
  std::function<void(ReportFiles&)> write;
};

/// One run of the report's scenario, in this process or in those that `mpirun` started: with
/// progress and recordings; the run is added to the report, and process 0 writes. Returns the exit
/// code.
int runOne(const Options& options, Report& report, Mode mode, const OneRun& run);

}  // namespace t3
