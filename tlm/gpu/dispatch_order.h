// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// How the tiles of one chunk are walked.
///
/// Every policy walks bands of tile rows column by column; they differ in the height of a band:
/// one row (RowMajor), `swizzleRows` (Swizzled), all rows of the chunk (ColumnMajor). A chunk that
/// is only part of a tile row is walked along the row by all of them.
struct TileWalk {
  WorkgroupOrder order = WorkgroupOrder::Swizzled;
  std::uint32_t swizzleRows = 8;
  /// Every second band runs from the right to the left, so it starts with the columns (of B) that
  /// the band before used last.
  bool serpentine = false;
};

/// The order in which workgroups go to free slots: chunk after chunk as in `chunks`, inside a
/// chunk as `walk` says. With no chunks given the whole output is one chunk: what a kernel does
/// that need not produce chunk by chunk.
///
/// `sideBySide`: each chunk in that order, but one workgroup of every chunk in turn.
std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide = false);

}  // namespace t3
