// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/modes/blocks.h"

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
NodeId addConsumer(Graph& graph, const GemmWork& work, std::uint32_t part) {
  return graph.add({"consumer", Phase::Consumer, work, part});
}

void gatherAndConsume(Graph& graph, const SystemConfig& config,
                      std::initializer_list<NodeId> reduced, const Collective& gather) {
  NodeId gathered = 0;
  if (config.workload.norms()) {
    const NodeId norm = addNorm(graph);
    for (const NodeId node : reduced) graph.connect(node, Gate::After, norm);
    gathered = addKernels(graph, gather);
    graph.connect(norm, Gate::After, gathered);
  } else {
    gathered = addKernels(graph, gather);
    for (const NodeId node : reduced) graph.connect(node, Gate::After, gathered);
  }
  if (config.workload.consumer.any()) graph.connect(gathered, Gate::After, addConsumer(graph));
}

}  // namespace t3
