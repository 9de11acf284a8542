// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// How software maps the output before the launch, by tile: a chunk that is part of a tile row is
/// not one address range.
enum class OutputMapping : std::uint8_t {
  Cached,        ///< plain stores through the write-allocating L2: the baseline
  WriteThrough,  ///< the same, and into memory at once: for a kernel that reads it during the GEMM
  DmaMap,        ///< local, uncached, tracked updates; completion may trigger a DMA command
  RemoteMap,     ///< updates straight into another GPU's memory
  Discard  ///< stores that cost nothing: the GEMM alone, of the ideal bound. Checked values still
           ///< go to local memory, for the reduce-scatter that follows there.
};

class OutputMap {
 public:
  struct Entry {
    TileRange tiles;
    OutputMapping mapping = OutputMapping::Cached;
    GpuId destination;                           ///< RemoteMap only
    OutputBuffer buffer = OutputBuffer::Output;  ///< DmaMap and RemoteMap
  };

  void cached(TileRange tiles) { entries_.push_back({tiles, OutputMapping::Cached, {}, {}}); }
  void writeThrough(TileRange tiles) {
    entries_.push_back({tiles, OutputMapping::WriteThrough, {}, {}});
  }
  void dmaMap(TileRange tiles) { dmaMap(tiles, OutputBuffer::Output); }
  void dmaMap(TileRange tiles, OutputBuffer buffer) {
    entries_.push_back({tiles, OutputMapping::DmaMap, {}, buffer});
  }
  void discard(TileRange tiles) { entries_.push_back({tiles, OutputMapping::Discard, {}, {}}); }
  /// `buffer`: where they lie at the destination.
  void remoteMap(TileRange tiles, GpuId destination, OutputBuffer buffer = OutputBuffer::Output) {
    entries_.push_back({tiles, OutputMapping::RemoteMap, destination, buffer});
  }

  /// The mapping of a tile; an unmapped tile is cached.
  Entry lookup(WorkgroupId wg) const {
    for (const Entry& entry : entries_) {
      if (entry.tiles.contains(wg)) return entry;
    }
    return {};
  }

 private:
  std::vector<Entry> entries_;
};

/// One run of the GEMM kernel.
struct GemmLaunch {
  OutputMap output;
  /// Chunks in the order of production; empty: the whole output in one order (gemm_order.h).
  std::vector<ChunkId> chunkOrder;
  /// Groups of so many chunks of the list, in all, all. The chunks of a group are produced side by
  /// side, a workgroup of each in turn. Groups lower than a band may be joined
  /// (GemmConfig::chunks_side_by_side). Empty: one chunk after another.
  std::vector<std::uint32_t> groups = {};
  /// Workgroups begin when GemmKernel::release has named their row of tiles, in that order, in
  /// bands of as many rows as wait and the order is high.
  bool rowByRow = false;
  /// When every tile is finished: local stores and write-backs performed, remote ones taken by the
  /// link.
  std::function<void(Picoseconds)> done = {};
  /// Called once, when the first workgroup begins.
  std::function<void()> firstBegins = {};
  /// Called once, when all workgroups of the first wave have finished.
  std::function<void()> firstStageDone = {};
  /// For each chunk whose bytes are all in local memory, with the time of the last, which may lie
  /// ahead.
  std::function<void(ChunkId, Picoseconds)> chunkStored = {};
  NodeId node = 0;  ///< whose its traffic is …
  /// … and whose the stores into other GPUs are.
  NodeId remoteNode = 0;
  Phase remotePhase = Phase::ReduceScatter;
  /// Called for each tile of a tracked chunk (DmaMap) whose math is done.
  std::function<void()> trackedTileDone = {};
};

/// What one launch of the GEMM did. Bytes are payload bytes.
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
  std::uint64_t l2Merged = 0;          ///< lines that joined a fetch in flight
  std::uint64_t l2Misses = 0;          ///< lines not found
  Picoseconds operandWait = 0;         ///< sum over workgroups: an operand was not ready
  Picoseconds zeroWait = 0;            ///< the next store was an update whose bytes were not ready
  std::uint32_t peakWorkgroups = 0;    ///< most in flight at once
  std::uint32_t swizzleRows = 0;       ///< band height in use (Swizzled)

  // How the workgroups spend their slots: sums over workgroups, which together are all slot time.
  Picoseconds prologueTime = 0;  ///< until the operands of the first step are there
  Picoseconds lateTime = 0;      ///< a step is done, the operands of the next are not there
  Picoseconds syncTime = 0;      ///< operands pass through local memory (step_sync_cycles)
  Picoseconds matrixWait = 0;    ///< another workgroup of the compute unit uses the matrix unit
  Picoseconds mathTime = 0;      ///< the matrix unit works
  Picoseconds epilogueTime = 0;  ///< from the last step until all stores are taken
};

}  // namespace t3
