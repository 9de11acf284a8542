// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/tracker_plan.h"

namespace t3 {

Graph fusedGraph(const SystemConfig& config) {
  Graph graph;
  const NodeId gemm = addGemm(graph, {.stores = GemmWork::Stores::Tracked});
  const NodeId reduce = addTracked(graph, kReduceScatter);
  graph.connect(gemm, Gate::Chunks, reduce);
  gatherAndConsume(graph, config, {gemm, reduce}, kAllGather);
  return graph;
}

std::optional<std::string> checkFused(const SystemConfig& config, std::uint32_t /*number*/) {
  const auto route = config.makeRoute();
  return checkPlan(config.tracker, *route, config.makeTiling(*route), {});
}

constinit const ModeKind kT3 = {.name = "t3",
                                .tracked = true,
                                .boundedBy = kByIdealRsNmc,
                                .graph = fusedGraph,
                                .bound = firstOverlapped,
                                .repeats = true,
                                .takesFile = true,
                                .check = checkFused};

}  // namespace t3
