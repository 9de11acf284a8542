// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/modes/ideal_rs_nmc.h"

#include <algorithm>

#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/run_result.h"
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
                   completed(gemmThenSums(), config).trackings.front().use);
}

Graph gemmThenSums() {
  Graph graph;
  addGemm(graph, {.stores = GemmWork::Stores::Kept});
  addTracked(graph, kReduceScatter, 1);
  return graph;
}

PartTimes::PartTimes(const SystemConfig& config, const std::vector<GpuFigures>& gpus,
                     bool gathersByTracker)
    : gpus_(gpus) {
  const auto route = config.makeRoute();
  measured_ = route->fastestAlone();
  bounds_ = boundParts(config, *route, config.makeTiling(*route), kReduceScatterAndAllGather, true,
                       gathersByTracker);
}

Picoseconds PartTimes::closedForm(const Collective& collective) const {
  return picosecondsFromNs(
      bounds_.most([&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); }));
}

Picoseconds PartTimes::reduce() const {
  return measured_ ? of(Phase::ReduceScatter) : closedForm(kReduceScatter);
}

Picoseconds PartTimes::gather(Picoseconds launch) const {
  if (!measured_) return closedForm(kAllGather);
  const Picoseconds start = kHiddenStart - std::min(kHiddenStart, launch);
  const Picoseconds alone = of(Phase::AllGather);
  return std::max(closedForm(kAllGather), alone - std::min(alone, start));
}

namespace {

Graph idealRsNmcGraph(const SystemConfig& config) {
  Graph graph = gemmThenSums();
  std::uint32_t part = 2;
  if (config.workload.norms()) addNorm(graph, part++);
  addKernels(graph, kAllGather, part++);
  if (config.workload.consumer.any()) {
    addConsumer(graph, {.output = 1, .reads = 0, .arbitrated = false}, part);
  }
  return graph;
}

void summariseRsNmc(const SystemConfig& config, const std::vector<GpuFigures>& gpus,
                    RunResult& result) {
  const PartTimes parts(config, gpus, false);
  const Picoseconds gemm = parts.of(Phase::Gemm);
  const Picoseconds gather = parts.gather(picosecondsFromNs(config.gpu.kernel_launch_us * 1e3));
  const Picoseconds overlapped = std::max(gemm, parts.reduce());
  const Picoseconds norm = parts.of(Phase::Norm);
  const Picoseconds consumer = parts.of(Phase::Consumer);
  result.time_ps = overlapped + norm + gather + consumer;
  result.add({0,
              result.time_ps,
              {{nanoseconds(gemm), nanoseconds(overlapped - gemm), nanoseconds(gather),
                nanoseconds(norm), nanoseconds(consumer)}}});
}

}  // namespace

constinit const ModeKind kIdealRsNmc = {.name = "ideal-rs-nmc",
                                        .tracked = true,
                                        .ideal = true,
                                        .graph = idealRsNmcGraph,
                                        .bound = isolated,
                                        .check = checkOthersSums,
                                        .summarise = summariseRsNmc};

}  // namespace t3
