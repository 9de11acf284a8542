// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "tlm/hbm/channel/direction.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// How full the DRAM queue is, in bursts. A burst counts from the entry of its piece until its
/// column command is on the command bus: it *waits* until that command is planned, and is *planned*
/// until the clock of the command has come.
///
/// Planned commands are kept as one record for each piece, with the clock of its last command. The
/// bursts of the oldest record are taken to leave one each burst time, the last at that clock.
class QueueOccupancy {
 public:
  explicit QueueOccupancy(const HbmConfig& config)
      : planned_(std::bit_ceil(config.dram_queue_bursts + 1 +
                               DramQueue::kSpareSlots * config.channel_interleave_bytes /
                                   config.burstBytes())),
        burstClocks_(config.burstClocks()),
        burstShift_(static_cast<unsigned>(std::countr_zero(config.burstClocks()))) {}

  /// `bursts` begin to wait.
  void wait(Direction direction, std::uint32_t bursts) { waiting_[direction] += bursts; }
  /// `bursts` wait no longer, their column commands are planned, the last one at `last`.
  void plan(Direction direction, std::uint32_t bursts, Cycles last) {
    waiting_[direction] -= bursts;
    at(size_++) = {last, bursts};
    plannedBursts_ += bursts;
  }
  /// `bursts` wait no longer: a memory of the caller's has done them.
  void leave(Direction direction, std::uint32_t bursts) { waiting_[direction] -= bursts; }
  /// Forgets records whose last command was at or before `now`.
  void retire(Cycles now) {
    while (size_ > 0 && at(0).last <= now) {
      plannedBursts_ -= at(0).bursts;
      ++first_;
      --size_;
    }
  }

  std::uint32_t waiting(Direction direction) const { return waiting_[direction]; }
  std::uint32_t waiting() const { return waiting_[Direction::Read] + waiting_[Direction::Write]; }
  /// Clocks that the data bus needs for all that waits.
  Cycles waitingClocks() const { return static_cast<Cycles>(waiting()) << burstShift_; }
  std::uint32_t planned(Cycles now) const {
    // Of a channel that rests, records may be over that are not forgotten yet.
    std::uint32_t bursts = plannedBursts_;
    std::size_t first = 0;
    for (; first < size_ && at(first).last < now; ++first) bursts -= at(first).bursts;
    if (first == size_) return 0;
    const Record& head = at(first);
    const auto left = static_cast<std::uint32_t>(
        std::clamp<Cycles>((head.last - now + burstClocks_) >> burstShift_, 0, head.bursts));
    return bursts - head.bursts + left;
  }
  std::uint32_t all(Cycles now) const { return waiting() + planned(now); }
  /// First clock at which the queue holds at most `bursts`; kNever if more than that wait.
  Cycles whenAtMost(std::uint32_t bursts) const {
    if (waiting() > bursts) return kNever;
    std::uint32_t left = bursts - waiting();
    for (std::size_t i = size_; i-- > 0;) {
      const Record& record = at(i);
      if (record.bursts > left) {
        return record.last + burstClocks_ - (static_cast<Cycles>(left) << burstShift_);
      }
      left -= record.bursts;
    }
    return 0;
  }

 private:
  struct Record {
    Cycles last;
    std::uint32_t bursts;
  };

  Record& at(std::size_t index) { return planned_[(first_ + index) & (planned_.size() - 1)]; }
  const Record& at(std::size_t index) const {
    return planned_[(first_ + index) & (planned_.size() - 1)];
  }

  PerDirection<std::uint32_t> waiting_;
  std::vector<Record> planned_;  ///< ring, its size a power of two
  std::size_t first_ = 0, size_ = 0;
  std::uint32_t plannedBursts_ = 0;
  Cycles burstClocks_;
  unsigned burstShift_;  ///< log2 of that
};

}  // namespace t3
