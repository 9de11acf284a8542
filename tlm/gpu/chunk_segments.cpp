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

ChunkSegments::ChunkSegments(const Tiling& tiling, ChunkId chunk)
    : segments_(segmentsOf(tiling, tiling.chunk(chunk))) {
  for (const Segment& segment : segments_) {
    starts_.push_back(bytes_);
    bytes_ += segment.bytes;
  }
}

Segment ChunkSegments::from(std::uint64_t position) const {
  const auto behind = std::ranges::upper_bound(starts_, position);
  const Segment& segment = segments_[static_cast<std::size_t>(behind - starts_.begin()) - 1];
  const std::uint64_t before = position - *(behind - 1);
  return {segment.offset + before, segment.bytes - before};
}

std::optional<std::uint64_t> ChunkSegments::denseOffset(std::uint64_t outputOffset,
                                                        std::uint64_t bytes) const {
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), outputOffset,
      [](std::uint64_t offset, const Segment& segment) { return offset < segment.offset; });
  if (behind == segments_.begin()) return std::nullopt;
  const auto index = static_cast<std::size_t>(behind - segments_.begin()) - 1;
  const Segment& segment = segments_[index];
  if (outputOffset + bytes > segment.offset + segment.bytes) return std::nullopt;
  return starts_[index] + outputOffset - segment.offset;
}

}  // namespace t3
