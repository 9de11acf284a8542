// SPDX-License-Identifier: Apache-2.0
// Bounds that no real machine of equal GPUs can beat. Parts run alone, each when the one before has
// drained: t3's GEMM, whose remote stores cost nothing, the reduce-scatter by DMA and near-memory
// ALUs, and the all-gather. How they count together is the mode's business.
//
// The DMA engine reads from memory what t3 stores straight into other GPUs. On a ring that is less
// than the stores that t3 has to do beside it. Where t3 stores all but its own chunk so, the reads
// could make a tight memory slower than t3's. And GPUs that all start at once meet at the ports of
// a switch in an order that may cost them a request (4 us at 2 GB/s), while those of a real run,
// which start a little apart, miss each other. Rings in nodes and through them share a GPU's DMA
// engine, which alone sends all first hops before the second ones, so that the rails begin late.
// So in both (`RouteTraits::choosesWhatToSend`) the links alone bound the two collectives.
#include <algorithm>

#include "tlm/node/bounds.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/run_result.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {
namespace {

/// Of what a GPU does to start its all-gather (the launch, the first slice through memory and link)
/// so much happens while other GPUs still reduce, so it does not count. It also covers what single
/// refreshes (260 ns) move: one may fall into a part that runs alone, and between the kernels of a
/// real mode. Without launch, and with one channel, a mode was up to 0.5 us faster than the plain
/// sum of the parts.
constexpr Picoseconds kHiddenStart = 2'000'000;

/// The first two parts: the GEMM, and what others add to its output. The local update of every
/// element is in memory already; the others complete it.
Graph gemmThenSums() {
  Graph graph;
  addGemm(graph, {.stores = GemmWork::Stores::Kept});
  addTracked(graph, kReduceScatter, 1);
  return graph;
}

/// GEMM and reduce-scatter count as overlapped, and of the all-gather the start as hidden.
Graph idealRsNmcGraph(const SystemConfig& config) {
  Graph graph = gemmThenSums();
  std::uint32_t part = 2;
  if (config.workload.norms()) addNorm(graph, part++);
  addKernels(graph, kAllGather, part++);
  if (config.workload.consumer.any()) addConsumer(graph, false, part);
  return graph;
}

/// What T3-AG cannot be faster than, where all GPUs are equal and own equal chunks: its GEMM and
/// its consumer alone, one behind the other on the same compute units, or its reduce-scatter and
/// its all-gather, each alone, one after the other on the links, whichever is longer. The own
/// chunks are in memory when the all-gather starts; DMA engines send them, and trackers forward
/// what arrives.
Graph idealAgGraph(const SystemConfig& config) {
  Graph graph = gemmThenSums();
  if (config.workload.consumer.any()) addConsumer(graph, false);  // its operand need not be there
  std::uint32_t part = 2;
  if (config.workload.norms()) addNorm(graph, part++);
  addTracked(graph, kAllGather, part);
  return graph;
}

/// What the tracker lacks for one of the trackings of such a graph.
std::optional<std::string> checkTracking(const SystemConfig& config, const TrackerUse& use) {
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route), use);
}

std::optional<std::string> checkIdealSums(const SystemConfig& config, std::uint32_t /*number*/) {
  if (config.leavesOut()) {
    return "expected a mode that is no bound of whole sums, because workload.contributions is " +
           std::to_string(config.workload.contributions);
  }
  return checkTracking(config, completed(gemmThenSums(), config).trackings.front().use);
}

std::optional<std::string> checkGather(const SystemConfig& config, std::uint32_t number) {
  if (auto problem = checkIdealSums(config, number)) return problem;
  return checkTracking(config, completed(idealAgGraph(config), config).trackings.back().use);
}

/// Times of parts that ran alone.
class PartTimes {
 public:
  /// `gathersByTracker`: whether trackers did the all-gather, and not kernels.
  PartTimes(const SystemConfig& config, const std::vector<GpuFigures>& gpus, bool gathersByTracker)
      : gpus_(gpus) {
    const auto route = config.makeRoute();
    measured_ = !route->traits().choosesWhatToSend;
    bounds_ = boundParts(config, *route, config.makeTiling(*route), kReduceScatterAndAllGather,
                         true, gathersByTracker);
  }

  Picoseconds of(Phase phase) const { return spanOf(gpus_, 0, phase).length(); }
  Picoseconds reduce() const {
    return measured_ ? of(Phase::ReduceScatter) : closedForm(kReduceScatter);
  }
  /// `launch`: what of its start has not been measured.
  Picoseconds gather(Picoseconds launch) const {
    if (!measured_) return closedForm(kAllGather);
    const Picoseconds start = kHiddenStart - std::min(kHiddenStart, launch);
    const Picoseconds alone = of(Phase::AllGather);
    return std::max(closedForm(kAllGather), alone - std::min(alone, start));
  }
  /// Both, where links have to pay one latency only: what is gathered may follow the sums.
  Picoseconds bothOnLinks() const {
    const Picoseconds links =
        picosecondsFromNs(bounds_.most([](const GpuBound& gpu) { return gpu.links; }));
    return measured_ ? std::max(links, reduce() + gather(0)) : links;
  }

 private:
  Picoseconds closedForm(const Collective& collective) const {
    return picosecondsFromNs(bounds_.most(
        [&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); }));
  }

  const std::vector<GpuFigures>& gpus_;
  bool measured_ = false;  ///< the parts bound the collectives, and not the links alone
  BoundParts bounds_;
};

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

void summariseAg(const SystemConfig& config, const std::vector<GpuFigures>& gpus,
                 RunResult& result) {
  const PartTimes parts(config, gpus, true);
  const Picoseconds gemm = parts.of(Phase::Gemm);
  TimeSpan both = spanOf(gpus, 0, Phase::Gemm);
  if (config.workload.consumer.any()) {
    both.end = std::max(both.end, spanOf(gpus, 0, Phase::Consumer).end);
  }
  const Picoseconds sent = parts.bothOnLinks();
  const Picoseconds gathered = std::max(gemm, sent);
  result.time_ps = std::max(both.length(), sent);
  const Picoseconds exposed = gathered - gemm;
  const Picoseconds reduceExposed = std::max(gemm, parts.reduce()) - gemm;
  result.add({0,
              result.time_ps,
              {{nanoseconds(gemm), nanoseconds(reduceExposed), nanoseconds(exposed - reduceExposed),
                0, nanoseconds(result.time_ps - gathered)}}});
}

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

/// The parts count no launch and no start.
double partsAlone(const BoundParts& parts) {
  return parts.most([](const GpuBound& gpu) { return std::max(gpu.pair, gpu.links); });
}

}  // namespace

constinit const ModeKind kIdealRsNmc = {.name = "ideal-rs-nmc",
                                        .tracked = true,
                                        .ideal = true,
                                        .graph = idealRsNmcGraph,
                                        .bound = isolated,
                                        .check = checkIdealSums,
                                        .summarise = summariseRsNmc};

constinit const ModeKind kIdealAg = {.name = "ideal-ag",
                                     .tracked = true,
                                     .gathers = true,
                                     .ideal = true,
                                     .graph = idealAgGraph,
                                     .bound = partsAlone,
                                     .configure = configureForGather,
                                     .check = checkGather,
                                     .summarise = summariseAg};

}  // namespace t3
