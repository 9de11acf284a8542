// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/channel/dram_queue.h"

namespace t3 {

/// The ordering promise: pieces in the DRAM queue that overlap in bytes, one of them writing, are
/// served in the order in which they entered. An entry is blocked until the last older piece that
/// it overlaps has been served.
///
/// No piece crosses a channel block, so entries that overlap lie in the same block. Entries are
/// kept in buckets by a hash of the block; an overlap is looked for in one bucket only.
class Hazards {
 public:
  Hazards(const HbmConfig& config, DramQueue& queue);

  /// What a piece that is about to enter finds in the queue.
  struct Found {
    std::uint16_t overlaps = 0;  ///< pieces it would have to wait for
    bool updates = false;        ///< some of them are updates
    Slot overlapped = kNoSlot;   ///< entry of the youngest of them
    std::uint16_t inEntry = 0;   ///< those in that entry
    Piece* with = nullptr;       ///< the youngest of them
    Slot neighbour = kNoSlot;    ///< entry of the same kind in the same block, the youngest
  };
  Found find(const Piece& piece);
  /// A new entry, whose piece has found so many others to wait for.
  void enter(Slot slot, std::uint16_t overlaps);
  /// A piece of an entry has been served. Returns whether that released an entry, which waits for
  /// its banks from now on.
  bool served(const QueueEntry& entry, const Piece& piece) {
    return entry.blocks && release(entry, piece);
  }
  /// All pieces of an entry have been served.
  void leave(Slot slot) {
    const QueueEntry& entry = queue_[slot];
    Bucket& bucket = bucketOf(entry.begin);
    Slot before = kNoSlot;
    for (Slot i = bucket.first; i != slot; i = queue_[i].inBucket) before = i;
    (before == kNoSlot ? bucket.first : queue_[before].inBucket) = entry.inBucket;
    if (bucket.last == slot) bucket.last = before;
  }

 private:
  /// In order of age: the oldest leave first.
  struct Bucket {
    Slot first = kNoSlot, last = kNoSlot;
  };

  static bool overlap(const Piece& a, std::uint64_t begin, std::uint64_t end) {
    return a.address < end && begin < a.address + a.bytes;
  }
  Bucket& bucketOf(std::uint64_t address) {
    // Blocks of one channel are often a power of two apart: multiply before taking the top bits.
    const std::uint64_t block = address >> blockShift_;
    return buckets_[(block * 0x9e3779b97f4a7c15u) >> 58];
  }
  bool release(const QueueEntry& entry, const Piece& served);

  DramQueue& queue_;
  unsigned blockShift_;
  std::array<Bucket, 64> buckets_{};
};

}  // namespace t3
