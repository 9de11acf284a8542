// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/batches.h"

namespace t3 {

using State = DramQueue::State;

Batches::Batches(const HbmConfig& config, Cycles ageLimit, const DramQueue& queue,
                 const QueueOccupancy& occupancy)
    : queue_(queue),
      occupancy_(occupancy),
      writeHigh_(config.write_high_bursts),
      writeLow_(config.write_low_bursts),
      ageLimit_(ageLimit) {}

bool Batches::tooOld(Direction direction, Cycles now) const {
  const auto old = [&](State state) {
    const Slot first = queue_.list(direction, state).first;
    return first != kNoSlot && now - queue_[first].entered > ageLimit_;
  };
  return old(State::Waiting) || old(State::Ready);
}

bool Batches::decide(Cycles now) {
  const auto eligible = [&](Direction direction) {
    return queue_.list(direction, State::Waiting).size + queue_.list(direction, State::Ready).size >
           0;
  };
  const bool reads = eligible(Direction::Read);
  const bool writes = eligible(Direction::Write);
  Direction wanted = running_;
  if (!reads || !writes) {
    if (reads || writes) wanted = reads ? Direction::Read : Direction::Write;
  } else if (running_ == Direction::Read) {
    const bool full = occupancy_.waiting(Direction::Write) >= writeHigh_;
    const bool served = bursts_ >= writeHigh_ - writeLow_;
    const bool readBlocked = queue_.list(Direction::Read, State::Blocked).size > 0;
    if (readBlocked || (served && (full || tooOld(Direction::Write, now)))) {
      wanted = Direction::Write;
    }
  } else {
    const bool drained = occupancy_.waiting(Direction::Write) <= writeLow_ &&
                         queue_.list(Direction::Read, State::Blocked).size == 0 &&
                         !tooOld(Direction::Write, now);
    if (drained || bursts_ >= writeHigh_) wanted = Direction::Read;
  }
  if (wanted == running_) return false;
  running_ = wanted;
  bursts_ = 0;
  return true;
}

}  // namespace t3
