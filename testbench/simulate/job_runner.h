// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "testbench/simulate/worker.h"

namespace t3 {

/// Runs the jobs, at most `parallel` at a time, and returns their records in order. `progress` gets
/// the number of a job and its fraction, `finished` the number of one that has ended and its
/// record.
std::vector<RunRecord> runJobs(
    const std::vector<WorkerJob>& jobs, unsigned parallel,
    const std::function<void(std::size_t, double)>& progress,
    const std::function<void(std::size_t, const RunRecord&)>& finished = {});

}  // namespace t3
