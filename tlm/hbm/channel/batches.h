// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/queue_occupancy.h"
#include "tlm/hbm/timing/timing_table.h"

namespace t3 {

/// Reads and writes are served in batches, because each change of the bus direction costs time.
///
/// A batch goes on while its direction keeps the channel busy. It ends, if the other direction
/// waits, as soon as it **runs dry**. That needs two things:
/// * What is ready for the bus lasts no longer than opening a row takes (tRP + tRCD), so that rows
///   of the other direction, opened from now on, find the bus free. If the oldest entry of the
///   other direction finds its rows open, the batch goes on to the last burst that is ready.
/// * No more rows can be opened for the batch, because nothing waits, or because activates are to
///   spare although entries wait (all for busy banks) and the other direction has as much to do.
/// So a sequence, which the bus limits, has long batches, and random rows, which activates limit,
/// have short ones, without a watermark for either. Reads run dry only for `write_drain_bursts`
/// writes: fewer are not worth two turns of the bus while reads come.
///
/// Three limits bound the wait of the other direction: a batch is at most `batch_bursts` long; what
/// is past the age limit ends a batch of `batch_least_bursts`; and a read that waits for an older
/// write to the same bytes ends a batch of reads at once.
///
/// With `scheduling = first-ready` there are no batches: the direction never changes and limits
/// nobody.
class Batches {
 public:
  Batches(const HbmConfig& config, const TimingTable& table, Cycles ageLimit,
          const DramQueue& queue, const QueueOccupancy& occupancy, const BankClaims& claims);

  /// The direction whose entries claim banks. The bus follows when what the other direction had
  /// claimed before is served.
  Direction running() const { return running_; }
  /// Whether there are any.
  bool used() const { return used_; }
  /// Chooses the direction; returns whether it has changed.
  bool decide(Cycles now);
  /// Column commands of so many bursts are planned.
  void served(Direction direction, std::uint32_t bursts) {
    served_[direction] += bursts;
    if (direction == running_) bursts_ += bursts;
    changedInVain_ = false;
  }

 private:
  bool ends(Cycles now);
  bool runsDry(Cycles now) const;
  /// Waiting for its banks or for the bus.
  bool eligible(Direction direction) const {
    return size(direction, DramQueue::State::Waiting) + size(direction, DramQueue::State::Ready) >
           0;
  }
  std::uint32_t size(Direction direction, DramQueue::State state) const {
    return queue_.list(direction, state).size;
  }
  bool tooOld(Direction direction, Cycles now) const;

  const DramQueue& queue_;
  const QueueOccupancy& occupancy_;
  const BankClaims& claims_;
  bool used_;
  std::uint32_t longest_, least_, drain_;
  std::uint64_t rowOpeningBursts_;  ///< what the bus can move while a row is opened
  Cycles ageLimit_;
  Direction running_ = Direction::Read;
  std::uint32_t bursts_ = 0;            ///< served since the batch began
  PerDirection<std::uint64_t> served_;  ///< since the beginning
  Cycles decided_ = -1;                 ///< clock of the last decision
  bool changedInVain_ = false;          ///< at that clock, and nothing has been served since
};

}  // namespace t3
