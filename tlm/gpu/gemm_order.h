// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tlm/gpu/gemm_blocks.h"
#include "tlm/gpu/gemm_config.h"
#include "tlm/gpu/gemm_launch.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// How the tiles of a chunk are walked: in bands of tile rows, column by column. A band has one row
/// (RowMajor), `swizzleRows` (Swizzled), or all rows of the chunk (ColumnMajor). A chunk that is
/// part of a tile row is walked along it.
struct TileWalk {
  WorkgroupOrder order = WorkgroupOrder::Swizzled;
  std::uint32_t swizzleRows = 8;
  /// Every second band runs from the right: it begins with the columns of B used last.
  bool serpentine = false;
};

/// The order in which workgroups go to free slots: chunk after chunk, inside a chunk as `walk`
/// says. Without chunks the whole output is one.
///
/// `sideBySide`: one workgroup of every chunk in turn. A band is then as high over all chunks
/// together, at least a row of each, so that waves have the same shape and read no more operands.
std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide = false);

/// Slab after slab: a slab is the next `rows` rows of every chunk, counted from the chunk's first
/// tile, so that n-th rows of chunks are finished at about the same time.
///
///     chunk by chunk   c0: r0 r1 r2 … | c1: r0 r1 r2 … | c2: …
///     slab by slab     r0 of c0, c1, c2, … | r1 of c0, c1, c2, … | …
///
/// The rows of a slab are walked as the tile rows of a chunk are: in bands, column by column. So a
/// slab of one row, in bands of 8, uses each panel of B for 8 chunks at once. A band is no higher
/// than a chunk, so waves keep their shape; only chunks of less than a tile row share bands.
enum class SlabBands : std::uint8_t {
  OfAChunk,      ///< as said
  AcrossChunks,  ///< as high as `walk` says, whatever the height of a chunk
  WholeSlab      ///< as high as the slab: the same tiles of all chunks follow one another
};
std::vector<WorkgroupId> slabOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                   std::uint32_t rows, const TileWalk& walk,
                                   SlabBands bands = SlabBands::OfAChunk);

/// These rows of tiles as one band, column by column, from the right if `backwards`.
std::vector<WorkgroupId> bandOrder(const Tiling& tiling, std::span<const std::uint32_t> tileRows,
                                   bool backwards);

/// The order in which a launch dispatches its workgroups.
struct GemmOrder {
  std::vector<WorkgroupId> workgroups;
  std::uint32_t swizzleRows = 0;  ///< height of its bands (Swizzled)
};

/// Operand bytes that `order` reads from memory if every wave of workgroups walks K in step.
std::uint64_t countReads(const GpuConfig& config, const GemmBlocks& blocks, const OutputMap& output,
                         std::span<const WorkgroupId> order);

/// What `config.gemm` asks for. Where the band height is open (`swizzle_rows` 0) it is tuned as a
/// GEMM library tunes: operand reads are counted for several heights, and a measured rule chooses
/// (docs/measurements/gemm.md, "Height of a band"). Slabs are walked row after row, or in bands of
/// `swizzle_rows` where that reads less; those of a launch side by side in one band.
GemmOrder chooseOrder(const GpuConfig& config, const GemmBlocks& blocks, const GemmLaunch& launch);

}  // namespace t3
