// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/coalescing.h"

#include <algorithm>

namespace t3 {

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

Coalescing::Coalescing(const ChannelContext& context, ChannelId id, DramQueue& queue,
                       QueueOccupancy& occupancy, BankClaims& claims)
    : id_(id),
      host_(context.host),
      statistics_(context.statistics),
      queue_(queue),
      occupancy_(occupancy),
      claims_(claims),
      period_(context.period),
      burstClocks_(context.config.burstClocks()),
      mostBursts_(std::min(context.config.channel_interleave_bytes / context.config.burstBytes(),
                           context.config.row_hit_cap_bursts)),
      on_(context.config.coalescing && context.groupStride == 1) {}

bool Coalescing::forward(Piece& read, const Piece& write, Cycles now) {
  if (write.tracked || !covers(write, read)) return false;
  read.source = &write;
  statistics_.forwardedBursts += read.run.bursts;
  const Cycles dataEnd = now + read.run.bursts * burstClocks_;
  host_.served(id_, read, static_cast<Picoseconds>(dataEnd * period_));
  return true;
}

bool Coalescing::merge(Piece& piece, const Hazards::Found& found) {
  const QueueEntry& entry = queue_[found.overlapped];
  // The queued write whose bursts take this one in, and behind it those that it has taken in.
  Piece* owner = entry.piece;
  while (owner != nullptr && !(owner->run.bursts > 0 && coversBursts(*owner, piece))) {
    owner = owner->next;
  }
  if (owner == nullptr || owner->tracked) return false;
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
  statistics_.mergedBursts += piece.run.bursts;
  piece.run.bursts = 0;
  queue_.join(found.overlapped, piece, *last);
  return true;
}

bool Coalescing::joinNeighbour(Piece& piece, const Hazards::Found& found) {
  QueueEntry& entry = queue_[found.neighbour];
  if (entry.state == State::Blocked || entry.writesLater || entry.piece->tracked ||
      entry.run.bursts + piece.run.bursts > mostBursts_ || !claims_.mayGrow(entry)) {
    return false;
  }
  queue_.join(found.neighbour, piece, *entry.lastPiece);
  claims_.grew(entry, piece.run.bursts);
  occupancy_.wait(directionOf(entry.kind), piece.run.bursts);
  return true;
}

}  // namespace t3
