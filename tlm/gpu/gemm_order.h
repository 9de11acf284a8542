// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tlm/gpu/gemm_blocks.h"
#include "tlm/gpu/gemm_launch.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/output_map.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// The order in which a launch dispatches its workgroups.
struct GemmOrder {
  std::vector<WorkgroupId> workgroups;
  std::uint32_t swizzleRows = 0;  ///< height of its bands (Swizzled)
};

/// Operand bytes that `order` reads from memory if every wave of workgroups walks K in step. The
/// L2 is counted by block, whatever the model of the run: a library's choice does not depend on how
/// it is simulated.
std::uint64_t countReads(const GpuConfig& config, const Tiling& tiling, const GemmBlocks& blocks,
                         const OutputMap& output, std::span<const WorkgroupId> order);

/// What `config.gemm` asks for. Where the band height is left open (`swizzle_rows` 0) it is tuned
/// as a GEMM library tunes: operand reads are counted for several heights, and the height is chosen
/// by a rule that was measured (docs/measurements/gemm.md, "Height of a band"). Slabs are walked
/// row after row, or in bands of `swizzle_rows` where that reads less; those of a launch side by
/// side in one band.
GemmOrder chooseOrder(const GpuConfig& config, const Tiling& tiling, const GemmBlocks& blocks,
                      const GemmLaunch& launch);

}  // namespace t3
