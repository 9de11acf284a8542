// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/bound_parts.h"

namespace t3 {

/// Tiles that the ring of a GPU may lag behind its GEMM before communication goes first in the
/// memory (RingLag); 0 is no limit. `config` is the GPU's own, `bound` what it needs by itself.
///
/// The driver knows both parts at the launch: the GEMM's math and the bytes that the collectives
/// beside it send over the links, the first one or, where the tracker `gathers`, all. Where the
/// GEMM is the longer part, the ring has time to catch up (`hbm.mca.lag_stages`). Where the ring
/// is, each delay of it makes the sublayer longer (`hbm.mca.lag_stages_long_ring`).
std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers);

}  // namespace t3
