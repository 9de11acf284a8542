// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Refreshes a channel, all banks at once or one bank after the other, and keeps claims away from
/// banks that are being refreshed. A refresh that is due is postponed until the rows that are
/// claimed have been used; nothing new is claimed meanwhile, so that time is short against the
/// eight intervals that the standard allows.
class Refresh {
 public:
  Refresh(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
          const DramQueue& queue, BankClaims& claims, Cycles firstDue);

  /// Plans what is due at `now`. The channel decided last at `lastService`: nothing may be planned
  /// before that clock.
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
  /// Clock at which the first blocked bank is free again; only while banks are blocked.
  Cycles unblockAt() const { return unblockAt_; }
  /// Clock of the next refresh if that lies behind `now`, else kNever: an overdue refresh comes as
  /// soon as claimed rows have been used.
  Cycles nextAfter(Cycles now) const { return due_ > now ? due_ : kNever; }

 private:
  void refreshAllBanks(Cycles now, Cycles lastService);
  void refreshOneByOne(Cycles now, Cycles lastService);
  void unblockBanks(Cycles now);
  /// Earliest clock of a refresh that is planned at `now`. An idle channel is not served for a long
  /// time. At its next service it makes up for the refreshes of that time, each at the clock at
  /// which it was due.
  Cycles earliest(Cycles now, Cycles lastService) const {
    return queue_.empty() ? std::max(due_, lastService) : now;
  }

  const RefreshMode mode_;
  const TimingTable& table_;
  ChannelTiming& timing_;
  const DramQueue& queue_;
  BankClaims& claims_;
  Cycles due_;                        ///< kNever with refreshes off
  std::uint32_t bank_ = 0;            ///< one by one: the next
  std::vector<Cycles> blockedUntil_;  ///< per bank
  Cycles unblockAt_ = 0;              ///< the earliest of blocked banks
};

}  // namespace t3
