// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/channel/bank_claims.h"
#include "tlm/hbm/channel/channel_state.h"

namespace t3 {

/// Reads and writes are served in batches, because each turn of the bus costs time.
///
/// A batch goes on while its direction keeps the channel busy. If the other direction waits, it
/// ends as soon as it **runs dry**, which needs two things:
/// * What is ready lasts no longer than opening a row takes (tRP + tRCD), so rows of the other
///   direction opened from now on find the bus free. If the oldest entry of the other direction
///   finds its rows open, the batch goes on to its last ready burst.
/// * No more rows can be opened for it: nothing waits, or activates are to spare although entries
///   wait (all for busy banks) and the other direction has as much to do.
/// So sequences, which the bus limits, have long batches, and random rows, which activates limit,
/// short ones, without a watermark. Reads run dry only for `write_drain_bursts` writes: fewer are
/// not worth two turns of the bus.
///
/// Three limits bound the wait of the other direction: `batch_bursts`; what is past the age limit
/// ends a batch of `batch_least_bursts`; and a read that waits for an older write to its bytes ends
/// a batch of reads at once.
///
/// With `scheduling = first-ready` the direction never changes and limits nobody.
class Batches {
 public:
  Batches(const ChannelState& channel, const BankClaims& claims);

  /// The direction whose entries claim banks. The bus follows when the claims of the other one are
  /// served.
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
    return channel_.queue.list(direction, state).size;
  }
  bool tooOld(Direction direction, Cycles now) const;

  const ChannelState& channel_;
  const BankClaims& claims_;
  bool used_;
  std::uint32_t longest_, least_, drain_;
  std::uint64_t rowOpeningBursts_;  ///< what the bus can move while a row is opened
  Direction running_ = Direction::Read;
  std::uint32_t bursts_ = 0;            ///< served since the batch began
  PerDirection<std::uint64_t> served_;  ///< since the beginning
  Cycles decided_ = -1;                 ///< clock of the last decision
  bool changedInVain_ = false;          ///< at that clock, and nothing has been served since
};

/// Which ready entry has the data bus next, and its column commands.
///
/// In the direction of the batch, the entry whose first column command can come earliest goes, the
/// older of equals. Once the oldest is past the age limit the others get only what delays it by
/// less than one burst. What was ready when the batch changed goes first: left behind, it would
/// keep a bank and cost two more turns of the bus.
///
/// An entry over several bank groups goes in one go, when all its rows are open in time: single
/// bursts would keep the bus from others and complete nothing. An entry in one bank, where tCCDL
/// leaves the bus idle, goes burst by burst, and others use the clocks in between.
///
/// Without batches the first that can go goes, whatever its direction.
class ColumnScheduler {
 public:
  struct Choice {
    Slot slot = kNoSlot;
    Cycles at = kNever;  ///< of its first column command
  };

  ColumnScheduler(ChannelState& channel, Batches& batches);

  /// The entry that goes next, and when; no slot if no entry is ready.
  Choice choose(Cycles now) {
    if (!batches_.used()) return firstOfBoth(now);
    const Direction before = opposite(batches_.running());
    const bool left = channel_.queue.list(before, DramQueue::State::Ready).size > 0;
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

  ChannelState& channel_;
  Batches& batches_;
  Direction busDirection_ = Direction::Read;
  /// By kind of column command: tCCDL leaves clocks that other bank groups could use.
  std::array<bool, kDramCommandKinds> leavesGaps_{};
};

}  // namespace t3
