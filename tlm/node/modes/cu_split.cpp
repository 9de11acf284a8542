// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/modes/cu_split.h"

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"

namespace t3 {
namespace {

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

void splitReduction(SystemConfig& config, std::uint32_t units) {
  config.gpu.split_compute_units = units;
}

std::optional<std::string> checkCuSplit(const SystemConfig& config, std::uint32_t units) {
  return checkSplit(config, "cu-split", units);
}

}  // namespace

std::optional<std::string> checkSplit(const SystemConfig& config, const std::string& name,
                                      std::uint32_t units) {
  // A GPU may have a number of units of its own; K must leave some for the GEMM in each.
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

constinit const ModeKind kCuSplit = {.name = "cu-split",
                                     .takesNumber = true,
                                     .boundedBy = kByIdealRsNmc,
                                     .graph = cuSplitGraph,
                                     .bound = firstOverlapped,
                                     .repeats = true,
                                     .configure = splitReduction,
                                     .check = checkCuSplit};

}  // namespace t3
