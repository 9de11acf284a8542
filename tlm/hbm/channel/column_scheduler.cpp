// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/column_scheduler.h"

#include <algorithm>

namespace t3 {

using State = DramQueue::State;

Batches::Batches(const ChannelState& channel, const BankClaims& claims)
    : channel_(channel),
      claims_(claims),
      used_(channel.config.scheduling == SchedulingPolicy::Batches),
      longest_(channel.config.batch_bursts),
      least_(channel.config.batch_least_bursts),
      drain_(channel.config.write_drain_bursts),
      rowOpeningBursts_(static_cast<std::uint64_t>(
          (channel.table.delay(DramCommandKind::Precharge, DramCommandKind::Activate,
                               RuleScope::Bank) +
           channel.table.delay(DramCommandKind::Activate, DramCommandKind::Read, RuleScope::Bank)) /
          channel.config.burstClocks())) {}

bool Batches::tooOld(Direction direction, Cycles now) const {
  const Slot oldest = channel_.queue.list(direction, State::Waiting).first;
  return oldest != kNoSlot && channel_.pastAgeLimit(channel_.queue[oldest], now);
}

bool Batches::runsDry(Cycles now) const {
  const std::uint64_t left = claims_.claimedBursts(running_) - served_[running_];
  if (left > rowOpeningBursts_) return false;
  const Direction other = opposite(running_);
  if (left > 0 && claims_.oldestHasItsRows(other)) return false;
  const std::uint32_t others = channel_.occupancy.waiting(other);
  if (other == Direction::Write && others < drain_) return false;
  if (size(running_, State::Waiting) == 0) return true;
  return bursts_ >= least_ && claims_.activatesToSpare(now) &&
         others >= channel_.occupancy.waiting(running_);
}

bool Batches::ends(Cycles now) {
  const Direction other = opposite(running_);
  if (!eligible(other)) return false;
  if (!eligible(running_)) return true;
  // What the other direction had claimed before is still being served: this batch has not begun.
  if (size(other, State::Ready) > 0) return false;
  if (running_ == Direction::Read && size(Direction::Read, State::Blocked) > 0) return true;
  if (bursts_ >= longest_ || runsDry(now)) return true;
  if (bursts_ >= least_ && tooOld(other, now)) return true;
  // Nothing of the batch can claim, perhaps because an old entry of the other direction keeps the
  // banks. The other direction may try, once.
  return size(running_, State::Ready) == 0 && claims_.nextActivate() == kNever && !changedInVain_;
}

bool Batches::decide(Cycles now) {
  if (!used_) return false;
  if (now != decided_) changedInVain_ = false;
  decided_ = now;
  if (!ends(now)) return false;
  running_ = opposite(running_);
  bursts_ = 0;
  changedInVain_ = true;
  return true;
}

ColumnScheduler::ColumnScheduler(ChannelState& channel, Batches& batches)
    : channel_(channel), batches_(batches) {
  for (const auto kind : {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update,
                          DramCommandKind::ReadClear, DramCommandKind::Clear}) {
    leavesGaps_[indexOf(kind)] = channel.table.delay(kind, kind, RuleScope::Group) >
                                 channel.table.delay(kind, kind, RuleScope::Channel);
  }
}

ColumnScheduler::Choice ColumnScheduler::earliest(Direction direction, Cycles now) {
  const Slot first = channel_.queue.list(direction, DramQueue::State::Ready).first;
  if (first == kNoSlot) return {};
  const QueueEntry& oldest = channel_.queue[first];
  const Cycles oldestAt =
      std::max({channel_.timing.ready().of(oldest.kind, oldest.firstBank), oldest.notBefore, now});
  const Cycles soonest = std::max(channel_.timing.ready().inChannel(oldest.kind), now);
  if (oldestAt <= soonest) return {first, oldestAt};
  const bool reserved = channel_.pastAgeLimit(oldest, now);
  while (true) {
    Choice best{first, oldestAt};
    for (Slot i = oldest.younger; i != kNoSlot && best.at > soonest;
         i = channel_.queue[i].younger) {
      const QueueEntry& entry = channel_.queue[i];
      const Cycles at =
          std::max({entry.notBefore, channel_.timing.ready().shared(entry.sharedRules), now});
      if (at >= best.at) continue;
      if (reserved) {
        // The oldest may have to wait a clock or two for tCCDL. One burst of another entry may go
        // there, but not so many that they delay the oldest.
        const Cycles spacing = channel_.table.delay(entry.kind, entry.kind, RuleScope::Channel);
        if (at + spacing * (burstsAtOnce(entry) - 1) >= oldestAt) continue;
      }
      best = {i, at};
    }
    // The walk takes what an entry's own bank allows from its claim. An op-and-store of another
    // entry to that bank may have moved it since; this is asked of the chosen entry only.
    QueueEntry& chosen = channel_.queue[best.slot];
    const Cycles own = channel_.timing.ready().inBank(chosen.kind, chosen.firstBank);
    if (best.slot == first || own <= best.at) return best;
    chosen.notBefore = own;
  }
}

ColumnScheduler::Choice ColumnScheduler::firstOfBoth(Cycles now) const {
  Choice best;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    for (Slot i = channel_.queue.list(direction, DramQueue::State::Ready).first; i != kNoSlot;
         i = channel_.queue[i].younger) {
      const QueueEntry& entry = channel_.queue[i];
      const Cycles at =
          std::max({channel_.timing.ready().of(entry.kind, entry.firstBank), entry.notBefore, now});
      const bool older =
          best.slot != kNoSlot && entry.sequence < channel_.queue[best.slot].sequence;
      if (at < best.at || (at == best.at && older)) best = {i, at};
    }
  }
  return best;
}

std::uint32_t ColumnScheduler::burstsAtOnce(const QueueEntry& entry) const {
  const std::uint32_t left = entry.pieceEnd - entry.planned;
  if (channel_.timing.banks().slots(entry.run.bursts) > 1) return left;
  return leavesGaps_[indexOf(entry.kind)] ? 1 : left;
}

Cycles ColumnScheduler::plan(QueueEntry& entry, Cycles now) {
  const Direction direction = directionOf(entry.kind);
  const std::uint32_t bursts = burstsAtOnce(entry);
  const Cycles earliest = std::max(now, entry.notBefore);
  // What goes burst by burst is in one bank. Several bursts are always a whole piece.
  const BurstRun& run = entry.piece->run;
  const std::uint32_t column = run.column + run.bursts - (entry.pieceEnd - entry.planned);
  const Cycles last = bursts == 1
                          ? channel_.timing.column(entry.kind, entry.firstBank, column, earliest)
                          : channel_.timing.columns(entry.kind, run, earliest).last;
  entry.planned += bursts;

  channel_.occupancy.plan(direction, bursts, last);
  batches_.served(direction, bursts);
  std::uint64_t& served = channel_.statistics.channelBursts[channel_.id.value];
  if (direction != busDirection_ && served > 0) ++channel_.statistics.turnarounds;
  busDirection_ = direction;
  served += bursts;
  return last;
}

}  // namespace t3
