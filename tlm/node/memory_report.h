// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/node/gpu_figures.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What the simulated GPUs and their memories have done so far: a result's entries per GPU, what
/// follows from them, and the bytes of its phases.
void addGpus(Collectives collectives, const std::vector<GpuFigures>& gpus, RunResult& result);

}  // namespace t3
