// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/bank_claims.h"

#include <algorithm>
#include <utility>

namespace t3 {

using State = DramQueue::State;

BankClaims::BankClaims(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
                       DramQueue& queue, PageCloser& pages, HbmStatistics& statistics)
    : table_(table),
      timing_(timing),
      queue_(queue),
      pages_(pages),
      statistics_(statistics),
      rowHitCap_(config.row_hit_cap_bursts),
      uses_{{std::vector<std::uint16_t>(config.banks), std::vector<std::uint16_t>(config.banks)}},
      hitBursts_(config.banks) {}

void BankClaims::claim(Cycles now, Direction running) {
  due_ = false;
  if (paused_) {
    wanted_ = {};
    return;
  }
  const bool all = std::exchange(all_, false);
  const std::uint64_t untried = std::exchange(firstUntried_, queue_.nextSequence());
  rowsOpened_ = false;
  for (const Direction direction : {running, opposite(running)}) {
    const bool ofBatch = direction == running;
    // If nothing but newcomers has come, only they are asked: the others would be refused again,
    // and the banks they wait for stay theirs. The other direction is asked as a whole if the batch
    // has just taken banks back from it or opened rows.
    const bool anew = all || all_ || (!ofBatch && rowsOpened_);
    if (anew) wanted_[direction] = 0;
    const BankMask used = used_[direction] | (ofBatch ? 0 : used_[running]);
    BankMask& wanted = wanted_[direction];
    const BankMask wantedByBatch = ofBatch ? 0 : wanted_[running];
    Slot next = queue_.firstFrom(queue_.list(direction, State::Waiting), anew ? 0 : untried);
    while (next != kNoSlot) {
      const Slot slot = next;
      QueueEntry& entry = queue_[slot];
      next = entry.younger;
      // The most frequent refusal, tested first because it is cheap: the row is not open, and a
      // bank is in use or kept for an older entry.
      const bool hopeless = (entry.banks & (wanted | wantedByBatch | used)) != 0 &&
                            timing_.openRow(entry.firstBank) != entry.run.row;
      if (!hopeless && tryClaim(entry, wanted | wantedByBatch, now, running)) {
        queue_.move(slot, State::Ready);
      } else {
        wanted |= entry.banks;
      }
    }
  }
}

bool BankClaims::tryClaim(QueueEntry& entry, BankMask wanted, Cycles now, Direction running) {
  if ((entry.banks & (blocked_ | keptForRefresh_)) != 0) return false;
  const Direction direction = directionOf(entry.kind);
  const bool reserved = (entry.banks & wanted) != 0;
  BankMask closed = 0;
  bool capped = false;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    if (timing_.openRow(bank) == entry.run.row) {
      capped |= hitBursts_[bank] >= rowHitCap_;
    } else {
      closed |= maskOf(bank);
    }
  });
  if (closed == 0) {
    if (reserved && capped) return false;
  } else {
    if (reserved || (closed & used_[direction]) != 0) return false;
    if ((closed & used_[opposite(direction)]) != 0) {
      if (direction != running) return false;
      giveUp(opposite(direction), closed);
    }
    openRows(entry, now);
    rowsOpened_ = true;
  }

  entry.notBefore = std::max(entry.added, togetherFrom(entry));
  const std::uint32_t share = timing_.burstsPerBank(entry.run.bursts - entry.planned);
  used_[direction] |= entry.banks;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    ++uses_[direction][bank];
    hitBursts_[bank] += share;
  });
  return true;
}

void BankClaims::openRows(QueueEntry& entry, Cycles now) {
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    const std::int64_t row = timing_.openRow(bank);
    if (row == entry.run.row) return;
    ++entry.activations;
    if (row == ChannelTiming::kClosed) {
      ++statistics_.rowMisses;
      pages_.missed(bank, entry.run.row);
    } else {
      ++statistics_.rowConflicts;
      pages_.conflicted(bank);
      timing_.precharge(bank, now);
      ++statistics_.commands[indexOf(DramCommandKind::Precharge)];
    }
  });
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t bank = timing_.slotBank(entry.run, slot);
    if (timing_.openRow(bank) == entry.run.row) continue;
    timing_.activate(bank, entry.run.row, now, now);
    ++statistics_.commands[indexOf(DramCommandKind::Activate)];
    hitBursts_[bank] = 0;
  }
}

void BankClaims::giveUp(Direction direction, BankMask banks) {
  Slot next = kNoSlot;
  for (Slot i = queue_.list(direction, State::Ready).first; i != kNoSlot; i = next) {
    const QueueEntry& entry = queue_[i];
    next = entry.younger;
    if ((entry.banks & banks) == 0) continue;
    dropUses(entry);
    queue_.move(i, State::Waiting);
  }
  again();
}

}  // namespace t3
