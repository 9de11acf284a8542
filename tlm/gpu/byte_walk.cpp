// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/byte_walk.h"

namespace t3 {

ByteWalk::ByteWalk(const Tiling& tiling, TileRange tiles, std::uint32_t outputs)
    : tiling_(&tiling), tiles_(tiles), outputs_(outputs), workgroup_{tiles.first} {
  beginWavefrontTile();
}

void ByteWalk::advance(std::uint64_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  if (left_ != 0) return;
  if (--runsLeft_ == 0) return nextWavefrontTile();
  offset_ += tiling_->pitchBytes() - runBytes_;
  left_ = runBytes_;
}

void ByteWalk::nextWavefrontTile() {
  if (++wavefront_.value == tiling_->liveWavefronts(workgroup_)) {
    wavefront_.value = 0;
    if (++workgroup_.value == tiles_.end()) {
      if (output_ + 1 == outputs_) return;
      ++output_;
      workgroup_.value = tiles_.first;
    }
  }
  beginWavefrontTile();
}

void ByteWalk::beginWavefrontTile() {
  id_.value = output_ * tiling_->tiles() + workgroup_.value;
  const Rectangle area = tiling_->wavefrontTile(workgroup_, wavefront_);
  const bool whole = area.columns == tiling_->columns();
  runsLeft_ = whole ? 1 : area.rows;
  runBytes_ = left_ = tiling_->bytes(area) / runsLeft_;
  offset_ = output_ * tiling_->outputBytes() + tiling_->offset(area, 0);
}

}  // namespace t3
