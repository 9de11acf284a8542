// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// A contiguous run of bytes of the output.
struct Segment {
  std::uint64_t offset = 0;  ///< from the start of the output
  std::uint64_t bytes = 0;

  bool operator==(const Segment&) const = default;
};

/// The bytes of a run of tiles, in order of address, as few segments as possible. Tile rows that
/// the tiles fill are one segment; a tile row that they fill in part is one segment per row of
/// elements.
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

}  // namespace t3
