// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tlm/collectives/step_program.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// What other GPUs have written into this GPU's memory for a kernel, chunk by chunk and slice by
/// slice. A slice is ready `sync` after its last byte is performed; that stands for the flag which
/// the sender sets and the kernel polls, and which is not simulated as traffic.
class StepArrivals {
 public:
  /// `ready` is called for each slice that becomes ready. `program` must outlive this object.
  StepArrivals(std::string owner, const StepProgram& program, std::uint32_t sliceBytes,
               Picoseconds sync, std::function<void()> ready);

  /// Forgets everything: the same may arrive again.
  void reset();
  /// A write of arrival number `step` is performed at `when` (absolute, may lie ahead). Reports an
  /// error if it is not part of the collective or came before.
  void arrived(const Payload& write, Picoseconds when);

  /// A step of a larger chunk may wait for a message whose chunk has no such slice.
  bool ready(std::uint32_t arrival, std::uint64_t slice) const {
    return slice >= slices_[arrival].size() || slices_[arrival][slice].ready;
  }
  /// Slices that are not ready yet.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Slice {
    std::uint64_t bytesLeft = 0;
    Picoseconds latest = 0;
    bool ready = false;
  };
  struct SliceId {
    std::uint32_t arrival = 0, slice = 0;
  };

  const std::string owner_;
  const StepProgram& program_;
  const std::uint32_t sliceBytes_;
  const Picoseconds sync_;
  std::function<void()> ready_;
  std::vector<std::vector<Slice>> slices_;  ///< by arrival
  std::uint64_t missing_ = 0;
  TimedQueue<SliceId> syncing_;
};

}  // namespace t3
