// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dispatch_order.h"

#include <algorithm>
#include <utility>

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

/// The tiles of each range, which stand one range after another, one of each in turn.
std::vector<WorkgroupId> interleaved(const std::vector<WorkgroupId>& order,
                                     const std::vector<TileRange>& ranges) {
  std::vector<WorkgroupId> result;
  for (std::uint32_t i = 0; result.size() < order.size(); ++i) {
    std::size_t first = 0;
    for (const TileRange& range : ranges) {
      if (i < range.count) result.push_back(order[first + i]);
      first += range.count;
    }
  }
  return result;
}

/// Rows of a chunk as runs of tiles, each as long as a tile row; the last one may be shorter.
std::vector<TileRange> rowsFromFirstTile(const TileRange& tiles, std::uint32_t across) {
  std::vector<TileRange> rows;
  for (std::uint32_t first = tiles.first; first < tiles.end(); first += across) {
    rows.push_back({first, std::min(across, tiles.end() - first)});
  }
  return rows;
}

/// What lies of a chunk in each tile row; the first and the last part may be shorter than that.
std::vector<TileRange> partsOfTileRows(const TileRange& tiles, std::uint32_t across) {
  std::vector<TileRange> rows;
  for (std::uint32_t first = tiles.first; first < tiles.end();) {
    const std::uint32_t end = std::min((first / across + 1) * across, tiles.end());
    rows.push_back({first, end - first});
    first = end;
  }
  return rows;
}

/// Walks runs of rows in bands, each column by column.
class BandWalk {
 public:
  BandWalk(std::uint32_t across, std::size_t height, bool serpentine, bool backwards = false)
      : across_(across), height_(height), serpentine_(serpentine), backwards_(backwards) {}

  void walk(std::span<const TileRange> rows) {
    for (std::size_t band = 0; band < rows.size(); band += height_) {
      const std::size_t bandRows = std::min(height_, rows.size() - band);
      for (std::uint32_t i = 0; i < across_; ++i) {
        const std::uint32_t column = backwards_ ? across_ - 1 - i : i;
        for (const TileRange& row : rows.subspan(band, bandRows)) {
          const WorkgroupId wg{row.first + (column + across_ - row.first % across_) % across_};
          if (row.contains(wg)) order_.push_back(wg);
        }
      }
      backwards_ = serpentine_ && !backwards_;
    }
  }
  std::vector<WorkgroupId> order() && { return std::move(order_); }

 private:
  const std::uint32_t across_;
  const std::size_t height_;
  const bool serpentine_;
  bool backwards_;
  std::vector<WorkgroupId> order_;
};

}  // namespace

std::vector<WorkgroupId> dispatchOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                       const TileWalk& walk, bool sideBySide) {
  std::vector<TileRange> ranges;
  for (const ChunkId chunk : chunks) ranges.push_back(tiling.chunk(chunk));
  if (chunks.empty()) ranges.push_back({0, tiling.tiles()});
  const auto together = static_cast<std::uint32_t>(sideBySide ? ranges.size() : 1);
  const std::uint32_t height = std::max(bandRows(walk, tiling.tilesDown()) / together, 1U);
  BandWalk bands(tiling.tilesAcross(), height, walk.serpentine);
  for (const TileRange& range : ranges) bands.walk(partsOfTileRows(range, tiling.tilesAcross()));
  std::vector<WorkgroupId> order = std::move(bands).order();
  return sideBySide ? interleaved(order, ranges) : order;
}

std::vector<WorkgroupId> slabOrder(const Tiling& tiling, std::span<const ChunkId> chunks,
                                   std::uint32_t rows, const TileWalk& walk, SlabBands height) {
  const std::uint32_t across = tiling.tilesAcross();
  std::vector<std::vector<TileRange>> chunkRows;
  for (const ChunkId chunk : chunks) {
    chunkRows.push_back(rowsFromFirstTile(tiling.chunk(chunk), across));
  }
  std::size_t rowsPerChunk = 0;
  for (const auto& ofChunk : chunkRows) rowsPerChunk = std::max(rowsPerChunk, ofChunk.size());
  const bool wholeRows = std::ranges::all_of(chunkRows, [across](const auto& ofChunk) {
    return ofChunk.empty() || ofChunk.front().count == across;
  });
  const auto slabHeight =
      static_cast<std::uint32_t>(std::min<std::size_t>(rows, rowsPerChunk) * chunks.size());
  const bool ofAChunk = wholeRows && height == SlabBands::OfAChunk;
  const auto highest = ofAChunk ? static_cast<std::uint32_t>(rowsPerChunk) : slabHeight;
  const bool whole = height == SlabBands::WholeSlab;
  BandWalk bands(across, whole ? slabHeight : std::min(bandRows(walk, highest), highest),
                 walk.serpentine);
  for (std::size_t slab = 0; slab < rowsPerChunk; slab += rows) {
    std::vector<TileRange> slabRows;
    for (const std::vector<TileRange>& ofChunk : chunkRows) {
      for (std::size_t row = slab; row < std::min<std::size_t>(slab + rows, ofChunk.size());
           ++row) {
        slabRows.push_back(ofChunk[row]);
      }
    }
    bands.walk(slabRows);
  }
  return std::move(bands).order();
}

std::vector<WorkgroupId> bandOrder(const Tiling& tiling, std::span<const std::uint32_t> tileRows,
                                   bool backwards) {
  const std::uint32_t across = tiling.tilesAcross();
  std::vector<TileRange> rows;
  for (const std::uint32_t row : tileRows) rows.push_back({row * across, across});
  BandWalk band(across, rows.size(), false, backwards);
  band.walk(rows);
  return std::move(band).order();
}

}  // namespace t3
