// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/gpu/chunk_segments.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/ring_path.h"
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
  std::uint64_t remoteStoreBytes = 0;  ///< into the next GPU, accepted by the link
  std::uint64_t arrivedBytes = 0;      ///< into local memory, by the previous GPU
  std::uint64_t peakOutstandingBytes = 0;
};

/// What a ring kernel does with chunk c of N. (Said of a single ring; a `RingPath` names one of
/// several, whose chunks and neighbour are its own.)
///
/// * ReduceScatter: chunk c ends, summed over all GPUs, in GPU c's output. GPU g's step s sends
/// chunk
///   g-1-s: from s = 1 on the sum so far, received in step s-1, plus the local copy. Step N-1 does
///   not send: it stores the reduced chunk g. Per GPU the local memory sees 2N-1 chunks read
///   (1 + 2(N-2) + 2) and N written (N-1 by the previous GPU), the link N-1.
/// * AllGather: chunk c is copied from GPU c's output to all others. GPU g's step s sends chunk
/// g-s,
///   from s = 1 on what it received in step s-1, to its place in the next GPU's output. Per GPU the
///   local memory sees N-1 chunks read and N-1 written by the previous GPU, the link N-1.
/// * AllReduce: every GPU ends with the sum of all outputs: a reduce-scatter whose last step sends
///   what it keeps, and an all-gather that goes on from there slice by slice, so that the reduction
///   of one slice and the gathering of another share the link. GPU g's steps 0 … N-2 are those of
///   the reduce-scatter; step N-1 reduces chunk g, stores it in the own output and sends it into
///   the next GPU's; step N-1+s, s = 1 … N-2, passes chunk g-s on. Per GPU the local memory sees
///   3N-3 chunks read (2N-1 + N-2) and 2N-1 written (2N-2 by the previous GPU), the link 2N-2.
enum class RingKernel : std::uint8_t { ReduceScatter, AllGather, AllReduce };

/// A ring collective as a kernel on compute units, in the way of ring libraries: the chunk of each
/// step is cut into slices, and a step works on a slice as soon as the step before has delivered
/// it, so that all steps are in flight at once.
///
///     arrived ─► slice complete ─► + slice_sync_ns ─┐
///                                                   ▼
///     local copy ──────────── loads ─► add ─► store ─► egress: next GPU, or
///     received copy (memory) ─┘  └── bounded bytes ──┘  memory: this GPU's result
///
/// What goes to the next GPU is issued step by step and slice by slice. A step that only keeps (the
/// last of a reduce-scatter) is worked on beside it and goes first when its slice is there: it
/// never waits for the link. Each request takes its loads, one pass of the adders where two copies
/// are added, and its store. The bytes loaded, or being loaded, and not yet stored are bounded by
/// compute units x outstanding_bytes_per_cu: the registers of the kernel's threads. A store to the
/// next GPU frees them when the link has accepted it, a store to the own memory when it is
/// performed.
///
/// Sockets. `memory`: loads and local stores, Stream::Compute. `egress`: stores to the next GPU,
/// Stream::Communication. `arrived` must be called for each write of this collective that the
/// previous GPU's kernel caused in local memory; also before `launch`, because neighbours are not
/// in step.
///
/// Flags are not simulated as traffic: 8 bytes per slice, whose cost in time is `slice_sync_ns`.
/// Each ring step has a receive buffer of its own, so no credit has to travel back.
class RingCollective : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  using Done = std::function<void(Picoseconds)>;

  MemoryPort memory;
  MemoryPort egress;

  /// Without `ring` all chunks are those of one ring.
  RingCollective(const sc_core::sc_module_name& name, RingKernel kernel, const GpuConfig& config,
                 const Tiling& tiling, const MemoryLayout& layout, DataType dataType, DataMode mode,
                 GpuId gpu, PayloadPool& pool, const std::optional<RingPath>& ring = {});

  /// The local copies of the chunks: in memory at the launch, or announced one by one by the kernel
  /// that produces them beside this one.
  enum class LocalCopies : std::uint8_t { Ready, Announced };

  /// Starts the kernel; `done` runs when its last store is performed (own memory) or accepted
  /// (link) and all it expects from its neighbour has arrived. May be launched again when every
  /// GPU of the ring is done.
  void launch(Done done, LocalCopies copies = LocalCopies::Ready);
  /// The local copy of `chunk` is in memory at `when` (absolute); only after a launch with
  /// `Announced`. The kernel sees it `slice_sync_ns` later, as it sees its neighbour's slices.
  void localCopyReady(ChunkId chunk, Picoseconds when);
  /// A write of the previous GPU's kernel is performed in local memory at `when` (absolute, may
  /// lie ahead). `payload` carries the local address.
  void arrived(const Payload& payload, Picoseconds when);

  bool idle() const { return !running_ && memory.idle() && egress.idle(); }
  const CollectiveStatistics& statistics() const { return statistics_; }
  /// One line for a watchdog.
  std::string describe() const;
  void publish(ValueList& list) const override;

 private:
  /// What the kernel does to one chunk.
  struct Step {
    ChunkId chunk;
    Phase phase = Phase::ReduceScatter;
    bool waits = false;             ///< for the slices of the previous arrival
    bool adds = false;              ///< the received copy to the local one
    bool remote = false;            ///< sends the result to `destination`, in the next GPU
    bool keeps = false;             ///< stores it (also) as this GPU's result
    std::uint64_t received = 0;     ///< address of the received copy (adds)
    std::uint64_t destination = 0;  ///< of what is sent: the chunk's (dense) or output's first byte
    bool denseDestination = false;  ///< a receive buffer holds the chunk without gaps
  };
  /// What the previous GPU sends in one of its steps.
  struct Arrival {
    ChunkId chunk;
    std::uint64_t destination = 0;
    bool dense = false;
  };
  /// Steps that send come first.
  struct Program {
    std::vector<Step> steps;
    std::vector<Arrival> arrivals;
  };

  static Program programOf(RingKernel kernel, GpuId gpu, const RingPath& ring,
                           const MemoryLayout& layout);
  static void addReduceScatter(Program& program, GpuId gpu, const RingPath& ring,
                               const MemoryLayout& layout);
  static void addAllGather(Program& program, GpuId gpu, const RingPath& ring,
                           const MemoryLayout& layout);

  struct Chunk {
    std::vector<Segment> segments;
    std::vector<std::uint64_t> starts;  ///< bytes of the chunk in front of each segment
    std::uint64_t bytes = 0;
  };
  struct Slice {
    std::uint64_t arrivedBytes = 0;
    Picoseconds latest = 0;
    bool ready = false;  ///< arrived and seen by the kernel
  };
  struct SliceId {
    std::uint32_t arrival = 0, slice = 0;
  };
  /// The next request of the steps up to `end`.
  struct Cursor {
    std::uint32_t step = 0, end = 0;
    std::size_t segment = 0;
    std::uint64_t segmentOffset = 0, chunkOffset = 0;
  };
  /// One request on its way through the kernel.
  struct Work {
    enum class Stage : std::uint8_t { Loading, Adding, Storing };
    Stage stage = Stage::Loading;
    std::uint32_t step = 0;
    std::uint64_t outputOffset = 0, chunkOffset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t loadsLeft = 0, storesLeft = 0;
    Picoseconds loaded = 0;
    std::array<Payload*, 2> loads{};  ///< local, received
  };

  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  void forgetArrivals();
  const Chunk& chunk(ChunkId id) const { return chunks_[id.value]; }
  std::uint64_t sliceBytes(std::uint32_t arrival, std::uint32_t slice) const;
  void sliceReady(SliceId id);
  bool ready(const Cursor& cursor) const;
  void issue();
  bool issueAt(Cursor& cursor);
  void load(std::uint32_t slot, unsigned copy, std::uint64_t address);
  void proceed(std::uint32_t slot);
  void store(std::uint32_t slot);
  void sendStore(std::uint32_t slot, std::uint64_t address, bool remote);
  void storeDone(std::uint32_t slot);
  void finishKernelIfDone();

  Program program_;
  CollectiveConfig config_;
  MemoryLayout layout_;
  DataType dataType_;
  DataMode mode_;
  GpuId gpu_;
  PayloadPool& pool_;
  std::vector<Chunk> chunks_;
  std::uint64_t outstandingLimit_;
  Clock clock_;
  std::uint64_t addBytesPerCycle_;
  Picoseconds sync_;

  bool running_ = false;
  Done done_;
  Cursor sending_, keeping_;
  std::uint64_t outstanding_ = 0;  ///< bytes loaded or being loaded, not yet stored
  std::uint32_t inWork_ = 0;
  Picoseconds adderFreeAt_ = 0;
  std::vector<Work> work_;
  std::vector<std::uint32_t> freeWork_;
  std::vector<std::vector<Slice>> slices_;  ///< by arrival
  std::uint64_t slicesLeft_ = 0;            ///< not ready yet
  std::vector<bool> localCopy_;             ///< by chunk: there, and seen by the kernel
  TimedQueue<std::uint32_t> due_;           ///< work whose stage ends then
  TimedQueue<SliceId> syncing_;
  TimedQueue<ChunkId> announced_;
  CollectiveStatistics statistics_;
};

}  // namespace t3
