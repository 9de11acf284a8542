// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/gpu/chunk_segments.h"
#include "tlm/gpu/collective_program.h"
#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/slice_arrivals.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

struct CollectiveStatistics {
  std::uint64_t loadBytes = 0;         ///< from local memory
  std::uint64_t localStoreBytes = 0;   ///< into local memory, by this kernel
  std::uint64_t remoteStoreBytes = 0;  ///< into other GPUs, accepted by the links
  std::uint64_t arrivedBytes = 0;      ///< into local memory, by other GPUs
  std::uint64_t peakOutstandingBytes = 0;
};

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
/// for the link. Each request takes its loads, one pass of the adders for each received copy, and
/// its stores. The bytes that are loaded, or being loaded, and not yet stored are at most compute
/// units x outstanding_bytes_per_cu: they are in the registers of the kernel's threads. A store to
/// another GPU frees them when the link has accepted it, a store to the own memory when the memory
/// has performed it.
///
/// Sockets. `memory`: loads, Stream::Communication, and local stores, Stream::Compute. `egress`:
/// stores to other GPUs, Stream::Communication. `arrived` must be called for each write of this
/// collective that another GPU's kernel caused in local memory; also before `launch`, because GPUs
/// are not in step.
///
/// Each arrival has its own place in memory, so no sender has to wait until a place is free again.
class CollectiveKernel : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  using Done = std::function<void(Picoseconds)>;

  MemoryPort memory;
  EgressPorts egress;

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
    statistics_.arrivedBytes += payload.get_data_length();
  }

  bool idle() const { return !running_ && memory.idle() && egress.idle(); }
  /// Whether the links have taken all that other GPUs wait for. Only while the kernel runs.
  bool allSent() const {
    return stepsIssued() == program_.steps.size() && inWork_ == 0 && egress.idle();
  }
  const CollectiveStatistics& statistics() const { return statistics_; }
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
    std::uint64_t outstanding = 0;  ///< bytes of its requests
  };
  /// One request inside the kernel.
  struct Work {
    enum class Stage : std::uint8_t { Loading, Adding, Storing };
    Stage stage = Stage::Loading;
    std::uint32_t step = 0, threadBlock = 0;
    std::uint64_t outputOffset = 0, chunkOffset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t loadsLeft = 0, storesLeft = 0;
    Picoseconds loaded = 0;
    std::vector<Payload*> loads;  ///< local, received …
  };

  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  const ChunkSegments& chunk(ChunkId id) const { return chunks_[id.value]; }
  void sliceReady();
  bool onlyKeeps(const CollectiveProgram::ThreadBlock& threadBlock) const;
  bool ready(const Cursor& cursor) const;
  void issue();
  bool issueAt(std::uint32_t threadBlock);
  void load(std::uint32_t slot, unsigned copy, std::uint64_t address);
  void proceed(std::uint32_t slot);
  void store(std::uint32_t slot);
  Payload& makeStore(std::uint32_t slot, std::uint64_t address);
  void storeLocal(std::uint32_t slot);
  void storeRemote(std::uint32_t slot, const CollectiveSend& send);
  void storeDone(std::uint32_t slot);
  void finishKernelIfDone();
  std::uint32_t stepsIssued() const;

  CollectiveProgram program_;
  CollectiveConfig config_;
  MemoryLayout layout_;
  DataType dataType_;
  DataMode mode_;
  GpuId gpu_;
  PayloadPool& pool_;
  std::vector<ChunkSegments> chunks_;
  /// Outstanding bytes of all thread blocks, and of one that sends.
  std::uint64_t outstandingLimit_, outstandingShare_;
  Clock clock_;
  std::uint64_t addBytesPerCycle_;
  Picoseconds sync_;

  bool running_ = false;
  Done done_;
  std::vector<Cursor> cursors_;    ///< by thread block
  std::uint32_t turn_ = 0;         ///< thread block that sends first
  std::uint64_t outstanding_ = 0;  ///< bytes loaded or being loaded, not yet stored
  std::uint32_t inWork_ = 0;
  Picoseconds adderFreeAt_ = 0;
  std::vector<Work> work_;
  std::vector<std::uint32_t> freeWork_;
  std::vector<bool> localCopy_;    ///< by chunk: there, and seen by the kernel
  TimedQueue<std::uint32_t> due_;  ///< work whose stage ends then
  SliceArrivals arrivals_;
  TimedQueue<ChunkId> announced_;
  CollectiveStatistics statistics_;
};

}  // namespace t3
