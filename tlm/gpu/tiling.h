// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
/// Workgroup ids number the macro-tiles row by row: an id names the same tile on every GPU, in any
/// dispatch order. The wavefronts of a tile are bands of ceil(tileRows / wavefronts) full rows, as
/// an epilogue through local memory stores them; at the lower edge the last ones may be short or
/// empty. Chunk c is the c-th of `chunks` runs of ids whose lengths differ by one unit at most. A
/// unit is one tile, or as many as must not be parted. Some chunks may be empty.
class Tiling {
 public:
  struct Matrix {
    std::uint32_t rows, columns, elementBytes;
  };
  struct Tile {
    std::uint32_t rows, columns, wavefronts;
  };

  /// All numbers > 0. Chunks begin at multiples of `unit` tiles.
  Tiling(const Matrix& output, const Tile& tile, std::uint32_t chunks, std::uint32_t unit = 1);

  std::uint32_t rows() const { return output_.rows; }
  std::uint32_t columns() const { return output_.columns; }
  std::uint32_t elementBytes() const { return output_.elementBytes; }
  std::uint32_t tileRows() const { return tile_.rows; }
  std::uint32_t tileColumns() const { return tile_.columns; }
  std::uint32_t wavefronts() const { return tile_.wavefronts; }
  std::uint32_t chunks() const { return chunks_; }

  std::uint32_t tilesDown() const { return tilesDown_; }      ///< macro-tiles per column
  std::uint32_t tilesAcross() const { return tilesAcross_; }  ///< macro-tiles per row
  std::uint32_t tiles() const { return tilesDown_ * tilesAcross_; }
  std::uint64_t pitchBytes() const { return std::uint64_t{columns()} * elementBytes(); }
  std::uint64_t outputBytes() const { return pitchBytes() * rows(); }

  Rectangle tile(WorkgroupId wg) const;
  /// May be empty (0 rows) in a tile cut by the lower edge.
  Rectangle wavefrontTile(WorkgroupId wg, WavefrontId wf) const;
  std::uint64_t bytes(const Rectangle& area) const { return area.elements() * elementBytes(); }
  /// Wavefront tiles of `wg` with at least one element.
  std::uint32_t liveWavefronts(WorkgroupId wg) const;
  /// Byte offset in the output of the first element of row `row` of `area` (row counts from 0).
  std::uint64_t offset(const Rectangle& area, std::uint32_t row) const {
    return (std::uint64_t{area.row} + row) * pitchBytes() +
           std::uint64_t{area.column} * elementBytes();
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
  Matrix output_;
  Tile tile_;
  std::uint32_t chunks_, unit_;
  std::uint32_t tilesDown_, tilesAcross_, wavefrontRows_, units_;
};

/// The order in which a GPU produces, and the ring moves, the chunks: gpu-1, gpu-2, …, gpu (modulo
/// N). The last stays. With several rings the n-th chunks of all follow one another.
std::vector<ChunkId> ringChunkOrder(GpuId gpu, std::uint32_t gpus, std::uint32_t rings = 1);

/// One of the rings on which a collective runs. Even ones go forward, from GPU g to g+1; odd ones
/// backward. The output is cut into gpus x rings chunks; chunk c, whose owner is GPU c / rings,
/// travels on ring c % rings.
struct RingPath {
  std::uint32_t gpus = 2;
  std::uint32_t rings = 1;
  std::uint32_t index = 0;  ///< of this ring

  bool forward() const { return index % 2 == 0; }
  /// Where a GPU sends to.
  GpuId next(GpuId gpu) const { return ahead(gpu, forward() ? 1 : gpus - 1); }
  /// Where it receives from.
  GpuId previous(GpuId gpu) const { return ahead(gpu, forward() ? gpus - 1 : 1); }
  /// This ring's chunk that ends at the GPU `distance` places behind `gpu`, against the direction.
  ChunkId behind(GpuId gpu, std::uint32_t distance) const {
    const std::uint32_t places = distance % gpus;
    return ChunkId{ahead(gpu, forward() ? gpus - places : places).value * rings + index};
  }

 private:
  GpuId ahead(GpuId gpu, std::uint32_t places) const { return GpuId{(gpu.value + places) % gpus}; }
};

/// A contiguous run of bytes of the output.
struct Segment {
  std::uint64_t offset = 0;  ///< from the start of the output
  std::uint64_t bytes = 0;

  bool operator==(const Segment&) const = default;
};

/// The bytes of a run of tiles, by address, as few segments as possible: one for tile rows that are
/// filled, one for each row of elements where a tile row is filled in part.
std::vector<Segment> segmentsOf(const Tiling& tiling, TileRange tiles);

/// A chunk as its segments and, in a receive buffer, the same bytes without gaps.
class ChunkSegments {
 public:
  ChunkSegments(const Tiling& tiling, ChunkId chunk);
  /// One segment.
  explicit ChunkSegments(std::uint64_t bytes) : segments_{{0, bytes}}, starts_{0}, bytes_(bytes) {}

  std::size_t size() const { return segments_.size(); }
  const Segment& operator[](std::size_t index) const { return segments_[index]; }
  /// Of all segments together.
  std::uint64_t bytes() const { return bytes_; }
  /// What is left of the segment that has byte `position` of the chunk without gaps, from there on.
  Segment from(std::uint64_t position) const;
  /// Where `bytes` bytes at `outputOffset` are in the chunk without gaps; empty if they are not all
  /// in one segment of it.
  std::optional<std::uint64_t> denseOffset(std::uint64_t outputOffset, std::uint64_t bytes) const;

 private:
  std::vector<Segment> segments_;
  std::vector<std::uint64_t> starts_;  ///< bytes of the chunk in front of each segment
  std::uint64_t bytes_ = 0;
};

/// Walks over the bytes of tiles as a DMA engine reads them: in runs that each belong to one
/// wavefront tile. A row of such a tile is one run; where the tile is as wide as the output, all of
/// it is.
///
/// Outputs that follow one another in memory and are cut alike count as one: offsets and workgroup
/// ids go on. The same tiles of each are walked over.
class ByteWalk {
 public:
  ByteWalk() = default;
  /// At least one tile and one output. The tiling outlives the walk.
  ByteWalk(const Tiling& tiling, TileRange tiles, std::uint32_t outputs = 1);

  bool atEnd() const { return left_ == 0; }
  std::uint64_t offset() const { return offset_; }  ///< from the first byte of the first output
  std::uint64_t left() const { return left_; }      ///< bytes of the run; 0 at the end
  WorkgroupId workgroup() const { return id_; }
  WavefrontId wavefront() const { return wavefront_; }
  /// By at most `left()` bytes.
  void advance(std::uint64_t bytes);

 private:
  void nextWavefrontTile();
  void beginWavefrontTile();

  const Tiling* tiling_ = nullptr;
  TileRange tiles_;
  std::uint32_t outputs_ = 0, output_ = 0;
  WorkgroupId workgroup_, id_;  ///< in the output, and counted from the first one
  WavefrontId wavefront_;
  std::uint32_t runsLeft_ = 0;  ///< of the wavefront tile
  std::uint64_t runBytes_ = 0, offset_ = 0, left_ = 0;
};

}  // namespace t3
