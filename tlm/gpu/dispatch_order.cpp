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

}  // namespace t3
