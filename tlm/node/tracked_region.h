// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// A run of tiles that is tracked alike, and what their completion does.
struct TrackedRegion {
  TileRange tiles;
  std::uint32_t updatesPerElement = 2;
  bool trigger = false;                        ///< say each block that is done, for a DMA command
  CommandId firstCommand{};                    ///< slot of the first block
  OutputBuffer buffer = OutputBuffer::Output;  ///< where the tiles lie
  std::uint64_t bytes = 0;                     ///< of that buffer; 0: those of the output
  /// Blocks of which nothing is written: the region is done without them.
  std::uint32_t unwritten = 0;
  /// The row slot that row 0 of the grid counts for, if the tracker is to release rows of these
  /// tiles. Blocks do not cross rows then.
  std::optional<std::uint32_t> firstRow = std::nullopt;
};

}  // namespace t3
