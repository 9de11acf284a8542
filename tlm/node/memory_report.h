// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/node/gpu_figures.h"
#include "tlm/node/run_result.h"

namespace t3 {

DramBytes dramBytes(const std::array<std::array<std::uint64_t, 2>, kPhases>& phaseBytes);
/// Of the collectives that have no fields there: the bytes of their phases, mean of the GPUs.
void addOtherBytes(Collectives collectives, const std::vector<GpuFigures>& gpus, RunResult& result);

/// What the memories of the simulated GPUs have done so far.
MemoryReport memoryReport(const std::vector<GpuFigures>& gpus);

}  // namespace t3
