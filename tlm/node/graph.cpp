// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/graph.h"

#include <algorithm>
#include <set>

#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

std::uint32_t Graph::parts() const {
  return std::ranges::max(nodes, {}, &GraphNode::part).part + 1;
}

std::uint32_t Graph::outputOf(NodeId node) const {
  const GraphNode& what = nodes[node];
  if (const auto* gemm = what.as<GemmWork>()) return gemm->output;
  if (const auto* rows = what.as<RowsWork>()) return rows->output;
  return what.as<CollectiveWork>()->output;
}

std::string Graph::modelName(NodeId node) const {
  const std::string& name = nodes[node].name;
  std::string legal = name;
  std::ranges::replace_if(
      legal, [](unsigned char c) { return c <= ' ' || c == '.'; }, '_');
  // Other parts of a GPU have names, too, and so have kernels of a node that are several.
  const bool taken =
      name == "dma" || name.starts_with("ingress") ||
      std::ranges::any_of(nodes, [&](const GraphNode& other) {
        return name.starts_with(other.name + "_") &&
               name.find_first_not_of("0123456789", other.name.size() + 1) == std::string::npos;
      });
  return legal == name && !taken ? name : legal + "__" + std::to_string(node);
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

std::vector<NodeId> Graph::order() const {
  std::vector<std::vector<NodeId>> behind(nodes.size());
  std::vector<std::uint32_t> left(nodes.size());
  const auto add = [&](NodeId from, NodeId to) {
    behind[from].push_back(to);
    ++left[to];
  };
  for (const GraphEdge& edge : edges) add(edge.from, edge.to);
  for (std::size_t t = 1; t < trackings.size(); ++t) {
    const auto producer = producerOf(trackings[t]);
    for (const auto& part : {trackings[t - 1].sums, trackings[t - 1].gathers}) {
      if (producer && part) add(*part, *producer);
    }
  }
  std::set<NodeId> ready;
  for (NodeId n = 0; n < nodes.size(); ++n) {
    if (left[n] == 0) ready.insert(n);
  }
  std::vector<NodeId> list;
  while (!ready.empty()) {
    list.push_back(ready.extract(ready.begin()).value());
    for (const NodeId next : behind[list.back()]) {
      if (--left[next] == 0) ready.insert(next);
    }
  }
  return list;
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

const Graph& FileGraphs::of(const ModeKind& kind) const {
  if (!kind.tracked) {
    return kind.needsMerging && !bySwitch.nodes.empty() ? bySwitch : byKernels;
  }
  return kind.gathers ? tracked : trackedSums;
}

bool Graph::fused() const {
  return std::ranges::any_of(nodes, [](const GraphNode& node) {
    const auto* gemm = node.as<GemmWork>();
    return gemm != nullptr && gemm->stores == GemmWork::Stores::Tracked;
  });
}

namespace {

/// What trackers do for the sums of an output, for what is gathered of it, or both.
Tracking trackingOf(const Graph& graph, const SystemConfig& config, std::optional<NodeId> sums,
                    std::optional<NodeId> gathers) {
  Tracking tracking{{}, sums, gathers};
  TrackerUse& use = tracking.use;
  const bool stored = sums && graph.source(Gate::Chunks, *sums);
  use.sums = !sums    ? TrackerUse::Sums::None
             : stored ? TrackerUse::Sums::All
                      : TrackerUse::Sums::ByOthers;
  use.readsClear = stored && config.hbm.initial_value == InitialValue::InMemory;
  if (!gathers) return tracking;
  const std::uint32_t output = graph.nodes[*gathers].as<CollectiveWork>()->output;
  use.gathers = true;
  use.releases = std::ranges::any_of(graph.edges, [&](const GraphEdge& edge) {
    return edge.from == *gathers && edge.gate == Gate::Rows;
  });
  use.norms = graph.outputs[output].normed;
  use.multicasts = config.merges();
  use.rankedRows = use.releases ? config.gpu.gemm.slab_rows : 0;
  return tracking;
}

}  // namespace

Graph completed(Graph graph, const SystemConfig& config) {
  if (graph.nodes.size() > kMostNodes) {
    throw std::invalid_argument("expected a graph of at most " + std::to_string(kMostNodes) +
                                " nodes, got " + std::to_string(graph.nodes.size()));
  }
  if (graph.outputs.empty()) graph.outputs = config.outputs();
  std::vector<bool> taken(graph.nodes.size());
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    const auto* work = graph.nodes[n].as<CollectiveWork>();
    if (!graph.nodes[n].tracked() || work->plan != nullptr || taken[n]) continue;
    if (work->collective->gathers()) {
      graph.trackings.push_back(trackingOf(graph, config, {}, n));
      continue;
    }
    std::optional<NodeId> gathers;
    for (NodeId m = n + 1; m < graph.nodes.size() && !gathers; ++m) {
      const auto* other = graph.nodes[m].as<CollectiveWork>();
      const bool same = graph.nodes[m].tracked() && other->output == work->output &&
                        graph.nodes[m].part == graph.nodes[n].part;
      if (same && other->collective->gathers()) gathers = m;
    }
    if (gathers) taken[*gathers] = true;
    graph.trackings.push_back(trackingOf(graph, config, n, gathers));
  }
  return graph;
}

}  // namespace t3
