// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/collective.h"
#include "tlm/collectives/promise.h"

namespace t3 {

// What collective libraries call NVLS: kernels that leave sums and copies to the switch between the
// GPUs. A GPU loads each line of the chunk that it owns as the sum of what all GPUs have there, and
// stores it in all GPUs at once. In an all-reduce it stores a line as soon as it has loaded it.
// Over its link to the switch go S + S/N bytes for an output of S bytes on N GPUs, and as many come
// back. Kernels wait for one another before they load (StepKernel).

extern const Collective kNvlsReduceScatter, kNvlsAllGather, kNvlsAllReduce;
/// Whether a collective is one of them.
inline bool servedBySwitch(const Collective& collective) {
  return &collective == &kNvlsReduceScatter || &collective == &kNvlsAllGather ||
         &collective == &kNvlsAllReduce;
}

/// One of these alone, on so many GPUs.
Algorithm nvlsAlgorithm(const Promise& promise, std::uint32_t gpus);

}  // namespace t3
