// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/queue_occupancy.h"

namespace t3 {

/// Reads and writes are served in batches, because each change of the bus direction costs time.
///
/// Reads run until `write_high_bursts` writes wait or no read is left, then writes down to
/// `write_low_bursts`. While both directions wait, a batch is at most `write_high_bursts` long (a
/// batch of reads may go on until writes are many or old), and what is older than the age limit
/// ends a batch of the other direction. A read that waits for an older write to the same bytes
/// starts a batch of writes at once.
class Batches {
 public:
  Batches(const HbmConfig& config, Cycles ageLimit, const DramQueue& queue,
          const QueueOccupancy& occupancy);

  Direction running() const { return running_; }
  /// Chooses the direction; returns whether it has changed.
  bool decide(Cycles now);
  /// Column commands of so many bursts are planned.
  void served(Direction direction, std::uint32_t bursts) {
    if (direction == running_) bursts_ += bursts;
  }

 private:
  bool tooOld(Direction direction, Cycles now) const;

  const DramQueue& queue_;
  const QueueOccupancy& occupancy_;
  std::uint32_t writeHigh_, writeLow_;
  Cycles ageLimit_;
  Direction running_ = Direction::Read;
  std::uint32_t bursts_ = 0;  ///< served since the batch began
};

}  // namespace t3
