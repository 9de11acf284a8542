// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tlm/gpu/collective.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/interconnect/switch.h"
#include "tlm/node/gpu_node.h"
#include "tlm/node/symmetric_loop.h"
#include "tlm/node/system_config.h"
#include "tlm/tracker/rtl_options.h"
#include "tlm/transport/timed_queue.h"

namespace t3 {

/// Absolute times; 0 = not yet.
struct TimeSpan {
  Picoseconds start = 0, end = 0;
};

/// How far one GPU has come.
struct GpuProgress {
  explicit GpuProgress(Collectives list) : collectives(list) {}

  TimeSpan zeroing, gemm;
  PerCollective<TimeSpan> collectives;
  std::set<WorkgroupId> ownBlocksLeft;  ///< first tiles of the own chunk's blocks not yet reduced

  /// The GEMM and all collectives have ended.
  bool done() const;
};

/// N GPUs, what connects them, and the steps their host software is made of. Which steps run, and
/// in which order, is a `Program`'s business; which way chunks go, the `Route`'s. Kernels are there
/// for the `collectives` that the program is going to launch.
///
/// With `simulated_gpus` = symmetric only GPU 0 exists. A `SymmetricLoop` turns what it sends into
/// what another GPU would send to it. GPUs keep their numbers: the neighbour of GPU 0 is still GPU
/// 1, and `node(1)` and `progress(1)` are those of GPU 0.
class Cluster {
 public:
  using Step = std::function<void()>;
  using Done = std::function<void(Picoseconds)>;

  Cluster(const SystemConfig& config, TrackerKind tracker, const RtlOptionsOf& rtl = {},
          Collectives collectives = kReduceScatterAndAllGather);

  std::uint32_t gpus() const { return config_.gpus; }
  /// GPUs 0 … simulated()-1 exist. Loops over nodes end here, not at `gpus()`.
  std::uint32_t simulated() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Route& route() const { return *route_; }
  Collectives collectives() const { return collectives_; }
  /// Links from every GPU: one for each port, or one to the switch.
  std::uint32_t linksPerGpu() const { return switch_ ? 1 : route_->ports(); }
  const Switch* fabricSwitch() const { return switch_.get(); }  ///< null where there is none
  const SystemConfig& config() const { return config_; }
  const Tiling& tiling() const { return tiling_; }
  const MemoryLayout& layout() const { return layout_; }
  GpuNode& node(std::uint32_t gpu) { return *nodes_[index(gpu)]; }
  const GpuNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  GpuProgress& progress(std::uint32_t gpu) { return progress_[index(gpu)]; }
  const GpuProgress& progress(std::uint32_t gpu) const { return progress_[index(gpu)]; }
  /// Requests that somebody still holds.
  std::size_t requestsInUse() const;

  /// Absolute time from which a GPU works.
  Picoseconds launchTime(std::uint32_t gpu) const;
  /// Runs `step` at the launch time: now, unless the configuration delays this GPU.
  void launch(std::uint32_t gpu, Step step);
  /// From the end of one kernel to the start of the next.
  Picoseconds launchLatency() const { return launchLatency_; }
  /// Runs `step` at the absolute time `when`. It stands for what a host or a command processor
  /// does.
  void at(Picoseconds when, Step step);

  /// Address ranges, {address, bytes}.
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Those of a chunk in one of the buffers that have the shape of the output.
  Areas areas(ChunkId chunk, OutputBuffer buffer) const;

  /// Programs the tracker and the DMA engine of `gpu`. After `updatesPerElement` updates a chunk
  /// that passes through triggers a DMA to the next GPU, and a chunk that stays notifies.
  /// `ownChunkReduced` runs when all blocks that stay are complete. If `readsClear`, the DMA
  /// engine's reads leave zeros behind.
  void programTracker(std::uint32_t gpu, std::uint32_t updatesPerElement, bool readsClear,
                      Done ownChunkReduced);
  /// Lets the DMA engine send the chunks that t3 does not store here. No tracker event starts them.
  void sendUntracked(std::uint32_t gpu);
  /// DMA commands that trackers must have issued by the end of the run.
  std::uint64_t commandsProgrammed() const { return commandsProgrammed_; }

  /// Order of the GEMM's output. Free: the whole output in one order. ByChunk: chunk after chunk in
  /// the route's order. Fused, which t3 uses: all chunks side by side if the route wants it, else
  /// as ByChunk.
  enum class Order : std::uint8_t { Free, ByChunk, Fused };
  void startGemm(std::uint32_t gpu, OutputMap output, Order order, Done done);
  /// Launches the GPU's kernels of one of the `collectives`; `done` runs when all have ended.
  void startCollective(std::uint32_t gpu, const Collective& collective, Done done = {},
                       CollectiveKernel::LocalCopies copies = CollectiveKernel::LocalCopies::Ready);

  /// The GEMM and all collectives have ended on every GPU.
  bool finished() const;
  bool idle() const;
  double fractionDone() const;
  /// Changes whenever the simulation makes progress.
  std::uint64_t heartbeat() const;

 private:
  std::size_t index(std::uint32_t gpu) const { return gpu % nodes_.size(); }
  /// Gives the blocks of `tiles`, which lie in the buffer `from`, the next command slots; returns
  /// the first.
  CommandId claimCommands(std::uint32_t gpu, TileRange tiles, OutputBuffer from, bool readsClear);
  std::uint32_t blocks(TileRange tiles) const;
  /// To be called once by each of the kernels that run side by side; the last call runs `done`.
  Done afterAllKernels(Done done) const;
  void connect();

  const SystemConfig config_;
  const Collectives collectives_;
  const std::unique_ptr<const Route> route_;
  const Tiling tiling_;
  const MemoryLayout layout_;
  const Picoseconds launchLatency_;
  PayloadPool pool_;
  TimedQueue<Step> host_;
  std::vector<GpuProgress> progress_;
  std::vector<std::uint32_t> nextCommand_;
  std::vector<std::unique_ptr<GpuNode>> nodes_;
  std::unique_ptr<Switch> switch_;
  std::vector<std::unique_ptr<SymmetricLoop>> loops_;  ///< symmetric only, by link
  std::uint64_t commandsProgrammed_ = 0;
  std::uint32_t epoch_ = 0;
  double bytesToSend_ = 0;  ///< by all collectives, mean of the GPUs
};

}  // namespace t3
