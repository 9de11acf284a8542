// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/hazards.h"

#include <bit>

namespace t3 {

Hazards::Hazards(const HbmConfig& config, DramQueue& queue)
    : queue_(queue),
      blockShift_(static_cast<unsigned>(std::countr_zero(config.channel_interleave_bytes))) {}

Hazards::Found Hazards::find(const Piece& piece) {
  Found found;
  const bool writes = piece.kind != DramCommandKind::Read;
  const std::uint64_t begin = piece.address, end = piece.address + piece.bytes;
  for (Slot i = bucketOf(begin).first; i != kNoSlot; i = queue_[i].inBucket) {
    QueueEntry& entry = queue_[i];
    if ((entry.begin ^ begin) >> blockShift_ != 0) continue;
    if (entry.kind == piece.kind) found.neighbour = i;
    // Reads overlap only with entries that write.
    if (!(writes || entry.writes) || entry.begin >= end || begin >= entry.end) continue;
    for (Piece* other = entry.piece; other != nullptr; other = other->next) {
      if (!overlap(*other, begin, end)) continue;
      ++found.overlaps;
      found.updates |=
          other->kind != DramCommandKind::Read && other->kind != DramCommandKind::Write;
      found.inEntry = static_cast<std::uint16_t>(found.overlapped == i ? found.inEntry + 1 : 1);
      found.overlapped = i;
      found.with = other;
    }
  }
  return found;
}

void Hazards::enter(Slot slot, std::uint16_t overlaps) {
  QueueEntry& entry = queue_[slot];
  entry.blockers = overlaps;
  Bucket& bucket = bucketOf(entry.begin);
  if (overlaps > 0) {
    for (Slot i = bucket.first; i != kNoSlot; i = queue_[i].inBucket) {
      queue_[i].blocks |= queue_[i].begin < entry.end && entry.begin < queue_[i].end;
    }
  }
  (bucket.last == kNoSlot ? bucket.first : queue_[bucket.last].inBucket) = slot;
  bucket.last = slot;
}

bool Hazards::release(const QueueEntry& from, const Piece& served) {
  bool released = false;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    Slot next = kNoSlot;
    for (Slot i = queue_.list(direction, DramQueue::State::Blocked).first; i != kNoSlot; i = next) {
      QueueEntry& entry = queue_[i];
      next = entry.younger;
      if (entry.sequence < from.sequence || !(entry.writes || from.writes) ||
          !overlap(served, entry.begin, entry.end)) {
        continue;
      }
      if (--entry.blockers > 0) continue;
      queue_.move(i, DramQueue::State::Waiting);
      released = true;
    }
  }
  return released;
}

}  // namespace t3
