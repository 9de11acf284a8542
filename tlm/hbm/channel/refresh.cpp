// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/refresh.h"

#include <algorithm>

namespace t3 {

Refresh::Refresh(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
                 const DramQueue& queue, BankClaims& claims, Cycles firstDue)
    : mode_(config.refresh),
      table_(table),
      timing_(timing),
      queue_(queue),
      claims_(claims),
      due_(config.refresh == RefreshMode::Off ? kNever : firstDue),
      blockedUntil_(config.banks) {}

void Refresh::refreshAllBanks(Cycles now, Cycles lastService) {
  const Cycles duration = table_.refreshDuration(DramCommandKind::RefreshAll);
  while (due_ <= now) {
    if (claims_.used() != 0) {
      claims_.pause(true);
      return;
    }
    const Cycles at = timing_.refreshAll(earliest(now, lastService));
    due_ += table_.refreshInterval();
    claims_.pause(false);
    claims_.again();
    if (at + duration > now) {
      claims_.block(~BankMask{0} >> (64 - timing_.banks()));
      unblockAt_ = at + duration;
      std::fill(blockedUntil_.begin(), blockedUntil_.end(), unblockAt_);
    }
  }
}

void Refresh::refreshOneByOne(Cycles now, Cycles lastService) {
  const Cycles duration = table_.refreshDuration(DramCommandKind::RefreshBank);
  while (due_ <= now) {
    if (contains(claims_.used(), bank_)) {
      claims_.keepForRefresh(maskOf(bank_));
      return;
    }
    claims_.keepForRefresh(0);
    const Cycles from = earliest(now, lastService);
    const Cycles at = timing_.refreshBank(bank_, from, from);
    due_ += table_.refreshInterval() / timing_.banks();
    claims_.again();
    if (at + duration > now) {
      unblockAt_ = claims_.blocked() == 0 ? at + duration : std::min(unblockAt_, at + duration);
      claims_.block(claims_.blocked() | maskOf(bank_));
      blockedUntil_[bank_] = at + duration;
    }
    bank_ = (bank_ + 1) % timing_.banks();
  }
}

void Refresh::unblockBanks(Cycles now) {
  unblockAt_ = kNever;
  BankMask still = 0;
  forEachBank(claims_.blocked(), [&](std::uint32_t bank) {
    if (blockedUntil_[bank] <= now) return;
    still |= maskOf(bank);
    unblockAt_ = std::min(unblockAt_, blockedUntil_[bank]);
  });
  claims_.block(still);
  claims_.again();
}

}  // namespace t3
