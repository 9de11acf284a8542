// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/piece.h"

namespace t3 {

/// Whose turn it is where both streams have something: a stream enters until it has had
/// `turn_bursts`, then the other. A turn ends early when the stream has nothing and the other
/// enters.
///
/// A turn is longer than the DRAM queue, because streams that alternate piece by piece mix reads
/// and writes in that queue: each batch of one direction is short, and the bus turns more often
/// (docs/arbitration.md, "Turns").
class Turns {
 public:
  explicit Turns(const HbmConfig& config) : length_(config.turn_bursts), bursts_(length_) {}

  Stream whose() const {
    if (bursts_ < length_) return last_;
    return last_ == Stream::Compute ? Stream::Communication : Stream::Compute;
  }
  void entered(const Piece& piece) {
    if (piece.stream != last_) bursts_ = 0;
    last_ = piece.stream;
    bursts_ = std::min(bursts_ + piece.run.bursts, length_);
  }

 private:
  std::uint32_t length_;
  Stream last_ = Stream::Communication;
  std::uint32_t bursts_;  ///< of the present turn, or all of a turn
};

}  // namespace t3
