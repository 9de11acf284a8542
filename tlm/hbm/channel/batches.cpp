// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/batches.h"

#include <algorithm>

namespace t3 {

using State = DramQueue::State;

Batches::Batches(const HbmConfig& config, const TimingTable& table, Cycles ageLimit,
                 const DramQueue& queue, const QueueOccupancy& occupancy, const BankClaims& claims)
    : queue_(queue),
      occupancy_(occupancy),
      claims_(claims),
      used_(config.scheduling == SchedulingPolicy::Batches),
      longest_(config.batch_bursts),
      least_(config.batch_least_bursts),
      drain_(config.write_drain_bursts),
      rowOpeningBursts_(static_cast<std::uint64_t>(
          (table.delay(DramCommandKind::Precharge, DramCommandKind::Activate, RuleScope::Bank) +
           table.delay(DramCommandKind::Activate, DramCommandKind::Read, RuleScope::Bank)) /
          config.burstClocks())),
      ageLimit_(ageLimit) {}

bool Batches::tooOld(Direction direction, Cycles now) const {
  const Slot oldest = queue_.list(direction, State::Waiting).first;
  return oldest != kNoSlot && now - queue_[oldest].entered > ageLimit_;
}

bool Batches::runsDry(Cycles now) const {
  const std::uint64_t left = claims_.claimedBursts(running_) - served_[running_];
  if (left > rowOpeningBursts_) return false;
  const Direction other = opposite(running_);
  if (left > 0 && claims_.oldestHasItsRows(other)) return false;
  const std::uint32_t others = occupancy_.waiting(other);
  if (other == Direction::Write && others < drain_) return false;
  if (size(running_, State::Waiting) == 0) return true;
  return bursts_ >= least_ && claims_.activatesToSpare(now) &&
         others >= occupancy_.waiting(running_);
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

}  // namespace t3
