// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/modes/ideal_rs_nmc.h"
#include "tlm/node/modes/t3_ag.h"
#include "tlm/node/run_result.h"

namespace t3 {
namespace {

/// What T3-AG cannot be faster than, where all GPUs are equal and own equal chunks: its GEMM and
/// its consumer alone, one behind the other on the same compute units, or its reduce-scatter and
/// its all-gather, each alone, one after the other on the links, whichever is longer. The own
/// chunks are in memory when the all-gather starts; DMA engines send them, and trackers forward
/// what arrives.
Graph idealAgGraph(const SystemConfig& config) {
  Graph graph = gemmThenSums();
  if (config.workload.consumer.any()) addConsumer(graph);  // whether or not its operand is there
  std::uint32_t part = 2;
  if (config.workload.norms()) addNorm(graph, part++);
  addTracked(graph, kAllGather, part);
  return graph;
}

void summariseAg(const SystemConfig& config, const std::vector<GpuFigures>& gpus,
                 RunResult& result) {
  const PartTimes parts(config, gpus, true);
  const Picoseconds gemm = parts.of(Phase::Gemm);
  TimeSpan both = spanOf(gpus, 0, Phase::Gemm);
  if (config.workload.consumer.any()) {
    both.end = std::max(both.end, spanOf(gpus, 0, Phase::Consumer).end);
  }
  const Picoseconds pair = both.length();
  const Picoseconds reduce = parts.reduce();
  const Picoseconds links =
      picosecondsFromNs(parts.bounds().most([](const GpuBound& gpu) { return gpu.links; }));
  // Closed forms have a latency each. What is gathered may follow the sums on a link, so the
  // links have to pay one only.
  const Picoseconds sent = parts.measured() ? std::max(links, reduce + parts.gather(0)) : links;
  const Picoseconds gathered = std::max(gemm, sent);
  result.time_ps = std::max(pair, sent);
  const Picoseconds exposed = gathered - gemm;
  const Picoseconds reduceExposed = std::max(gemm, reduce) - gemm;
  result.add({0,
              result.time_ps,
              {{nanoseconds(gemm), nanoseconds(reduceExposed), nanoseconds(exposed - reduceExposed),
                0, nanoseconds(result.time_ps - gathered)}}});
}

std::optional<std::string> checkGather(const SystemConfig& config, std::uint32_t number) {
  if (auto problem = checkOthersSums(config, number)) return problem;
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route),
                   completed(idealAgGraph(config), config).trackings.back().use);
}

/// The parts count no launch and no start.
double partsAlone(const BoundParts& parts) {
  return parts.most([](const GpuBound& gpu) { return std::max(gpu.pair, gpu.links); });
}

}  // namespace

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
