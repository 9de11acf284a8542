// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/node/gpu_figures.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What the memories of the simulated GPUs have done so far.
MemoryReport memoryReport(const std::vector<GpuFigures>& gpus);

}  // namespace t3
