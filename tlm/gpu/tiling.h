// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/transport/index.h"

namespace t3 {

/// A rectangle of output elements: rows [row, row + rows), columns [column, column + columns).
struct Rectangle {
  std::uint32_t row = 0, column = 0, rows = 0, columns = 0;

  std::uint64_t elements() const { return std::uint64_t{rows} * columns; }
  bool operator==(const Rectangle&) const = default;
};

/// A run of consecutive workgroup ids, [first, first + count).
struct TileRange {
  std::uint32_t first = 0, count = 0;

  std::uint32_t end() const { return first + count; }
  bool contains(WorkgroupId wg) const { return wg.value >= first && wg.value < end(); }
  bool operator==(const TileRange&) const = default;
};

/// How a row-major M x N output is cut into macro-tiles, wavefront tiles and chunks.
///
/// Workgroup ids number the macro-tiles row by row, so an id names the same tile on every GPU
/// whatever order they are dispatched in. The wavefronts of a tile are bands of
/// ceil(tileRows / wavefronts) full rows, as an epilogue that goes through local memory stores
/// them; in a tile cut by the lower edge the last bands may be short or empty. Chunk c is the c-th
/// of `chunks` runs of workgroup ids whose lengths differ by one unit at most. A unit is one tile,
/// or as many as must not be parted. With fewer units than chunks some chunks are empty.
class Tiling {
 public:
  /// All arguments > 0. Chunks begin at multiples of `unit` tiles.
  Tiling(std::uint32_t rows, std::uint32_t columns, std::uint32_t elementBytes,
         std::uint32_t tileRows, std::uint32_t tileColumns, std::uint32_t wavefronts,
         std::uint32_t chunks, std::uint32_t unit = 1);

  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t elementBytes() const { return elementBytes_; }
  std::uint32_t tileRows() const { return tileRows_; }
  std::uint32_t tileColumns() const { return tileColumns_; }
  std::uint32_t wavefronts() const { return wavefronts_; }
  std::uint32_t chunks() const { return chunks_; }

  std::uint32_t tilesDown() const { return tilesDown_; }      ///< macro-tiles per column
  std::uint32_t tilesAcross() const { return tilesAcross_; }  ///< macro-tiles per row
  std::uint32_t tiles() const { return tilesDown_ * tilesAcross_; }
  std::uint64_t pitchBytes() const { return std::uint64_t{columns_} * elementBytes_; }
  std::uint64_t outputBytes() const { return pitchBytes() * rows_; }

  Rectangle tile(WorkgroupId wg) const;
  /// May be empty (0 rows) in a tile cut by the lower edge.
  Rectangle wavefrontTile(WorkgroupId wg, WavefrontId wf) const;
  std::uint64_t bytes(const Rectangle& area) const { return area.elements() * elementBytes_; }
  /// Wavefront tiles of `wg` with at least one element.
  std::uint32_t liveWavefronts(WorkgroupId wg) const;
  /// Byte offset in the output of the first element of row `row` of `area` (row counts from 0).
  std::uint64_t offset(const Rectangle& area, std::uint32_t row) const {
    return (std::uint64_t{area.row} + row) * pitchBytes() +
           std::uint64_t{area.column} * elementBytes_;
  }

  /// Units floor(c * units / chunks) up to those of the next chunk.
  TileRange chunk(ChunkId chunk) const;
  /// The chunk of a tile, the inverse of `chunk`.
  ChunkId chunkOf(WorkgroupId wg) const {
    const std::uint64_t unit = wg.value / unit_;
    return ChunkId{static_cast<std::uint32_t>(((unit + 1) * chunks_ - 1) / units_)};
  }
  std::uint32_t mostTilesOfAChunk() const;
  bool chunksHaveEqualTiles() const {
    return std::uint64_t{mostTilesOfAChunk()} * chunks_ == tiles();
  }
  std::uint64_t chunkBytes(ChunkId chunk) const;

 private:
  std::uint32_t rows_, columns_, elementBytes_, tileRows_, tileColumns_, wavefronts_, chunks_,
      unit_;
  std::uint32_t tilesDown_, tilesAcross_, wavefrontRows_, units_;
};

/// The order in which GPU `gpu` of `gpus` GPUs produces, and the ring moves, the chunks: gpu-1,
/// gpu-2, …, gpu (modulo N). The first is stored remotely, the last stays. With several rings the
/// n-th chunks of all of them follow one another, see `RingPath`.
std::vector<ChunkId> ringChunkOrder(GpuId gpu, std::uint32_t gpus, std::uint32_t rings = 1);

}  // namespace t3
