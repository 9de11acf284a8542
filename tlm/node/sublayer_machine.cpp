// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/sublayer_machine.h"

#include <algorithm>

#include "tlm/node/deadlock_report.h"
#include "tlm/node/symmetric_loop.h"

namespace t3 {

SublayerMachine::SublayerMachine(const SystemConfig& config, const Graph& graph,
                                 TrackerKind tracker, const SystemRtl& rtl, const Peers* peers)
    : config_(config),
      graph_(graph),
      collectives_(graph.collectives()),
      route_(config.makeRoute()),
      outputs_(config.makeOutputs(*route_)),
      consumer_(config.makeConsumer(tiling(), layout())),
      fabric_(config_, *route_, peers),
      nodes_(config.simulatedGpus()),
      arbitratedKernels_(config.simulatedGpus()) {
  makeNodes(tracker, rtl);
  countBytesToSend();
  if (!graph.trackers.empty()) tracked_ = std::make_unique<TrackedOutput>(*this);
}

void SublayerMachine::makeNodes(TrackerKind tracker, const SystemRtl& rtl) {
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    if (fabric_.builds(g)) {
      const SystemConfig own = config_.ofGpu(g);
      nodes_[g] = std::make_unique<GpuNode>(
          ("gpu" + std::to_string(g)).c_str(), own,
          TrackerChoice{tracker, rtl.tracker(g), rtl.ownTracker},
          GpuContext{GpuId{g}, graph_, outputs_, config_.workload.data_type, config_.data, pool_,
                     *route_, fabric_.linkCount(g), fabric_.entryCount(g)});
    }
    fabric_.add(nodes_[g].get());
  }
  fabric_.connect(
      [this](const char* name) {
        return std::make_unique<SymmetricLoop>(name, tiling(), layout(), *route_, pool_);
      },
      rtl.mergeUnits);
}

void SublayerMachine::countBytesToSend() {
  for (const Collective* collective : collectives_) {
    const CollectiveTraffic traffic(*collective, *route_, tiling());
    for (std::uint32_t g = 0; g < gpus(); ++g) {
      for (std::uint32_t port = 0; port < route_->ports(); ++port) {
        bytesToSend_ += static_cast<double>(traffic.bytes(GpuId{g}, port)) / gpus();
      }
      bytesToSend_ += static_cast<double>(traffic.toSwitch(GpuId{g})) / gpus();
    }
  }
}

bool SublayerMachine::consumerWaits() const {
  const auto node = graph_.find(Phase::Consumer);
  return node && (!graph_.isRoot(*node) || graph_.source(Gate::Rows, *node) ||
                  graph_.nodes[*node].part > 0);
}

SublayerMachine::Areas SublayerMachine::areas(ChunkId chunk, OutputBuffer buffer) const {
  Areas list;
  for (const Segment& segment : segmentsOf(tiling(), tiling().chunk(chunk))) {
    list.emplace_back(layout().base(buffer) + segment.offset, segment.bytes);
  }
  return list;
}

// ---- software ---------------------------------------------------------------------------------

void SublayerMachine::setUpAgain(std::uint32_t gpu, Step done) {
  checks_.sentOn(gpu);
  tracked_->programAgain(gpu, std::move(done));
}

bool SublayerMachine::tracksNoMore(std::uint32_t gpu) const {
  return !tracked_ || tracked_->noMore(gpu);
}

void SublayerMachine::renew(std::uint32_t gpu, Picoseconds begins) {
  if (executor().round(gpu) > 0) {
    if (tracked_) tracked_->expectTiles(gpu);
    checks_.begins(gpu);
  }
  if (graph_.fused()) tracked_->prepareMemory(gpu, begins);
}

// ---- kernels ----------------------------------------------------------------------------------

void SublayerMachine::launch(std::uint32_t gpu, NodeId node) {
  const GraphNode& what = graph_.nodes[node];
  if (const auto* gemm = what.as<GemmWork>()) {
    gemm->reads ? startConsumer(gpu, node, *gemm) : startGemm(gpu, node, *gemm);
  } else if (what.as<RowsWork>() != nullptr) {
    startNorm(gpu, node);
  } else if (const auto* collective = what.as<CollectiveWork>()) {
    collective->tracked ? tracked_->start(gpu, node) : startCollective(gpu, node);
  } else {
    executor().begun(gpu, node);
    what.as<SoftwareWork>()->does(*this, gpu);
    executor().ended(gpu, node, now());
  }
}

OutputMap SublayerMachine::outputMap(std::uint32_t gpu, GemmWork::Stores stores) const {
  using Stores = GemmWork::Stores;
  OutputMap map;
  if (stores == Stores::Through) map.writeThrough({0, tiling().tiles()});
  if (stores == Stores::Cached || stores == Stores::Through) return map;
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    const TileRange tiles = tiling().chunk(ChunkId{c});
    if (route_->duty(GpuId{gpu}, ChunkId{c}) != Route::Duty::Sends) {
      map.dmaMap(tiles, route_->buffer(GpuId{gpu}, ChunkId{c}));
    } else if (stores == Stores::Kept) {
      map.discard(tiles);
    } else {
      const GpuId peer = route_->peer(GpuId{gpu}, route_->port(GpuId{gpu}, ChunkId{c}));
      map.remoteMap(tiles, peer, route_->buffer(peer, ChunkId{c}));
    }
  }
  return map;
}

void SublayerMachine::startGemm(std::uint32_t gpu, NodeId node, const GemmWork& work) {
  using Stores = GemmWork::Stores;
  executor().begun(gpu, node);
  if (work.stores == Stores::Tracked) tracked_->sumsBegin(gpu);
  if (work.arbitrated && arbitratedKernels_[index(gpu)]++ == 0) this->node(gpu).hbm.beginKernel();
  GemmLaunch gemm;
  gemm.output = outputMap(gpu, work.stores);
  if (work.stores != Stores::Cached) gemm.chunkOrder = route_->order(GpuId{gpu});
  if (work.stores == Stores::Tracked || work.stores == Stores::Kept) {
    gemm.groups = route_->groups(GpuId{gpu});
  }
  for (const GraphEdge& edge : graph_.edges) {
    const GraphNode& taker = graph_.nodes[edge.to];
    if (edge.from != node || edge.gate != Gate::Chunks || taker.tracked()) continue;
    const auto& steps = this->node(gpu).gpu.nodes[edge.to].steps;
    gemm.chunkStored = [this, &steps](ChunkId chunk, Picoseconds when) {
      steps[route_->kernelOf(chunk)]->localCopyReady(chunk, when);
    };
  }
  gemm.trackedTileDone = [this, gpu] { this->node(gpu).ringLag.produced(); };
  gemm.done = [this, gpu, node, &work](Picoseconds when) {
    kernelEnded(gpu, work);
    executor().ended(gpu, node, when);
    if (tracked_) tracked_->endWithoutTiles(gpu);
  };
  kernels(gpu, node).gemm->launch(std::move(gemm));
}

void SublayerMachine::kernelEnded(std::uint32_t gpu, const GemmWork& work) {
  if (work.arbitrated && --arbitratedKernels_[index(gpu)] == 0) node(gpu).hbm.endKernel();
}

void SublayerMachine::startConsumer(std::uint32_t gpu, NodeId node, const GemmWork& work) {
  GemmLaunch launch;
  launch.rowByRow = graph_.source(Gate::Rows, node).has_value();
  launch.firstBegins = [this, gpu, node] { executor().begun(gpu, node); };
  launch.done = [this, gpu, node, &work](Picoseconds when) {
    kernelEnded(gpu, work);
    executor().ended(gpu, node, when);
  };
  if (work.arbitrated) ++arbitratedKernels_[index(gpu)];
  kernels(gpu, node).gemm->launch(std::move(launch));
  const auto gather = graph_.source(Gate::Rows, node);
  if (!gather || !kernels(gpu, *gather).arrivals) return;
  RowArrivals& arrivals = *kernels(gpu, *gather).arrivals;
  arrivals.open();
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    if (route_->owner(ChunkId{c}) != GpuId{gpu}) continue;
    const OutputBuffer buffer =
        config_.workload.norms() ? OutputBuffer::Normed : OutputBuffer::Output;
    for (const auto& [address, bytes] : areas(ChunkId{c}, buffer)) {
      arrivals.add(address, bytes, now());
    }
  }
}

void SublayerMachine::startNorm(std::uint32_t gpu, NodeId node) {
  NormLaunch launch;
  for (std::uint32_t row = 0; row < tiling().tilesDown(); ++row) {
    const ChunkId chunk = tiling().chunkOf(WorkgroupId{row * tiling().tilesAcross()});
    if (route_->owner(chunk) == GpuId{gpu}) launch.tileRows.push_back(row);
  }
  launch.rowByRow = launch.tracked = graph_.source(Gate::Rows, node).has_value();
  launch.firstBegins = [this, gpu, node] { executor().begun(gpu, node); };
  launch.done = [this, gpu, node](Picoseconds when) { executor().ended(gpu, node, when); };
  kernels(gpu, node).norm->launch(std::move(launch));
}

void SublayerMachine::startCollective(std::uint32_t gpu, NodeId node) {
  executor().begun(gpu, node);
  const auto copies = graph_.source(Gate::Chunks, node) ? StepKernel::LocalCopies::Announced
                                                        : StepKernel::LocalCopies::Ready;
  const auto last = [this, gpu, node,
                     left = std::make_shared<std::size_t>(route_->kernels())](Picoseconds when) {
    if (--*left == 0) executor().ended(gpu, node, when);
  };
  for (const auto& kernel : kernels(gpu, node).steps) kernel->launch(last, copies);
}

// ---- for who watches the run ------------------------------------------------------------------

bool SublayerMachine::idle() const {
  return std::ranges::all_of(own(), [this](std::uint32_t g) { return node(g).driver->idle(); }) &&
         fabric_.idle();
}

/// Mean of the GEMMs of a GPU.
double SublayerMachine::computed(std::uint32_t gpu) const {
  double done = 0, count = 0;
  for (const Gpu::Kernels& kernels : node(gpu).gpu.nodes) {
    if (!kernels.gemm) continue;
    done += kernels.gemm->progress();
    ++count;
  }
  return count == 0 ? 1 : done / count;
}

double SublayerMachine::fractionDone() const {
  double gemms = 0;
  double sent = 0;
  for (const std::uint32_t g : own()) {
    const std::uint32_t round = executor().round(g);
    gemms += round + (round > 0 && executor().waitsToBegin(g) ? 0 : computed(g));
    sent += static_cast<double>(node(g).sentBytes());
  }
  const double all = 1.0 * static_cast<double>(own().size()) * executor().rounds();
  return (0.5 * gemms + 0.5 * std::min(all, sent / bytesToSend_)) / all;
}

std::uint64_t SublayerMachine::heartbeat() const {
  std::uint64_t beats = fabric_.heartbeat();
  for (const std::uint32_t g : own()) {
    for (const Gpu::Kernels& kernels : node(g).gpu.nodes) {
      if (kernels.gemm) beats += static_cast<std::uint64_t>(kernels.gemm->progress() * 1e9);
    }
  }
  return beats;
}

Watchdog SublayerMachine::watchdog() const {
  return Watchdog(config_, [this] { return deadlockReport(*this, true); });
}

std::string SublayerMachine::whoWaits() const { return deadlockReport(*this, false); }

}  // namespace t3
