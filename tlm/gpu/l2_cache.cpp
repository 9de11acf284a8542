// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/l2_cache.h"

#include <algorithm>

namespace t3 {

L2Cache::L2Cache(std::uint64_t capacityBytes, std::uint32_t blocks)
    : capacity_(capacityBytes), entries_(blocks) {}

L2Cache::Lookup L2Cache::read(Block block, std::uint32_t bytes) {
  switch (entries_[block].state) {
    case State::Pending:
      return Lookup::Pending;
    case State::Present:
      unlink(block);
      link(block);
      return Lookup::Hit;
    case State::Absent:
      break;
  }
  allocate(block, bytes);
  entries_[block].state = State::Pending;
  return Lookup::Miss;
}

void L2Cache::filled(Block block) {
  entries_[block].state = State::Present;
  link(block);
}

void L2Cache::write(Block block, std::uint32_t bytes) {
  Entry& entry = entries_[block];
  if (entry.state == State::Absent) {
    allocate(block, bytes);
    entry.state = State::Present;
  } else {
    unlink(block);
  }
  entry.dirty = true;
  link(block);
}

bool L2Cache::cleanOne(Block& block) {
  Block candidate = oldest_;
  while (candidate != kNone && !entries_[candidate].dirty) candidate = entries_[candidate].next;
  if (candidate == kNone) return false;
  entries_[candidate].dirty = false;
  block = candidate;
  return true;
}

void L2Cache::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  used_ = 0;
  oldest_ = newest_ = kNone;
  displaced_.clear();
}

void L2Cache::allocate(Block block, std::uint32_t bytes) {
  while (used_ + bytes > capacity_ && oldest_ != kNone) {
    const Block victim = oldest_;
    Entry& entry = entries_[victim];
    unlink(victim);
    used_ -= entry.bytes;
    if (entry.dirty) displaced_.push_back(victim);
    entry = Entry{};
  }
  used_ += bytes;
  entries_[block].bytes = bytes;
}

void L2Cache::link(Block block) {
  Entry& entry = entries_[block];
  entry.previous = newest_;
  entry.next = kNone;
  (newest_ != kNone ? entries_[newest_].next : oldest_) = block;
  newest_ = block;
}

void L2Cache::unlink(Block block) {
  Entry& entry = entries_[block];
  (entry.previous != kNone ? entries_[entry.previous].next : oldest_) = entry.next;
  (entry.next != kNone ? entries_[entry.next].previous : newest_) = entry.previous;
}

}  // namespace t3
