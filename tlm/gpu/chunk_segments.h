// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// A contiguous run of bytes of the output.
struct Segment {
  std::uint64_t offset = 0;  ///< from the start of the output
  std::uint64_t bytes = 0;

  bool operator==(const Segment&) const = default;
};

/// The bytes of a run of tiles in order of address, as few runs as possible: one when the tiles
/// fill whole tile rows, else one per row of elements where a tile row is filled in part.
std::vector<Segment> segmentsOf(const Tiling& tiling, TileRange tiles);

}  // namespace t3
