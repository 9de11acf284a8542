// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/piece.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// The queues in front of a channel's DRAM queue, one for each stream, first in, first out. Pieces
/// are linked to one another, so a queue allocates nothing.
class StreamQueues {
 public:
  explicit StreamQueues(std::uint32_t capacity) : capacity_(capacity) {}

  bool hasRoom(Stream stream) const { return queue(stream).size < capacity_; }
  bool empty() const { return pieces_ == 0; }
  std::uint32_t size(Stream stream) const { return queue(stream).size; }
  /// The oldest piece of a stream, or null.
  Piece* head(Stream stream) const { return queue(stream).first; }

  void push(Piece& piece) {
    Queue& into = queue(piece.stream);
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

}  // namespace t3
