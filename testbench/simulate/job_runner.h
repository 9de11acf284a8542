// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "testbench/simulate/crew.h"
#include "testbench/simulate/worker.h"

namespace t3 {

/// Has the crew simulate the jobs, and returns their records in order. A job whose process dies is
/// repeated once, with a line on standard error. `progress` gets the number of a job and its
/// fraction, `finished` the number of one that has ended and its record.
std::vector<RunRecord> runJobs(
    const std::vector<WorkerJob>& jobs, Crew& crew,
    const std::function<void(std::size_t, double)>& progress,
    const std::function<void(std::size_t, const RunRecord&)>& finished = {});

}  // namespace t3
