// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_state.h"

namespace t3 {

/// Refreshes a channel, all banks at once or one after the other, and keeps claims away from banks
/// that are being refreshed. A refresh that is due waits until claimed rows have been used, and
/// nothing is claimed meanwhile: short against the eight intervals that the standard allows.
class Refresh {
 public:
  Refresh(ChannelState& channel, BankClaims& claims, Cycles firstDue);

  /// Plans what is due at `now`; nothing before `lastService`, the clock of the last decision.
  void service(Cycles now, Cycles lastService) {
    if (due_ > now) return;
    if (mode_ == RefreshMode::AllBank) {
      refreshAllBanks(now, lastService);
    } else {
      refreshOneByOne(now, lastService);
    }
  }
  /// Gives banks whose refresh has ended back to the claims.
  void unblock(Cycles now) {
    if (claims_.blocked() != 0 && now >= unblockAt_) unblockBanks(now);
  }
  /// When the first blocked bank is free again; only while banks are blocked.
  Cycles unblockAt() const { return unblockAt_; }
  /// The next refresh, kNever if it is overdue: it comes when claimed rows have been used.
  Cycles nextAfter(Cycles now) const { return due_ > now ? due_ : kNever; }

 private:
  void refreshAllBanks(Cycles now, Cycles lastService);
  void refreshOneByOne(Cycles now, Cycles lastService);
  void unblockBanks(Cycles now);
  /// An idle channel is not served for a long time. Then it makes up for the refreshes of that
  /// time, each at the clock at which it was due.
  Cycles earliest(Cycles now, Cycles lastService) const {
    return channel_.queue.empty() ? std::max(due_, lastService) : now;
  }

  const RefreshMode mode_;
  ChannelState& channel_;
  BankClaims& claims_;
  Cycles due_;                        ///< kNever with refreshes off
  std::uint32_t bank_ = 0;            ///< one by one: the next
  std::vector<Cycles> blockedUntil_;  ///< per bank
  Cycles unblockAt_ = 0;              ///< the earliest of blocked banks
};

/// Clears of whole rows, which need no data bus. A row clear waits beside the DRAM queue for its
/// bank, closes it if need be, and takes it for `row_clear_ns`.
///
/// **Order.** It goes when no entry of the DRAM queue needs its row; these entered before it. A
/// later piece of the row may not enter before the clear is planned (`covers`).
///
/// **Fairness.** No entry claims a bank for which a row clear waits, but those that need the very
/// row.
class RowClears {
 public:
  RowClears(ChannelState& channel, BankClaims& claims);

  bool empty() const { return waiting_.empty(); }
  void enter(Piece& piece) { waiting_.push_back(&piece); }
  /// Whether the piece lies in a row that is still to be cleared.
  bool covers(const Piece& piece) const;
  /// Plans what may go at `now`; returns whether any was planned.
  bool service(Cycles now);
  /// When to serve again, if nothing else happens before; kNever without row clears.
  Cycles next(Cycles now) const;

 private:
  std::uint32_t bankOf(const Piece& piece) const {
    return channel_.timing.banks().of(piece.run, 0);
  }
  Cycles plan(Piece& piece, Cycles now);

  ChannelState& channel_;
  BankClaims& claims_;
  Cycles horizon_;
  std::vector<Piece*> waiting_;  ///< in the order in which they entered
  Cycles planned_ = 0;           ///< clock of the last one planned
};

}  // namespace t3
