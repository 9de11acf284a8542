// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/programs/ideal_rs_nmc.h"

#include <algorithm>

#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {
namespace {

/// Of what a GPU does to start its all-gather (the launch, the first slice through memory and link)
/// so much happens while other GPUs still reduce, so it does not count. It also covers what single
/// refreshes (260 ns) move: one may fall into a part that runs alone, and between the kernels of a
/// real mode. Without launch, and with one channel, a mode was up to 0.5 us faster than the plain
/// sum of the parts.
constexpr Picoseconds kHiddenStart = 2'000'000;

/// The isolated parts start and end together on all GPUs and count no launch between them.
double isolated(const BoundParts& parts) {
  const auto slowest = [&parts](const Collective& collective) {
    return parts.most(
        [&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); });
  };
  return std::max(parts.most([](const GpuBound& gpu) { return gpu.gemm; }),
                  slowest(kReduceScatter)) +
         slowest(kAllGather) + parts.most([](const GpuBound& gpu) { return gpu.consumer; });
}

}  // namespace

std::optional<std::string> checkOthersSums(const SystemConfig& config, std::uint32_t /*number*/) {
  if (config.leavesOut()) {
    return "expected a mode that is no bound of whole sums, because workload.contributions is " +
           std::to_string(config.workload.contributions);
  }
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route),
                   {.sums = TrackerUse::Sums::ByOthers});
}

void IdealRsNmc::start() {
  cluster_.setConsumers(Cluster::Consumers::Later);
  for (const std::uint32_t g : cluster_.own()) {
    const Route& route = cluster_.route();
    OutputMap map;
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      const TileRange tiles = cluster_.tiling().chunk(ChunkId{c});
      const bool sends = route.duty(GpuId{g}, ChunkId{c}) == Route::Duty::Sends;
      sends ? map.discard(tiles) : map.dmaMap(tiles, route.buffer(GpuId{g}, ChunkId{c}));
    }
    cluster_.launch(g, [this, g, map] {
      cluster_.startGemm(g, map, Cluster::Order::Fused, [](Picoseconds) {});
    });
  }
}

bool IdealRsNmc::resume() {
  switch (part_++) {
    case 0:
      // The local update of every element is in memory already; the others complete it. All are
      // programmed before any sends, because updates arrive from the first send on.
      for (const std::uint32_t g : cluster_.own()) {
        cluster_.programTracker(g, {.sums = TrackerUse::Sums::ByOthers}, {});
      }
      for (const std::uint32_t g : cluster_.own()) {
        cluster_.progress(g).of(Phase::ReduceScatter).start = now();
        cluster_.sendUntracked(g);
      }
      return true;
    case 1:
      if (norm()) return true;
      ++part_;
      [[fallthrough]];
    case 2:
      gather();
      return true;
    case 3:
      return consume();
    default:
      return false;
  }
}

bool IdealRsNmc::norm() {
  if (!cluster_.config().workload.norms()) return false;
  for (const std::uint32_t g : cluster_.own()) cluster_.startNorm(g, false);
  return true;
}

bool IdealRsNmc::consume() {
  if (!cluster_.consumer() || !cluster_.consumersWait()) return false;
  for (const std::uint32_t g : cluster_.own()) cluster_.startConsumer(g);
  return true;
}

void IdealRsNmc::gather() {
  for (const std::uint32_t g : cluster_.own()) {
    cluster_.startCollective(g, kAllGather);
  }
}

BoundParts IdealRsNmc::bounds() const {
  return boundParts(cluster_.config(), cluster_.route(), cluster_.tiling(), cluster_.collectives(),
                    true, gathersByTracker());
}

Picoseconds IdealRsNmc::closedForm(const Collective& collective) const {
  return picosecondsFromNs(
      bounds().most([&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); }));
}

Picoseconds IdealRsNmc::reduceTime(const std::vector<GpuFigures>& gpus) const {
  if (!cluster_.route().fastestAlone()) return closedForm(kReduceScatter);
  return spanOf(gpus, 0, Phase::ReduceScatter).length();
}

Picoseconds IdealRsNmc::gatherTime(const std::vector<GpuFigures>& gpus, Picoseconds launch) const {
  if (!cluster_.route().fastestAlone()) return closedForm(kAllGather);
  const Picoseconds start = kHiddenStart - std::min(kHiddenStart, launch);
  const Picoseconds measured = spanOf(gpus, 0, Phase::AllGather).length();
  return std::max(closedForm(kAllGather), measured - std::min(measured, start));
}

void IdealRsNmc::summarise(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  const Picoseconds gemm = gemmTime(gpus);
  const Picoseconds gather = gatherTime(gpus, cluster_.launchLatency());
  const Picoseconds overlapped = std::max(gemm, reduceTime(gpus));
  const Picoseconds norm = spanOf(gpus, 0, Phase::Norm).length();
  const Picoseconds consumer = spanOf(gpus, 0, Phase::Consumer).length();
  result.time_ps = overlapped + norm + gather + consumer;
  result.add({0,
              result.time_ps,
              {{nanoseconds(gemm), nanoseconds(overlapped - gemm), nanoseconds(gather),
                nanoseconds(norm), nanoseconds(consumer)}}});
}

constinit const ModeKind kIdealRsNmc = {
    .name = "ideal-rs-nmc",
    .tracked = true,
    .ideal = true,
    .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
      return std::make_unique<IdealRsNmc>(cluster);
    },
    .bound = isolated,
    .check = checkOthersSums};

}  // namespace t3
