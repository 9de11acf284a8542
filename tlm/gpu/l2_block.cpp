// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/l2_block.h"

#include <cmath>

namespace t3 {

L2Block::L2Block(const L2Config& config, std::uint32_t blocks)
    : cache_(config.capacity_bytes, config.ways, blocks),
      lineBytes_(config.line_bytes),
      linesPerFetch_(config.fetch_bytes / config.line_bytes),
      written_(blocks) {}

L2Model::Lookup L2Block::read(const Part& part, std::uint32_t rowBytes,
                              std::vector<Part>& fetches) {
  const std::uint32_t linesPerRow =
      (part.offset + part.bytes + lineBytes_ - 1) / lineBytes_ - part.offset / lineBytes_;
  const std::uint32_t lines = part.rows * linesPerRow;
  const L2Cache::Lookup lookup = cache_.read(part.block, part.rows, rowBytes);
  if (lookup.pending) return {0, lines, 0};
  if (lookup.missingRows == 0) return {lines, 0, 0};
  for (std::uint32_t i = 0; i < lookup.missingRows; ++i) {  // spread over the block
    const auto row = static_cast<std::uint32_t>(std::uint64_t{i} * part.rows / lookup.missingRows);
    fetches.push_back({part.block, row, 1, 0, rowBytes});
  }
  // Each line of a row is missing or not on its own; the first line touched fetches the others too.
  const double missing = static_cast<double>(lookup.missingRows) / part.rows;
  Lookup result;
  result.misses = static_cast<std::uint32_t>(
      std::llround(part.rows * (1 - std::pow(1 - missing, linesPerFetch_))));
  result.merged = lookup.missingRows * (linesPerRow - 1);
  result.hits = lines - result.misses - result.merged;
  return result;
}

void L2Block::filled(Block block) { cache_.filled(block); }

void L2Block::write(Block block, std::uint32_t rows, std::uint32_t rowBytes, bool dirty) {
  written_[block] = {rows, rowBytes};
  cache_.write(block, rows * rowBytes, dirty);
}

L2Model::Part L2Block::whole(Block block) const {
  return {block, 0, written_[block].rows, 0, written_[block].rowBytes};
}

void L2Block::takeDisplaced(std::vector<Part>& parts) {
  for (const Block block : cache_.displaced()) parts.push_back(whole(block));
  cache_.clearDisplaced();
}

void L2Block::clean(std::vector<Part>& parts) {
  Block block = 0;
  while (cache_.cleanOne(block)) parts.push_back(whole(block));
}

/// The model keeps no rows apart: the whole block goes.
void L2Block::invalidate(const Part& part) { cache_.invalidate(part.block); }

void L2Block::clear() { cache_.clear(); }

}  // namespace t3
