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
/// `sideBySide`: one workgroup of every chunk in turn. A band is then as high over all chunks
/// together, at least a row of each, so that a wave of workgroups has the shape that it has chunk
/// by chunk, and reads no more operands.
std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide = false);

/// Slab after slab: a slab is the next `rows` rows of every chunk. Rows are counted from the
/// chunk's first tile, so where that stands inside a tile row, a row of the chunk is the end of one
/// tile row and the beginning of the next. Chunks stay what they are, but their n-th rows are
/// finished at about the same time.
///
///     chunk by chunk   c0: r0 r1 r2 … | c1: r0 r1 r2 … | c2: …
///     slab by slab     r0 of c0, c1, c2, … | r1 of c0, c1, c2, … | …
///
/// `walk` treats the rows of a slab, chunk after chunk as in `chunks`, as it treats the tile rows
/// of a chunk: in bands, column by column. So a slab of one row, in bands of 8, uses each panel of
/// B for 8 chunks at once. A band is no higher than a chunk, as it is chunk by chunk, so that waves
/// of workgroups have the same shape; only chunks that are less than a tile row share bands.
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

}  // namespace t3
