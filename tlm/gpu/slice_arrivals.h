// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tlm/gpu/chunk_segments.h"
#include "tlm/gpu/collective_config.h"
#include "tlm/gpu/collective_program.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// What other GPUs' kernels have written into this GPU's memory for a collective kernel, slice by
/// slice. A slice is ready `slice_sync_ns` after its last byte is performed.
///
/// On hardware the sender then sets a flag of 8 bytes, which the kernel polls. Flags are not
/// simulated as traffic; `slice_sync_ns` stands for their time.
class SliceArrivals {
 public:
  /// Errors name `kernel`. `ready` is called for each slice that becomes ready. The references must
  /// outlive this object.
  SliceArrivals(std::string kernel, const CollectiveConfig& config,
                const std::vector<CollectiveArrival>& arrivals,
                const std::vector<ChunkSegments>& chunks, std::function<void()> ready);

  /// Forgets everything: the next collective may arrive.
  void reset();
  /// A write is performed at `when` (absolute, may lie ahead). Its `step` is the number of the
  /// arrival; it carries the local address. Reports an error if it is not part of the collective or
  /// came before.
  void arrived(const Payload& write, Picoseconds when);

  bool ready(std::uint32_t arrival, std::uint64_t slice) const {
    return slices_[arrival][slice].ready;
  }
  /// Slices that are not ready yet.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Slice {
    std::uint64_t arrivedBytes = 0;
    Picoseconds latest = 0;
    bool ready = false;
  };
  struct SliceId {
    std::uint32_t arrival = 0, slice = 0;
  };

  const ChunkSegments& chunkOf(std::uint64_t arrival) const {
    return chunks_[arrivals_[arrival].chunk.value];
  }
  std::uint64_t sliceBytes(std::uint32_t arrival, std::uint32_t slice) const;

  std::string kernel_;
  std::uint32_t sliceBytes_;
  Picoseconds sync_;
  const std::vector<CollectiveArrival>& arrivals_;
  const std::vector<ChunkSegments>& chunks_;
  std::function<void()> ready_;
  std::vector<std::vector<Slice>> slices_;  ///< by arrival
  std::uint64_t missing_ = 0;
  TimedQueue<SliceId> syncing_;
};

}  // namespace t3
