// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_blocks.h"

#include <algorithm>

namespace t3 {

GemmBlocks::Place GemmBlocks::placeOfOperand(Block block) const {
  const std::uint32_t panel = block / slabs_;
  const std::uint32_t offset = block % slabs_ * fetchBytes_;
  const std::uint64_t pitch = layout_.operandPitchBytes;
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(fetchBytes_, pitch - offset));
  if (panel < tiling_.tilesDown()) {
    const std::uint32_t first = panel * tiling_.tileRows();
    return {layout_.operandA + first * pitch + offset, pitch,
            std::min(tiling_.tileRows(), tiling_.rows() - first), bytes};
  }
  const std::uint32_t first = (panel - tiling_.tilesDown()) * tiling_.tileColumns();
  return {layout_.operandB + first * pitch + offset, pitch,
          std::min(tiling_.tileColumns(), tiling_.columns() - first), bytes};
}

GemmBlocks::Place GemmBlocks::placeOfOutput(Block block) const {
  const Rectangle tile = tiling_.tile(tileOf(block));
  return {layout_.output + tiling_.offset(tile, 0), tiling_.pitchBytes(), tile.rows,
          tile.columns * tiling_.elementBytes()};
}

std::uint64_t GemmBlocks::operandBytes() const {
  std::uint64_t bytes = 0;
  for (Block block = 0; block < operandBlocks_; ++block) bytes += place(block).totalBytes();
  return bytes;
}

}  // namespace t3
