// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/bound_parts.h"

namespace t3 {

// What the driver tells the memory's arbitration at the launch of a GEMM. It knows the GEMM's math
// and what the collectives beside it send and store: the first one or, where the tracker `gathers`,
// all. `config` is the GPU's own, `bound` what it needs by itself.

/// Tiles that the ring of a GPU may lag behind its GEMM before communication goes first in the
/// memory (RingLag); 0 is no limit.
///
/// Where the GEMM is the longer part, the ring has time to catch up (`hbm.mca.lag_stages`). Where
/// the ring is (`hbm.mca.long_ring_ratio`), each delay of it makes the sublayer longer
/// (`hbm.mca.lag_stages_long_ring`).
std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers);

/// Share of the memory's peak that the GEMM's stores and the collectives take while the GEMM
/// computes (Arbitration::expectTraffic).
double expectedTraffic(const GpuBound& bound, bool gathers);

}  // namespace t3
