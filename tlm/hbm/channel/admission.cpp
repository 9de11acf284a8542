// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/channel/admission.h"

#include <algorithm>
#include <array>
#include <utility>

namespace t3 {

Admission::Admission(ChannelState& channel, std::unique_ptr<Arbiter> arbiter, Hazards& hazards,
                     Coalescing& coalescing, RowClears& rowClears)
    : channel_(channel),
      arbiter_(std::move(arbiter)),
      hazards_(hazards),
      coalescing_(coalescing),
      rowClears_(rowClears),
      capacity_(channel.config.dram_queue_bursts),
      splitsUpdates_(!channel.config.near_memory),
      streams_(channel.config.stream_queue_requests) {}

void Admission::admitHeads(Cycles now) {
  // A write that the tracker has counted may already have triggered a read. It enters before
  // anything that has arrived since, even if the queue is full.
  for (const Stream stream : {Stream::Compute, Stream::Communication}) {
    const Piece* head = streams_.head(stream);
    if (head != nullptr && head->counted) enter(stream, channel_.occupancy.all(now), now);
  }
  std::array<bool, kStreams> held{};  // by the tracker or a row clear
  const auto head = [&](Stream stream) -> Piece* {
    return held[static_cast<std::size_t>(stream)] ? nullptr : streams_.head(stream);
  };
  while (true) {
    const std::uint32_t occupancy = channel_.occupancy.all(now);
    const Piece* compute = head(Stream::Compute);
    const Piece* communication = head(Stream::Communication);
    Stream chosen = Stream::Compute;
    if (communication != nullptr) {
      const auto arrival =
          (static_cast<Cycles>(communication->arrival) + channel_.period - 1) / channel_.period;
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
    if (piece.tracked() && !channel_.host.track(channel_.id, piece)) {
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
  piece.entered = channel_.timeOf(now);
  if (piece.kind == DramCommandKind::RowClear) return rowClears_.enter(piece);
  ++channel_.statistics
        .occupancy[std::min<std::size_t>(occupancy, channel_.statistics.occupancy.size() - 1)];

  const Hazards::Found found = hazards_.find(piece);
  if (coalescing_.take(piece, found, now)) return;
  const Slot slot = channel_.queue.take(piece, now);
  QueueEntry& entry = channel_.queue[slot];
  if ((piece.kind == DramCommandKind::Update || piece.kind == DramCommandKind::ReadClear) &&
      splitsUpdates_) {
    // It is read, added to or zeroed in the controller, and written. What overlaps waits for that.
    entry.kind = DramCommandKind::Read;
    entry.writesLater = true;
  }
  const std::uint32_t slots = channel_.timing.banks().slots(entry.run.bursts);
  entry.firstBank = static_cast<std::uint8_t>(channel_.timing.banks().of(entry.run, 0));
  for (std::uint32_t i = 0; i < slots; ++i)
    entry.banks |= maskOf(channel_.timing.banks().of(entry.run, i));
  hazards_.enter(slot, found.overlaps);
  channel_.queue.append(
      slot, entry.blockers > 0 ? QueueEntry::State::Blocked : QueueEntry::State::Waiting);
  channel_.occupancy.wait(directionOf(entry.kind), entry.run.bursts);
}

}  // namespace t3
