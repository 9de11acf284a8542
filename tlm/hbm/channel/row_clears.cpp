// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/row_clears.h"

#include <algorithm>

namespace t3 {

RowClears::RowClears(const ChannelContext& context, ChannelId id, ChannelTiming& timing,
                     const DramQueue& queue, BankClaims& claims)
    : id_(id),
      host_(context.host),
      table_(context.table),
      timing_(timing),
      queue_(queue),
      claims_(claims),
      period_(context.period),
      horizon_(context.config.decision_clocks) {}

bool RowClears::covers(const Piece& piece) const {
  const std::uint32_t slots = timing_.slots(piece.run.bursts);
  return std::ranges::any_of(waiting_, [&](const Piece* clear) {
    if (clear->run.row != piece.run.row) return false;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (timing_.slotBank(piece.run, slot) == bankOf(*clear)) return true;
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
    if (!first || queue_.needs(bank, piece->run.row)) return false;
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
  if (timing_.openRow(bank) != ChannelTiming::kClosed) {
    timing_.precharge(bank, ChannelTiming::Closing::Early, now);
  }
  const Cycles at = timing_.clearRow(bank, piece.run.row, now, now);
  host_.served(id_, piece, static_cast<Picoseconds>((at + table_.rowClear()) * period_));
  return at;
}

Cycles RowClears::next(Cycles now) const {
  if (waiting_.empty()) return kNever;
  return planned_ >= now + horizon_ ? planned_ - horizon_ + 1 : now + horizon_;
}

}  // namespace t3
