// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/l2_line.h"

#include <algorithm>

namespace t3 {

L2Line::L2Line(const L2Config& config, std::uint32_t blocks)
    : lineBytes_(config.line_bytes),
      ways_(config.ways),
      sets_(config.capacity_bytes / config.line_bytes / config.ways),
      cache_(sets_ * ways_),
      pending_(blocks, false),
      written_(blocks) {}

L2Line::Way* L2Line::setOf(Tag tag) {
  // Fibonacci hashing; the upper half of the product, scaled to the number of sets.
  const std::uint64_t mixed = (tag ^ tag >> 29) * 0x9e3779b97f4a7c15;
  return &cache_[((mixed >> 32) * sets_ >> 32) * ways_];
}

L2Line::Way* L2Line::find(Tag tag) {
  Way* set = setOf(tag);
  Way* way = std::find_if(set, set + ways_, [&](const Way& w) { return w.tag == tag; });
  return way == set + ways_ ? nullptr : way;
}

/// Makes the line the most recently used one of its set; false if it had to be allocated.
bool L2Line::touch(Tag tag, bool dirty) {
  Way* set = setOf(tag);
  Way* way = std::find_if(set, set + ways_, [&](const Way& w) { return w.tag == tag; });
  const bool present = way != set + ways_;
  if (!present) {
    --way;
    if (way->dirty) {
      const Tag old = way->tag - 1;
      const auto block = static_cast<Block>(old >> 32);
      const auto offset = static_cast<std::uint32_t>(old & 0xffff) * lineBytes_;
      displaced_.push_back({block, static_cast<std::uint32_t>(old >> 16 & 0xffff), 1, offset,
                            std::min(lineBytes_, written_[block].rowBytes - offset)});
    }
    *way = {tag, false};
  }
  way->dirty |= dirty;
  std::rotate(set, way, way + 1);
  return present;
}

L2Model::Lookup L2Line::read(const Part& part, std::uint32_t rowBytes, std::vector<Part>& fetches) {
  const std::uint32_t first = part.offset / lineBytes_;
  const std::uint32_t end = lines(part.offset + part.bytes);
  Lookup result;
  if (pending_[part.block]) {
    result.merged = part.rows * (end - first);
    return result;
  }
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    std::uint32_t absentFirst = ~std::uint32_t{0}, absentEnd = 0;
    const auto touchLine = [&](std::uint32_t line) {
      if (touch(tagOf(part.block, row, line), false)) return true;
      absentFirst = std::min(absentFirst, line);
      absentEnd = std::max(absentEnd, line + 1);
      return false;
    };
    bool missed = false;
    for (std::uint32_t line = first; line < end; ++line) {
      if (touchLine(line)) {
        ++result.hits;
      } else {
        ++(missed ? result.merged : result.misses);
        missed = true;
      }
    }
    if (!missed) continue;
    for (std::uint32_t line = 0; line < lines(rowBytes); ++line) {
      if (line >= first && line < end) continue;
      if (find(tagOf(part.block, row, line)) == nullptr) touchLine(line);
    }
    const std::uint32_t from = absentFirst * lineBytes_;
    fetches.push_back(
        {part.block, row, 1, from, std::min(rowBytes, absentEnd * lineBytes_) - from});
    pending_[part.block] = true;
  }
  return result;
}

void L2Line::write(Block block, std::uint32_t rows, std::uint32_t rowBytes, bool dirty) {
  written_[block] = {rows, rowBytes};
  if (dirty) order_.push_back(block);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t line = 0; line < lines(rowBytes); ++line) {
      touch(tagOf(block, row, line), dirty);
    }
  }
}

void L2Line::takeDisplaced(std::vector<Part>& parts) {
  parts.insert(parts.end(), displaced_.begin(), displaced_.end());
  displaced_.clear();
}

void L2Line::clean(std::vector<Part>& parts) {
  for (; !order_.empty(); order_.pop_front()) {
    const Block block = order_.front();
    const auto [rows, rowBytes] = written_[block];
    for (std::uint32_t row = 0; row < rows; ++row) {
      bool goesOn = false;
      for (std::uint32_t line = 0; line < lines(rowBytes); ++line) {
        Way* way = find(tagOf(block, row, line));
        const bool leaves = way != nullptr && way->dirty;
        if (leaves) {
          way->dirty = false;
          const std::uint32_t offset = line * lineBytes_;
          const std::uint32_t bytes = std::min(lineBytes_, rowBytes - offset);
          if (goesOn) {
            parts.back().bytes += bytes;
          } else {
            parts.push_back({block, row, 1, offset, bytes});
          }
        }
        goesOn = leaves;
      }
    }
  }
}

void L2Line::invalidate(const Part& part) {
  // Lines that are on their way have their tags already; reads merge with them until they are here.
  for (std::uint32_t line = part.offset / lineBytes_; line < lines(part.offset + part.bytes);
       ++line) {
    Way* way = find(tagOf(part.block, part.firstRow, line));
    if (way != nullptr && !way->dirty) *way = Way{};
  }
}

void L2Line::clear() {
  std::fill(cache_.begin(), cache_.end(), Way{});
  std::fill(pending_.begin(), pending_.end(), false);
  order_.clear();
  displaced_.clear();
}

}  // namespace t3
