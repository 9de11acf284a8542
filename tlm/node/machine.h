// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/executor.h"
#include "tlm/node/fabric.h"
#include "tlm/node/gpu_node.h"
#include "tlm/node/graph.h"
#include "tlm/node/peers.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/node/system_rtl.h"
#include "tlm/node/tracked_output.h"

namespace t3 {

/// What carries out the nodes of a graph: N GPUs with its kernels, and what connects them. The
/// executor says when, and is told what has begun and ended. `graph` outlives it.
///
/// With `simulated_gpus` = symmetric only GPU 0 exists. A `SymmetricLoop` turns what it sends into
/// what another GPU would send to it. GPUs keep their numbers: the neighbour of GPU 0 is still GPU
/// 1, and `node(1)` is that of GPU 0.
class Machine {
 public:
  using Step = std::function<void()>;

  Machine(const SystemConfig& config, const Graph& graph, TrackerKind tracker,
          const SystemRtl& rtl = {}, const Peers* peers = nullptr);

  // ---- what there is ----
  const Graph& graph() const { return graph_; }
  std::uint32_t gpus() const { return config_.gpus; }
  /// GPUs 0 … simulated()-1 are simulated, by this process or another. Loops over nodes end here,
  /// not at `gpus()`.
  std::uint32_t simulated() const { return fabric_.simulated(); }
  /// Those of them that work in this process: all, unless the machine is cut over several.
  const std::vector<std::uint32_t>& own() const { return fabric_.own(); }
  Fabric& fabric() { return fabric_; }
  const Fabric& fabric() const { return fabric_; }
  const Route& route() const { return *route_; }
  Collectives collectives() const { return collectives_; }
  const SystemConfig& config() const { return config_; }
  const std::vector<OutputPlan>& outputs() const { return outputs_; }
  const OutputPlan& outputOf(NodeId node) const;
  /// Of the first one.
  const Tiling& tiling() const { return outputs_.front().tiling; }
  const MemoryLayout& layout() const { return outputs_.front().layout; }
  /// Of a GEMM that reads another output: whether that is there when it computes. It is not in a
  /// bound that runs early.
  bool readsWhenThere(NodeId gemm) const;
  /// Of a GPU of this process.
  GpuNode& node(std::uint32_t gpu) { return *nodes_[index(gpu)]; }
  const GpuNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  /// Null if another process simulates the GPU.
  const GpuNode* findNode(std::uint32_t gpu) const { return nodes_[index(gpu)].get(); }
  Executor& executor() { return *executor_; }
  const Executor& executor() const { return *executor_; }
  /// Before anything is asked of the machine.
  void obey(Executor& executor) { executor_ = &executor; }
  /// By tracking of the graph; none of a collective alone.
  const std::vector<std::unique_ptr<TrackedOutput>>& tracked() const { return tracked_; }
  /// Of the present tracking of a GPU; null where there is none.
  const TrackedOutput* trackedNow(std::uint32_t gpu) const;
  /// DMA commands that the tracker of a GPU must have issued by the end of the run, since it was
  /// cleared.
  std::uint64_t& commandsProgrammed(std::uint32_t gpu) { return commands_[index(gpu)]; }
  std::uint64_t commandsProgrammed(std::uint32_t gpu) const { return commands_[index(gpu)]; }
  /// Requests that somebody still holds.
  std::size_t requestsInUse() const { return pool_.inUse() + fabric_.requestsInUse(); }

  /// Address ranges, {address, bytes}.
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Those of a chunk in one of the buffers that have the shape of the output.
  Areas areas(const OutputPlan& output, ChunkId chunk, OutputBuffer buffer) const;

  // ---- who checks data ----
  struct Checks {
    using Step = std::function<void(std::uint32_t gpu)>;
    Step begins;  ///< its operands have to be in memory; not called for the first round
    /// The chunks of a tracking have been sent on, and others or a next round will follow.
    std::function<void(std::uint32_t gpu, const TrackedOutput&)> sentOn;
    Step over;  ///< its round is over, and a next one will overwrite its memory
  };
  void check(Checks checks) { checks_ = std::move(checks); }

  // ---- what the executor asks ----
  /// Starts a node on a GPU, now.
  void launch(std::uint32_t gpu, NodeId node);
  /// Programs the tracker for a tracking of the graph, in no simulated time.
  void setUp(std::uint32_t gpu, std::size_t tracking);
  /// The same in simulated time, for the next one or the next round; `done` runs at the end. The
  /// tracker counts nothing any more.
  void setUpAgain(std::uint32_t gpu, std::size_t tracking, Step done);
  /// Sees to the initial value of what is summed, of which nothing is stored before `begins`.
  void prepare(std::uint32_t gpu, std::size_t tracking, Picoseconds begins);
  /// Whether all of a tracking has come, and what others wait for has been sent on.
  bool tracksNoMore(std::uint32_t gpu, std::size_t tracking) const;
  /// A GPU is ready for a round, which will not begin before `begins`; others may act on that from
  /// now on.
  void renew(std::uint32_t gpu, Picoseconds begins);
  /// All of a round has ended, and the next one will use its memory.
  void roundOver(std::uint32_t gpu) { checks_.over(gpu); }
  /// Whether a GPU sends by a port of the fabric's links without being asked.
  bool sends(std::uint32_t gpu, std::uint32_t port) const;

  // ---- for who watches the run ----
  bool idle() const;
  std::uint64_t heartbeat() const { return fabric_.heartbeat() + computedShare(); }
  double fractionDone() const;
  Watchdog watchdog() const;
  std::string whoWaits() const;

 private:
  std::size_t index(std::uint32_t gpu) const { return gpu % nodes_.size(); }
  void makeNodes(TrackerKind tracker, const SystemRtl& rtl);
  void connectNodes(const SystemRtl& rtl);
  void countBytesToSend();
  void startGemm(std::uint32_t gpu, NodeId node, const GemmWork& work);
  void openRows(std::uint32_t gpu, NodeId gather, std::uint32_t output);
  void startNorm(std::uint32_t gpu, NodeId node);
  void startCollective(std::uint32_t gpu, NodeId node);
  /// Holding `units` of the GPU's compute units, if any.
  void startKernels(std::uint32_t gpu, NodeId node, const std::vector<std::uint32_t>& units);
  const Gpu::Kernels& kernels(std::uint32_t gpu, NodeId node) const {
    return this->node(gpu).gpu.nodes[node];
  }
  void startPlan(std::uint32_t gpu, NodeId node);
  double computed(std::uint32_t gpu) const;
  std::uint64_t computedShare() const;
  double sliceShare() const;
  std::string whoWaits(bool standstill) const;
  OutputMap outputMap(std::uint32_t gpu, const GemmWork& work) const;

  const SystemConfig config_;
  const Graph& graph_;
  const std::vector<const Collective*> collectives_;
  const CollectivePlan* const plan_;  ///< of a collective alone; null if there is an output
  const std::unique_ptr<const Route> ownRoute_;
  const Route* const route_;
  const std::vector<OutputPlan> outputs_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::unique_ptr<GpuNode>> nodes_;   ///< by GPU; null for one of another process
  std::vector<std::uint32_t> arbitratedKernels_;  ///< by GPU, that run
  std::vector<std::uint64_t> commands_;           ///< see `commandsProgrammed`
  std::vector<std::unique_ptr<TrackedOutput>> tracked_;
  Checks checks_;
  Executor* executor_ = nullptr;
  double bytesToSend_ = 0;  ///< by all collectives, mean of the GPUs
};

}  // namespace t3
