// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/channel/channel_state.h"
#include "tlm/hbm/channel/hazards.h"
#include "tlm/hbm/channel/maintenance.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// In front of a channel's DRAM queue, one for each stream, first in, first out. Pieces are linked
/// to one another, so a queue allocates nothing.
class StreamQueues {
 public:
  explicit StreamQueues(std::uint32_t capacity) : capacity_(capacity) {}

  bool hasRoom(Stream stream) const { return queue(stream).size < capacity_; }
  bool empty() const { return pieces_ == 0; }
  std::uint32_t size(Stream stream) const { return queue(stream).size; }
  /// The oldest piece of a stream, or null.
  Piece* head(Stream stream) const { return queue(stream).first; }

  void push(Piece& piece) {
    Queue& into = queue(piece.stream());
    piece.next = nullptr;
    (into.last == nullptr ? into.first : into.last->next) = &piece;
    into.last = &piece;
    ++into.size;
    ++pieces_;
  }
  /// Takes the head off.
  void pop(Stream stream) {
    Queue& from = queue(stream);
    from.first = from.first->next;
    if (from.first == nullptr) from.last = nullptr;
    --from.size;
    --pieces_;
  }

 private:
  struct Queue {
    Piece* first = nullptr;
    Piece* last = nullptr;
    std::uint32_t size = 0;
  };
  Queue& queue(Stream stream) { return queues_[static_cast<std::size_t>(stream)]; }
  const Queue& queue(Stream stream) const { return queues_[static_cast<std::size_t>(stream)]; }

  std::array<Queue, kStreams> queues_{};
  std::uint32_t capacity_;  ///< of each
  std::uint32_t pieces_ = 0;
};

/// The way from the stream queues into the DRAM queue. The arbiter chooses a stream; its piece
/// enters while the DRAM queue has room for all of it. A tracked write is shown to the tracker
/// first; until it is counted it holds its stream, and only that. So does a piece of a row that is
/// about to be cleared.
class Admission {
 public:
  Admission(ChannelState& channel, std::unique_ptr<Arbiter> arbiter, Hazards& hazards,
            Coalescing& coalescing, RowClears& rowClears);

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
    return std::min(deadline_, channel_.occupancy.whenAtMost(drainTo_));
  }
  /// The stream of the last piece that entered.
  Stream lastEntered() const { return lastEntered_; }

 private:
  void admitHeads(Cycles now);
  void enter(Stream stream, std::uint32_t occupancy, Cycles now);

  ChannelState& channel_;
  std::unique_ptr<Arbiter> arbiter_;
  Hazards& hazards_;
  Coalescing& coalescing_;
  RowClears& rowClears_;
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
