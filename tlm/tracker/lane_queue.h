// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// Bytes of one wavefront tile that entered a DRAM queue together: what a memory channel reports.
struct LanePiece {
  WorkgroupId workgroup;
  WavefrontId wavefront;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  ///< > 0
  Picoseconds edge = 0;     ///< first clock edge that sees it
  /// A switch has added so many: the bytes count as often, one update after the other.
  std::uint32_t contributions = 1;

  /// What it adds to the counts.
  std::uint64_t weight() const { return std::uint64_t{bytes} * contributions; }
};

/// What a lane of the unit takes in one cycle: at most 128 bytes, all in one 128-byte line.
struct LaneUpdate {
  WorkgroupId workgroup;
  WavefrontId wavefront;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// The memory's side of one update lane: a FIFO of pieces, cut into lane updates as they leave.
///
/// An update's weight is its bytes. What a switch has added is given to the lane once for each of
/// its contributions, in successive cycles, because the weight of all of them together may be more
/// than the lane's wires carry (`TrackerConfig::kWeightWidth`).
///
/// The capacity counts updates. A piece enters whole, if all its updates fit. An empty queue takes
/// any piece, however large.
class LaneQueue {
 public:
  static constexpr std::uint32_t kLineBytes = 128;

  explicit LaneQueue(std::uint32_t capacityUpdates);

  bool fits(const LanePiece& piece) const {
    return updates_ == 0 || updates_ + updatesOf(piece) <= capacity_;
  }
  void push(const LanePiece& piece);

  bool empty() const { return pieces_.empty(); }
  std::uint64_t updates() const { return updates_; }
  /// A clock edge at `edge` sees the oldest update.
  bool ready(Picoseconds edge) const { return !pieces_.empty() && pieces_.front().edge <= edge; }
  /// First edge that sees the oldest update; `empty()` must be false.
  Picoseconds frontEdge() const { return pieces_.front().edge; }
  /// The oldest update; `empty()` must be false.
  LaneUpdate front() const {
    const LanePiece& piece = pieces_.front();
    return {piece.workgroup, piece.wavefront, piece.address, headBytes(piece)};
  }
  void pop();

  /// Lane updates a piece is cut into.
  static std::uint64_t updatesOf(const LanePiece& piece) {
    const std::uint64_t lines =
        (piece.address + piece.bytes - 1) / kLineBytes - piece.address / kLineBytes + 1;
    return lines * piece.contributions;
  }

 private:
  static std::uint32_t headBytes(const LanePiece& piece) {
    const auto room = kLineBytes - static_cast<std::uint32_t>(piece.address % kLineBytes);
    return piece.bytes < room ? piece.bytes : room;
  }

  std::uint64_t capacity_;
  std::uint64_t updates_ = 0;
  std::uint32_t given_ = 0;  ///< times that the head of the oldest piece has left
  /// A piece is at least one update, so `capacity_` places are enough.
  boost::circular_buffer<LanePiece> pieces_;
};

inline LaneQueue::LaneQueue(std::uint32_t capacityUpdates)
    : capacity_(capacityUpdates), pieces_(capacityUpdates) {}

inline void LaneQueue::push(const LanePiece& piece) {
  pieces_.push_back(piece);
  updates_ += updatesOf(piece);
}

inline void LaneQueue::pop() {
  LanePiece& piece = pieces_.front();
  const std::uint32_t bytes = headBytes(piece);
  --updates_;
  if (++given_ < piece.contributions) return;
  given_ = 0;
  piece.address += bytes;
  piece.bytes -= bytes;
  if (piece.bytes == 0) pieces_.pop_front();
}

}  // namespace t3
