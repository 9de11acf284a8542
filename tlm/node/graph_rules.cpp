// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/graph.h"

#include <algorithm>
#include <string>
#include <vector>

namespace t3 {
namespace {

class Rules {
 public:
  explicit Rules(const Graph& graph) : graph_(graph), reaches_(graph.nodes.size()) {}

  std::optional<std::string> problem() {
    if (auto circle = findCircle()) return circle;
    for (const auto check : {&Rules::edges, &Rules::outputs, &Rules::readers, &Rules::trackers}) {
      if (auto found = (this->*check)()) return found;
    }
    return std::nullopt;
  }

 private:
  using Problem = std::optional<std::string>;

  const GraphNode& node(NodeId n) const { return graph_.nodes[n]; }
  std::string name(NodeId n) const { return "'" + node(n).name + "'"; }
  const CollectiveWork* collective(NodeId n) const { return node(n).as<CollectiveWork>(); }

  std::optional<std::uint32_t> outputOf(NodeId n) const {
    if (const auto* gemm = node(n).as<GemmWork>()) return gemm->output;
    if (const auto* rows = node(n).as<RowsWork>()) return rows->output;
    if (const auto* work = collective(n)) return work->output;
    return std::nullopt;
  }
  bool reduces(NodeId n) const {
    return collective(n) != nullptr && !collective(n)->collective->gathers();
  }
  bool gathers(NodeId n) const {
    return collective(n) != nullptr && !collective(n)->collective->reduceScatters();
  }

  /// Depth first; a node that is met on its own way closes a circle. Fills in who is behind whom.
  Problem findCircle() {
    std::vector<NodeId> way;
    std::vector<bool> done(graph_.nodes.size());
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      if (auto circle = follow(n, way, done)) return circle;
    }
    return std::nullopt;
  }
  Problem follow(NodeId n, std::vector<NodeId>& way, std::vector<bool>& done) {
    if (const auto seen = std::ranges::find(way, n); seen != way.end()) {
      std::string text = "expected no node that waits for itself: ";
      for (auto at = seen; at != way.end(); ++at) text += name(*at) + " -> ";
      return text + name(n);
    }
    if (done[n]) return std::nullopt;
    way.push_back(n);
    reaches_[n].assign(graph_.nodes.size(), false);
    for (const GraphEdge& edge : graph_.edges) {
      if (edge.from != n) continue;
      if (auto circle = follow(edge.to, way, done)) return circle;
      reaches_[n][edge.to] = true;
      for (NodeId far = 0; far < graph_.nodes.size(); ++far) {
        if (reaches_[edge.to][far]) reaches_[n][far] = true;
      }
    }
    way.pop_back();
    done[n] = true;
    return std::nullopt;
  }
  bool before(NodeId one, NodeId other) const { return reaches_[one][other]; }

  Problem edges() {
    for (const GraphEdge& edge : graph_.edges) {
      const auto chunks = graph_.source(Gate::Chunks, edge.to);
      if (edge.gate == Gate::After && node(edge.to).tracked() && chunks) {
        return "expected " + name(edge.to) + ", which begins with the first chunk of " +
               name(*chunks) + ", not after " + name(edge.from);
      }
      if (edge.gate == Gate::Rows && makesChunks(edge.to)) {
        return "expected " + name(edge.to) + " after " + name(edge.from) +
               ", not row by row, because it makes its output in the order of chunks";
      }
      if (edge.gate == Gate::After) continue;
      const char* what = edge.gate == Gate::Rows ? "rows" : "chunks";
      if (gives(edge)) {
        if (edge.gate != Gate::Rows) continue;
        if (auto problem = rows(edge)) return problem;
        continue;
      }
      return "expected " + std::string(what) + " of another node for " + name(edge.to) + ", got " +
             name(edge.from) + ", which makes none for it";
    }
    return std::nullopt;
  }
  /// Of the one who works row by row on what a node makes.
  Problem rows(const GraphEdge& edge) {
    for (const GraphEdge& other : graph_.edges) {
      if (other.from != edge.from || other.gate != Gate::Rows || other.to == edge.to) continue;
      return "expected rows of " + name(edge.from) + " for one node, got " + name(edge.to) +
             " and " + name(other.to);
    }
    if (node(edge.to).as<RowsWork>() != nullptr) {
      const bool sent = std::ranges::any_of(graph_.edges, [&](const GraphEdge& other) {
        return other.from == edge.to && other.gate == Gate::Chunks;
      });
      if (sent) return std::nullopt;
      return "expected " + name(edge.to) + " after " + name(edge.from) +
             ", not row by row, because no all-gather by trackers sends its rows on";
    }
    if (node(edge.from).tracked()) return std::nullopt;
    // Kernels find the GPU's own rows there when they begin, and so must who reads them.
    for (const GraphEdge& other : graph_.edges) {
      if (other.to != edge.from || other.gate != Gate::After) continue;
      const bool waits = std::ranges::any_of(graph_.edges, [&](const GraphEdge& own) {
        return own.to == edge.to && own.gate == Gate::After &&
               (own.from == other.from || before(other.from, own.from));
      });
      if (waits) continue;
      return "expected " + name(edge.to) + " after " + name(other.from) + ", too, because " +
             name(edge.from) + " is, whose rows it works on";
    }
    return std::nullopt;
  }
  bool makesChunks(NodeId n) const {
    return node(n).as<GemmWork>() != nullptr &&
           std::ranges::any_of(graph_.edges, [n](const GraphEdge& edge) {
             return edge.from == n && edge.gate == Gate::Chunks;
           });
  }
  bool gives(const GraphEdge& edge) const {
    const auto* gemm = node(edge.to).as<GemmWork>();
    const bool same = outputOf(edge.from) == outputOf(edge.to);
    const bool fromNorm = node(edge.from).as<RowsWork>() != nullptr;
    if (edge.gate == Gate::Chunks) {
      if (node(edge.from).as<GemmWork>() != nullptr) return same && reduces(edge.to);
      const bool sums = node(edge.from).tracked() && reduces(edge.from);
      return same && (sums || fromNorm) && node(edge.to).tracked() && gathers(edge.to);
    }
    if (node(edge.to).as<RowsWork>() != nullptr) {
      return same && node(edge.from).tracked() && reduces(edge.from);
    }
    return gemm != nullptr && gathers(edge.from) && !reduces(edge.from) &&
           gemm->reads == outputOf(edge.from);
  }

  /// The nodes of an output that `is` one of a kind.
  std::vector<NodeId> nodesOf(std::uint32_t output, const auto& is) const {
    std::vector<NodeId> list;
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      if (outputOf(n) == output && is(n)) list.push_back(n);
    }
    return list;
  }

  Problem outputs() {
    for (std::uint32_t o = 0; o < graph_.outputs.size(); ++o) {
      const auto made = nodesOf(o, [&](NodeId n) { return node(n).as<GemmWork>() != nullptr; });
      const auto sums = nodesOf(o, [&](NodeId n) { return reduces(n); });
      const auto norms = nodesOf(o, [&](NodeId n) { return node(n).as<RowsWork>() != nullptr; });
      const auto gathered = nodesOf(o, [&](NodeId n) { return gathers(n) && !reduces(n); });
      const bool given = graph_.outputs[o].given;
      if (made.size() != (given ? 0 : 1)) {
        if (given) return "expected no GEMM for a given output, got " + name(made[0]);
        return "expected one GEMM for each output, got " + std::to_string(made.size()) +
               (made.empty() ? " for output " + std::to_string(o)
                             : ": " + name(made[0]) + " and " + name(made[1]));
      }
      for (const auto* list : {&sums, &norms, &gathered}) {
        if (list->size() < 2) continue;
        return "expected one of a kind for each output, got " + name((*list)[0]) + " and " +
               name((*list)[1]);
      }
      std::optional<NodeId> last;
      for (const auto* list : {&made, &sums, &norms, &gathered}) {
        if (list->empty()) continue;
        if (last && !before(*last, list->front())) {
          return "expected " + name(list->front()) + " after " + name(*last) +
                 ", which makes what it works on";
        }
        last = list->front();
      }
      for (const auto* list : {&sums, &gathered}) {
        if (!given || list->empty() || !node(list->front()).tracked()) continue;
        return "expected kernels for " + name(list->front()) + ", because its output is given";
      }
      if (sums.empty() && (!norms.empty() || (!gathered.empty() && !given))) {
        return "expected a reduce-scatter before " +
               name(norms.empty() ? gathered.front() : norms.front());
      }
      for (const NodeId n : sums) {
        if (node(n).tracked() && !graph_.connected(made.front(), Gate::Chunks, n)) {
          return "expected chunks of " + name(made.front()) + " for " + name(n) +
                 ", whose updates trackers count";
        }
      }
      for (const NodeId n : gathered) {
        if (!node(n).tracked() || graph_.source(Gate::Chunks, n)) continue;
        return "expected chunks of the sums for " + name(n) + ", which trackers send on";
      }
    }
    return std::nullopt;
  }

  /// A GEMM that reads an output waits for the node that completes it, or works row by row.
  Problem readers() {
    for (NodeId n = 0; n < graph_.nodes.size(); ++n) {
      const auto* gemm = node(n).as<GemmWork>();
      if (gemm == nullptr || !gemm->reads) continue;
      const auto complete = nodesOf(*gemm->reads, [&](NodeId one) {
        return gathers(one) || (!graph_.outputs[*gemm->reads].chunked && one != n);
      });
      if (complete.empty() && graph_.outputs[*gemm->reads].given) {
        const auto sums = nodesOf(*gemm->reads, [&](NodeId one) { return reduces(one); });
        if (sums.empty()) continue;  // it is there
      }
      if (complete.empty()) {
        return "expected an output that is whole on every GPU for " + name(n) +
               ", whose operand nobody gathers";
      }
      if (before(complete.front(), n)) continue;
      return "expected " + name(n) + " after " + name(complete.front()) +
             ", which completes its operand";
    }
    return std::nullopt;
  }

  /// Trackers turn in the order of their nodes.
  Problem trackers() {
    for (std::size_t late = 1; late < graph_.trackings.size(); ++late) {
      const auto producer = graph_.producerOf(graph_.trackings[late]);
      for (std::size_t early = 0; producer && early < late; ++early) {
        const Tracking& first = graph_.trackings[early];
        const auto earlier = graph_.producerOf(first);
        for (const auto& part : {earlier, first.sums, first.gathers}) {
          if (!part || !before(*producer, *part)) continue;
          return "expected " + name(*part) + " not behind " + name(*producer) +
                 ": trackers turn to the sums of the latter when they are done with the former";
        }
      }
    }
    return std::nullopt;
  }

  const Graph& graph_;
  std::vector<std::vector<bool>> reaches_;  ///< [node][node]: behind it
};

}  // namespace

std::optional<std::string> problemOf(const Graph& graph) { return Rules(graph).problem(); }

}  // namespace t3
