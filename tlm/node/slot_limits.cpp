// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/slot_limits.h"

#include "tlm/tracker/tracker_config.h"

namespace t3 {

std::uint64_t blockBytes(const Tiling& tiling, TileRange block) {
  std::uint64_t bytes = 0;
  for (std::uint32_t wg = block.first; wg < block.end(); ++wg) {
    bytes += tiling.bytes(tiling.tile(WorkgroupId{wg}));
  }
  return bytes;
}

std::optional<std::string> checkBlockBytes(const Tiling& tiling, std::uint32_t blockLog2,
                                           std::uint32_t updates) {
  const std::uint64_t most = TrackerConfig::kMostCount / updates;
  const std::uint64_t bytes = tiling.bytes(tiling.tile(WorkgroupId{0})) << blockLog2;
  if (bytes <= most) return std::nullopt;
  const bool blocks = blockLog2 != 0;
  return std::string(blocks ? "tracker.block_log2: expected blocks"
                            : "gpu.gemm.tile_rows: expected tiles") +
         " of at most " + std::to_string(most) + " bytes, of which a slot of the tracker counts " +
         std::to_string(updates) + " updates, got " + std::to_string(bytes);
}

}  // namespace t3
