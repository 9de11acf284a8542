// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/transport/traffic.h"

namespace t3 {

class CollectivePlan;
class Machine;
struct ModeKind;
struct SystemConfig;

/// A GEMM on the compute units.
struct GemmWork {
  static constexpr const char* kKind = "gemm";

  /// Where its output goes, and with that the order in which it is made.
  enum class Stores : std::uint8_t {
    Cached,   ///< local, through the L2; the whole output in one order
    Through,  ///< the same, and into memory at once; chunk after chunk in the route's order
    Tracked,  ///< updates that trackers count; as many chunks side by side as the route wants
    Kept      ///< the same order; what others would have to store costs nothing
  };
  Stores stores = Stores::Cached;
  std::uint32_t output = 0;  ///< that it makes, of the machine's
  /// The output that is its first operand, as gathered on every GPU; else it has operands of its
  /// own.
  std::optional<std::uint32_t> reads = {};
  /// The memory's arbitration takes it for the kernel that its traffic is compared with.
  bool arbitrated = true;
};

/// The norm of the rows of an output that a GPU owns.
struct RowsWork {
  static constexpr const char* kKind = "norm";

  std::uint32_t output = 0;
};

/// A collective, by kernels on the compute units or by tracker and DMA engine.
struct CollectiveWork {
  static constexpr const char* kKind = "collective";

  const Collective* collective = nullptr;  ///< of an output …
  bool tracked = false;
  std::uint32_t output = 0;              ///< … with this number
  const CollectivePlan* plan = nullptr;  ///< in place of `collective`: alone, of buffers of its own
  /// That its kernels hold from their begin to their end, so that GEMMs beside them have fewer; 0:
  /// they use all, and take none from a GEMM.
  std::uint32_t units = 0;

  bool holdsUnits() const { return units != 0; }
};

/// The phase of delays.
inline constexpr Phase kDelayPhase = extraPhase(1);

/// What the models have no kernel for: it takes a time, and neither compute units nor memory.
struct DelayWork {
  static constexpr const char* kKind = "delay";

  Picoseconds time = 0;
};

/// Software of a GPU, which takes no time.
struct SoftwareWork {
  static constexpr const char* kKind = "software";

  std::function<void(Machine&, std::uint32_t gpu)> does;
};

struct GraphNode {
  std::string name;
  Phase phase = Phase::Gemm;  ///< whose traffic and time it is
  std::variant<GemmWork, RowsWork, CollectiveWork, DelayWork, SoftwareWork> work;
  /// Nodes of a part begin when those of the part before have ended on all GPUs, and nothing is
  /// under way: for bounds.
  std::uint32_t part = 0;

  template <typename Work>
  const Work* as() const {
    return std::get_if<Work>(&work);
  }
  /// The kind of its work, in one word.
  const char* kind() const {
    return std::visit([](const auto& one) { return one.kKind; }, work);
  }
  bool tracked() const {
    const auto* collective = as<CollectiveWork>();
    return collective != nullptr && collective->tracked;
  }
};

/// How a node waits for another one of the same GPU.
enum class Gate : std::uint8_t {
  After,   ///< begins a kernel launch after its end
  Rows,    ///< works on a row of tiles when it is final
  Chunks,  ///< works on a chunk, or a part of one, when it is there
};

struct GraphEdge {
  NodeId from = 0;
  Gate gate = Gate::After;
  NodeId to = 0;
};

/// What trackers and DMA engines do together: the sums of an output, what is gathered of it, or
/// both.
struct Tracking {
  TrackerUse use = {};
  std::optional<NodeId> sums = {}, gathers = {};
};

/// Which kernels every GPU runs, and what each waits for. A graph is data; `Executor` has the
/// rules.
///
/// A node without an edge `After` begins with its part; of several, in the order of the list. A
/// collective by trackers that waits for `Chunks` begins by itself, with the first of them.
struct Graph {
  std::vector<OutputShape> outputs = {};  ///< that GEMMs make; none: those of the scenario
  std::vector<GraphNode> nodes = {};
  std::vector<GraphEdge> edges = {};
  /// In the order in which the tracker of every GPU turns to them: one at a time. They follow from
  /// the nodes that are tracked (`completed`).
  std::vector<Tracking> trackings = {};

  NodeId add(GraphNode node) {
    nodes.push_back(std::move(node));
    return static_cast<NodeId>(nodes.size() - 1);
  }
  void connect(NodeId from, Gate gate, NodeId to) { edges.push_back({from, gate, to}); }

  std::uint32_t parts() const;
  NodeId firstOf(const Tracking& tracking) const {
    return tracking.sums ? *tracking.sums : *tracking.gathers;
  }
  std::uint32_t partOf(const Tracking& tracking) const { return nodes[firstOf(tracking)].part; }
  /// That a node makes or works on.
  std::uint32_t outputOf(NodeId node) const;
  std::uint32_t outputOf(const Tracking& tracking) const { return outputOf(firstOf(tracking)); }
  /// The GEMM whose stores trackers sum.
  std::optional<NodeId> producerOf(const Tracking& tracking) const;
  /// The name of the models of a node: as SystemC allows one, without points and blanks, which
  /// names in files have.
  std::string modelName(NodeId node) const;
  /// The node of a phase, the first of several.
  std::optional<NodeId> find(Phase phase) const;
  /// Whether `to` waits for `from` in that way; the first that it waits for.
  bool connected(NodeId from, Gate gate, NodeId to) const;
  std::optional<NodeId> source(Gate gate, NodeId to) const;
  /// Whether it begins with its part.
  bool isRoot(NodeId node) const;
  /// Its nodes, each behind those for which it waits, the tracker included; else by number. The
  /// same on all GPUs. Requires a graph that can run (`problemOf`).
  std::vector<NodeId> order() const;
  /// In the order of their nodes.
  std::vector<const Collective*> collectives() const;
  /// Of a collective that has buffers of its own; else null.
  const CollectivePlan* planOf(NodeId node) const;
  /// Whether the trackers count what a GEMM stores, here and in other GPUs.
  bool fused() const;
};

/// What a file has in place of a mode's own graph. It may depend on what trackers do in the mode.
struct FileGraphs {
  Graph byKernels = {};    ///< nothing
  Graph bySwitch = {};     ///< nothing, and the mode has a switch add; none: as `byKernels`
  Graph trackedSums = {};  ///< they sum what GEMMs store
  Graph tracked = {};      ///< and gather it

  const Graph& of(const ModeKind& kind) const;
};

/// With what a graph leaves to the scenario: its outputs, if it names none, and the trackings, in
/// the order of the nodes of their sums.
/// Throws std::invalid_argument for more than `kMostNodes`.
Graph completed(Graph graph, const SystemConfig& config);

/// Nodes of a graph: requests carry their numbers, of 16 bits.
inline constexpr std::size_t kMostNodes = 10'000;

/// What is wrong with a graph that `completed` has let pass, in a line that names its nodes;
/// nothing if it can run. It can if
///
/// * no node waits for itself;
/// * every output is made by one GEMM, or given, reduced and gathered at most once each, in that
///   order, with its norm between them, and whoever reads it waits until it is there;
/// * trackers sum what GEMMs make; of a given output they do nothing;
/// * rows and chunks come from a node that makes them: chunks of a GEMM for a reduce-scatter of its
///   output, and of sums for an all-gather by trackers; rows of sums for the norm, and of what is
///   gathered for a GEMM that reads it;
/// * one node works on the rows of another; on those that kernels gather, it waits for what these
///   kernels wait for; a norm works row by row only if trackers send its rows on;
/// * a collective by trackers that waits for chunks waits for nothing else: it begins with the
///   first of them; a GEMM that makes chunks in their order waits for no rows;
/// * a tracker that turns from one tracking to the next never waits for a GEMM of a later one.
std::optional<std::string> problemOf(const Graph& graph);

}  // namespace t3
