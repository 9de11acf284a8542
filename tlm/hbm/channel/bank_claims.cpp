// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/bank_claims.h"

#include <utility>

namespace t3 {

using State = DramQueue::State;

BankClaims::BankClaims(const HbmConfig& config, const TimingTable& table, ChannelTiming& timing,
                       Cycles ageLimit, DramQueue& queue, PageCloser& pages)
    : table_(table),
      timing_(timing),
      queue_(queue),
      pages_(pages),
      inBatches_(config.scheduling == SchedulingPolicy::Batches),
      rowHitCap_(config.row_hit_cap_bursts),
      ageLimit_(ageLimit),
      lookahead_(2 * static_cast<Cycles>(config.decision_clocks)),
      uses_{{std::vector<std::uint16_t>(config.banks), std::vector<std::uint16_t>(config.banks)}},
      hitBursts_(config.banks) {}

void BankClaims::claim(Cycles now, Direction running) {
  due_ = false;
  nextActivate_ = kNever;
  wanted_ = 0;
  if (paused_) return;
  claimOpenRows(now, running);
  if (candidates_.empty()) return;
  prepareCandidates(now);
  openRowsOfCandidates(now);
}

BankMask BankClaims::keptForOtherDirection(Cycles now, Direction running) const {
  if (!inBatches_) return 0;
  const Slot other = queue_.list(opposite(running), State::Waiting).first;
  const Slot own = queue_.list(running, State::Waiting).first;
  if (other == kNoSlot || own == kNoSlot) return 0;
  const QueueEntry& entry = queue_[other];
  return pastAgeLimit(entry, now) && entry.sequence < queue_[own].sequence ? entry.banks : 0;
}

void BankClaims::claimOpenRows(Cycles now, Direction running) {
  candidates_.clear();
  // What the walk asks for each entry is kept out of memory that it also writes.
  BankMask wanted = keptForOtherDirection(now, running);
  BankMask inUse = used();
  const BankMask unavailable = blocked_ | keptForRefresh_ | keptForClears_;
  Slot next = queue_.list(running, State::Waiting).first;
  Slot other = inBatches_ ? kNoSlot : queue_.list(opposite(running), State::Waiting).first;
  while (next != kNoSlot || other != kNoSlot) {
    if (next == kNoSlot || (other != kNoSlot && queue_[other].sequence < queue_[next].sequence)) {
      std::swap(next, other);
    }
    const Slot slot = next;
    const QueueEntry& entry = queue_[slot];
    next = entry.younger;
    const BankMask banks = entry.banks;
    // The usual refusal: the row is not open, and a bank is in use or an older entry's.
    const bool hopeless =
        (banks & (wanted | inUse)) != 0 && timing_.openRow(entry.firstBank) != entry.run.row;
    if (!hopeless && (banks & unavailable) == 0) {
      const bool reserved = (banks & wanted) != 0;
      if (closedBanks(entry) == 0) {
        if ((!reserved || !capped(entry)) && (inBatches_ || (banks & inUse) == 0)) {
          makeReady(slot);
          inUse = used();
          continue;
        }
      } else if (!reserved) {
        candidates_.push_back({slot, now});
      }
    }
    wanted |= banks;
  }
  wanted_ = wanted;
}

void BankClaims::prepareCandidates(Cycles now) {
  std::erase_if(candidates_, [&](Candidate& candidate) {
    QueueEntry& entry = queue_[candidate.slot];
    // Younger entries whose rows were open may have claimed meanwhile.
    if ((entry.banks & used()) != 0) return true;
    closeRows(entry, now);
    forEachBank(closedBanks(entry), [&](std::uint32_t bank) {
      candidate.ready = std::max(candidate.ready, timing_.activateReady(bank));
    });
    return false;
  });
}

void BankClaims::openRowsOfCandidates(Cycles now) {
  while (!candidates_.empty()) {
    auto best = candidates_.end();
    Cycles at = kNever;
    for (auto candidate = candidates_.begin(); candidate != candidates_.end(); ++candidate) {
      const QueueEntry& entry = queue_[candidate->slot];
      const Cycles possible = std::max(candidate->ready, timing_.activateBehind(entry.firstBank));
      if (possible < at) {
        at = possible;
        best = candidate;
      }
      if (candidate == candidates_.begin() && pastAgeLimit(entry, now)) break;
    }
    if (at >= now + lookahead_) {
      nextActivate_ = at;
      return;
    }
    openRows(queue_[best->slot], now);
    makeReady(best->slot);
    candidates_.erase(best);
  }
}

BankMask BankClaims::closedBanks(const QueueEntry& entry) const {
  BankMask closed = 0;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    if (timing_.openRow(bank) != entry.run.row) closed |= maskOf(bank);
  });
  return closed;
}

bool BankClaims::capped(const QueueEntry& entry) const {
  bool capped = false;
  forEachBank(entry.banks, [&](std::uint32_t bank) { capped |= hitBursts_[bank] >= rowHitCap_; });
  return capped;
}

void BankClaims::closeRows(QueueEntry& entry, Cycles now) {
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    const std::int64_t row = timing_.openRow(bank);
    if (row == entry.run.row || row == ChannelTiming::kClosed) return;
    pages_.conflicted(bank);
    timing_.precharge(bank, ChannelTiming::Closing::ForAnotherRow, now);
    entry.closedFor |= maskOf(bank);
  });
}

void BankClaims::openRows(QueueEntry& entry, Cycles now) {
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t bank = timing_.slotBank(entry.run, slot);
    if (timing_.openRow(bank) == entry.run.row) continue;
    if (!contains(entry.closedFor, bank)) pages_.missed(bank, entry.run.row);
    timing_.activate(bank, entry.run.row, now, now);
    hitBursts_[bank] = 0;
  }
  entry.closedFor = 0;
}

void BankClaims::makeReady(Slot slot) {
  QueueEntry& entry = queue_[slot];
  const Direction direction = directionOf(entry.kind);
  entry.notBefore =
      std::max({entry.added, togetherFrom(entry), timing_.rowReady(entry.kind, entry.firstBank)});
  entry.sharedRules = timing_.sharedRules(entry.kind, entry.firstBank);
  const std::uint32_t left = entry.run.bursts - entry.planned;
  const std::uint32_t share = timing_.burstsPerBank(left);
  claimedBursts_[direction] += left;
  used_[direction] |= entry.banks;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    ++uses_[direction][bank];
    hitBursts_[bank] += share;
  });
  queue_.move(slot, State::Ready);
}

Cycles BankClaims::togetherFrom(const QueueEntry& entry) const {
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  if (slots == 1) return 0;
  const Cycles spacing = table_.delay(entry.kind, entry.kind, RuleScope::Channel);
  Cycles from = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Cycles ready = timing_.bankReady(entry.kind, timing_.slotBank(entry.run, slot));
    from = std::max(from, ready - slot * spacing);
  }
  return from;
}

}  // namespace t3
