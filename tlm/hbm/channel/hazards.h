// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/channel/dram_queue.h"

namespace t3 {

/// The ordering promise: entries of the DRAM queue that overlap in bytes, one of them writing, are
/// served in the order in which they entered. An entry is blocked until the last older one that it
/// overlaps has been served.
///
/// No piece crosses a channel block, so entries that overlap lie in the same block. Entries are
/// kept in buckets by a hash of the block; an overlap is looked for in one bucket only.
class Hazards {
 public:
  Hazards(const HbmConfig& config, DramQueue& queue);

  /// A new entry: counts its blockers.
  void enter(Slot slot);
  /// An entry has been served. Returns whether that released an entry, which waits for its banks
  /// from now on.
  bool leave(Slot slot) {
    const QueueEntry& entry = queue_[slot];
    const bool released = entry.blocks && release(entry);
    Bucket& bucket = bucketOf(entry);
    Slot before = kNoSlot;
    for (Slot i = bucket.first; i != slot; i = queue_[i].inBucket) before = i;
    (before == kNoSlot ? bucket.first : queue_[before].inBucket) = entry.inBucket;
    if (bucket.last == slot) bucket.last = before;
    bucket.writers = static_cast<std::uint16_t>(bucket.writers - (entry.writes ? 1 : 0));
    return released;
  }

 private:
  /// In order of age: the oldest leave first.
  struct Bucket {
    Slot first = kNoSlot, last = kNoSlot;
    std::uint16_t writers = 0;
  };

  static bool overlap(const QueueEntry& a, const QueueEntry& b) {
    return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
  }
  Bucket& bucketOf(const QueueEntry& entry) {
    // Blocks of one channel are often a power of two apart: multiply before taking the top bits.
    const std::uint64_t block = entry.begin >> blockShift_;
    return buckets_[(block * 0x9e3779b97f4a7c15u) >> 58];
  }
  bool release(const QueueEntry& served);

  DramQueue& queue_;
  unsigned blockShift_;
  std::array<Bucket, 64> buckets_{};
};

}  // namespace t3
