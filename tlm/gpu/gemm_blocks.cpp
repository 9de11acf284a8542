// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_blocks.h"

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

std::optional<GemmBlocks::Part> GemmBlocks::partAt(std::uint64_t address,
                                                   std::uint64_t bytes) const {
  const auto within = [&](std::uint64_t base, std::uint64_t pitch, std::uint32_t rows) {
    return address >= base && address - base < pitch * rows;
  };
  const auto operand = [&](std::uint64_t base, std::uint32_t firstPanel, std::uint32_t panelRows) {
    const std::uint64_t row = (address - base) / layout_.operandPitchBytes;
    const std::uint64_t column = (address - base) % layout_.operandPitchBytes;
    const std::uint64_t panel = firstPanel + row / panelRows;
    return Part{static_cast<Block>(panel * slabs_ + column / fetchBytes_),
                std::min(bytes, fetchBytes_ - column % fetchBytes_)};
  };
  if (within(layout_.operandA, layout_.operandPitchBytes, tiling_.rows())) {
    return operand(layout_.operandA, 0, tiling_.tileRows());
  }
  if (within(layout_.operandB, layout_.operandPitchBytes, tiling_.columns())) {
    return operand(layout_.operandB, tiling_.tilesDown(), tiling_.tileColumns());
  }
  if (!within(layout_.output, tiling_.pitchBytes(), tiling_.rows())) return std::nullopt;
  const std::uint64_t offset = address - layout_.output;
  const auto row = static_cast<std::uint32_t>(offset / tiling_.pitchBytes());
  const auto column =
      static_cast<std::uint32_t>(offset % tiling_.pitchBytes() / tiling_.elementBytes());
  const WorkgroupId tile{row / tiling_.tileRows() * tiling_.tilesAcross() +
                         column / tiling_.tileColumns()};
  const Rectangle area = tiling_.tile(tile);
  const std::uint64_t behind = std::uint64_t{area.column} + area.columns - column;
  return Part{output(tile), std::min(bytes, behind * tiling_.elementBytes())};
}

std::uint64_t GemmBlocks::operandBytes() const {
  std::uint64_t bytes = 0;
  for (Block block = 0; block < operandBlocks_; ++block) bytes += place(block).totalBytes();
  return bytes;
}

}  // namespace t3
