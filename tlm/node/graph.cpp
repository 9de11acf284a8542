// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/graph.h"

#include <algorithm>

namespace t3 {

std::uint32_t Graph::parts() const {
  return std::ranges::max(nodes, {}, &GraphNode::part).part + 1;
}

std::optional<NodeId> Graph::find(Phase phase) const {
  const auto found = std::ranges::find(nodes, phase, &GraphNode::phase);
  if (found == nodes.end()) return std::nullopt;
  return static_cast<NodeId>(found - nodes.begin());
}

bool Graph::connected(NodeId from, Gate gate, NodeId to) const {
  return std::ranges::any_of(edges, [&](const GraphEdge& edge) {
    return edge.from == from && edge.gate == gate && edge.to == to;
  });
}

std::optional<NodeId> Graph::source(Gate gate, NodeId to) const {
  const auto found = std::ranges::find_if(
      edges, [&](const GraphEdge& edge) { return edge.gate == gate && edge.to == to; });
  if (found == edges.end()) return std::nullopt;
  return found->from;
}

bool Graph::isRoot(NodeId node) const {
  if (source(Gate::After, node)) return false;
  return !nodes[node].tracked() || !source(Gate::Chunks, node);
}

std::vector<const Collective*> Graph::collectives() const {
  std::vector<const Collective*> list;
  for (const GraphNode& node : nodes) {
    const auto* work = node.as<CollectiveWork>();
    if (work != nullptr && work->collective != nullptr) list.push_back(work->collective);
  }
  return list;
}

const CollectivePlan* Graph::planOf(NodeId node) const {
  const auto* work = nodes[node].as<CollectiveWork>();
  return work == nullptr ? nullptr : work->plan;
}

std::optional<NodeId> Graph::producerOf(const Tracking& tracking) const {
  return tracking.sums ? source(Gate::Chunks, *tracking.sums) : std::nullopt;
}

bool Graph::fused() const {
  return std::ranges::any_of(nodes, [](const GraphNode& node) {
    const auto* gemm = node.as<GemmWork>();
    return gemm != nullptr && gemm->stores == GemmWork::Stores::Tracked;
  });
}

}  // namespace t3
