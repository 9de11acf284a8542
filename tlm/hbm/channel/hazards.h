// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_state.h"

namespace t3 {

/// The ordering promise: pieces that overlap in bytes, one of them writing, are served in the order
/// in which they entered the DRAM queue. An entry is blocked until the last older piece that it
/// overlaps has been served.
///
/// No piece crosses a channel block, so overlaps lie in one block. Entries are in buckets by a hash
/// of the block, and one bucket is searched.
class Hazards {
 public:
  explicit Hazards(ChannelState& channel);

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
    const QueueEntry& entry = channel_.queue[slot];
    Bucket& bucket = bucketOf(entry.begin);
    Slot before = kNoSlot;
    for (Slot i = bucket.first; i != slot; i = channel_.queue[i].inBucket) before = i;
    (before == kNoSlot ? bucket.first : channel_.queue[before].inBucket) = entry.inBucket;
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

  ChannelState& channel_;
  unsigned blockShift_;
  std::array<Bucket, 64> buckets_{};
};

/// What enters the DRAM queue without an entry of its own. Each piece keeps its own time of
/// completion. The rules, in this order:
///
/// * **Forwarding.** A read whose bytes all lie in one queued write is answered with its data, one
///   burst time for each burst later, without a command.
/// * **Write merging.** A write to bursts that a queued write writes goes with them: the older
///   bytes are stored first.
/// * **Neighbours.** A read joins an entry of reads in the same block, a write one of writes: they
///   need the same row. An entry has at most the bursts of a block, or of the cap of row hits. This
///   only makes simulation cheaper: to the DRAM it is another row hit.
///
/// Updates, clears and what the tracker counts have entries of their own. So has a piece that
/// overlaps others in any other way (`Hazards`). Nothing passes an older update or read of its
/// bytes.
///
/// The bursts of a block must lie in one bank (`address_mapping`).
class Coalescing {
 public:
  Coalescing(ChannelState& channel, BankClaims& claims);

  /// The memory behind the controller gets every piece.
  void turnOff() { on_ = false; }
  /// Tries to do without an entry for this piece; `found` is what the hazards know about it.
  bool take(Piece& piece, const Hazards::Found& found, Cycles now) {
    const bool plain = piece.kind == DramCommandKind::Read || piece.kind == DramCommandKind::Write;
    if (!on_ || !plain || piece.tracked()) return false;
    if (found.overlaps == 0) return found.neighbour != kNoSlot && joinNeighbour(piece, found);
    if (found.updates || found.with->kind != DramCommandKind::Write) return false;
    return piece.kind == DramCommandKind::Read ? forward(piece, *found.with, now)
                                               : merge(piece, found);
  }

 private:
  /// `write` is the youngest piece that the read overlaps.
  bool forward(Piece& read, const Piece& write, Cycles now);
  /// The youngest piece that this write overlaps is a write.
  bool merge(Piece& piece, const Hazards::Found& found);
  bool joinNeighbour(Piece& piece, const Hazards::Found& found);

  ChannelState& channel_;
  BankClaims& claims_;
  Cycles burstClocks_;
  std::uint32_t mostBursts_;  ///< of an entry
  bool on_;
};

}  // namespace t3
