// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/cluster.h"

#include <algorithm>

#include "tlm/node/lag_limit.h"
#include "tlm/node/symmetric_loop.h"

namespace t3 {

bool GpuProgress::gathered() const {
  return of(Phase::Gemm).end != 0 &&
         std::ranges::all_of(collectives, [this](const Collective* collective) {
           return of(collective->phase).end != 0;
         });
}

Cluster::Cluster(const SystemConfig& config, TrackerKind tracker, const SystemRtl& rtl,
                 Collectives collectives, const Peers* peers)
    : config_(config),
      collectives_(collectives),
      route_(config.makeRoute()),
      tiling_(config.makeTiling(*route_)),
      layout_(config.makeLayout(*route_, tiling_)),
      consumer_(config.makeConsumer(tiling_, layout_)),
      launchLatency_(picosecondsFromNs(config.gpu.kernel_launch_us * 1e3)),
      bounds_(boundParts(withoutHeaders(config_), *route_, tiling_, collectives_, true, true)),
      fabric_(config_, *route_, peers),
      progress_(config.simulatedGpus(),
                std::deque{GpuProgress(collectives, consumer_.has_value())}),
      tracking_(config.simulatedGpus()) {
  nodes_.resize(config.simulatedGpus());
  for (std::uint32_t g = 0; g < config.simulatedGpus(); ++g) {
    if (fabric_.builds(g)) {
      const SystemConfig own = config_.ofGpu(g);
      nodes_[g] = std::make_unique<GpuNode>(
          ("gpu" + std::to_string(g)).c_str(), own,
          TrackerChoice{tracker, rtl.tracker(g), rtl.ownTracker},
          GpuContext{GpuId{g}, tiling_, own.workload.depth, layout_, config_.workload.data_type,
                     config_.data, pool_, *route_, collectives_, fabric_.linkCount(g),
                     fabric_.entryCount(g), consumer_, config_.workload.norms()});
    }
    fabric_.add(nodes_[g].get());
  }
  fabric_.connect(
      [this](const char* name) {
        return std::make_unique<SymmetricLoop>(name, tiling_, layout_, *route_, pool_);
      },
      rtl.mergeUnits);
  for (const Collective* collective : collectives_) {
    const CollectiveTraffic traffic(*collective, *route_, tiling_);
    for (std::uint32_t g = 0; g < gpus(); ++g) {
      for (std::uint32_t port = 0; port < route_->ports(); ++port) {
        bytesToSend_ += static_cast<double>(traffic.bytes(GpuId{g}, port)) / gpus();
      }
      bytesToSend_ += static_cast<double>(traffic.toSwitch(GpuId{g})) / gpus();
    }
  }
}

Cluster::Areas Cluster::areas(ChunkId chunk, OutputBuffer buffer) const {
  Areas list;
  for (const Segment& segment : segmentsOf(tiling_, tiling_.chunk(chunk))) {
    list.emplace_back(layout_.base(buffer) + segment.offset, segment.bytes);
  }
  return list;
}

void Cluster::programTracker(std::uint32_t gpu, const TrackerUse& use, Done reduced,
                             Done gathered) {
  Tracking& tracking = tracking_[index(gpu)];
  tracking.plan = planTracker(*route_, tiling_, GpuId{gpu}, config_.tracker.block_log2, use);
  tracking.reduced = std::move(reduced);
  tracking.gathered = std::move(gathered);
  tracking.programmed = true;
  tracking.gathers = use.gathers;
  const GpuBound& bound = bounds_.gpus[index(gpu)];
  node(gpu).ringLag.limit(lagLimit(config_.ofGpu(gpu), bound, use.gathers));
  node(gpu).hbm.expectTraffic(expectedTraffic(bound, use.gathers));
  tracking.commands = 0;
  tracking.sums.clear();
  for (const auto& [slot, tiles] : tracking.plan.reduced) tracking.sums.emplace(slot, tiles);
  tracking.starts.clear();
  if (use.gathers) {
    const auto& own = use.norms ? tracking.plan.normed : tracking.plan.reduced;
    for (const auto& [slot, tiles] : own) tracking.starts.insert(slot);
  }
  armCommands(gpu);
  node(gpu).onTriggered([this, gpu](CommandId command) { triggered(gpu, command); });
  node(gpu).driver->onRegionDone([this, gpu](std::uint32_t region) { regionDone(gpu, region); });
  if (use.releases || use.norms) {
    node(gpu).onRelease([this, gpu](std::uint32_t row) { released(gpu, row); });
  }
  node(gpu).onSent([this, gpu](std::uint32_t tiles) { tileSent(gpu, tiles); });
  expectTiles(gpu);
  if (config_.leavesOut()) admitFirst(gpu);
  node(gpu).driver->program(tiling_, layout_, config_.tracker.block_log2, tracking.plan.regions);
}

void Cluster::admitFirst(std::uint32_t gpu) {
  AdmissionTable::Sums sums;
  for (const ChunkId chunk : route_->order(GpuId{gpu})) {
    if (route_->duty(GpuId{gpu}, chunk) != Route::Duty::Keeps) continue;
    const TileRange tiles = tiling_.chunk(chunk);
    sums = {layout_.base(route_->buffer(GpuId{gpu}, chunk)), tiling_.outputBytes(), tiles.first,
            tiles.count, config_.tracker.block_log2};
  }
  node(gpu).hbm.admitFirst(sums, config_.workload.contributions);
}

void Cluster::programTrackerAgain(std::uint32_t gpu, Step done) {
  armCommands(gpu);
  Tracking& tracking = tracking_[index(gpu)];
  node(gpu).driver->programAgain(tiling_, config_.tracker.block_log2, tracking.plan.regions,
                                 std::move(done));
}

void Cluster::armCommands(std::uint32_t gpu) {
  Tracking& tracking = tracking_[index(gpu)];
  for (const TrackerPlan::Command& command : tracking.plan.commands) {
    node(gpu).gpu.dma.program(command.slot, command.transfer);
  }
  tracking.nextCommand = tracking.plan.slots;
  tracking.commands += tracking.plan.triggered;
}

void Cluster::nextSublayer(std::uint32_t gpu) {
  progress_[index(gpu)].emplace_back(collectives_, consumer_.has_value());
  expectTiles(gpu);
}

/// What `progress` counts down: the tiles that are to be sent on, and the regions that are to be
/// reduced or to arrive.
void Cluster::expectTiles(std::uint32_t gpu) {
  const TrackerPlan& plan = tracking_[index(gpu)].plan;
  GpuProgress& left = progress(gpu);
  for (const auto& command : plan.commands) {
    if (!command.transfer.targets.empty()) left.tilesToSend += command.transfer.tiles.count;
  }
  left.ownRegionsLeft.insert(plan.reducedRegions.begin(), plan.reducedRegions.end());
  left.arrivalRegionsLeft.insert(plan.arrivedRegions.begin(), plan.arrivedRegions.end());
}

void Cluster::tellIfTracksNoMore(std::uint32_t gpu) {
  const GpuProgress& left = progress(gpu);
  if (left.tilesToSend != 0 || !left.tracked()) return;
  tell(&Milestones::tracksNoMore, gpu);
}

void Cluster::tileSent(std::uint32_t gpu, std::uint32_t tiles) {
  progress(gpu).tilesToSend -= tiles;
  tellIfTracksNoMore(gpu);
  tellIfEnded(gpu);
}

/// The tracker has said that a block is complete.
void Cluster::triggered(std::uint32_t gpu, CommandId command) {
  const Tracking& tracking = tracking_[index(gpu)];
  TimeSpan& gather = progress(gpu).of(Phase::AllGather);
  if (!gather.begun() && tracking.starts.contains(command)) gather.start = now();
  const auto sum = tracking.sums.find(command);
  if (sum != tracking.sums.end()) node(gpu).ringLag.through(sum->second.count);
}

void Cluster::regionDone(std::uint32_t gpu, std::uint32_t region) {
  const Tracking& tracking = tracking_[index(gpu)];
  GpuProgress& state = progress(gpu);
  if (state.ownRegionsLeft.erase(region) != 0) {
    if (!state.ownRegionsLeft.empty()) return;
    state.of(Phase::ReduceScatter).end = now();
    endWithoutTiles(gpu);
    if (tracking.reduced) tracking.reduced(now());
  } else if (state.arrivalRegionsLeft.erase(region) != 0) {
    if (!state.arrivalRegionsLeft.empty()) return;
    TimeSpan& gathered = state.of(Phase::AllGather);
    gathered.end = now();
    if (!gathered.begun()) gathered.start = now();
    if (tracking.gathered) tracking.gathered(now());
  } else {
    return;  // its blocks have triggered
  }
  tellIfTracksNoMore(gpu);
  tellIfEnded(gpu);
}

/// The slots of the consumer's rows come first, then those of the norm's.
void Cluster::released(std::uint32_t gpu, std::uint32_t row) {
  Gpu& parts = node(gpu).gpu;
  if (row < tiling_.tilesDown()) return parts.consumer->release(row);
  parts.norm->release(row - tiling_.tilesDown() + tracking_[index(gpu)].plan.firstOwnRow);
}

void Cluster::tellIfEnded(std::uint32_t gpu) {
  GpuProgress& state = progress(gpu);
  const bool follows = state.consumes && consumers_ == Consumers::Follow;
  if (follows && state.gathered() && !state.consumerLaunched) {
    state.consumerLaunched = true;
    at(gpu, now() + launchLatency_, [this, gpu] { startConsumer(gpu); });
  }
  if (!state.done() || state.tilesToSend > 0) return;
  const bool gathers = !tracking_[index(gpu)].plan.arrived.empty();
  if (gathers && !atLastSublayer(gpu) && !node(gpu).hbm.idle()) {
    return fabric_.fence(gpu, [this, gpu] { tellIfEnded(gpu); });
  }
  tell(&Milestones::ended, gpu);
}

/// What has no tiles is waited for by nobody, and the tracker says nothing of it: where there are
/// fewer tiles than GPUs, the reduce-scatter of a GPU that owns none ends with its GEMM, and to a
/// GPU that owns all nothing is gathered.
void Cluster::endWithoutTiles(std::uint32_t gpu) {
  if (!tracking_[index(gpu)].programmed) return;
  const TrackerPlan& plan = tracking_[index(gpu)].plan;
  TimeSpan& reduced = progress(gpu).of(Phase::ReduceScatter);
  TimeSpan& gathered = progress(gpu).of(Phase::AllGather);
  const bool gathers = tracking_[index(gpu)].gathers;
  if (plan.reducedRegions.empty() && reduced.begun() && reduced.end == 0) {
    reduced.end = now();
    if (gathers && !gathered.begun()) gathered.start = now();
    const bool sends = std::ranges::any_of(
        plan.commands, [](const auto& command) { return !command.transfer.targets.empty(); });
    if (!sends && plan.arrivedRegions.empty()) tellIfTracksNoMore(gpu);
  }
  if (gathers && plan.arrivedRegions.empty() && reduced.end != 0 && gathered.end == 0) {
    gathered.start = gathered.end = now();
  }
}

void Cluster::sendUntracked(std::uint32_t gpu) {
  endWithoutTiles(gpu);
  const std::uint32_t blockTiles = 1U << config_.tracker.block_log2;
  for (const ChunkId chunk : route_->order(GpuId{gpu})) {
    const Route::Duty duty = route_->duty(GpuId{gpu}, chunk);
    if (duty == Route::Duty::Keeps) continue;
    if (duty == Route::Duty::Passes && route_->updatesPerElement(GpuId{gpu}, chunk) > 1) continue;
    const TileRange tiles = tiling_.chunk(chunk);
    const std::uint32_t port = route_->port(GpuId{gpu}, chunk);
    const GpuId peer = route_->peer(GpuId{gpu}, port);
    DmaDescriptor transfer;
    transfer.targets = {{port, peer}};
    if (duty == Route::Duty::Passes) transfer.from = route_->buffer(GpuId{gpu}, chunk);
    transfer.to = route_->buffer(peer, chunk);
    for (std::uint32_t wg = tiles.first; wg < tiles.end(); wg += blockTiles) {
      transfer.tiles = {wg, std::min(blockTiles, tiles.end() - wg)};
      const CommandId command{tracking_[index(gpu)].nextCommand++};
      node(gpu).gpu.dma.program(command, transfer);
      node(gpu).gpu.dma.start(command);
    }
  }
}

void Cluster::sendOwnChunks(std::uint32_t gpu) {
  endWithoutTiles(gpu);
  for (const TrackerPlan::Command& command : tracking_[index(gpu)].plan.commands) {
    const WorkgroupId first{command.transfer.tiles.first};
    if (route_->owner(tiling_.chunkOf(first)) == GpuId{gpu}) node(gpu).gpu.dma.start(command.slot);
  }
}

void Cluster::startGemm(std::uint32_t gpu, OutputMap output, Order order, Done done) {
  progress(gpu).of(Phase::Gemm).start = now();
  node(gpu).hbm.beginKernel();
  GemmLaunch gemm;
  gemm.output = std::move(output);
  if (order != Order::Free) gemm.chunkOrder = route_->order(GpuId{gpu});
  if (order == Order::Fused) {
    gemm.groups = route_->groups(GpuId{gpu});
  }
  if (config_.gpu.split_compute_units != 0) {
    gemm.chunkStored = [this, gpu](ChunkId chunk, Picoseconds when) {
      const Gpu::Kernels& kernels = node(gpu).gpu.kernels.of(*collectives_.front());
      kernels[route_->kernelOf(chunk)]->localCopyReady(chunk, when);
    };
  }
  gemm.trackedTileDone = [this, gpu] { node(gpu).ringLag.produced(); };
  gemm.done = [this, gpu, done = std::move(done)](Picoseconds when) {
    // A consumer beside the collectives is the kernel that goes on.
    if (!consumer_ || consumers_ != Consumers::ByRow) node(gpu).hbm.endKernel();
    progress(gpu).of(Phase::Gemm).end = when;
    endWithoutTiles(gpu);
    done(when);
    tellIfEnded(gpu);
  };
  node(gpu).gpu.gemm.launch(std::move(gemm));
}

void Cluster::startNorm(std::uint32_t gpu, bool byRow, Done done) {
  NormLaunch launch;
  for (std::uint32_t row = 0; row < tiling_.tilesDown(); ++row) {
    const ChunkId chunk = tiling_.chunkOf(WorkgroupId{row * tiling_.tilesAcross()});
    if (route_->owner(chunk) == GpuId{gpu}) launch.tileRows.push_back(row);
  }
  launch.rowByRow = launch.tracked = byRow;
  launch.firstBegins = [this, gpu] { progress(gpu).of(Phase::Norm).start = now(); };
  launch.done = [this, gpu, done = std::move(done)](Picoseconds when) {
    progress(gpu).of(Phase::Norm).end = when;
    if (done) done(when);
  };
  node(gpu).gpu.norm->launch(std::move(launch));
}

void Cluster::startGather(std::uint32_t gpu, Done done) {
  const Collective& gather = **std::ranges::find_if(collectives_, &Collective::gathers);
  if (!config_.workload.norms()) return startCollective(gpu, gather, std::move(done));
  startNorm(gpu, false, [this, gpu, &gather, done = std::move(done)](Picoseconds when) {
    at(gpu, when + launchLatency_,
       [this, gpu, &gather, done] { startCollective(gpu, gather, done); });
  });
}

void Cluster::startConsumer(std::uint32_t gpu) {
  progress(gpu).consumerLaunched = true;
  GemmLaunch launch;
  launch.rowByRow = consumers_ == Consumers::ByRow || consumers_ == Consumers::ByArrival;
  launch.firstBegins = [this, gpu] { progress(gpu).of(Phase::Consumer).start = now(); };
  launch.done = [this, gpu](Picoseconds when) {
    progress(gpu).of(Phase::Consumer).end = when;
    if (consumers_ == Consumers::ByRow) node(gpu).hbm.endKernel();
    tellIfEnded(gpu);
  };
  Gpu& parts = node(gpu).gpu;
  parts.consumer->launch(std::move(launch));
  if (!parts.arrivals) return;
  parts.arrivals->open();
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    if (route_->owner(ChunkId{c}) != GpuId{gpu}) continue;
    const OutputBuffer buffer =
        config_.workload.norms() ? OutputBuffer::Normed : OutputBuffer::Output;
    for (const auto& [address, bytes] : areas(ChunkId{c}, buffer)) {
      parts.arrivals->add(address, bytes, now());
    }
  }
}

void Cluster::startCollective(std::uint32_t gpu, const Collective& collective, Done done,
                              StepKernel::LocalCopies copies) {
  TimeSpan& span = progress(gpu).of(collective.phase);
  span.start = now();
  const Done last = afterAllKernels([this, gpu, &span, done = std::move(done)](Picoseconds when) {
    span.end = when;
    if (done) done(when);
    tellIfEnded(gpu);
  });
  for (const auto& kernel : node(gpu).gpu.kernels.of(collective)) kernel->launch(last, copies);
}

Cluster::Done Cluster::afterAllKernels(Done done) const {
  return [left = std::make_shared<std::size_t>(route_->kernels()),
          done = std::move(done)](Picoseconds when) {
    if (--*left == 0) done(when);
  };
}

bool Cluster::finished() const {
  return std::ranges::all_of(own(), [this](std::uint32_t g) {
    return history(g).size() == sublayers_ && progress(g).done();
  });
}

bool Cluster::idle() const {
  return std::ranges::all_of(own(), [this](std::uint32_t g) { return node(g).driver->idle(); }) &&
         fabric_.idle();
}

std::size_t Cluster::requestsInUse() const { return pool_.inUse() + fabric_.requestsInUse(); }

double Cluster::fractionDone() const {
  double gemm = 0;
  double sent = 0;
  for (const std::uint32_t g : own()) {
    const Gpu& gpu = node(g).gpu;
    double own = progress(g).of(Phase::Gemm).begun() || sublayer(g) == 0 ? gpu.gemm.progress() : 0;
    if (gpu.consumer) own = (own + gpu.consumer->progress()) / 2;
    gemm += sublayer(g) + own;
    sent += static_cast<double>(node(g).sentBytes());
  }
  const double all = 1.0 * static_cast<double>(own().size()) * sublayers_;
  return (0.5 * gemm + 0.5 * std::min(all, sent / bytesToSend_)) / all;
}

std::uint64_t Cluster::heartbeat() const {
  std::uint64_t beats = fabric_.heartbeat();
  for (const std::uint32_t g : own()) {
    const Gpu& gpu = node(g).gpu;
    beats += static_cast<std::uint64_t>(gpu.gemm.progress() * 1e9);
    if (gpu.consumer) beats += static_cast<std::uint64_t>(gpu.consumer->progress() * 1e9);
  }
  return beats;
}

}  // namespace t3
