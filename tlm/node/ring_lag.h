// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace t3 {

/// Says whether the sublayer waits for a GPU's communication, for the memory arbitration of this
/// GPU (`Arbitration::communicationBehind`). It does in two cases:
///
/// * **The ring lags.** The lag is the number of tiles of tracked chunks that the GEMM has finished
///   and that are not through: the DMA engine has not sent them on or, in the chunk that stays, the
///   tracker has not said them to be complete. It counts what waits for updates of the neighbour,
///   for the DMA engine and for the link. A stage of the GEMM (all workgroups that run at once)
///   finishes about together, and the ring sends one stage while the GEMM works on the next. So a
///   lag of two stages is usual where the GEMM is the longer part, and a lag above the limit shows
///   that the ring will end last. Where the ring takes longer than the GEMM even with nothing in
///   its way, that is known at the launch, and the limit is lower.
/// * **An update waits for zeros**, which communication writes.
///
/// In hardware: one up/down counter for each GPU and a comparator with a limit that the driver sets
/// at the launch (`lagLimit`). Up: the dispatcher's end of a workgroup whose output is tracked.
/// Down: the DMA engine's end of a command that sends partial sums on, and the trigger of a command
/// for a block of the chunk that stays.
class RingLag {
 public:
  /// `changed` runs whenever `behind` changes.
  explicit RingLag(std::function<void(bool)> changed) : changed_(std::move(changed)) {}

  /// What the driver sets at the launch; 0, also before that, is no limit.
  void limit(std::uint64_t tiles) {
    limit_ = tiles;
    update();
  }

  /// The GEMM has finished a tile of a tracked chunk.
  void produced() {
    ++tiles_;
    update();
  }
  /// So many tiles are sent on or said to be summed up. That may be before their workgroup's end.
  void through(std::uint32_t tiles) {
    tiles_ -= tiles;
    update();
  }
  /// An update begins or ends to wait for its zeros, at any of the GPU's ports.
  void waitsForZeros(bool waits) {
    waiting_ += waits ? 1 : -1;
    update();
  }

  std::int64_t tiles() const { return tiles_; }
  bool behind() const { return behind_; }

 private:
  void update() {
    const bool lags = limit_ != 0 && tiles_ > static_cast<std::int64_t>(limit_);
    const bool behind = lags || waiting_ > 0;
    if (behind == behind_) return;
    behind_ = behind;
    changed_(behind);
  }

  std::uint64_t limit_ = 0;
  std::function<void(bool)> changed_;
  std::int64_t tiles_ = 0;
  int waiting_ = 0;  ///< updates
  bool behind_ = false;
};

}  // namespace t3
