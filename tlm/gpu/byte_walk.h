// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/gpu/tiling.h"
#include "tlm/transport/index.h"

namespace t3 {

/// Walks over the bytes of tiles as a DMA engine reads them: wavefront tile by wavefront tile, so
/// that each run of bytes belongs to one. A row of a wavefront tile is one run; where the tile is
/// as wide as the output its rows follow one another, and the whole tile is one.
///
/// Outputs that follow one another in memory and are cut alike count as one that goes on: offsets
/// and workgroup ids go on, too. The same tiles of each are walked over.
class ByteWalk {
 public:
  ByteWalk() = default;
  /// At least one tile and one output. The tiling outlives the walk.
  ByteWalk(const Tiling& tiling, TileRange tiles, std::uint32_t outputs = 1);

  bool atEnd() const { return left_ == 0; }
  std::uint64_t offset() const { return offset_; }  ///< from the first byte of the first output
  std::uint64_t left() const { return left_; }      ///< bytes of the run; 0 at the end
  WorkgroupId workgroup() const { return id_; }
  WavefrontId wavefront() const { return wavefront_; }
  /// By at most `left()` bytes.
  void advance(std::uint64_t bytes);

 private:
  void nextWavefrontTile();
  void beginWavefrontTile();

  const Tiling* tiling_ = nullptr;
  TileRange tiles_;
  std::uint32_t outputs_ = 0, output_ = 0;
  WorkgroupId workgroup_, id_;  ///< in the output, and counted from the first one
  WavefrontId wavefront_;
  std::uint32_t runsLeft_ = 0;  ///< of the wavefront tile
  std::uint64_t runBytes_ = 0, offset_ = 0, left_ = 0;
};

}  // namespace t3
