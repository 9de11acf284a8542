// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/timing/channel_timing.h"

#include <cassert>

namespace t3 {
namespace {

constexpr std::uint32_t kMaxGroups = ActivateWindow::kMaxGroups;

}  // namespace

ChannelTiming::ChannelTiming(const HbmConfig& config, const TimingTable& table, ChannelId channel,
                             std::uint32_t groupStride, Cycles period, HbmStatistics& statistics)
    : table_(table),
      statistics_(statistics),
      id_(channel),
      period_(period),
      banks_(config, groupStride),
      ready_(table, banks_),
      rows_(config.banks, kClosed),
      conflicted_(config.banks),
      window_(table) {
  assert(banks_.groups() <= kMaxGroups);
}

void ChannelTiming::publish(DramCommandKind kind, std::uint32_t bank, std::uint32_t row,
                            std::uint32_t column, Cycles at) const {
  if (observer_ == nullptr) return;
  observer_->command({static_cast<Picoseconds>(at * period_), id_, kind,
                      BankGroupId{banks_.groupOf(bank)}, BankId{bank}, row, column});
}

Cycles ChannelTiming::rowCommand(DramCommandKind kind, std::uint32_t bank, std::uint32_t row,
                                 Cycles earliest, Cycles now) {
  const std::uint32_t group = banks_.groupOf(bank);
  const Cycles width = kind == DramCommandKind::RefreshBank ? 1 : table_.activateCommandClocks();
  Cycles at = std::max({earliest, ready_.inBank(kind, bank), ready_.inChannel(kind)});
  while (true) {
    at = window_.find(kind, group, at);
    const Cycles free = rowBus_.find(at, width);
    if (free == at) break;
    at = free;
  }
  window_.take(kind, group, at, now);
  rowBus_.take(at, width);
  issue(kind, bank, row, 0, at);
  ready_.plan(kind, bank, at);
  return at;
}

Cycles ChannelTiming::precharge(std::uint32_t bank, Closing why, Cycles earliest) {
  const Cycles at = rowBus_.find(
      window_.besideActivates(std::max({earliest, ready_.inBank(DramCommandKind::Precharge, bank),
                                        ready_.inChannel(DramCommandKind::Precharge)})),
      1);
  rowBus_.take(at, 1);
  issue(DramCommandKind::Precharge, bank, static_cast<std::uint32_t>(rows_[bank]), 0, at);
  conflicted_[bank] = why == Closing::ForAnotherRow;
  ready_.plan(DramCommandKind::Precharge, bank, at);
  rows_[bank] = kClosed;
  return at;
}

Cycles ChannelTiming::activate(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now) {
  const Cycles at = rowCommand(DramCommandKind::Activate, bank, row, earliest, now);
  ++(conflicted_[bank] != 0 ? statistics_.rowConflicts : statistics_.rowMisses);
  rows_[bank] = row;
  return at;
}

Cycles ChannelTiming::clearRow(std::uint32_t bank, std::uint32_t row, Cycles earliest, Cycles now) {
  conflicted_[bank] = 0;
  return rowCommand(DramCommandKind::RowClear, bank, row, earliest, now);
}

bool ChannelTiming::anyOpen() const {
  return std::any_of(rows_.begin(), rows_.end(), [](auto row) { return row != kClosed; });
}

Cycles ChannelTiming::refreshAll(Cycles earliest) {
  if (anyOpen()) {
    Cycles ready = earliest;
    for (std::uint32_t bank = 0; bank < banks_.count(); ++bank) {
      // The precharge of a closed bank may still lie ahead.
      const auto bound =
          rows_[bank] == kClosed ? DramCommandKind::PrechargeAll : DramCommandKind::Precharge;
      ready = std::max(ready, ready_.inBank(bound, bank));
    }
    const Cycles at = rowBus_.find(ready, 1);
    rowBus_.take(at, 1);
    issue(DramCommandKind::PrechargeAll, 0, 0, 0, at);
    std::fill(rows_.begin(), rows_.end(), kClosed);
    ready_.planInChannel(DramCommandKind::PrechargeAll, at);
  }
  const Cycles at =
      rowBus_.find(std::max(earliest, ready_.inChannel(DramCommandKind::RefreshAll)), 1);
  rowBus_.take(at, 1);
  issue(DramCommandKind::RefreshAll, 0, 0, 0, at);
  std::fill(conflicted_.begin(), conflicted_.end(), std::uint8_t{0});
  ready_.planInChannel(DramCommandKind::RefreshAll, at);
  return at;
}

Cycles ChannelTiming::refreshBank(std::uint32_t bank, Cycles earliest, Cycles now) {
  if (rows_[bank] != kClosed) precharge(bank, Closing::Early, earliest);
  conflicted_[bank] = 0;
  return rowCommand(DramCommandKind::RefreshBank, bank, 0, earliest, now);
}

Cycles ChannelTiming::column(DramCommandKind kind, std::uint32_t bank, std::uint32_t column,
                             Cycles earliest) {
  const Cycles at = std::max(earliest, ready_.of(kind, bank));
  issue(kind, bank, static_cast<std::uint32_t>(rows_[bank]), column, at);
  ready_.plan(kind, bank, at);
  return at;
}

ChannelTiming::Columns ChannelTiming::columns(DramCommandKind kind, const BurstRun& run,
                                              Cycles earliest) {
  if (run.bursts == 1) {
    const Cycles only = column(kind, banks_.of(run, 0), run.column, earliest);
    return {only, only};
  }
  const std::uint32_t slots = banks_.slots(run.bursts);
  const Cycles spacing = table_.delay(kind, kind, RuleScope::Channel);
  const Cycles hold = std::max({table_.delay(kind, kind, RuleScope::Group),
                                table_.delay(kind, kind, RuleScope::Bank), spacing});

  // A round is one burst for each bank. Rounds 0 and 1 are stepped: round 0 depends on the state
  // the banks are in, and after round 1 the pattern repeats.
  std::array<Cycles, 2 * kMaxGroups> stepped;
  const std::uint32_t head = std::min(run.bursts, 2 * slots);
  Cycles at = std::max(earliest, ready_.inChannel(kind)) - spacing;
  for (std::uint32_t i = 0; i < head; ++i) {
    const Cycles own =
        i < slots ? ready_.inBankAndGroup(kind, banks_.of(run, i)) : stepped[i - slots] + hold;
    at = std::max(at + spacing, own);
    stepped[i] = at;
  }

  // From round 2 on the distances are constant. Let the round time be one spacing for each bank.
  // * The hold time of a bank is not longer than the round time (`packed`): nobody waits for a bank
  //   any more, and a burst goes each spacing.
  // * Otherwise, round 1 fits into the hold time (`periodic`): each bank repeats after its hold
  //   time.
  // * Otherwise the banks became free so unevenly in round 0 that round 1 is longer than the hold
  //   time. Later rounds become shorter until the hold time is reached; they are stepped.
  const Cycles round = spacing * slots;
  const bool packed = hold <= round;
  const Cycles span = head == 2 * slots ? stepped[2 * slots - 1] - stepped[slots] : 0;
  const bool periodic = !packed && span + spacing <= hold;
  const bool arithmetic = run.bursts <= head || packed || periodic;
  if (!arithmetic) {
    times_.assign(stepped.begin(), stepped.begin() + head);
    for (std::uint32_t i = head; i < run.bursts; ++i) {
      times_.push_back(std::max(times_[i - 1] + spacing, times_[i - slots] + hold));
    }
  }
  const auto timeAt = [&](std::uint32_t i) -> Cycles {
    if (i < head) return stepped[i];
    if (packed) return stepped[head - 1] + spacing * (i - head + 1);
    if (periodic) return stepped[slots + banks_.slotOf(i)] + hold * (i / slots - 1);
    return times_[i];
  };

  statistics_.commands[indexOf(kind)] += run.bursts;
  if (observer_ != nullptr) {
    for (std::uint32_t i = 0; i < run.bursts; ++i) {
      publish(kind, banks_.of(run, banks_.slotOf(i)), run.row, banks_.columnOf(run, i), timeAt(i));
    }
  }

  for (std::uint32_t i = run.bursts - slots; i < run.bursts; ++i) {
    ready_.planInBankAndGroup(kind, banks_.of(run, banks_.slotOf(i)), timeAt(i));
  }
  const Cycles last = timeAt(run.bursts - 1);
  ready_.planInChannel(kind, last);
  return {stepped[0], last};
}

}  // namespace t3
