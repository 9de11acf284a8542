// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/bound_parts.h"
#include "tlm/node/fabric.h"
#include "tlm/node/gpu_node.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/node/system_rtl.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {

/// How far one GPU has come with a sublayer.
struct GpuProgress : SublayerTimes {
  GpuProgress(Collectives list, bool hasConsumer) : collectives(list), consumes(hasConsumer) {}

  TimeSpan& of(Phase phase) { return phases[phase]; }
  const TimeSpan& of(Phase phase) const { return phases[phase]; }

  Collectives collectives;
  /// Regions of the own chunk, and of what DMA engines gather, that the tracker has not said to be
  /// done. It does so after the last block.
  std::set<std::uint32_t> ownRegionsLeft, arrivalRegionsLeft;
  std::int64_t tilesToSend = 0;  ///< of commands that have not been sent on
  bool consumes;                 ///< a consumer follows
  bool consumerLaunched = false;

  /// The tracker has said all that software waits for.
  bool tracked() const { return ownRegionsLeft.empty() && arrivalRegionsLeft.empty(); }
  /// The GEMM and all collectives have ended.
  bool gathered() const;
  /// And the consumer.
  bool done() const { return gathered() && (!consumes || of(Phase::Consumer).end != 0); }
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
  using Step = Fabric::Step;
  using Done = std::function<void(Picoseconds)>;

  Cluster(const SystemConfig& config, TrackerKind tracker, const SystemRtl& rtl = {},
          Collectives collectives = kReduceScatterAndAllGather, const Peers* peers = nullptr);

  std::uint32_t gpus() const { return config_.gpus; }
  /// GPUs 0 … simulated()-1 are simulated, by this process or another. Loops over nodes end here,
  /// not at `gpus()`.
  std::uint32_t simulated() const { return fabric_.simulated(); }
  /// Those of them that work in this process: all, unless the cluster is cut over several.
  const std::vector<std::uint32_t>& own() const { return fabric_.own(); }
  Fabric& fabric() { return fabric_; }
  const Fabric& fabric() const { return fabric_; }
  const Route& route() const { return *route_; }
  Collectives collectives() const { return collectives_; }
  const SystemConfig& config() const { return config_; }
  const Tiling& tiling() const { return tiling_; }
  const MemoryLayout& layout() const { return layout_; }
  const std::optional<ConsumerPlan>& consumer() const { return consumer_; }
  /// Of a GPU of this process.
  GpuNode& node(std::uint32_t gpu) { return *nodes_[index(gpu)]; }
  const GpuNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  /// Null if another process simulates the GPU.
  const GpuNode* findNode(std::uint32_t gpu) const { return nodes_[index(gpu)].get(); }
  /// Of the sublayer that a GPU is at.
  GpuProgress& progress(std::uint32_t gpu) { return progress_[index(gpu)].back(); }
  const GpuProgress& progress(std::uint32_t gpu) const { return progress_[index(gpu)].back(); }
  /// Of all sublayers that a GPU has begun.
  const std::deque<GpuProgress>& history(std::uint32_t gpu) const { return progress_[index(gpu)]; }

  /// How many sublayers the run has; the program says it, before it starts. One by default.
  void expectSublayers(std::uint32_t count) { sublayers_ = count; }
  std::uint32_t sublayers() const { return sublayers_; }
  /// The GPU goes on to its next sublayer. Of the one before everything must have ended.
  void nextSublayer(std::uint32_t gpu);
  /// Number of the sublayer that a GPU is at, from 0 on.
  std::uint32_t sublayer(std::uint32_t gpu) const {
    return static_cast<std::uint32_t>(progress_[index(gpu)].size()) - 1;
  }
  bool atLastSublayer(std::uint32_t gpu) const { return sublayer(gpu) + 1 == sublayers_; }
  /// Steps of a sublayer on one GPU that others act on.
  struct Milestones {
    using Step = std::function<void(std::uint32_t gpu)>;
    Step begins;        ///< its operands have to be in memory; not called for the first one
    Step tracksNoMore;  ///< its tracked chunks have been sent on, and its own chunk is reduced
    Step ended;         ///< its GEMM, all its collectives and its consumer have ended
  };
  /// Who is told: the program, and who checks the results. In the order in which they were added.
  void watch(Milestones milestones) { milestones_.push_back(std::move(milestones)); }
  void tell(Milestones::Step Milestones::*step, std::uint32_t gpu) {
    for (const Milestones& listener : milestones_) {
      if (listener.*step) (listener.*step)(gpu);
    }
  }
  /// Requests that somebody still holds.
  std::size_t requestsInUse() const;

  /// As those of the fabric.
  void launch(std::uint32_t gpu, Step step) { fabric_.launch(gpu, std::move(step)); }
  void at(std::uint32_t gpu, Picoseconds when, Step step) {
    fabric_.at(gpu, when, std::move(step));
  }
  /// From the end of one kernel to the start of the next.
  Picoseconds launchLatency() const { return launchLatency_; }

  /// Address ranges, {address, bytes}.
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Those of a chunk in one of the buffers that have the shape of the output.
  Areas areas(ChunkId chunk, OutputBuffer buffer) const;

  /// Programs the tracker and the DMA engine of `gpu` (tracker_plan.h). `reduced` runs when all
  /// blocks of the own chunk are summed; `gathered`, with `use.gathers`, when all chunks of others
  /// have arrived.
  void programTracker(std::uint32_t gpu, const TrackerUse& use, Done reduced, Done gathered = {});
  /// The same for the next sublayer, in simulated time; `done` runs when the last register is
  /// written.
  void programTrackerAgain(std::uint32_t gpu, Step done);
  /// Lets the DMA engine send the chunks that t3 does not store here, and those to which nobody
  /// adds. No tracker event starts them.
  void sendUntracked(std::uint32_t gpu);
  /// Lets the DMA engine send this GPU's own chunks to the others, as its tracker was programmed
  /// with `TrackerUse::gathers`. No tracker event starts them.
  void sendOwnChunks(std::uint32_t gpu);
  const TrackerPlan& trackerPlan(std::uint32_t gpu) const { return tracking_[index(gpu)].plan; }
  /// DMA commands that the tracker of a GPU must have issued by the end of the run, since it was
  /// programmed last.
  std::uint64_t commandsProgrammed(std::uint32_t gpu) const {
    return tracking_[index(gpu)].commands;
  }

  /// Order of the GEMM's output. Free: the whole output in one order. ByChunk: chunk after chunk in
  /// the route's order. Fused, which t3 uses: the same, but as many side by side as the route
  /// wants.
  enum class Order : std::uint8_t { Free, ByChunk, Fused };
  void startGemm(std::uint32_t gpu, OutputMap output, Order order, Done done);
  /// Starts the all-gather's kernels; with a norm, first that, and these a launch latency after it.
  void startGather(std::uint32_t gpu, Done done = {});
  /// Starts the norm of the own rows. `byRow`: each row when the tracker has released it, and the
  /// tracker counts what is stored; else all of them now.
  void startNorm(std::uint32_t gpu, bool byRow, Done done = {});
  /// When the consumer of the gathered output starts.
  enum class Consumers : std::uint8_t {
    Follow,  ///< a launch latency after the GEMM and all collectives of its GPU have ended
    /// Beside the all-gather's kernels: workgroups begin when their row of tiles is there.
    ByArrival,
    ByRow,  ///< with the GEMM: workgroups begin when the tracker has released their row of tiles
    Later,  ///< when the program says so: everything has ended before
    Early   ///< when the program says so, whether or not its operand is there: of a bound
  };
  void setConsumers(Consumers consumers) { consumers_ = consumers; }
  /// Its operand is there when it computes.
  bool consumersWait() const { return consumers_ != Consumers::Early; }
  void startConsumer(std::uint32_t gpu);
  /// Launches the GPU's kernels of one of the `collectives`; `done` runs when all have ended.
  void startCollective(std::uint32_t gpu, const Collective& collective, Done done = {},
                       StepKernel::LocalCopies copies = StepKernel::LocalCopies::Ready);

  /// The GEMM and all collectives have ended on every GPU of this process.
  bool finished() const;
  bool idle() const;
  double fractionDone() const;
  /// Changes whenever the simulation makes progress.
  std::uint64_t heartbeat() const;

 private:
  std::size_t index(std::uint32_t gpu) const { return gpu % nodes_.size(); }
  /// What the tracker of a GPU has been programmed to do.
  struct Tracking {
    TrackerPlan plan;
    std::map<CommandId, TileRange> sums;  ///< blocks of the own chunk, by the slots of their sums
    std::set<CommandId> starts;           ///< commands that send blocks of the own chunk to others
    Done reduced, gathered;
    bool programmed = false, gathers = false;
    std::uint64_t commands = 0;     ///< that it must have issued by now, since it was cleared
    std::uint32_t nextCommand = 0;  ///< of the DMA engine that no slot counts for
  };
  void armCommands(std::uint32_t gpu);
  void admitFirst(std::uint32_t gpu);
  void expectTiles(std::uint32_t gpu);
  void tellIfTracksNoMore(std::uint32_t gpu);
  void tileSent(std::uint32_t gpu, std::uint32_t tiles);
  void triggered(std::uint32_t gpu, CommandId command);
  void endWithoutTiles(std::uint32_t gpu);
  void regionDone(std::uint32_t gpu, std::uint32_t region);
  void released(std::uint32_t gpu, std::uint32_t row);
  /// To be called when something of a sublayer has ended.
  void tellIfEnded(std::uint32_t gpu);
  /// To be called once by each of the kernels that run side by side; the last call runs `done`.
  Done afterAllKernels(Done done) const;

  const SystemConfig config_;
  const Collectives collectives_;
  const std::unique_ptr<const Route> route_;
  const Tiling tiling_;
  const MemoryLayout layout_;
  const std::optional<ConsumerPlan> consumer_;
  const Picoseconds launchLatency_;
  const BoundParts bounds_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::deque<GpuProgress>> progress_;  ///< by GPU, of each sublayer
  std::vector<Milestones> milestones_;
  std::vector<Tracking> tracking_;  ///< by GPU
  std::uint32_t sublayers_ = 1;
  Consumers consumers_ = Consumers::Follow;
  std::vector<std::unique_ptr<GpuNode>> nodes_;  ///< by GPU; null for one of another process
  double bytesToSend_ = 0;                       ///< by all collectives, mean of the GPUs
};

}  // namespace t3
