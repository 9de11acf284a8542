// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"

namespace t3 {
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

}  // namespace

Graph inTurnGraph(const SystemConfig& config, Collectives collectives) {
  Graph graph;
  const NodeId gemm = addGemm(graph);
  if (collectives.size() == 1) {
    const NodeId both = addKernels(graph, *collectives.front());
    graph.connect(gemm, Gate::After, both);
    if (config.workload.consumer.any()) graph.connect(both, Gate::After, addConsumer(graph));
    return graph;
  }
  const NodeId reduce = addKernels(graph, *collectives.front());
  graph.connect(gemm, Gate::After, reduce);
  gatherAndConsume(graph, config, {reduce}, *collectives.back());
  return graph;
}

constinit const ModeKind kSequential = {.name = "sequential",
                                        .boundedBy = kByIdealOverlap,
                                        .graph = sequentialGraph,
                                        .bound = inTurn,
                                        .repeats = true,
                                        .takesFile = true};

}  // namespace t3
