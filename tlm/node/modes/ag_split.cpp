// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/modes/cu_split.h"

namespace t3 {
namespace {

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
  const NodeId consumer = addConsumer(graph);
  const NodeId gather = addKernels(graph, kAllGather);
  graph.connect(before, Gate::After, consumer);
  graph.connect(before, Gate::After, gather);
  graph.connect(gather, Gate::Rows, consumer);
  return graph;
}

void splitGather(SystemConfig& config, std::uint32_t units) {
  config.gpu.gather_compute_units = units;
}

std::optional<std::string> checkAgSplit(const SystemConfig& config, std::uint32_t units) {
  if (!config.workload.consumer.any()) {
    return "expected a mode without a split all-gather, because workload.consumer.columns is 0";
  }
  return checkSplit(config, "ag-split", units);
}

/// The consumer beside the all-gather.
double boundOfAgSplit(const BoundParts& parts) {
  const double reduced = parts.most([&](const GpuBound& gpu) {
    return gpu.start + gpu.gemm + parts.launch + gpu.collectives.of(kReduceScatter);
  });
  const double gathered =
      parts.least([](const GpuBound& gpu) { return gpu.collectives.of(kAllGather); });
  const double consumed = parts.least([](const GpuBound& gpu) { return gpu.consumer; });
  return reduced + parts.launch + std::max(gathered, consumed);
}

}  // namespace

constinit const ModeKind kAgSplit = {.name = "ag-split",
                                     .takesNumber = true,
                                     .graph = agSplitGraph,
                                     .bound = boundOfAgSplit,
                                     .configure = splitGather,
                                     .check = checkAgSplit};

}  // namespace t3
