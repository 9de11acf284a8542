// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/channel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace t3 {

using State = DramQueue::State;

Channel::Channel(const ChannelContext& context, ChannelId id, std::unique_ptr<Arbiter> arbiter,
                 Cycles firstRefresh)
    : state_(context, id),
      decisionClocks_(context.config.decision_clocks),
      hazards_(state_),
      pages_(state_),
      claims_(state_, pages_),
      coalescing_(state_, claims_),
      rowClears_(state_, claims_),
      admission_(state_, std::move(arbiter), hazards_, coalescing_, rowClears_),
      refresh_(state_, claims_, firstRefresh),
      batches_(state_, claims_),
      columns_(state_, batches_) {}

void Channel::publish(const std::string& prefix, ValueList& list,
                      const std::function<Cycles()>& clock) const {
  static constexpr std::array<const char*, kStreams> kStreamNames = {"compute", "communication"};
  static constexpr std::array<const char*, 3> kBusStates = {"idle", "read", "write"};
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    list.level(prefix + kStreamNames[stream] + "_queue", 8, "pieces",
               [this, stream] { return admission_.streams().size(static_cast<Stream>(stream)); });
  }
  list.choice(prefix + "entered", kStreamNames,
              [this] { return static_cast<std::uint64_t>(admission_.lastEntered()); });
  list.level(prefix + "dram_queue", 16, "bursts",
             [this, clock] { return state_.occupancy.all(clock()); });
  list.choice(prefix + "bus", kBusStates, [this, clock]() -> std::uint64_t {
    if (state_.occupancy.planned(clock()) == 0) return 0;
    return columns_.busDirection() == Direction::Read ? 1 : 2;
  });
  list.flag(prefix + "refresh_pending", [this] { return claims_.paused(); });
  list.counter(prefix + "bursts", "bursts",
               [this] { return state_.statistics.channelBursts[state_.id.value]; });
}

Cycles Channel::service(Cycles now) {
  if (memory_ != nullptr) return forward(now);
  // If the channel was idle, it may announce refreshes that lie between its last service and now.
  if (observer_ != nullptr) {
    observer_->settled(state_.id, state_.timeOf(lastService_));
  }
  const Cycles horizon = now + decisionClocks_;
  Cycles due = kNever;
  state_.occupancy.retire(now);
  refresh_.service(now, lastService_);
  admit(now);
  // What is in front of a row clear no longer has to wait once it is planned.
  while (rowClears_.service(now)) admit(now);
  if (claims_.due(now)) claims_.claim(now, batches_.running());
  while (!state_.queue.empty()) {
    refresh_.unblock(now);
    if (batches_.decide(now)) claims_.claim(now, batches_.running());
    const ColumnScheduler::Choice choice = columns_.choose(now);
    if (choice.slot == kNoSlot || choice.at >= horizon) {
      // Nothing can go (any more) at this clock. Entries served so far may have freed banks; all
      // who wait for these claim now, in one walk.
      if (claims_.due(now)) {
        claims_.claim(now, batches_.running());
        continue;
      }
      due = choice.at;
      break;
    }
    const Cycles last = columns_.plan(state_.queue[choice.slot], now);
    const QueueEntry& entry = state_.queue[choice.slot];
    if (entry.planned == entry.pieceEnd) finishPiece(choice.slot, last, now);
    refresh_.service(now, lastService_);
  }
  lastService_ = now;
  return nextService(now, due);
}

void Channel::admit(Cycles now) {
  const std::uint64_t before = state_.queue.nextSequence();
  admission_.admit(now);
  if (state_.queue.nextSequence() != before) claims_.again();
}

void Channel::finishPiece(Slot slot, Cycles last, Cycles now) {
  QueueEntry& entry = state_.queue[slot];
  const Cycles dataEnd = last + state_.table.dataEnd(entry.kind);
  const bool whole = entry.planned == entry.run.bursts;
  if (whole) finishEntry(slot, now);
  if (entry.writesLater) {
    // An update without near-memory ALU has been read. Its sum is written when it has been formed.
    entry.writesLater = false;
    entry.kind = DramCommandKind::Write;
    entry.planned = 0;
    entry.added = dataEnd + state_.table.addClocks();
    state_.queue.insert(slot, State::Waiting);
    state_.occupancy.wait(Direction::Write, entry.run.bursts);
    claims_.again();
    return;
  }
  // With it go writes that were merged into it: they have no bursts of their own.
  do {
    leave(slot, state_.timeOf(dataEnd));
  } while (entry.piece != nullptr && entry.planned == entry.pieceEnd);
  if (!whole) return;
  hazards_.leave(slot);
  state_.queue.free(slot);
}

void Channel::finishEntry(Slot slot, Cycles now) {
  const QueueEntry& entry = state_.queue[slot];
  state_.queue.remove(slot);
  claims_.release(entry);
  pages_.served(entry, now);
}

void Channel::leave(Slot slot, Picoseconds dataEnd) {
  const QueueEntry& entry = state_.queue[slot];
  Piece& piece = *entry.piece;
  state_.queue.nextPiece(slot);
  if (hazards_.served(entry, piece)) claims_.again();
  state_.host.served(state_.id, piece, dataEnd);
}

Cycles Channel::nextService(Cycles now, Cycles due) const {
  // A head that was refused may wait for the queue to drain. While other pieces wait for their
  // commands, the next decision comes earlier, and the head is asked about again then.
  Cycles next = admission_.askAgain();
  if (!state_.queue.empty()) {
    const Cycles first = std::min(due, claims_.nextActivate());
    const Cycles decision = first != kNever          ? first & ~(decisionClocks_ - 1)
                            : claims_.blocked() != 0 ? refresh_.unblockAt()
                                                     : now + decisionClocks_;
    next = std::min({next, decision, refresh_.nextAfter(now)});
  }
  next = std::min(next, rowClears_.next(now));
  return next == kNever ? kNever : std::max(next, now + 1);
}

// Another memory behind the controller.

Cycles Channel::forward(Cycles now) {
  admission_.admit(now);
  while (true) {
    const Slot read = state_.queue.list(Direction::Read, State::Waiting).first;
    const Slot write = state_.queue.list(Direction::Write, State::Waiting).first;
    if (read == kNoSlot && write == kNoSlot) break;
    const bool readFirst =
        write == kNoSlot ||
        (read != kNoSlot && state_.queue[read].sequence < state_.queue[write].sequence);
    const Slot oldest = readFirst ? read : write;
    state_.queue.move(oldest, State::Ready);
    memory_->access(state_.id, oldest, *state_.queue[oldest].piece);
  }
  // If no head waits for a clock, the next arrival or answer wakes this channel.
  const Cycles again = admission_.askAgain();
  return again == kNever ? kNever : std::max(again, now + 1);
}

void Channel::answered(Slot slot, Picoseconds dataEnd) {
  const QueueEntry& entry = state_.queue[slot];
  state_.occupancy.leave(directionOf(entry.kind), entry.run.bursts);
  state_.statistics.channelBursts[state_.id.value] += entry.run.bursts;
  state_.queue.remove(slot);
  leave(slot, dataEnd);
  hazards_.leave(slot);
  state_.queue.free(slot);
}

}  // namespace t3
