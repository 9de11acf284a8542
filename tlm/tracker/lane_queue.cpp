// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/lane_queue.h"

namespace t3 {

LaneQueue::LaneQueue(std::uint32_t capacityUpdates)
    : capacity_(capacityUpdates), pieces_(capacityUpdates) {}

void LaneQueue::push(const LanePiece& piece) {
  pieces_.push_back(piece);
  updates_ += updatesOf(piece);
}

void LaneQueue::pop() {
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
