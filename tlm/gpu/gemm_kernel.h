// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gpu_config.h"
#include "tlm/gpu/l2_model.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/output_map.h"
#include "tlm/gpu/tiling.h"
#include "tlm/gpu/zero_frontier.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/memory_port.h"
#include "tlm/transport/payload.h"
#include "tlm/transport/probe.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// One run of the kernel.
struct GemmLaunch {
  OutputMap output;
  /// Chunks in the order of production; empty: the whole output in one order (dispatch_order.h).
  std::vector<ChunkId> chunkOrder;
  /// All chunks of the list at the same time, a workgroup of each in turn.
  bool sideBySide = false;
  /// Called at the simulated time when every tile is finished and its bytes are safe: local stores
  /// and write-backs performed, remote stores taken by the link.
  std::function<void(Picoseconds)> done;
  /// Called once, when all workgroups of the first wave have finished.
  std::function<void()> firstStageDone;
  /// Called for each chunk whose bytes are all in local memory, with the time of the last of them,
  /// which may lie ahead. (A chunk stored elsewhere has none; a cached one may be late.)
  std::function<void(ChunkId, Picoseconds)> chunkStored = {};
};

/// What one launch did. Bytes are payload bytes.
struct GemmStatistics {
  Picoseconds start = 0, end = 0;      ///< end 0 while running
  std::vector<Picoseconds> stageEnds;  ///< per wave of workgroups, when its last one finished
  std::uint64_t tiles = 0;             ///< finished
  std::uint64_t multiplyAdds = 0;      ///< useful ones: padding of edge tiles not included
  std::uint64_t readBytes = 0;         ///< from memory
  std::uint64_t storedBytes = 0;       ///< tile elements stored, wherever to
  std::uint64_t updateBytes = 0;       ///< of those, updates to the local memory
  std::uint64_t remoteBytes = 0;       ///< of those, updates to another GPU
  std::uint64_t writeBackBytes = 0;    ///< dirty L2 data to memory
  std::uint64_t l2Hits = 0;            ///< lines found
  std::uint64_t l2Merged = 0;          ///< lines that joined a fetch on its way
  std::uint64_t l2Misses = 0;          ///< lines not found
  Picoseconds mathTime = 0;            ///< sum over compute units
  Picoseconds zeroWait = 0;            ///< the store path waited for zeros under an update
  std::uint32_t peakWorkgroups = 0;    ///< most in flight at once
  std::uint32_t swizzleRows = 0;       ///< band height in use (Swizzled)

  double flopsPerSecond() const {
    return end > start ? 2e12 * static_cast<double>(multiplyAdds) / static_cast<double>(end - start)
                       : 0.0;
  }
};

/// The producer: C = A x B^T on the compute units of one GPU, through its L2.
///
/// Workgroups (one output tile each) go to free slots of compute units in dispatch order; waves and
/// their quantisation emerge. A workgroup walks K in steps; `load_stages` steps of operands are
/// loaded ahead, a step's math starts when its operands are here and the previous step is done, and
/// takes ceil(tile_rows x tile_columns x k / (macs x efficiency)) cycles, at the edge of the output
/// too, because matrix instructions compute the whole tile. Workgroups of one CU share its
/// matrix unit. After the last step the epilogue stores the tile's rows, wavefront band by band, at
/// the width of the CU's store path. A slot is free when the ports have taken all its stores, so a
/// memory or link that pushes back stops the compute units.
///
/// Loads pass the L2 (l2_model.h). A miss fetches what is missing of the block as one read per
/// operand row, `fetch_bytes` at most; requesters of a block on its way share the fetch.
/// Bounded are the bytes a CU has outstanding and the fetches in flight. Data reaches a CU when the
/// L2 has had the bandwidth for it, the fetch is complete, the hit latency has passed and the CU's
/// fill path has taken it; a transfer may stream through all of them at once.
///
/// Stores go by `OutputMap`: Cached tiles become dirty L2 blocks without a fetch, written back when
/// displaced and at the end; WriteThrough tiles are written to memory at once and stay in the L2
/// clean; DmaMap rows are tracked updates to the local memory past the L2;
/// RemoteMap rows are the same to `destination` through `egress`; Discard costs nothing.
///
/// On their way to the memory reads go first: a store leaves when no read waits. A slot waits for
/// its own stores (cached: for the write-backs they displaced), so the stores held back are
/// bounded. Updates, in order, also wait until their bytes are zeroed (`guardUpdates`).
///
/// The L2 starts empty at each launch. In checked mode a tile's values are computed from the
/// operands in local memory (transport_dbg) when its math is done; updates carry them, cached
/// tiles are written through transport_dbg at once and their write-backs carry no data. Timing is
/// the same in both modes.
class GemmKernel : public sc_core::sc_module, public Publisher, private MemoryClient {
 public:
  MemoryPort memory;   ///< to the local memory's target
  EgressPorts egress;  ///< to the outgoing links

  GemmKernel(const sc_core::sc_module_name& name, const GpuConfig& config, const Tiling& tiling,
             std::uint32_t depth, const MemoryLayout& layout, DataType dataType, DataMode dataMode,
             GpuId gpu, PayloadPool& pool, const Route* route = nullptr);

  /// Local updates wait until `zeros` has passed their bytes.
  void guardUpdates(ZeroFrontier& zeros);

  /// The kernel's first instruction is now; launch latency is the caller's. Only when idle.
  void launch(GemmLaunch launch);

  bool idle() const { return !running_; }
  /// Share of the K steps of the current (or last) launch that are done, 0 … 1.
  double progress() const;
  const GemmStatistics& statistics() const { return statistics_; }
  void publish(ValueList& list) const override;

 private:
  using Block = L2Model::Block;

  struct Event {
    enum class Kind : std::uint8_t {
      Begin,        ///< launch
      StepReady,    ///< index = slot: operands and the previous step are there
      StepDone,     ///< index = slot: math of one K step done
      StoreBand,    ///< index = slot, wavefront
      StoresDone,   ///< index = slot: cached stores are in the L2
      RetryLoads,   ///< index = compute unit: some outstanding bytes have arrived
      FetchesDone,  ///< index = fetches that are no longer in flight
      End
    };
    Kind kind = Kind::Begin;
    std::uint32_t index = 0;
    std::uint32_t wavefront = 0;
  };

  /// One K step's operands of one workgroup.
  struct LoadStage {
    std::uint32_t missing = 0;  ///< block reads whose time is not known
    Picoseconds ready = 0;      ///< of the known ones, the latest
  };
  /// Part of a load stage: bytes of one block.
  struct Load {
    std::uint32_t slot = 0;
    std::uint32_t step = 0;
    Block block = 0;
    std::uint32_t offset = 0;  ///< in each row of the block
    std::uint32_t rowBytes = 0;
    std::uint32_t bytes = 0;  ///< in all
  };
  /// Where a workgroup runs.
  struct Slot {
    WorkgroupId workgroup;
    bool busy = false;
    bool mathPending = false;    ///< a step is in math, or queued for it
    std::uint32_t sequence = 0;  ///< position in dispatch order
    std::uint32_t stepsDone = 0;
    std::uint32_t pendingStores = 0;  ///< payloads the ports have not taken, bands not yet sent
    std::vector<LoadStage> stages;
    OutputMap::Entry output;
    std::vector<unsigned char> values;  ///< checked mode: the tile
  };
  struct ComputeUnit {
    bool mathBusy = false;
    std::deque<std::uint32_t> mathQueue;  ///< slots whose next step is ready
    Picoseconds fillPathFree = 0;
    std::uint64_t outstandingBytes = 0;
    std::deque<Load> blocked;  ///< over the limit, in order
    struct Arrival {
      Picoseconds when;
      std::uint32_t bytes;
    };
    std::vector<Arrival> arrivals;  ///< outstanding loads whose time is known
    bool retryArmed = false;
  };
  /// An operand block on its way.
  struct Fetch {
    std::vector<L2Model::Part> parts;
    std::uint32_t partsLeft = 0;
    Picoseconds ready = 0;
    std::vector<Load> waiters;
  };
  /// A dirty part of the L2 on its way to memory.
  struct Leaving {
    L2Model::Part rows;  ///< those that are not sent yet
    std::uint32_t slot;  ///< whose store waits for them, or kNoSlot
  };
  struct BlockPlace {
    std::uint64_t address = 0;  ///< of the first row
    std::uint64_t pitch = 0;
    std::uint32_t rows = 0;
    std::uint32_t bytes = 0;  ///< per row
  };

  std::vector<WorkgroupId> chooseOrder();
  std::uint64_t countReads(const std::vector<WorkgroupId>& order);
  std::uint64_t operandBytes() const;
  std::uint32_t cuOf(std::uint32_t slot) const { return slot % config_.compute_units; }
  void handle(const Event& event);
  void dispatch(std::uint32_t slot);
  void requestStep(std::uint32_t slot, std::uint32_t step);
  void requestOperand(std::uint32_t slot, std::uint32_t step, Block firstBlock, std::uint32_t rows);
  bool admit(ComputeUnit& cu, std::uint32_t bytes);
  void access(const Load& load);
  void arrived(const Load& load, Picoseconds when);
  void retryLoads(std::uint32_t cu);
  void armRetry(std::uint32_t cu);
  void issueFetches();
  void tryMath(std::uint32_t slot);
  void startMath(std::uint32_t slot, Picoseconds from);
  void stepDone(std::uint32_t slot);
  void epilogue(std::uint32_t slot);
  void storeBand(std::uint32_t slot, WavefrontId wavefront);
  void storeCached(std::uint32_t slot, Picoseconds when);
  void storesTaken(std::uint32_t slot, std::uint32_t count);
  void writeBack(const L2Model::Part& part, std::uint32_t slot);
  void writeBackDisplaced(std::uint32_t slot);
  void sendLeavingRow();
  void slotFree(std::uint32_t slot);
  void sendStore(Payload& payload);
  bool zeroed(const Payload& store);
  void pumpStores();
  void endWhenDrained();

  Picoseconds stepTime(std::uint32_t step) const;
  Picoseconds reserveL2(std::uint64_t bytes);
  BlockPlace place(Block block) const;
  Block outputBlock(WorkgroupId wg) const { return operandBlocks_ + wg.value; }
  void computeValues(Slot& slot);
  void writeValues(Slot& slot);
  void debugAccess(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                   std::uint32_t bytes);

  void accepted(Payload& payload) override;
  void completed(Payload& payload, Picoseconds when) override;

  GpuConfig config_;
  Tiling tiling_;
  MemoryLayout layout_;
  DataType dataType_;
  DataMode dataMode_;
  GpuId gpu_;
  PayloadPool& pool_;
  Clock clock_;

  std::uint32_t depth_, steps_;
  std::uint32_t rowBytes_;       ///< of one operand row, without padding
  std::uint32_t slabs_;          ///< fetch-wide columns of an operand
  std::uint32_t operandBlocks_;  ///< blocks of A, then of B; output blocks follow
  std::uint32_t fetchLimit_;
  double l2BytesPerPs_;
  Picoseconds hitLatency_;

  TimedQueue<Event> events_;
  std::unique_ptr<L2Model> l2_;
  GemmLaunch launch_;
  std::vector<WorkgroupId> order_;
  std::vector<Slot> slots_;
  std::vector<ComputeUnit> cus_;
  std::vector<Fetch> fetches_;            ///< per operand block
  std::vector<L2Model::Part> displaced_;  ///< on their way to `writeBack`
  std::deque<Block> fetchQueue_;
  std::uint32_t fetchesInFlight_ = 0;
  Picoseconds l2Free_ = 0;

  bool running_ = false;
  bool flushing_ = false;
  bool ending_ = false;
  std::uint32_t nextTile_ = 0;  ///< in order_
  std::uint32_t tilesInFlight_ = 0;
  std::vector<std::uint32_t> stageLeft_;  ///< unfinished workgroups of each wave
  struct ChunkTiles {
    std::uint32_t begun = 0, ended = 0;
  };
  std::vector<ChunkTiles> chunkTiles_;
  std::uint64_t stepsDone_ = 0;
  struct ChunkStores {
    std::uint64_t left = 0;  ///< bytes not yet in memory
    Picoseconds latest = 0;
  };
  std::vector<ChunkStores> chunkStores_;
  std::deque<Payload*> stores_;               ///< for the memory, behind the reads
  std::map<std::uint64_t, Leaving> leaving_;  ///< the L2's write-backs, by their next address
  std::uint64_t lastLeft_ = 0;                ///< address of the last one sent
  std::uint64_t incomplete_ = 0;  ///< memory payloads without response, remote ones not taken
  Picoseconds lastCompletion_ = 0;
  const ZeroFrontier* zeros_ = nullptr;
  std::optional<Picoseconds> zeroWaitFrom_;
  GemmStatistics statistics_;
};

}  // namespace t3
