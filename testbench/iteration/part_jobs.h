// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/simulate/worker.h"
#include "testbench/workload/part.h"
#include "tlm/node/mode.h"

namespace t3 {

/// How long a part takes.
struct PartTime {
  Picoseconds gemm = 0;   ///< to the end of the last GPU's GEMM, if there is one
  Picoseconds total = 0;  ///< from time 0, the first instruction, to the end
};

/// The simulations of a part in a mode, and how its time follows from their results.
struct PartJobs {
  std::vector<WorkerJob> jobs;
  std::uint32_t chunks = 0;  ///< into which a collective cuts its bytes
  PartTime timeOf(const WorkPart& part, const std::vector<RunRecord>& records) const;
};

/// `partProblem` has found nothing. Parts without a pair are the same in all modes.
PartJobs jobsOf(const WorkPart& part, const SystemConfig& scenario, Mode mode, TrackerKind tracker);

}  // namespace t3
