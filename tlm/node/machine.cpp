// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/machine.h"

#include <algorithm>

#include "tlm/node/loop.h"

namespace t3 {
Machine::Machine(const SystemConfig& config, const Graph& graph, TrackerKind tracker,
                 const SystemRtl& rtl, const Peers* peers)
    : config_(config),
      graph_(graph),
      plan_(graph.planOf(0)),
      ownRoute_(plan_ != nullptr ? nullptr : config.makeRoute()),
      route_(plan_ != nullptr ? &plan_->links() : ownRoute_.get()),
      outputs_(plan_ != nullptr ? std::vector<OutputPlan>{}
                                : planOutputs(config, graph.outputs, *route_)),
      fabric_(config_, *route_, peers),
      nodes_(config.simulatedGpus()),
      arbitratedKernels_(config.simulatedGpus()) {
  makeNodes(tracker, rtl);
  connectNodes(rtl);
  for (const Tracking& tracking : graph.trackings) {
    if (plan_ == nullptr) tracked_.push_back(std::make_unique<TrackedOutput>(*this, tracking));
  }
}

/// A collective alone by kernels has no trackers, which may be thousands.
void Machine::makeNodes(TrackerKind tracker, const SystemRtl& rtl) {
  for (std::uint32_t g = 0; g < nodes_.size(); ++g) {
    if (fabric_.builds(g)) {
      std::optional<TrackerChoice> choice;
      if (plan_ == nullptr || plan_->tracked()) choice.emplace(tracker, rtl);
      nodes_[g] = std::make_unique<GpuNode>(
          ("gpu" + std::to_string(g)).c_str(), config_.ofGpu(g), choice,
          GpuContext{GpuId{g}, graph_, outputs_,
                     plan_ != nullptr ? config_.collective.data_type : config_.workload.data_type,
                     config_.data, pool_, *route_, fabric_.wiring().linkCount(g),
                     fabric_.wiring().entryCount(g)});
    }
    fabric_.add(nodes_[g].get());
  }
}

void Machine::connectNodes(const SystemRtl& rtl) {
  fabric_.connect(
      [this](const char* name) -> std::unique_ptr<Loop> {
        if (plan_ != nullptr) return std::make_unique<AlgorithmLoop>(name, *plan_->alike());
        return std::make_unique<SymmetricLoop>(name, outputs_, *route_, pool_);
      },
      rtl.mergeUnits);
}

// ---- software ---------------------------------------------------------------------------------

void Machine::setUp(std::uint32_t gpu, std::size_t tracking) {
  if (plan_ != nullptr) return node(gpu).programTracker(*plan_);
  tracked_[tracking]->program(gpu);
}

/// What is armed for one more round of the same needs no more; else all of it is programmed.
void Machine::setUpAgain(std::uint32_t gpu, std::size_t tracking, Step done) {
  if (plan_ != nullptr) return node(gpu).programTrackerAgain(*plan_, std::move(done));
  checks_.sentOn(gpu, *trackedNow(gpu));
  if (tracked_.size() == 1) return tracked_[tracking]->programAgain(gpu, std::move(done));
  tracked_[tracking]->programNext(gpu, std::move(done));
}

void Machine::prepare(std::uint32_t gpu, std::size_t tracking, Picoseconds begins) {
  if (graph_.fused()) tracked_[tracking]->prepareMemory(gpu, begins);
}

bool Machine::tracksNoMore(std::uint32_t gpu, std::size_t tracking) const {
  if (plan_ != nullptr) return executor().allEnded(gpu);
  return tracked_[tracking]->noMore(gpu);
}

const TrackedOutput* Machine::trackedNow(std::uint32_t gpu) const {
  return tracked_.empty() ? nullptr : tracked_[executor().tracking(gpu)].get();
}

void Machine::renew(std::uint32_t gpu, Picoseconds begins) {
  if (executor().round(gpu) > 0) {
    if (tracked_.size() == 1) tracked_.front()->expectTiles(gpu);
    checks_.begins(gpu);
    for (const Gpu::Kernels& kernels : node(gpu).gpu.nodes) {
      if (plan_ == nullptr) break;
      for (StepWorker* worker : kernels.workers()) worker->renew();
    }
  }
  if (!tracked_.empty()) prepare(gpu, 0, begins);
}

// ---- kernels ----------------------------------------------------------------------------------

void Machine::launch(std::uint32_t gpu, NodeId node) {
  const GraphNode& what = graph_.nodes[node];
  if (const auto* gemm = what.as<GemmWork>()) {
    startGemm(gpu, node, *gemm);
  } else if (what.as<RowsWork>() != nullptr) {
    startNorm(gpu, node);
  } else if (const auto* collective = what.as<CollectiveWork>()) {
    if (collective->plan != nullptr) return startPlan(gpu, node);
    if (!collective->tracked) return startCollective(gpu, node);
    tracked_[executor().tracking(gpu)]->start(gpu, node);
  } else if (const auto* delay = what.as<DelayWork>()) {
    executor().begun(gpu, node);
    fabric_.at(gpu, now() + delay->time, [this, gpu, node] { executor().ended(gpu, node, now()); });
  } else {
    executor().begun(gpu, node);
    what.as<SoftwareWork>()->does(*this, gpu);
    executor().ended(gpu, node, now());
  }
}

OutputMap Machine::outputMap(std::uint32_t gpu, const GemmWork& work) const {
  using Stores = GemmWork::Stores;
  OutputMap map;
  const Tiling& tiling = outputs_[work.output].tiling;
  if (work.stores == Stores::Through) map.writeThrough({0, tiling.tiles()});
  if (work.stores == Stores::Cached || work.stores == Stores::Through) return map;
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    const TileRange tiles = tiling.chunk(ChunkId{c});
    if (route_->duty(GpuId{gpu}, ChunkId{c}) != Route::Duty::Sends) {
      map.dmaMap(tiles, sumBuffer(*route_, GpuId{gpu}, ChunkId{c}));
    } else if (work.stores == Stores::Kept) {
      map.discard(tiles);
    } else {
      const GpuId peer = route_->peer(GpuId{gpu}, route_->port(GpuId{gpu}, ChunkId{c}));
      map.remoteMap(tiles, peer, sumBuffer(*route_, peer, ChunkId{c}));
    }
  }
  return map;
}

/// One that stores in its L2 what another kernel reads later may wait for its operand, row by row.
void Machine::startGemm(std::uint32_t gpu, NodeId node, const GemmWork& work) {
  using Stores = GemmWork::Stores;
  const bool consumes = work.reads && work.stores == Stores::Cached;
  std::uint32_t& running = arbitratedKernels_[index(gpu)];
  GemmLaunch gemm;
  gemm.node = node;
  if (consumes) {
    gemm.firstBegins = [this, gpu, node] { executor().begun(gpu, node); };
  } else {
    executor().begun(gpu, node);
    if (work.stores == Stores::Tracked) tracked_[executor().tracking(gpu)]->sumsBegin(gpu);
  }
  if (work.arbitrated && running++ == 0 && !consumes) this->node(gpu).hbm.beginKernel();
  gemm.output = outputMap(gpu, work);
  gemm.rowByRow = graph_.source(Gate::Rows, node).has_value();
  if (work.stores != Stores::Cached) gemm.chunkOrder = route_->order(GpuId{gpu});
  if (work.stores == Stores::Tracked || work.stores == Stores::Kept) {
    gemm.groups = route_->groups(GpuId{gpu});
  }
  for (const GraphEdge& edge : graph_.edges) {
    const GraphNode& taker = graph_.nodes[edge.to];
    if (edge.from != node || edge.gate != Gate::Chunks) continue;
    if (taker.tracked()) {
      gemm.remoteNode = edge.to;
      continue;
    }
    const auto& steps = this->node(gpu).gpu.nodes[edge.to].steps;
    gemm.chunkStored = [this, &steps](ChunkId chunk, Picoseconds when) {
      steps[route_->kernelOf(chunk)]->localCopyReady(chunk, when);
    };
  }
  gemm.trackedTileDone = [this, gpu] { this->node(gpu).ringLag.produced(); };
  gemm.done = [this, gpu, node, &work](Picoseconds when) {
    if (work.arbitrated && --arbitratedKernels_[index(gpu)] == 0) this->node(gpu).hbm.endKernel();
    executor().ended(gpu, node, when);
    for (std::size_t t = 0; t < tracked_.size(); ++t) {
      const auto producer = graph_.producerOf(graph_.trackings[t]);
      if (!producer || producer == node) tracked_[t]->endWithoutTiles(gpu);
    }
  };
  kernels(gpu, node).gemm->launch(std::move(gemm));
  const auto gather = graph_.source(Gate::Rows, node);
  if (gather && kernels(gpu, *gather).arrivals) openRows(gpu, *gather, *work.reads);
}

/// Rows that the kernels of `gather` bring; those that are the GPU's own are there.
void Machine::openRows(std::uint32_t gpu, NodeId gather, std::uint32_t output) {
  RowArrivals& arrivals = *kernels(gpu, gather).arrivals;
  arrivals.open();
  const OutputPlan& read = outputs_[output];
  const OutputBuffer buffer = read.layout.normed != 0 ? OutputBuffer::Normed : OutputBuffer::Output;
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    if (route_->owner(ChunkId{c}) != GpuId{gpu}) continue;
    for (const auto& [address, bytes] : read.areas(ChunkId{c}, buffer)) {
      arrivals.add(address, bytes, now());
    }
  }
}

void Machine::startNorm(std::uint32_t gpu, NodeId node) {
  NormLaunch launch;
  launch.node = node;
  const Tiling& tiling = outputs_[graph_.outputOf(node)].tiling;
  for (std::uint32_t row = 0; row < tiling.tilesDown(); ++row) {
    const ChunkId chunk = tiling.chunkOf(WorkgroupId{row * tiling.tilesAcross()});
    if (route_->owner(chunk) == GpuId{gpu}) launch.tileRows.push_back(row);
  }
  launch.rowByRow = launch.tracked = graph_.source(Gate::Rows, node).has_value();
  launch.firstBegins = [this, gpu, node] { executor().begun(gpu, node); };
  launch.done = [this, gpu, node](Picoseconds when) { executor().ended(gpu, node, when); };
  kernels(gpu, node).norm->launch(std::move(launch));
}

/// Who claims units may do so in the middle of what gives others back; the kernel begins after
/// that.
void Machine::startCollective(std::uint32_t gpu, NodeId node) {
  const auto* work = graph_.nodes[node].as<CollectiveWork>();
  if (!work->holdsUnits()) return startKernels(gpu, node, {});
  this->node(gpu).gpu.array().claim(
      work->units, [this, gpu, node](const std::vector<std::uint32_t>& units) {
        fabric_.at(gpu, now(), [this, gpu, node, units] { startKernels(gpu, node, units); });
      });
}

void Machine::startKernels(std::uint32_t gpu, NodeId node,
                           const std::vector<std::uint32_t>& units) {
  executor().begun(gpu, node);
  const auto copies = graph_.source(Gate::Chunks, node) ? StepKernel::LocalCopies::Announced
                                                        : StepKernel::LocalCopies::Ready;
  const auto last = [this, gpu, node, units,
                     left =
                         std::make_shared<std::size_t>(route_->size().kernels)](Picoseconds when) {
    if (--*left != 0) return;
    if (!units.empty()) this->node(gpu).gpu.array().unclaim(units);
    executor().ended(gpu, node, when);
  };
  for (const auto& kernel : kernels(gpu, node).steps) kernel->launch(last, copies);
}

/// Workers with nothing to do end at once, before others are launched.
void Machine::startPlan(std::uint32_t gpu, NodeId node) {
  executor().begun(gpu, node);
  const std::vector<StepWorker*> workers = kernels(gpu, node).workers();
  const auto last = [this, gpu, node,
                     left = std::make_shared<std::size_t>(workers.size())](Picoseconds when) {
    if (--*left == 0) executor().ended(gpu, node, when);
  };
  for (StepWorker* worker : workers) worker->launch(last);
}

}  // namespace t3
