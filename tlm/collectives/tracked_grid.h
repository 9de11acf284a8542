// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// How chunks are cut into slices, each with a slot and workgroup ids of its own: row r of
/// the grid is a chunk of a message or of the input, its columns are slices. So workgroups differ
/// wherever messages do, also where they touch the same bytes.
///
/// A slice is a run of bytes with one workgroup. Or, where a GEMM makes the chunks, a block of its
/// tiles, with the ids of the tiles: then row r is chunk r of the GEMM's output, and all further
/// rows are cut as if the output went on.
class TrackedGrid {
 public:
  /// Slices of `sliceBytes`, or longer ones if a tracker has fewer `slots`. Nothing if the longest
  /// that a slot can count are not enough.
  static std::optional<TrackedGrid> make(std::uint32_t rows, std::uint64_t chunkBytes,
                                         std::uint32_t sliceBytes, std::uint32_t slots);
  /// Slots that the longest slices need.
  static std::uint64_t leastSlots(std::uint32_t rows, std::uint64_t chunkBytes);
  /// Blocks of 2^`blockLog2` tiles of `output`, whose chunks are whole rows of tiles, all alike,
  /// and whole blocks.
  static TrackedGrid ofTiles(const Tiling& output, std::uint32_t blockLog2);

  std::uint32_t slices() const { return slices_; }  ///< of a chunk
  /// Of a slice that is not cut by an edge.
  std::uint64_t sliceBytes() const { return row_.bytes(row_.tile(WorkgroupId{0})) << blockLog2_; }
  std::uint32_t blockLog2() const { return blockLog2_; }
  std::uint32_t workgroup(std::uint32_t row, std::uint32_t slice) const {
    return (row * slices_ + slice) << blockLog2_;
  }
  /// A chunk, and the tiles of it that are a slice.
  const Tiling& row() const { return row_; }
  TileRange tiles(std::uint32_t slice) const { return {slice << blockLog2_, 1U << blockLog2_}; }
  /// The tiles that the tracker of a GPU with that many rows counts.
  Tiling tiling(std::uint32_t rows) const;

 private:
  TrackedGrid(const Tiling& row, std::uint32_t blockLog2);

  Tiling row_;
  std::uint32_t blockLog2_, slices_;
};

}  // namespace t3
