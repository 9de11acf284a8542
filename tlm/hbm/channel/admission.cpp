// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/admission.h"

#include <algorithm>
#include <array>
#include <utility>

namespace t3 {

Admission::Admission(const ChannelContext& context, ChannelId id, std::unique_ptr<Arbiter> arbiter,
                     const ChannelTiming& timing, DramQueue& queue, Hazards& hazards,
                     QueueOccupancy& occupancy, Coalescing& coalescing, RowClears& rowClears)
    : id_(id),
      host_(context.host),
      statistics_(context.statistics),
      arbiter_(std::move(arbiter)),
      timing_(timing),
      queue_(queue),
      hazards_(hazards),
      occupancy_(occupancy),
      coalescing_(coalescing),
      rowClears_(rowClears),
      period_(context.period),
      capacity_(context.config.dram_queue_bursts),
      splitsUpdates_(!context.config.near_memory),
      streams_(context.config.stream_queue_requests) {}

void Admission::admitHeads(Cycles now) {
  // A write that the tracker has counted may already have triggered a read. It enters before
  // anything that has arrived since, even if the queue is full.
  for (const Stream stream : {Stream::Compute, Stream::Communication}) {
    const Piece* head = streams_.head(stream);
    if (head != nullptr && head->counted) enter(stream, occupancy_.all(now), now);
  }
  std::array<bool, kStreams> held{};  // by the tracker or a row clear
  const auto head = [&](Stream stream) -> Piece* {
    return held[static_cast<std::size_t>(stream)] ? nullptr : streams_.head(stream);
  };
  while (true) {
    const std::uint32_t occupancy = occupancy_.all(now);
    const Piece* compute = head(Stream::Compute);
    const Piece* communication = head(Stream::Communication);
    Stream chosen = Stream::Compute;
    if (communication != nullptr) {
      const auto arrival = (static_cast<Cycles>(communication->arrival) + period_ - 1) / period_;
      const ArbiterAnswer answer =
          arbiter_->choose({*communication, compute, occupancy, now,
                            std::max(lastCommunication_, arrival), arrival});
      if (!answer.enters) {
        drainTo_ = answer.drainTo;
        deadline_ = answer.deadline;
        return;
      }
      chosen = *answer.enters;
    } else if (compute == nullptr) {
      return;
    }
    Piece& piece = *streams_.head(chosen);
    if (!rowClears_.empty() && rowClears_.covers(piece)) {
      held[static_cast<std::size_t>(chosen)] = true;
      continue;
    }
    if (occupancy != 0 && occupancy + piece.run.bursts > capacity_) {
      drainTo_ = capacity_ - std::min(piece.run.bursts, capacity_);
      return;
    }
    if (piece.tracked && !host_.track(id_, piece)) {
      held[static_cast<std::size_t>(chosen)] = true;
      continue;
    }
    enter(chosen, occupancy, now);
  }
}

void Admission::enter(Stream stream, std::uint32_t occupancy, Cycles now) {
  Piece& piece = *streams_.head(stream);
  streams_.pop(stream);
  lastEntered_ = stream;
  arbiter_->entered(piece, now);
  if (stream == Stream::Communication) lastCommunication_ = now;
  if (piece.kind == DramCommandKind::RowClear) {
    piece.entered = static_cast<Picoseconds>(now * period_);
    return rowClears_.enter(piece);
  }
  ++statistics_.occupancy[std::min<std::size_t>(occupancy, statistics_.occupancy.size() - 1)];
  piece.entered = static_cast<Picoseconds>(now * period_);

  const Hazards::Found found = hazards_.find(piece);
  if (coalescing_.take(piece, found, now)) return;
  const Slot slot = queue_.take(piece, now);
  QueueEntry& entry = queue_[slot];
  if ((piece.kind == DramCommandKind::Update || piece.kind == DramCommandKind::ReadClear) &&
      splitsUpdates_) {
    // It is read, added to or zeroed in the controller, and written. What overlaps waits for that.
    entry.kind = DramCommandKind::Read;
    entry.writesLater = true;
  }
  const std::uint32_t slots = timing_.slots(entry.run.bursts);
  entry.firstBank = static_cast<std::uint8_t>(timing_.slotBank(entry.run, 0));
  for (std::uint32_t i = 0; i < slots; ++i) entry.banks |= maskOf(timing_.slotBank(entry.run, i));
  hazards_.enter(slot, found.overlaps);
  queue_.append(slot, entry.blockers > 0 ? QueueEntry::State::Blocked : QueueEntry::State::Waiting);
  occupancy_.wait(directionOf(entry.kind), entry.run.bursts);
}

}  // namespace t3
