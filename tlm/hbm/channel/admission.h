// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/channel/channel_host.h"
#include "tlm/hbm/channel/coalescing.h"
#include "tlm/hbm/channel/dram_queue.h"
#include "tlm/hbm/channel/hazards.h"
#include "tlm/hbm/channel/queue_occupancy.h"
#include "tlm/hbm/channel/row_clears.h"
#include "tlm/hbm/channel/stream_queues.h"
#include "tlm/hbm/timing/channel_timing.h"

namespace t3 {

/// The way from the stream queues into the DRAM queue. The arbiter chooses between the streams, and
/// a piece enters while the DRAM queue has room for all of it. A tracked write is shown to the
/// tracker before it enters; until the tracker has counted it, it holds its stream, and only its
/// stream. So does a piece of a row that is about to be cleared.
class Admission {
 public:
  Admission(const ChannelContext& context, ChannelId id, std::unique_ptr<Arbiter> arbiter,
            const ChannelTiming& timing, DramQueue& queue, Hazards& hazards,
            QueueOccupancy& occupancy, Coalescing& coalescing, RowClears& rowClears);

  const StreamQueues& streams() const { return streams_; }
  void arrive(Piece& piece) { streams_.push(piece); }
  /// The memory behind the controller does updates; they are never split into read and write here.
  void keepUpdatesWhole() { splitsUpdates_ = false; }

  /// Lets in what may enter at `now`.
  void admit(Cycles now) {
    drainTo_ = ArbiterAnswer::kAnyOccupancy;
    deadline_ = kNever;
    if (!streams_.empty()) admitHeads(now);
  }
  /// When a head that was refused may enter, if nothing else happens before; kNever if none was.
  Cycles askAgain() const {
    if (drainTo_ == ArbiterAnswer::kAnyOccupancy) return deadline_;
    return std::min(deadline_, occupancy_.whenAtMost(drainTo_));
  }
  /// The stream of the last piece that entered.
  Stream lastEntered() const { return lastEntered_; }

 private:
  void admitHeads(Cycles now);
  void enter(Stream stream, std::uint32_t occupancy, Cycles now);

  ChannelId id_;
  ChannelHost& host_;
  HbmStatistics& statistics_;
  std::unique_ptr<Arbiter> arbiter_;
  const ChannelTiming& timing_;
  DramQueue& queue_;
  Hazards& hazards_;
  QueueOccupancy& occupancy_;
  Coalescing& coalescing_;
  RowClears& rowClears_;
  Cycles period_;
  std::uint32_t capacity_;  ///< of the DRAM queue, in bursts
  bool splitsUpdates_;      ///< an update is a read, an addition in the controller and a write

  StreamQueues streams_;
  Cycles lastCommunication_ = 0;  ///< entry
  Stream lastEntered_ = Stream::Compute;
  /// What a refused head waits for, see `ArbiterAnswer`.
  std::uint32_t drainTo_ = ArbiterAnswer::kAnyOccupancy;
  Cycles deadline_ = kNever;
};

}  // namespace t3
