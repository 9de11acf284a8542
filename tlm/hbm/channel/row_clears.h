// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_host.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Clears of whole rows, which need no data bus. A row clear waits beside the DRAM queue for its
/// bank, closes it if need be, and takes it for `row_clear_ns`.
///
/// **Order.** A row clear goes when no entry of the DRAM queue needs its row; all that do entered
/// before it. A piece of that row that comes later may not enter before the clear is planned
/// (`covers`). So a row clear and what overlaps it are served in the order in which they entered.
///
/// **Fairness.** No entry claims a bank for which a row clear waits, so later users of the bank do
/// not hold it back. Entries that need the very row are the exception: the row clear waits for
/// them.
class RowClears {
 public:
  RowClears(const ChannelContext& context, ChannelId id, ChannelTiming& timing,
            const DramQueue& queue, BankClaims& claims);

  bool empty() const { return waiting_.empty(); }
  void enter(Piece& piece) { waiting_.push_back(&piece); }
  /// Whether the piece lies in a row that is still to be cleared.
  bool covers(const Piece& piece) const;
  /// Plans what may go at `now`; returns whether any was planned.
  bool service(Cycles now);
  /// When to serve again, if nothing else happens before; kNever without row clears.
  Cycles next(Cycles now) const;

 private:
  std::uint32_t bankOf(const Piece& piece) const { return timing_.slotBank(piece.run, 0); }
  Cycles plan(Piece& piece, Cycles now);

  ChannelId id_;
  ChannelHost& host_;
  const TimingTable& table_;
  ChannelTiming& timing_;
  const DramQueue& queue_;
  BankClaims& claims_;
  Cycles period_;
  Cycles horizon_;
  std::vector<Piece*> waiting_;  ///< in the order in which they entered
  Cycles planned_ = 0;           ///< clock of the last one planned
};

}  // namespace t3
