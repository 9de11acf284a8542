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
#include "tlm/node/tracked_output.h"
#include "tlm/tracker/make_tracker.h"

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
  const SystemConfig& config() const { return config_; }
  const Route& route() const { return *route_; }
  const std::vector<OutputPlan>& outputs() const { return outputs_; }
  Fabric& fabric() { return fabric_; }
  const Fabric& fabric() const { return fabric_; }
  /// The GPUs that work in this process: all, unless the machine is cut over several.
  const std::vector<std::uint32_t>& own() const { return fabric_.own(); }
  /// Of a GPU that this process builds.
  GpuNode& node(std::uint32_t gpu) { return *nodes_[index(gpu)]; }
  const GpuNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  Executor& executor() { return *executor_; }
  const Executor& executor() const { return *executor_; }
  /// Before anything is asked of the machine.
  void obey(Executor& executor) { executor_ = &executor; }
  /// By tracking of the graph; none of a collective alone.
  const std::vector<std::unique_ptr<TrackedOutput>>& tracked() const { return tracked_; }
  /// Of the present tracking of a GPU; null where there is none.
  const TrackedOutput* trackedNow(std::uint32_t gpu) const;
  /// Requests that somebody still holds.
  std::size_t requestsInUse() const { return pool_.inUse() + fabric_.requestsInUse(); }

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

 private:
  std::size_t index(std::uint32_t gpu) const { return gpu % nodes_.size(); }
  void makeNodes(TrackerKind tracker, const SystemRtl& rtl);
  void connectNodes(const SystemRtl& rtl);
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
  OutputMap outputMap(std::uint32_t gpu, const GemmWork& work) const;

  const SystemConfig config_;
  const Graph& graph_;
  const CollectivePlan* const plan_;  ///< of a collective alone; null if there is an output
  const std::unique_ptr<const Route> ownRoute_;
  const Route* const route_;
  const std::vector<OutputPlan> outputs_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::unique_ptr<GpuNode>> nodes_;   ///< by GPU; null for one of another process
  std::vector<std::uint32_t> arbitratedKernels_;  ///< by GPU, that run
  std::vector<std::unique_ptr<TrackedOutput>> tracked_;
  Checks checks_;
  Executor* executor_ = nullptr;
};

/// Which parts wait for which: one line for each part of a GPU that is not done. The line says what
/// the part holds and for which parts it waits. `standstill`: nothing moves any more. Then a last
/// line shows the circle of waits, if there is one. In a run that goes on, waits come and go, so a
/// circle would mean nothing, and none is shown.
std::string deadlockReport(const Machine& machine, bool standstill);

}  // namespace t3
