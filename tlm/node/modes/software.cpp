// SPDX-License-Identifier: Apache-2.0
// The modes of which all collectives are kernels on the compute units, and the bound that follows
// from one of them.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/run_result.h"

namespace t3 {

NodeId addGemm(Graph& graph, const GemmWork& work, std::uint32_t part) {
  return graph.add({"gemm", Phase::Gemm, work, part});
}
NodeId addNorm(Graph& graph, std::uint32_t part) {
  return graph.add({"norm", Phase::Norm, RowsWork{}, part});
}
NodeId addKernels(Graph& graph, const Collective& collective, std::uint32_t part) {
  return graph.add({collective.name, collective.phase, CollectiveWork{&collective}, part});
}
NodeId addTracked(Graph& graph, const Collective& collective, std::uint32_t part) {
  return graph.add({collective.name, collective.phase, CollectiveWork{&collective, true}, part});
}
NodeId addConsumer(Graph& graph, bool arbitrated, std::uint32_t part) {
  const GemmWork work{.output = 1, .reads = 0, .arbitrated = arbitrated};
  return graph.add({"consumer", Phase::Consumer, work, part});
}

void gatherAndConsume(Graph& graph, const SystemConfig& config,
                      std::initializer_list<NodeId> reduced, const Collective& gather) {
  std::vector<NodeId> before = reduced;
  const auto follow = [&](NodeId node) {
    for (const NodeId one : before) graph.connect(one, Gate::After, node);
    before = {node};
  };
  if (config.workload.norms()) follow(addNorm(graph));
  follow(addKernels(graph, gather));
  if (config.workload.consumer.any()) follow(addConsumer(graph, false));
}

Graph inTurnGraph(const SystemConfig& config, Collectives collectives) {
  Graph graph;
  NodeId before = addGemm(graph);
  if (collectives.size() > 1) {
    const NodeId reduce = addKernels(graph, *collectives.front());
    graph.connect(before, Gate::After, reduce);
    before = reduce;
  }
  gatherAndConsume(graph, config, {before}, *collectives.back());
  return graph;
}

namespace {

/// An all-reduce from a file runs as it is, if nothing comes between its two halves or behind it:
/// one kernel that ends says nothing of the others', so what it sent for a next sublayer would meet
/// theirs.
Graph sequentialGraph(const SystemConfig& config) {
  static constexpr std::array<const Collective*, 1> kWhole = {&kAllReduce};
  const bool alone = !config.workload.norms() && config.workload.repeat == 1;
  const bool whole = alone && config.algorithm != nullptr &&
                     config.algorithm->form().algorithm().promise == kAllReduce.promise;
  return inTurnGraph(config, whole ? Collectives{kWhole} : kReduceScatterAndAllGather);
}

/// The rival of the baseline where a switch adds and copies: the GEMM, and then one kernel that
/// loads sums and stores them in all GPUs at once. With a norm it is a reduce-scatter, the norm and
/// an all-gather.
Graph nvlsGraph(const SystemConfig& config) {
  static constexpr std::array<const Collective*, 1> kAllInOne{&kNvlsAllReduce};
  static constexpr std::array<const Collective*, 2> kBoth{&kNvlsReduceScatter, &kNvlsAllGather};
  return inTurnGraph(config, config.workload.norms() ? Collectives{kBoth} : Collectives{kAllInOne});
}

std::optional<std::string> needSwitch(const SystemConfig& config, std::uint32_t /*number*/) {
  if (config.algorithm != nullptr) {
    return "expected a mode that runs workload.collective, because nvls brings its own";
  }
  if (config.merges()) return std::nullopt;
  return "expected a mode that needs no switch to add, because switch.merge is off";
}

/// What is wrong with a mode `name`:K that takes `units` compute units of every GPU from a GEMM,
/// which must keep some.
std::optional<std::string> checkSplit(const SystemConfig& config, const std::string& name,
                                      std::uint32_t units) {
  std::string key = "gpu.compute_units";
  std::uint32_t fewest = config.gpu.compute_units;
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const std::uint32_t own = config.ofGpu(g).gpu.compute_units;
    if (own >= fewest) continue;
    fewest = own;
    key = "gpu" + std::to_string(g) + ".compute_units";
  }
  if (units < fewest) return std::nullopt;
  const std::string because = ", because " + key + " is " + std::to_string(fewest);
  if (fewest == 1) return "expected a mode without K" + because;
  return "expected " + name + ":K with K from 1 to " + std::to_string(fewest - 1) + because;
}

/// The overlap that needs no new hardware: the reduce-scatter kernel runs on some compute units
/// while the GEMM produces on the others, chunk by chunk in the route's order. It starts on a chunk
/// when the whole local copy is in memory, and adds the others' partial sums as they arrive. The
/// all-gather follows both, on all compute units.
Graph cuSplitGraph(const SystemConfig& config) {
  Graph graph;
  const NodeId reduce = addKernels(graph, kReduceScatter);
  const NodeId gemm = addGemm(graph, {.stores = GemmWork::Stores::Through});
  graph.connect(gemm, Gate::Chunks, reduce);
  gatherAndConsume(graph, config, {gemm, reduce}, kAllGather);
  return graph;
}

/// What software can do about the all-gather without new hardware, where a consumer follows: its
/// kernel runs on some compute units while the consumer works on the others, row of tiles by row as
/// they arrive. GEMM, reduce-scatter and norm come before that, on all compute units.
Graph agSplitGraph(const SystemConfig& config) {
  Graph graph;
  const NodeId gemm = addGemm(graph);
  const NodeId reduce = addKernels(graph, kReduceScatter);
  graph.connect(gemm, Gate::After, reduce);
  NodeId before = reduce;
  if (config.workload.norms()) {
    before = addNorm(graph);
    graph.connect(reduce, Gate::After, before);
  }
  const NodeId consumer = addConsumer(graph, false);
  const NodeId gather = addKernels(graph, kAllGather);
  graph.connect(before, Gate::After, consumer);
  graph.connect(before, Gate::After, gather);
  graph.connect(gather, Gate::Rows, consumer);
  return graph;
}

std::optional<std::string> checkAgSplit(const SystemConfig& config, std::uint32_t units) {
  if (!config.workload.consumer.any()) {
    return "expected a mode without a split all-gather, because workload.consumer.columns is 0";
  }
  return checkSplit(config, "ag-split", units);
}

double leastOf(const BoundParts& parts, const Collective& collective) {
  return parts.least([&collective](const GpuBound& gpu) { return gpu.collectives.of(collective); });
}
double leastOfConsumers(const BoundParts& parts) {
  return parts.least([](const GpuBound& gpu) { return gpu.consumer; });
}

/// The consumer beside the all-gather.
double boundOfAgSplit(const BoundParts& parts) {
  const double reduced = parts.most([&](const GpuBound& gpu) {
    return gpu.start + gpu.gemm + parts.launch + gpu.collectives.of(kReduceScatter);
  });
  return reduced + parts.launch + std::max(leastOf(parts, kAllGather), leastOfConsumers(parts));
}

/// max(GEMM, reduce-scatter) + all-gather of a sequential run: its own phases, each with the launch
/// in front of it, overlapped for free. So no sequential run is faster. A mode with a GEMM of its
/// own may be, because its stores need not pass the L2.
void overlap(RunResult& result) {
  double hidden = 0;  // in the sublayers up to here
  for (SublayerSpan& span : result.sublayers) {
    span.start_ps -= picosecondsFromNs(hidden);
    const double own = std::min(span.phase_ns[Phase::Gemm], span.phase_ns[Phase::ReduceScatter]);
    span.phase_ns[Phase::ReduceScatter] -= own;
    hidden += own;
    span.end_ps -= picosecondsFromNs(hidden);
  }
  result.time_ps -= picosecondsFromNs(hidden);
  result.of(Phase::ReduceScatter).exposed_ns -= hidden;
  if (result.steady_ns) {
    const Picoseconds first = result.sublayers.front().end_ps;
    *result.steady_ns = nanoseconds(result.sublayers.back().end_ps - first) /
                        static_cast<double>(result.sublayers.size() - 1);
  }
}

/// The same of the closed forms. Where GPUs differ, the reduce-scatter that follows the last GEMM
/// is that of the GPU whose GEMM it is, and may be the fastest.
double boundOfIdealOverlap(const BoundParts& parts) {
  const double gemm = parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
  const double consumer = leastOfConsumers(parts);
  return std::max(gemm, parts.launch + leastOf(parts, kReduceScatter)) + parts.launch +
         leastOf(parts, kAllGather) + (consumer == 0 ? 0 : parts.launch + consumer);
}

}  // namespace

constinit const ModeKind kSequential = {.name = "sequential",
                                        .boundedBy = kByIdealOverlap,
                                        .graph = sequentialGraph,
                                        .bound = inTurn,
                                        .repeats = true,
                                        .takesFile = true};

constinit const ModeKind kNvls = {.name = "nvls",
                                  .needsMerging = true,
                                  .graph = nvlsGraph,
                                  .bound = inTurn,
                                  .repeats = true,
                                  .check = needSwitch};

constinit const ModeKind kCuSplit = {
    .name = "cu-split",
    .takesNumber = true,
    .boundedBy = kByIdealRsNmc,
    .graph = cuSplitGraph,
    .bound = firstOverlapped,
    .repeats = true,
    .configure = [](SystemConfig& config,
                    std::uint32_t units) { config.gpu.split_compute_units = units; },
    .check = [](const SystemConfig& config,
                std::uint32_t units) { return checkSplit(config, "cu-split", units); }};

constinit const ModeKind kAgSplit = {
    .name = "ag-split",
    .takesNumber = true,
    .graph = agSplitGraph,
    .bound = boundOfAgSplit,
    .configure = [](SystemConfig& config,
                    std::uint32_t units) { config.gpu.gather_compute_units = units; },
    .check = checkAgSplit};

constinit const ModeKind kIdealOverlap = {
    .name = "ideal-overlap",
    .ideal = true,
    .simulatedAs = &kSequential,
    .graph =
        [](const SystemConfig& config) { return inTurnGraph(config, kReduceScatterAndAllGather); },
    .bound = boundOfIdealOverlap,
    .finish = overlap};

}  // namespace t3
