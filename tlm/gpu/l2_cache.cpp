// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/l2_cache.h"

#include <bit>

namespace t3 {
namespace {

constexpr std::uint32_t kTableSteps = 256;
/// A block is gone when this many times the capacity was touched since its last use (with 1 way, a
/// share of e^-16 would be left).
constexpr std::uint32_t kTableCapacities = 16;

/// P(at least `count` events) of a Poisson distribution.
double poissonAtLeast(std::uint32_t count, double mean) {
  double term = std::exp(-mean);
  double below = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    below += term;
    term *= mean / (i + 1);
  }
  return std::max(0.0, 1 - below);
}

}  // namespace

L2Cache::L2Cache(std::uint64_t capacityBytes, std::uint32_t ways, std::uint32_t blocks)
    : capacity_(capacityBytes), entries_(blocks) {
  for (std::uint32_t step = 0; step <= kTableSteps * kTableCapacities; ++step) {
    missTable_.push_back(poissonAtLeast(ways, static_cast<double>(ways) * step / kTableSteps));
  }
  // At least three quarters of the positions are free after a compaction.
  const auto positions = std::bit_ceil(std::size_t{blocks} * 4 + 1);
  atPosition_.resize(positions);
  tree_.resize(positions + 1);
}

L2Cache::Lookup L2Cache::read(Block block, std::uint32_t rows, std::uint32_t rowBytes) {
  Entry& entry = entries_[block];
  Lookup result;
  result.pending = entry.pending;
  if (!entry.pending) {
    if (entry.position == kNever) {
      result.missingRows = rows;
    } else {
      carry_ += rows * missProbability(bytesSince(block));
      result.missingRows =
          static_cast<std::uint32_t>(std::clamp(std::round(carry_), 0.0, 1.0 * rows));
      carry_ -= result.missingRows;
    }
    entry.pending = result.missingRows != 0;
  }
  touch(block, rows * rowBytes);
  if (result.missingRows != 0) displace();
  return result;
}

void L2Cache::filled(Block block) {
  Entry& entry = entries_[block];
  entry.pending = false;
  if (entry.stale) forget(entry);
}

void L2Cache::invalidate(Block block) {
  Entry& entry = entries_[block];
  if (entry.dirty || entry.position == kNever) return;
  if (entry.pending) {
    entry.stale = true;
  } else {
    forget(entry);
  }
}

/// The block is absent, as if it had never been used.
void L2Cache::forget(Entry& entry) {
  add(entry.position, -std::uint64_t{entry.bytes});
  total_ -= entry.bytes;
  entry = Entry{};
}

void L2Cache::write(Block block, std::uint32_t bytes, bool dirty) {
  touch(block, bytes);
  if (dirty && !entries_[block].dirty) {
    entries_[block].dirty = true;
    dirty_.push_back(block);
  }
  displace();
}

bool L2Cache::cleanOne(Block& block) {
  if (dirty_.empty()) return false;
  block = dirty_.front();
  dirty_.pop_front();
  entries_[block].dirty = false;
  return true;
}

void L2Cache::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  std::fill(tree_.begin(), tree_.end(), 0);
  nextPosition_ = 0;
  total_ = 0;
  carry_ = 0;
  dirty_.clear();
  displaced_.clear();
}

/// Bytes of the other blocks used since `block` was.
std::uint64_t L2Cache::bytesSince(Block block) const {
  std::uint64_t until = 0;
  for (std::uint32_t i = entries_[block].position + 1; i != 0; i &= i - 1) until += tree_[i];
  return total_ - until;
}

double L2Cache::missProbability(std::uint64_t bytesSince) const {
  const std::uint64_t step = bytesSince * kTableSteps / capacity_;
  return missTable_[std::min<std::uint64_t>(step, missTable_.size() - 1)];
}

/// Makes `block` the most recently used one.
void L2Cache::touch(Block block, std::uint32_t bytes) {
  if (nextPosition_ == atPosition_.size()) compact();
  Entry& entry = entries_[block];
  if (entry.position != kNever) {
    add(entry.position, -std::uint64_t{entry.bytes});
    total_ -= entry.bytes;
  }
  entry.position = nextPosition_++;
  entry.bytes = bytes;
  atPosition_[entry.position] = block;
  add(entry.position, bytes);
  total_ += bytes;
}

/// Adds `bytes` at a position of the tree. A negative number in two's complement subtracts, because
/// the sums wrap around.
void L2Cache::add(std::uint32_t position, std::uint64_t bytes) {
  for (std::size_t i = position + 1; i < tree_.size(); i += i & -i) tree_[i] += bytes;
}

/// Renumbers the positions in use from 0.
void L2Cache::compact() {
  std::fill(tree_.begin(), tree_.end(), 0);
  std::uint32_t used = 0;
  for (std::uint32_t position = 0; position < nextPosition_; ++position) {
    const Block block = atPosition_[position];
    if (entries_[block].position != position) continue;  // used again since
    entries_[block].position = used;
    atPosition_[used] = block;
    add(used++, entries_[block].bytes);
  }
  nextPosition_ = used;
}

void L2Cache::displace() {
  Block block = 0;
  while (!dirty_.empty() &&
         bytesSince(dirty_.front()) + entries_[dirty_.front()].bytes > capacity_) {
    cleanOne(block);
    displaced_.push_back(block);
  }
}

}  // namespace t3
