// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/maintenance.h"

#include <algorithm>

namespace t3 {

Refresh::Refresh(ChannelState& channel, BankClaims& claims, Cycles firstDue)
    : mode_(channel.config.refresh),
      channel_(channel),
      claims_(claims),
      due_(mode_ == RefreshMode::Off ? kNever : firstDue),
      blockedUntil_(channel.config.banks) {}

void Refresh::refreshAllBanks(Cycles now, Cycles lastService) {
  const Cycles duration = channel_.table.refreshDuration(DramCommandKind::RefreshAll);
  while (due_ <= now) {
    if (claims_.used() != 0) {
      claims_.pause(true);
      return;
    }
    const Cycles at = channel_.timing.refreshAll(earliest(now, lastService));
    due_ += channel_.table.refreshInterval();
    claims_.pause(false);
    claims_.again();
    if (at + duration > now) {
      claims_.block(~BankMask{0} >> (64 - channel_.timing.banks().count()));
      unblockAt_ = at + duration;
      std::fill(blockedUntil_.begin(), blockedUntil_.end(), unblockAt_);
    }
  }
}

void Refresh::refreshOneByOne(Cycles now, Cycles lastService) {
  const Cycles duration = channel_.table.refreshDuration(DramCommandKind::RefreshBank);
  while (due_ <= now) {
    if (contains(claims_.used(), bank_)) {
      claims_.keepForRefresh(maskOf(bank_));
      return;
    }
    claims_.keepForRefresh(0);
    const Cycles from = earliest(now, lastService);
    const Cycles at = channel_.timing.refreshBank(bank_, from, from);
    due_ += channel_.table.refreshInterval() / channel_.timing.banks().count();
    claims_.again();
    if (at + duration > now) {
      unblockAt_ = claims_.blocked() == 0 ? at + duration : std::min(unblockAt_, at + duration);
      claims_.block(claims_.blocked() | maskOf(bank_));
      blockedUntil_[bank_] = at + duration;
    }
    bank_ = (bank_ + 1) % channel_.timing.banks().count();
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

RowClears::RowClears(ChannelState& channel, BankClaims& claims)
    : channel_(channel), claims_(claims), horizon_(channel.config.decision_clocks) {}

bool RowClears::covers(const Piece& piece) const {
  const std::uint32_t slots = channel_.timing.banks().slots(piece.run.bursts);
  return std::ranges::any_of(waiting_, [&](const Piece* clear) {
    if (clear->run.row != piece.run.row) return false;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (channel_.timing.banks().of(piece.run, slot) == bankOf(*clear)) return true;
    }
    return false;
  });
}

bool RowClears::service(Cycles now) {
  if (waiting_.empty() || claims_.paused()) return false;
  bool any = false;
  const BankMask used = claims_.used();
  BankMask older = 0;  // wanted by a row clear that entered before
  BankMask kept = 0;
  std::erase_if(waiting_, [&](Piece* piece) {
    const std::uint32_t bank = bankOf(*piece);
    const bool first = !contains(older, bank);
    older |= maskOf(bank);
    // Whoever needs the row of the first has to have the bank, so nobody behind it keeps the bank.
    if (!first || channel_.queue.needs(bank, piece->run.row)) return false;
    // What lies behind the horizon is planned when time has come up to it.
    if (contains(used, bank) || planned_ >= now + horizon_) {
      kept |= maskOf(bank);
      return false;
    }
    planned_ = plan(*piece, now);
    any = true;
    return true;
  });
  if (any || kept != claims_.keptForClears()) claims_.again();
  claims_.keepForClears(kept);
  return any;
}

Cycles RowClears::plan(Piece& piece, Cycles now) {
  const std::uint32_t bank = bankOf(piece);
  if (channel_.timing.openRow(bank) != ChannelTiming::kClosed) {
    channel_.timing.precharge(bank, ChannelTiming::Closing::Early, now);
  }
  const Cycles at = channel_.timing.clearRow(bank, piece.run.row, now, now);
  channel_.host.served(channel_.id, piece, channel_.timeOf(at + channel_.table.rowClear()));
  return at;
}

Cycles RowClears::next(Cycles now) const {
  if (waiting_.empty()) return kNever;
  return planned_ >= now + horizon_ ? planned_ - horizon_ + 1 : now + horizon_;
}

}  // namespace t3
