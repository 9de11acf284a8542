// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/hazards.h"

#include <algorithm>
#include <bit>

namespace t3 {

Hazards::Hazards(ChannelState& channel)
    : channel_(channel),
      blockShift_(
          static_cast<unsigned>(std::countr_zero(channel.config.channel_interleave_bytes))) {}

Hazards::Found Hazards::find(const Piece& piece) {
  Found found;
  const bool writes = piece.kind != DramCommandKind::Read;
  const std::uint64_t begin = piece.address, end = piece.address + piece.bytes;
  for (Slot i = bucketOf(begin).first; i != kNoSlot; i = channel_.queue[i].inBucket) {
    QueueEntry& entry = channel_.queue[i];
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
  QueueEntry& entry = channel_.queue[slot];
  entry.blockers = overlaps;
  Bucket& bucket = bucketOf(entry.begin);
  if (overlaps > 0) {
    for (Slot i = bucket.first; i != kNoSlot; i = channel_.queue[i].inBucket) {
      channel_.queue[i].blocks |=
          channel_.queue[i].begin < entry.end && entry.begin < channel_.queue[i].end;
    }
  }
  (bucket.last == kNoSlot ? bucket.first : channel_.queue[bucket.last].inBucket) = slot;
  bucket.last = slot;
}

bool Hazards::release(const QueueEntry& from, const Piece& served) {
  bool released = false;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    Slot next = kNoSlot;
    for (Slot i = channel_.queue.list(direction, DramQueue::State::Blocked).first; i != kNoSlot;
         i = next) {
      QueueEntry& entry = channel_.queue[i];
      next = entry.younger;
      if (entry.sequence < from.sequence || !(entry.writes || from.writes) ||
          !overlap(served, entry.begin, entry.end)) {
        continue;
      }
      if (--entry.blockers > 0) continue;
      channel_.queue.move(i, DramQueue::State::Waiting);
      released = true;
    }
  }
  return released;
}

using State = DramQueue::State;

namespace {

bool covers(const Piece& outer, const Piece& inner) {
  return outer.address <= inner.address &&
         inner.address + inner.bytes <= outer.address + outer.bytes;
}
/// Of the same row.
bool coversBursts(const Piece& outer, const Piece& inner) {
  return outer.run.column <= inner.run.column &&
         inner.run.column + inner.run.bursts <= outer.run.column + outer.run.bursts;
}
bool overlap(const Piece& a, const Piece& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

}  // namespace

Coalescing::Coalescing(ChannelState& channel, BankClaims& claims)
    : channel_(channel),
      claims_(claims),
      burstClocks_(channel.config.burstClocks()),
      mostBursts_(std::min(channel.config.channel_interleave_bytes / channel.config.burstBytes(),
                           channel.config.row_hit_cap_bursts)),
      on_(channel.config.coalescing && channel.groupStride == 1) {}

bool Coalescing::forward(Piece& read, const Piece& write, Cycles now) {
  if (write.tracked() || !covers(write, read)) return false;
  read.source = &write;
  channel_.statistics.forwardedBursts += read.run.bursts;
  const Cycles dataEnd = now + read.run.bursts * burstClocks_;
  channel_.host.served(channel_.id, read, channel_.timeOf(dataEnd));
  return true;
}

bool Coalescing::merge(Piece& piece, const Hazards::Found& found) {
  const QueueEntry& entry = channel_.queue[found.overlapped];
  // The queued write whose bursts take this one in, and behind it those that it has taken in.
  Piece* owner = entry.piece;
  while (owner != nullptr && !(owner->run.bursts > 0 && coversBursts(*owner, piece))) {
    owner = owner->next;
  }
  if (owner == nullptr || owner->tracked()) return false;
  // Bursts that are planned are in the DRAM's hands.
  if (owner == entry.piece && entry.planned > entry.pieceEnd - owner->run.bursts) return false;
  Piece* last = owner;
  std::uint32_t overlaps = overlap(*owner, piece);
  while (last->next != nullptr && last->next->run.bursts == 0) {
    last = last->next;
    overlaps += overlap(*last, piece);
  }
  // Nothing else may lie between the two writes. What is older than both and overlaps the new one
  // is waited for by the old one, if that covers it.
  if (overlaps != found.inEntry) return false;
  if (found.inEntry != found.overlaps && !covers(*owner, piece)) return false;
  channel_.statistics.mergedBursts += piece.run.bursts;
  piece.run.bursts = 0;
  channel_.queue.join(found.overlapped, piece, *last);
  return true;
}

bool Coalescing::joinNeighbour(Piece& piece, const Hazards::Found& found) {
  QueueEntry& entry = channel_.queue[found.neighbour];
  if (entry.state == State::Blocked || entry.writesLater || entry.piece->tracked() ||
      entry.run.bursts + piece.run.bursts > mostBursts_ || !claims_.mayGrow(entry)) {
    return false;
  }
  channel_.queue.join(found.neighbour, piece, *entry.lastPiece);
  claims_.grew(entry, piece.run.bursts);
  channel_.occupancy.wait(directionOf(entry.kind), piece.run.bursts);
  return true;
}

}  // namespace t3
