// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_host.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/hazards.h"
#include "tlm/hbm/channel/queue_occupancy.h"

namespace t3 {

/// What enters the DRAM queue without an entry of its own. Each piece keeps its own time of
/// completion. The rules are tried in this order:
///
/// * **Forwarding.** A read whose bytes all lie in one queued write is answered with the data of
///   that write, one burst time for each burst later. It needs no command.
/// * **Write merging.** A write to bursts that a queued write writes as well goes with the bursts
///   of that one: the older bytes are stored first.
/// * **Neighbours.** A read joins an entry of reads in the same block, a write one of writes: they
///   need the same row. An entry has at most as many bursts as a block, or as the cap of row hits
///   allows. This changes what a request costs to simulate. To the DRAM it is another row hit, as
///   `BankClaims` would have found it.
///
/// Updates, clears and what the tracker counts always have entries of their own. So does a piece
/// that overlaps others in any other way: it waits for them (`Hazards`). A read that overlaps a
/// queued update is never forwarded, and a write is never merged if something between the two
/// writes overlaps it. So nothing passes an older update or read of its bytes.
///
/// Blocks over bank groups are needed (`address_mapping`): elsewhere the bursts of a block lie in
/// several banks.
class Coalescing {
 public:
  Coalescing(const ChannelContext& context, ChannelId id, DramQueue& queue,
             QueueOccupancy& occupancy, BankClaims& claims);

  /// The memory behind the controller gets every piece.
  void turnOff() { on_ = false; }
  /// Tries to do without an entry for this piece; `found` is what the hazards know about it.
  bool take(Piece& piece, const Hazards::Found& found, Cycles now) {
    const bool plain = piece.kind == DramCommandKind::Read || piece.kind == DramCommandKind::Write;
    if (!on_ || !plain || piece.tracked) return false;
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

  ChannelId id_;
  ChannelHost& host_;
  HbmStatistics& statistics_;
  DramQueue& queue_;
  QueueOccupancy& occupancy_;
  BankClaims& claims_;
  Cycles period_, burstClocks_;
  std::uint32_t mostBursts_;  ///< of an entry
  bool on_;
};

}  // namespace t3
