// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/tracked_grid.h"

#include <algorithm>

#include "tlm/tracker/tracker_config.h"

namespace t3 {
namespace {

/// A slot of the tracker counts two contributions to the longest slice.
constexpr std::uint32_t kLongestSlice = TrackerConfig::kMostCount / 2;
/// Elements of the tracker's grid; only bytes count.
constexpr std::uint32_t kGridElement = 2;

/// A chunk whose slices are runs of bytes.
Tiling rowOf(std::uint64_t chunkBytes, std::uint32_t sliceBytes) {
  return {1,
          static_cast<std::uint32_t>(chunkBytes / kGridElement),
          kGridElement,
          1,
          sliceBytes / kGridElement,
          1,
          1};
}

}  // namespace

std::optional<TrackedGrid> TrackedGrid::make(std::uint32_t rows, std::uint64_t chunkBytes,
                                             std::uint32_t sliceBytes, std::uint32_t slots) {
  for (std::uint64_t bytes = std::min(sliceBytes, kLongestSlice);;
       bytes = std::min<std::uint64_t>(2 * bytes, kLongestSlice)) {
    const TrackedGrid grid(rowOf(chunkBytes, static_cast<std::uint32_t>(bytes)));
    if (std::uint64_t{rows} * grid.slices() <= slots) return grid;
    if (bytes == kLongestSlice) return std::nullopt;
  }
}

std::uint64_t TrackedGrid::leastSlots(std::uint32_t rows, std::uint64_t chunkBytes) {
  return rows * ((chunkBytes + kLongestSlice - 1) / kLongestSlice);
}

Tiling TrackedGrid::tiling(std::uint32_t rows) const {
  return {rows * row_.rows(),
          row_.columns(),
          row_.elementBytes(),
          row_.tileRows(),
          row_.tileColumns(),
          row_.wavefronts(),
          1};
}

}  // namespace t3
