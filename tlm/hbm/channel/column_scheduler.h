// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/channel/batches.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/queue_occupancy.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// Which ready entry has the data bus next, and its column commands.
///
/// In the direction of the batch, the entry whose first column command can come earliest goes, the
/// older of equals. Once the oldest is past the age limit the others only get what delays it by
/// less than one burst. What was ready when the batch changed goes before it: its rows were opened
/// ahead of those of the new batch, and each left behind would keep a bank and cost two more turns
/// of the bus.
///
/// An entry over several bank groups goes in one go, not before all its rows are open in time for
/// that: bursts of it that went ahead would keep the bus from others and complete nothing. An entry
/// in one bank, where tCCDL would leave the bus idle, goes burst by burst, and bursts of entries in
/// other bank groups use the clocks in between.
///
/// Without batches the first that can go goes, whatever its direction: turning the bus costs what
/// the timing rules say, and nobody avoids it.
class ColumnScheduler {
 public:
  struct Choice {
    Slot slot = kNoSlot;
    Cycles at = kNever;  ///< of its first column command
  };

  ColumnScheduler(const TimingTable& table, ChannelTiming& timing, Cycles ageLimit,
                  DramQueue& queue, QueueOccupancy& occupancy, Batches& batches, ChannelId id,
                  HbmStatistics& statistics);

  /// The entry that goes next, and when; no slot if no entry is ready.
  Choice choose(Cycles now) {
    if (!batches_.used()) return firstOfBoth(now);
    const Direction before = opposite(batches_.running());
    const bool left = queue_.list(before, DramQueue::State::Ready).size > 0;
    return earliest(left ? before : batches_.running(), now);
  }
  /// Plans the column commands of an entry that go at once; returns the clock of the last one.
  Cycles plan(QueueEntry& entry, Cycles now);

  /// Of the last planned column command.
  Direction busDirection() const { return busDirection_; }

 private:
  Choice earliest(Direction direction, Cycles now);
  /// Of the entries of both directions, each in banks of its own.
  Choice firstOfBoth(Cycles now) const;
  /// Bursts of the present piece of an entry that go at once.
  std::uint32_t burstsAtOnce(const QueueEntry& entry) const;

  const TimingTable& table_;
  ChannelTiming& timing_;
  DramQueue& queue_;
  QueueOccupancy& occupancy_;
  Batches& batches_;
  ChannelId id_;
  HbmStatistics& statistics_;
  Cycles ageLimit_;
  Direction busDirection_ = Direction::Read;
  /// By kind of column command: tCCDL leaves clocks that other bank groups could use.
  std::array<bool, kDramCommandKinds> leavesGaps_{};
};

}  // namespace t3
