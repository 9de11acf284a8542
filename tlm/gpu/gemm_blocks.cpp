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

std::optional<L2Model::Part> GemmBlocks::partAt(std::uint64_t address, std::uint64_t bytes) const {
  const auto within = [&](std::uint64_t base, std::uint64_t pitch, std::uint32_t rows) {
    return address >= base && address - base < pitch * rows;
  };
  const auto cut = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(std::min(bytes, most));
  };
  const auto operand = [&](std::uint64_t base, std::uint32_t firstPanel, std::uint32_t panelRows) {
    const std::uint64_t row = (address - base) / layout_.operandPitchBytes;
    const std::uint64_t column = (address - base) % layout_.operandPitchBytes;
    const auto panel = firstPanel + static_cast<std::uint32_t>(row / panelRows);
    const auto slab = static_cast<std::uint32_t>(column / fetchBytes_);
    const auto offset = static_cast<std::uint32_t>(column % fetchBytes_);
    return L2Model::Part{panel * slabs_ + slab, static_cast<std::uint32_t>(row % panelRows), 1,
                         offset, cut(fetchBytes_ - offset)};
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
  const std::uint32_t inTile = (column - area.column) * tiling_.elementBytes();
  return L2Model::Part{output(tile), row - area.row, 1, inTile,
                       cut(std::uint64_t{area.columns} * tiling_.elementBytes() - inTile)};
}

std::uint64_t GemmBlocks::operandBytes() const {
  std::uint64_t bytes = 0;
  for (Block block = 0; block < operandBlocks_; ++block) bytes += place(block).totalBytes();
  return bytes;
}

}  // namespace t3
