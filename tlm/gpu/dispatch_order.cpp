// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dispatch_order.h"

#include <algorithm>

namespace t3 {
namespace {

std::uint32_t bandRows(const TileWalk& walk, std::uint32_t tilesDown) {
  switch (walk.order) {
    case WorkgroupOrder::RowMajor:
      return 1;
    case WorkgroupOrder::ColumnMajor:
      return tilesDown;
    case WorkgroupOrder::Swizzled:
      return std::max(walk.swizzleRows, 1U);
  }
  return 1;
}

/// `parts` equal parts, one element of each in turn.
std::vector<WorkgroupId> interleaved(const std::vector<WorkgroupId>& order, std::size_t parts) {
  std::vector<WorkgroupId> result;
  const std::size_t length = order.size() / parts;
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t part = 0; part < parts; ++part) result.push_back(order[part * length + i]);
  }
  return result;
}

/// Rows of a chunk as runs of tiles; the last one may be shorter.
std::vector<TileRange> rowsOf(const TileRange& tiles, std::uint32_t across) {
  std::vector<TileRange> rows;
  for (std::uint32_t first = tiles.first; first < tiles.end(); first += across) {
    rows.push_back({first, std::min(across, tiles.end() - first)});
  }
  return rows;
}

}  // namespace

std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide) {
  std::vector<TileRange> ranges;
  for (const ChunkId chunk : chunks) ranges.push_back(tiling.chunk(chunk));
  if (chunks.empty()) ranges.push_back({0, tiling.tiles()});

  const std::uint32_t across = tiling.tilesAcross();
  const std::uint32_t height = bandRows(walk, tiling.tilesDown());
  std::vector<WorkgroupId> result;
  bool backwards = false;
  for (const TileRange& range : ranges) {
    const std::uint32_t lastRow = (range.end() - 1) / across;
    for (std::uint32_t band = range.first / across; band <= lastRow; band += height) {
      const std::uint32_t bandEnd = std::min(band + height, lastRow + 1);
      for (std::uint32_t i = 0; i < across; ++i) {
        const std::uint32_t column = backwards ? across - 1 - i : i;
        for (std::uint32_t row = band; row < bandEnd; ++row) {
          const WorkgroupId wg{row * across + column};
          if (range.contains(wg)) result.push_back(wg);
        }
      }
      backwards = walk.serpentine && !backwards;
    }
  }
  return sideBySide ? interleaved(result, ranges.size()) : result;
}

std::vector<WorkgroupId> slabOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                   std::uint32_t rows, const TileWalk& walk, bool sideBySide) {
  const std::uint32_t across = tiling.tilesAcross();
  std::vector<std::vector<TileRange>> chunkRows;
  for (const ChunkId chunk : chunks) chunkRows.push_back(rowsOf(tiling.chunk(chunk), across));
  const std::size_t rowsPerChunk = chunkRows.front().size();
  const bool wholeRows = chunkRows.front().front().count == across;
  const auto slabHeight =
      static_cast<std::uint32_t>(std::min<std::size_t>(rows, rowsPerChunk) * chunks.size());
  const auto highest = wholeRows ? static_cast<std::uint32_t>(rowsPerChunk) : slabHeight;
  const std::size_t height = sideBySide ? slabHeight : std::min(bandRows(walk, highest), highest);
  std::vector<WorkgroupId> result;
  bool backwards = false;
  for (std::size_t slab = 0; slab < rowsPerChunk; slab += rows) {
    std::vector<TileRange> slabRows;
    for (const std::vector<TileRange>& ofChunk : chunkRows) {
      for (std::size_t row = slab; row < std::min(slab + rows, rowsPerChunk); ++row) {
        slabRows.push_back(ofChunk[row]);
      }
    }
    for (std::size_t band = 0; band < slabRows.size(); band += height) {
      const std::size_t bandEnd = std::min(band + height, slabRows.size());
      for (std::uint32_t i = 0; i < across; ++i) {
        const std::uint32_t column = backwards ? across - 1 - i : i;
        for (std::size_t row = band; row < bandEnd; ++row) {
          const std::uint32_t first = slabRows[row].first;
          const WorkgroupId wg{first + (column + across - first % across) % across};
          if (slabRows[row].contains(wg)) result.push_back(wg);
        }
      }
      backwards = walk.serpentine && !backwards;
    }
  }
  return result;
}

}  // namespace t3
