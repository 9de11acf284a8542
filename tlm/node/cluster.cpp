// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/cluster.h"

#include <algorithm>

#include "tlm/node/lag_limit.h"

namespace t3 {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint32_t kSpillRecordBytes = 32;  // docs/tracker.md, promise 9
constexpr std::uint32_t kWavefrontIdBits = 3;    // WfWidth of the RTL

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

MemoryLayout makeLayout(const SystemConfig& config, const Route& route, const Tiling& tiling) {
  MemoryLayout layout;
  layout.operandPitchBytes =
      alignUp(std::uint64_t{config.workload.depth} * bytesOf(config.workload.data_type),
              config.gpu.gemm.operand_pitch_align_bytes);
  std::uint64_t chunkBytes = 0;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    chunkBytes = std::max(chunkBytes, tiling.chunkBytes(ChunkId{c}));
  }
  layout.receiveStrideBytes = alignUp(chunkBytes, kMebibyte);

  // Buffers share no row of the memory.
  const HbmConfig& hbm = config.hbm;
  const std::uint64_t alignment =
      std::max(kMebibyte, std::uint64_t{hbm.channels} * hbm.bank_groups * hbm.page_bytes);
  std::uint64_t next = 0;
  const auto place = [&](std::uint64_t bytes) {
    return std::exchange(next, alignUp(next + bytes, alignment));
  };
  layout.operandA = place(layout.operandPitchBytes * tiling.rows());
  layout.operandB = place(layout.operandPitchBytes * tiling.columns());
  layout.output = place(tiling.outputBytes());
  layout.receive = place(layout.receiveStrideBytes * (route.chunks() - route.chunksPerGpu()));
  layout.spill = place((std::uint64_t{tiling.tiles()} << kWavefrontIdBits) * kSpillRecordBytes);
  layout.accumulation = place(tiling.outputBytes());
  layout.end = next;
  return layout;
}

}  // namespace

bool GpuProgress::done() const {
  return gemm.end != 0 &&
         std::ranges::all_of(collectives, [](const auto& part) { return part.value.end != 0; });
}

Cluster::Cluster(const SystemConfig& config, TrackerKind tracker, const RtlOptionsOf& rtl,
                 Collectives collectives)
    : config_(config),
      collectives_(collectives),
      route_(config.makeRoute()),
      tiling_(config.makeTiling(*route_)),
      layout_(makeLayout(config, *route_, tiling_)),
      launchLatency_(picosecondsFromNs(config.gpu.kernel_launch_us * 1e3)),
      progress_(config.simulatedGpus(), std::deque{GpuProgress(collectives)}),
      regions_(config.simulatedGpus()),
      ownChunkReduced_(config.simulatedGpus()),
      nextCommand_(config.simulatedGpus(), 0) {
  Agenda::ofSimulation().shuffle(config.order_seed);
  const std::uint32_t links = config.fabric.switched() ? 1 : route_->ports();
  const BoundParts parts = boundParts(config_, *route_, tiling_, collectives_, true);
  for (std::uint32_t g = 0; g < config.simulatedGpus(); ++g) {
    const SystemConfig own = config_.ofGpu(g);
    nodes_.push_back(std::make_unique<GpuNode>(
        ("gpu" + std::to_string(g)).c_str(), own, tracker, rtl ? rtl(g) : RtlOptions{},
        GpuContext{GpuId{g}, tiling_, config_.workload.depth, layout_, config_.workload.data_type,
                   config_.data, pool_, *route_, collectives_, links},
        lagLimit(own, parts.gpus[g])));
  }
  connect();
  for (const Collective* collective : collectives_) {
    const CollectiveTraffic traffic(*collective, *route_, tiling_);
    for (std::uint32_t g = 0; g < gpus(); ++g) {
      for (std::uint32_t port = 0; port < route_->ports(); ++port) {
        bytesToSend_ += static_cast<double>(traffic.bytes(GpuId{g}, port)) / gpus();
      }
    }
  }
}

void Cluster::connect() {
  if (config_.fabric.switched()) {
    std::vector<LinkConfig> leaving;
    for (std::uint32_t g = 0; g < simulated(); ++g) {
      leaving.push_back(config_.ofGpu(g).link);
      leaving.back().lose_write = 0;  // one fault, on the way to the switch
    }
    switch_ = std::make_unique<Switch>("switch", leaving, [this](const Payload& payload) {
      return static_cast<int>(index(gpuOf(payload.get_address()).value));
    });
  }
  // `port` of `module`: where the link ends.
  const auto lead = [this](Link& link, auto& entry, const sc_core::sc_object& module,
                           std::uint32_t port) {
    link.endsAt(module, port);
    if (simulated() != 1) return link.out.bind(entry);
    const std::string name = "loop_" + std::to_string(loops_.size());
    loops_.push_back(
        std::make_unique<SymmetricLoop>(name.c_str(), tiling_, layout_, gpus(), pool_));
    link.out.bind(loops_.back()->in);
    loops_.back()->out.bind(entry);
  };
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu(); ++l) {
      Link& link = *nodes_[g]->links[l];
      if (switch_) {
        lead(link, switch_->ports[g]->in, *switch_, g);
        switch_->links[g]->out.bind(nodes_[g]->gpu.ingress[l]->link);
        switch_->links[g]->endsAt(*nodes_[g], l);
      } else {
        GpuNode& peer = node(route_->peer(GpuId{g}, l).value);
        lead(link, peer.gpu.ingress[l]->link, peer, l);
      }
    }
  }
}

Picoseconds Cluster::launchTime(std::uint32_t gpu) const {
  return picosecondsFromNs(config_.overrides.groups[gpu].launch_delay_us.value_or(0) * 1e3);
}

Picoseconds Cluster::flagLatency(std::uint32_t from) const {
  const int links = switch_ ? 2 : 1;
  return std::max<Picoseconds>(1, picosecondsFromNs(links * config_.ofGpu(from).link.latency_ns));
}

void Cluster::launch(std::uint32_t gpu, Step step) {
  if (launchTime(gpu) == 0) return step();
  at(gpu, launchTime(gpu), std::move(step));
}

void Cluster::at(std::uint32_t gpu, Picoseconds when, Step step) {
  node(gpu).host.post(std::max(when, now()), std::move(step));
}

Cluster::Areas Cluster::areas(ChunkId chunk, OutputBuffer buffer) const {
  Areas list;
  for (const Segment& segment : segmentsOf(tiling_, tiling_.chunk(chunk))) {
    list.emplace_back(layout_.base(buffer) + segment.offset, segment.bytes);
  }
  return list;
}

std::uint32_t Cluster::blocks(TileRange tiles) const {
  const std::uint32_t blockTiles = 1U << config_.tracker.block_log2;
  return (tiles.count + blockTiles - 1) / blockTiles;
}

CommandId Cluster::claimCommands(std::uint32_t gpu, TileRange tiles, OutputBuffer from,
                                 bool readsClear) {
  const std::uint32_t blockTiles = 1U << config_.tracker.block_log2;
  const CommandId first{nextCommand_[index(gpu)]};
  for (std::uint32_t wg = tiles.first; wg < tiles.end(); wg += blockTiles) {
    const ChunkId chunk = tiling_.chunkOf(WorkgroupId{wg});
    const GpuId peer = route_->peer(GpuId{gpu}, route_->port(GpuId{gpu}, chunk));
    node(gpu).gpu.dma.program(CommandId{nextCommand_[index(gpu)]++},
                              DmaDescriptor{{wg, std::min(blockTiles, tiles.end() - wg)},
                                            peer,
                                            MemoryOperation::Add,
                                            config_.workload.data_type,
                                            from,
                                            route_->buffer(peer, chunk),
                                            readsClear});
  }
  return first;
}

std::vector<TrackedRegion> Cluster::armRegions(std::uint32_t gpu, std::uint32_t updatesPerElement,
                                               bool readsClear) {
  // Chunks of the same duty form a few runs of ids. Those that pass through form at most two runs
  // with one ring and five with two rings; those that stay form one.
  std::vector<TrackedRegion> regions;
  nextCommand_[index(gpu)] = 0;
  for (std::uint32_t c = 0; c < route_->chunks(); ++c) {
    const Route::Duty duty = route_->duty(GpuId{gpu}, ChunkId{c});
    if (duty == Route::Duty::Sends) continue;
    TileRange run = tiling_.chunk(ChunkId{c});
    while (c + 1 < route_->chunks() && route_->duty(GpuId{gpu}, ChunkId{c + 1}) == duty) {
      run.count += tiling_.chunk(ChunkId{++c}).count;
    }
    TrackedRegion region;
    region.tiles = run;
    region.buffer = route_->buffer(GpuId{gpu}, ChunkId{c});
    region.updatesPerElement = updatesPerElement;
    region.park = config_.tracker.parking;
    region.trigger = duty == Route::Duty::Passes;
    region.notify = !region.trigger;
    if (region.trigger) {
      region.firstCommand = claimCommands(gpu, run, region.buffer, readsClear);
      commandsProgrammed_ += blocks(run);
    } else {
      // Its slots count tiles, but no DMA command belongs to them.
      region.firstCommand = CommandId{nextCommand_[index(gpu)]};
      nextCommand_[index(gpu)] += blocks(run);
    }
    regions.push_back(region);
  }
  return regions;
}

void Cluster::programTracker(std::uint32_t gpu, std::uint32_t updatesPerElement, bool readsClear,
                             Done ownChunkReduced) {
  regions_[index(gpu)] = armRegions(gpu, updatesPerElement, readsClear);
  ownChunkReduced_[index(gpu)] = std::move(ownChunkReduced);
  for (const TrackedRegion& region : regions_[index(gpu)]) {
    if (!region.notify) continue;
    node(gpu).onNotification(
        [this, gpu, region](const TriggerMessage& message) { notified(gpu, region, message); });
  }
  node(gpu).onSent([this, gpu](std::uint32_t tiles) { tileSent(gpu, tiles); });
  expectTiles(gpu);
  node(gpu).driver.program(tiling_, layout_, config_.tracker.block_log2, 1, regions_[index(gpu)]);
}

void Cluster::programTrackerAgain(std::uint32_t gpu, std::uint32_t updatesPerElement,
                                  bool readsClear, Step done) {
  regions_[index(gpu)] = armRegions(gpu, updatesPerElement, readsClear);
  node(gpu).driver.programAgain(tiling_, config_.tracker.block_log2, sublayer(gpu) + 2,
                                regions_[index(gpu)], std::move(done));
}

void Cluster::nextSublayer(std::uint32_t gpu) {
  progress_[index(gpu)].emplace_back(collectives_);
  expectTiles(gpu);
}

/// What `progress` counts down: the tiles that are to be sent on, the blocks that are to be
/// reduced.
void Cluster::expectTiles(std::uint32_t gpu) {
  GpuProgress& left = progress(gpu);
  for (const TrackedRegion& region : regions_[index(gpu)]) {
    if (region.trigger) {
      left.tilesToSend += region.tiles.count;
      continue;
    }
    for (std::uint32_t block = 0; block < blocks(region.tiles); ++block) {
      left.ownBlocksLeft.insert(
          WorkgroupId{region.tiles.first + (block << config_.tracker.block_log2)});
    }
  }
}

void Cluster::tellIfTracksNoMore(std::uint32_t gpu) {
  const GpuProgress& left = progress(gpu);
  if (left.tilesToSend == 0 && left.ownBlocksLeft.empty()) tell(&Milestones::tracksNoMore, gpu);
}

void Cluster::tileSent(std::uint32_t gpu, std::uint32_t tiles) {
  progress(gpu).tilesToSend -= tiles;
  tellIfTracksNoMore(gpu);
}

void Cluster::notified(std::uint32_t gpu, const TrackedRegion& own, const TriggerMessage& message) {
  const std::uint32_t blockLog2 = config_.tracker.block_log2;
  const std::uint32_t block = message.command.value - own.firstCommand.value;
  const WorkgroupId first{own.tiles.first + (block << blockLog2)};
  GpuProgress& left = progress(gpu);
  left.ownBlocksLeft.erase(first);
  node(gpu).ringLag.through(std::min(1U << blockLog2, own.tiles.end() - first.value));
  if (!left.ownBlocksLeft.empty()) return;
  left.collectives.of(kReduceScatter).end = now();
  if (ownChunkReduced_[index(gpu)]) ownChunkReduced_[index(gpu)](now());
  tellIfTracksNoMore(gpu);
}

void Cluster::sendUntracked(std::uint32_t gpu) {
  for (const ChunkId chunk : route_->order(GpuId{gpu})) {
    if (route_->duty(GpuId{gpu}, chunk) != Route::Duty::Sends) continue;
    const TileRange tiles = tiling_.chunk(chunk);
    const CommandId first = claimCommands(gpu, tiles, OutputBuffer::Output, false);
    for (std::uint32_t block = 0; block < blocks(tiles); ++block) {
      node(gpu).gpu.dma.start(CommandId{first.value + block});
    }
  }
}

void Cluster::startGemm(std::uint32_t gpu, OutputMap output, Order order, Done done) {
  progress(gpu).gemm.start = now();
  node(gpu).hbm.beginKernel();
  GemmLaunch gemm;
  gemm.output = std::move(output);
  if (order != Order::Free) gemm.chunkOrder = route_->order(GpuId{gpu});
  gemm.sideBySide = order == Order::Fused && route_->sideBySide();
  if (config_.gpu.split_compute_units != 0) {
    gemm.chunkStored = [this, gpu](ChunkId chunk, Picoseconds when) {
      const Gpu::Kernels& kernels = node(gpu).gpu.kernels.of(*collectives_.front());
      kernels[route_->kernelOf(chunk)]->localCopyReady(chunk, when);
    };
  }
  gemm.trackedTileDone = [this, gpu] { node(gpu).ringLag.produced(); };
  gemm.done = [this, gpu, done = std::move(done)](Picoseconds when) {
    node(gpu).hbm.endKernel();
    progress(gpu).gemm.end = when;
    done(when);
    tellIfEnded(gpu);
  };
  node(gpu).gpu.gemm.launch(std::move(gemm));
}

void Cluster::startCollective(std::uint32_t gpu, const Collective& collective, Done done,
                              CollectiveKernel::LocalCopies copies) {
  TimeSpan& span = progress(gpu).collectives.of(collective);
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
  return std::ranges::all_of(progress_, [this](const std::deque<GpuProgress>& begun) {
    return begun.size() == sublayers_ && begun.back().done();
  });
}

bool Cluster::idle() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node->driver.idle(); }) &&
         std::ranges::all_of(loops_, [](const auto& loop) { return loop->idle(); }) &&
         (!switch_ || switch_->idle()) &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->idle(); });
}

std::size_t Cluster::requestsInUse() const {
  std::size_t count = pool_.inUse();
  const auto add = [&count](const auto& links) {
    for (const auto& link : links) count += link->requestsInUse();
  };
  for (const auto& node : nodes_) add(node->links);
  if (switch_) add(switch_->links);
  return count;
}

double Cluster::fractionDone() const {
  double gemm = 0;
  double sent = 0;
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    gemm += sublayer(g) +
            (progress(g).gemm.start != 0 || sublayer(g) == 0 ? node(g).gpu.gemm.progress() : 0);
    sent += static_cast<double>(node(g).sentBytes());
  }
  const double all = 1.0 * simulated() * sublayers_;
  return (0.5 * gemm + 0.5 * std::min(all, sent / bytesToSend_)) / all;
}

std::uint64_t Cluster::heartbeat() const {
  std::uint64_t beats = 0;
  for (const auto& node : nodes_) {
    beats += node->host.posted() + node->hbm.statistics().bursts() + node->sentBytes();
    beats += static_cast<std::uint64_t>(node->gpu.gemm.progress() * 1e9);
  }
  return beats;
}

}  // namespace t3
