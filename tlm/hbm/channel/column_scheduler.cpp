// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/column_scheduler.h"

#include <algorithm>

namespace t3 {

ColumnScheduler::ColumnScheduler(const TimingTable& table, ChannelTiming& timing, Cycles ageLimit,
                                 DramQueue& queue, QueueOccupancy& occupancy, Batches& batches,
                                 ChannelId id, HbmStatistics& statistics)
    : table_(table),
      timing_(timing),
      queue_(queue),
      occupancy_(occupancy),
      batches_(batches),
      id_(id),
      statistics_(statistics),
      ageLimit_(ageLimit) {
  for (const auto kind : {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update,
                          DramCommandKind::ReadClear, DramCommandKind::Clear}) {
    leavesGaps_[indexOf(kind)] =
        table.delay(kind, kind, RuleScope::Group) > table.delay(kind, kind, RuleScope::Channel);
  }
}

ColumnScheduler::Choice ColumnScheduler::earliest(Direction direction, Cycles now) {
  const Slot first = queue_.list(direction, DramQueue::State::Ready).first;
  if (first == kNoSlot) return {};
  const QueueEntry& oldest = queue_[first];
  const Cycles oldestAt =
      std::max({timing_.columnReady(oldest.kind, oldest.firstBank), oldest.notBefore, now});
  const Cycles soonest = std::max(timing_.channelReady(oldest.kind), now);
  if (oldestAt <= soonest) return {first, oldestAt};
  const bool reserved = now - oldest.entered > ageLimit_;
  while (true) {
    Choice best{first, oldestAt};
    for (Slot i = oldest.younger; i != kNoSlot && best.at > soonest; i = queue_[i].younger) {
      const QueueEntry& entry = queue_[i];
      const Cycles at = std::max({entry.notBefore, timing_.sharedReady(entry.sharedRules), now});
      if (at >= best.at) continue;
      if (reserved) {
        // The oldest may have to wait a clock or two for tCCDL. One burst of another entry may go
        // there, but not so many that they delay the oldest.
        const Cycles spacing = table_.delay(entry.kind, entry.kind, RuleScope::Channel);
        if (at + spacing * (burstsAtOnce(entry) - 1) >= oldestAt) continue;
      }
      best = {i, at};
    }
    // The walk takes what an entry's own bank allows from its claim. An op-and-store of another
    // entry to that bank may have moved it since; this is asked of the chosen entry only.
    QueueEntry& chosen = queue_[best.slot];
    const Cycles own = timing_.rowReady(chosen.kind, chosen.firstBank);
    if (best.slot == first || own <= best.at) return best;
    chosen.notBefore = own;
  }
}

ColumnScheduler::Choice ColumnScheduler::firstOfBoth(Cycles now) const {
  Choice best;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    for (Slot i = queue_.list(direction, DramQueue::State::Ready).first; i != kNoSlot;
         i = queue_[i].younger) {
      const QueueEntry& entry = queue_[i];
      const Cycles at =
          std::max({timing_.columnReady(entry.kind, entry.firstBank), entry.notBefore, now});
      const bool older = best.slot != kNoSlot && entry.sequence < queue_[best.slot].sequence;
      if (at < best.at || (at == best.at && older)) best = {i, at};
    }
  }
  return best;
}

std::uint32_t ColumnScheduler::burstsAtOnce(const QueueEntry& entry) const {
  const std::uint32_t left = entry.pieceEnd - entry.planned;
  if (timing_.slots(entry.run.bursts) > 1) return left;
  return leavesGaps_[indexOf(entry.kind)] ? 1 : left;
}

Cycles ColumnScheduler::plan(QueueEntry& entry, Cycles now) {
  const Direction direction = directionOf(entry.kind);
  const std::uint32_t bursts = burstsAtOnce(entry);
  const Cycles earliest = std::max(now, entry.notBefore);
  // What goes burst by burst is in one bank. Several bursts are always a whole piece.
  const BurstRun& run = entry.piece->run;
  const std::uint32_t column = run.column + run.bursts - (entry.pieceEnd - entry.planned);
  const Cycles last = bursts == 1 ? timing_.column(entry.kind, entry.firstBank, column, earliest)
                                  : timing_.columns(entry.kind, run, earliest).last;
  entry.planned += bursts;

  occupancy_.plan(direction, bursts, last);
  batches_.served(direction, bursts);
  std::uint64_t& served = statistics_.channelBursts[id_.value];
  if (direction != busDirection_ && served > 0) ++statistics_.turnarounds;
  busDirection_ = direction;
  served += bursts;
  return last;
}

}  // namespace t3
