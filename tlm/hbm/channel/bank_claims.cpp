// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/bank_claims.h"

#include <utility>

namespace t3 {

PageCloser::PageCloser(ChannelState& channel)
    : policy_(channel.config.page_policy),
      channel_(channel),
      score_(channel.config.banks),
      closedRow_(channel.config.banks, ChannelTiming::kClosed) {}

void PageCloser::closeUnneeded(const QueueEntry& entry, Cycles now) {
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    if (channel_.timing.openRow(bank) != entry.run.row) return;
    if (policy_ == PagePolicy::Adaptive && score_[bank] < kCloseScore) return;
    if (channel_.queue.needs(bank, entry.run.row)) return;
    channel_.timing.precharge(bank, ChannelTiming::Closing::Early, now);
    closedRow_[bank] = entry.run.row;
  });
}

using State = DramQueue::State;

BankClaims::BankClaims(ChannelState& channel, PageCloser& pages)
    : channel_(channel),
      pages_(pages),
      inBatches_(channel.config.scheduling == SchedulingPolicy::Batches),
      rowHitCap_(channel.config.row_hit_cap_bursts),
      lookahead_(2 * static_cast<Cycles>(channel.config.decision_clocks)),
      uses_{{std::vector<std::uint16_t>(channel.config.banks),
             std::vector<std::uint16_t>(channel.config.banks)}},
      hitBursts_(channel.config.banks) {}

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
  const Slot other = channel_.queue.list(opposite(running), State::Waiting).first;
  const Slot own = channel_.queue.list(running, State::Waiting).first;
  if (other == kNoSlot || own == kNoSlot) return 0;
  const QueueEntry& entry = channel_.queue[other];
  return channel_.pastAgeLimit(entry, now) && entry.sequence < channel_.queue[own].sequence
             ? entry.banks
             : 0;
}

void BankClaims::claimOpenRows(Cycles now, Direction running) {
  candidates_.clear();
  // What the walk asks for each entry is kept out of memory that it also writes.
  BankMask wanted = keptForOtherDirection(now, running);
  BankMask inUse = used();
  const BankMask unavailable = blocked_ | keptForRefresh_ | keptForClears_;
  Slot next = channel_.queue.list(running, State::Waiting).first;
  Slot other = inBatches_ ? kNoSlot : channel_.queue.list(opposite(running), State::Waiting).first;
  while (next != kNoSlot || other != kNoSlot) {
    if (next == kNoSlot ||
        (other != kNoSlot && channel_.queue[other].sequence < channel_.queue[next].sequence)) {
      std::swap(next, other);
    }
    const Slot slot = next;
    const QueueEntry& entry = channel_.queue[slot];
    next = entry.younger;
    const BankMask banks = entry.banks;
    // The usual refusal: the row is not open, and a bank is in use or an older entry's.
    const bool hopeless = (banks & (wanted | inUse)) != 0 &&
                          channel_.timing.openRow(entry.firstBank) != entry.run.row;
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
    QueueEntry& entry = channel_.queue[candidate.slot];
    // Younger entries whose rows were open may have claimed meanwhile.
    if ((entry.banks & used()) != 0) return true;
    closeRows(entry, now);
    forEachBank(closedBanks(entry), [&](std::uint32_t bank) {
      candidate.ready = std::max(candidate.ready, channel_.timing.activateReady(bank));
    });
    return false;
  });
}

void BankClaims::openRowsOfCandidates(Cycles now) {
  while (!candidates_.empty()) {
    auto best = candidates_.end();
    Cycles at = kNever;
    for (auto candidate = candidates_.begin(); candidate != candidates_.end(); ++candidate) {
      const QueueEntry& entry = channel_.queue[candidate->slot];
      const Cycles possible =
          std::max(candidate->ready, channel_.timing.activateBehind(entry.firstBank));
      if (possible < at) {
        at = possible;
        best = candidate;
      }
      if (candidate == candidates_.begin() && channel_.pastAgeLimit(entry, now)) break;
    }
    if (at >= now + lookahead_) {
      nextActivate_ = at;
      return;
    }
    openRows(channel_.queue[best->slot], now);
    makeReady(best->slot);
    candidates_.erase(best);
  }
}

BankMask BankClaims::closedBanks(const QueueEntry& entry) const {
  BankMask closed = 0;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    if (channel_.timing.openRow(bank) != entry.run.row) closed |= maskOf(bank);
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
    const std::int64_t row = channel_.timing.openRow(bank);
    if (row == entry.run.row || row == ChannelTiming::kClosed) return;
    pages_.conflicted(bank);
    channel_.timing.precharge(bank, ChannelTiming::Closing::ForAnotherRow, now);
    entry.closedFor |= maskOf(bank);
  });
}

void BankClaims::openRows(QueueEntry& entry, Cycles now) {
  const std::uint32_t slots = channel_.timing.banks().slots(entry.run.bursts);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t bank = channel_.timing.banks().of(entry.run, slot);
    if (channel_.timing.openRow(bank) == entry.run.row) continue;
    if (!contains(entry.closedFor, bank)) pages_.missed(bank, entry.run.row);
    channel_.timing.activate(bank, entry.run.row, now, now);
    hitBursts_[bank] = 0;
  }
  entry.closedFor = 0;
}

void BankClaims::makeReady(Slot slot) {
  QueueEntry& entry = channel_.queue[slot];
  const Direction direction = directionOf(entry.kind);
  entry.notBefore = std::max({entry.added, togetherFrom(entry),
                              channel_.timing.ready().inBank(entry.kind, entry.firstBank)});
  entry.sharedRules = channel_.timing.ready().sharedRules(entry.kind, entry.firstBank);
  const std::uint32_t left = entry.run.bursts - entry.planned;
  const std::uint32_t share = channel_.timing.banks().burstsPerBank(left);
  claimedBursts_[direction] += left;
  used_[direction] |= entry.banks;
  forEachBank(entry.banks, [&](std::uint32_t bank) {
    ++uses_[direction][bank];
    hitBursts_[bank] += share;
  });
  channel_.queue.move(slot, State::Ready);
}

Cycles BankClaims::togetherFrom(const QueueEntry& entry) const {
  const std::uint32_t slots = channel_.timing.banks().slots(entry.run.bursts);
  if (slots == 1) return 0;
  const Cycles spacing = channel_.table.delay(entry.kind, entry.kind, RuleScope::Channel);
  Cycles from = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Cycles ready = channel_.timing.ready().inBankAndGroup(
        entry.kind, channel_.timing.banks().of(entry.run, slot));
    from = std::max(from, ready - slot * spacing);
  }
  return from;
}

}  // namespace t3
