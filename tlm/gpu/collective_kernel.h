// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/gpu/chunk_segments.h"
#include "tlm/gpu/collective_program.h"
#include "tlm/gpu/collective_requests.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/slice_arrivals.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// A collective as a kernel on compute units, as collective libraries run it. The chunk of each
/// step is cut into slices, and a step works on a slice as soon as it has arrived, so that all
/// steps are in flight at once. The `CollectiveProgram` says which steps there are.
///
///     arrived ─► slice complete ─► + slice_sync_ns ─┐
///                                                   ▼
///     local copy ───────────── loads ─► add ─► store ─► egress: other GPUs, and
///     received copies (memory) ─┘  └── bounded bytes ──┘  memory: this GPU's result
///
/// A thread block that sends issues its requests step by step and slice by slice; such thread
/// blocks share the compute units equally. A thread block that only keeps (the last step of a
/// reduce-scatter) runs beside them and goes first when its slice is there, because it never waits
/// for the link. What a request takes, and the sockets: `CollectiveRequests`. `arrived` must be
/// called for each write of this collective that another GPU's kernel caused in local memory; also
/// before `launch`, because GPUs are not in step.
///
/// Each arrival has its own place in memory, so no sender has to wait until a place is free again.
class CollectiveKernel : public sc_core::sc_module, public Publisher, public CollectiveRequests {
 public:
  using Done = std::function<void(Picoseconds)>;

  CollectiveKernel(const sc_core::sc_module_name& name, CollectiveProgram program,
                   const GpuConfig& config, const Tiling& tiling, const MemoryLayout& layout,
                   DataType dataType, DataMode mode, GpuId gpu, PayloadPool& pool);

  /// The local copies of the chunks: in memory at the launch, or announced one by one by the kernel
  /// that produces them beside this one.
  enum class LocalCopies : std::uint8_t { Ready, Announced };

  /// Starts the kernel; `done` runs when its last store is performed (own memory) or accepted
  /// (link) and all it expects from others has arrived. May be launched again when every
  /// GPU is done.
  void launch(Done done, LocalCopies copies = LocalCopies::Ready);
  /// The local copy of `chunk` is in memory at `when` (absolute); only after a launch with
  /// `Announced`. The kernel sees it `slice_sync_ns` later, as it sees others' slices.
  void localCopyReady(ChunkId chunk, Picoseconds when);
  /// A write of another GPU's kernel is performed in local memory at `when` (absolute, may
  /// lie ahead). `payload` carries the local address.
  void arrived(const Payload& payload, Picoseconds when) {
    arrivals_.arrived(payload, when);
    countArrival(payload);
  }

  bool idle() const { return !running_ && requestsIdle(); }
  /// Whether the links have taken all that other GPUs wait for. Only while the kernel runs.
  bool allSent() const {
    return stepsIssued() == program_.steps.size() && inWork() == 0 && egress.idle();
  }
  /// One line for a watchdog.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  using Step = CollectiveStep;

  /// A thread block's next request.
  struct Cursor {
    std::uint32_t step = 0, end = 0;
    std::size_t segment = 0;
    std::uint64_t segmentOffset = 0, chunkOffset = 0;
  };
  /// What a request works on.
  struct Piece {
    std::uint32_t step = 0;
    std::uint64_t outputOffset = 0, chunkOffset = 0;
  };

  void storeSum(std::uint32_t request) override;
  void requestEnded(std::uint32_t request) override;

  const ChunkSegments& chunk(ChunkId id) const { return chunks_[id.value]; }
  void sliceReady();
  bool ready(const Cursor& cursor) const;
  void issue();
  bool issueAt(std::uint32_t threadBlock);
  void finishKernelIfDone();
  std::uint32_t stepsIssued() const;

  CollectiveProgram program_;
  CollectiveConfig config_;
  MemoryLayout layout_;
  std::vector<ChunkSegments> chunks_;
  Picoseconds sync_;

  bool running_ = false;
  Done done_;
  std::vector<Cursor> cursors_;  ///< by thread block
  std::uint32_t turn_ = 0;       ///< thread block that sends first
  std::vector<Piece> pieces_;    ///< by request
  std::vector<bool> localCopy_;  ///< by chunk: there, and seen by the kernel
  SliceArrivals arrivals_;
  TimedQueue<ChunkId> announced_;
};

}  // namespace t3
