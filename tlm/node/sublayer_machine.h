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

/// N GPUs with the kernels of a sublayer, and what connects them. `graph` outlives it.
///
/// With `simulated_gpus` = symmetric only GPU 0 exists. A `SymmetricLoop` turns what it sends into
/// what another GPU would send to it. GPUs keep their numbers: the neighbour of GPU 0 is still GPU
/// 1, and `node(1)` is that of GPU 0.
class SublayerMachine : public Machine {
 public:
  SublayerMachine(const SystemConfig& config, const Graph& graph, TrackerKind tracker,
                  const SystemRtl& rtl = {}, const Peers* peers = nullptr);

  // ---- what there is ----
  const Graph& graph() const { return graph_; }
  std::uint32_t gpus() const { return config_.gpus; }
  /// GPUs 0 … simulated()-1 are simulated, by this process or another. Loops over nodes end here,
  /// not at `gpus()`.
  std::uint32_t simulated() const { return fabric_.simulated(); }
  /// Those of them that work in this process: all, unless the machine is cut over several.
  const std::vector<std::uint32_t>& own() const { return fabric_.own(); }
  Fabric& fabric() override { return fabric_; }
  const Fabric& fabric() const override { return fabric_; }
  const Route& route() const { return *route_; }
  Collectives collectives() const { return collectives_; }
  const SystemConfig& config() const { return config_; }
  const std::vector<OutputPlan>& outputs() const { return outputs_; }
  const Tiling& tiling() const { return outputs_.front().tiling; }
  const MemoryLayout& layout() const { return outputs_.front().layout; }
  const std::optional<ConsumerPlan>& consumer() const { return consumer_; }
  /// The consumer's operand is there when it computes: it is no part of a bound that runs early.
  bool consumerWaits() const;
  /// Of a GPU of this process.
  GpuNode& node(std::uint32_t gpu) { return *nodes_[index(gpu)]; }
  const GpuNode& node(std::uint32_t gpu) const { return *nodes_[index(gpu)]; }
  /// Null if another process simulates the GPU.
  const GpuNode* findNode(std::uint32_t gpu) const { return nodes_[index(gpu)].get(); }
  Executor& executor() { return Machine::executor(); }
  const Executor& executor() const { return Machine::executor(); }
  /// Null where no tracker counts anything.
  TrackedOutput* tracked() { return tracked_.get(); }
  const TrackedOutput* tracked() const { return tracked_.get(); }
  /// Requests that somebody still holds.
  std::size_t requestsInUse() const { return pool_.inUse() + fabric_.requestsInUse(); }

  /// Address ranges, {address, bytes}.
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Those of a chunk in one of the buffers that have the shape of the output.
  Areas areas(ChunkId chunk, OutputBuffer buffer) const;

  // ---- who checks data ----
  struct Checks {
    using Step = std::function<void(std::uint32_t gpu)>;
    Step begins;  ///< its operands have to be in memory; not called for the first round
    Step sentOn;  ///< its tracked chunks have been sent on, and a next round will overwrite them
    Step over;    ///< its round is over, and a next one will overwrite its memory
  };
  void check(Checks checks) { checks_ = std::move(checks); }

  // Machine
  void launch(std::uint32_t gpu, NodeId node) override;
  void setUp(std::uint32_t gpu, std::uint32_t part) override {
    tracked_->program(gpu, graph_.trackers.at(part));
  }
  void setUpAgain(std::uint32_t gpu, Step done) override;
  bool tracksNoMore(std::uint32_t gpu) const override;
  void renew(std::uint32_t gpu, Picoseconds begins) override;
  void roundOver(std::uint32_t gpu) override { checks_.over(gpu); }
  bool sends(std::uint32_t /*gpu*/, std::uint32_t /*port*/) const override { return true; }
  bool idle() const override;
  std::uint64_t heartbeat() const override;
  double fractionDone() const override;
  Watchdog watchdog() const override;
  std::string whoWaits() const override;

 private:
  std::size_t index(std::uint32_t gpu) const { return gpu % nodes_.size(); }
  void makeNodes(TrackerKind tracker, const SystemRtl& rtl);
  void countBytesToSend();
  void startGemm(std::uint32_t gpu, NodeId node, const GemmWork& work);
  void startConsumer(std::uint32_t gpu, NodeId node, const GemmWork& work);
  void startNorm(std::uint32_t gpu, NodeId node);
  void startCollective(std::uint32_t gpu, NodeId node);
  const Gpu::Kernels& kernels(std::uint32_t gpu, NodeId node) const {
    return this->node(gpu).gpu.nodes[node];
  }
  double computed(std::uint32_t gpu) const;
  OutputMap outputMap(std::uint32_t gpu, GemmWork::Stores stores) const;
  void kernelEnded(std::uint32_t gpu, const GemmWork& work);

  const SystemConfig config_;
  const Graph& graph_;
  const std::vector<const Collective*> collectives_;
  const std::unique_ptr<const Route> route_;
  const std::vector<OutputPlan> outputs_;
  const std::optional<ConsumerPlan> consumer_;
  PayloadPool pool_;
  Fabric fabric_;
  std::vector<std::unique_ptr<GpuNode>> nodes_;   ///< by GPU; null for one of another process
  std::vector<std::uint32_t> arbitratedKernels_;  ///< by GPU, that run
  std::unique_ptr<TrackedOutput> tracked_;
  Checks checks_;
  double bytesToSend_ = 0;  ///< by all collectives, mean of the GPUs
};

}  // namespace t3
