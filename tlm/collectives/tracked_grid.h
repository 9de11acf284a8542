// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// How chunks are cut into slices, each with a slot and a workgroup id of its own: row r of
/// the grid is a chunk of a message, its columns are slices, runs of bytes with one workgroup each.
/// So workgroups differ wherever messages do, also where they touch the same bytes.
class TrackedGrid {
 public:
  /// Slices of `sliceBytes`, or longer ones if a tracker has fewer `slots`. Nothing if the longest
  /// that a slot can count are not enough.
  static std::optional<TrackedGrid> make(std::uint32_t rows, std::uint64_t chunkBytes,
                                         std::uint32_t sliceBytes, std::uint32_t slots);
  /// Slots that the longest slices need.
  static std::uint64_t leastSlots(std::uint32_t rows, std::uint64_t chunkBytes);

  std::uint32_t slices() const { return slices_; }  ///< of a chunk
  /// Of a slice that is not cut by an edge.
  std::uint64_t sliceBytes() const { return row_.bytes(row_.tile(WorkgroupId{0})); }
  std::uint32_t workgroup(std::uint32_t row, std::uint32_t slice) const {
    return row * slices_ + slice;
  }
  /// A chunk; a slice is a tile of it.
  const Tiling& row() const { return row_; }
  /// The tiles that the tracker of a GPU with that many rows counts.
  Tiling tiling(std::uint32_t rows) const;

 private:
  explicit TrackedGrid(const Tiling& row) : row_(row), slices_(row.tiles()) {}

  Tiling row_;
  std::uint32_t slices_;
};

}  // namespace t3
