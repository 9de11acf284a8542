// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/chunk_segments.h"

#include <algorithm>

namespace t3 {

std::vector<Segment> segmentsOf(const Tiling& tiling, TileRange tiles) {
  std::vector<Segment> segments;
  const auto append = [&](std::uint64_t offset, std::uint64_t bytes) {
    if (!segments.empty() && segments.back().offset + segments.back().bytes == offset) {
      segments.back().bytes += bytes;
    } else {
      segments.push_back({offset, bytes});
    }
  };
  const std::uint32_t across = tiling.tilesAcross();
  for (std::uint32_t wg = tiles.first; wg < tiles.end();) {
    const std::uint32_t endOfRow = std::min((wg / across + 1) * across, tiles.end());
    const Rectangle first = tiling.tile(WorkgroupId{wg});
    const Rectangle last = tiling.tile(WorkgroupId{endOfRow - 1});
    const std::uint64_t rowBytes =
        std::uint64_t{last.column + last.columns - first.column} * tiling.elementBytes();
    for (std::uint32_t row = 0; row < first.rows; ++row)
      append(tiling.offset(first, row), rowBytes);
    wg = endOfRow;
  }
  return segments;
}

}  // namespace t3
