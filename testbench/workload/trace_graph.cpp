// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/trace_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "testbench/collective/graph_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/workload/meetings.h"
#include "testbench/workload/work_plan.h"
#include "tlm/transport/clock.h"

namespace t3 {

OutputShape givenOutput(const SystemConfig& config, std::uint64_t bytes) {
  const GemmConfig& gemm = config.gpu.gemm;
  const DataType type = config.workload.data_type;
  const auto wholes = [](std::uint64_t size, std::uint64_t unit) {
    return (size + unit - 1) / unit;
  };
  const std::uint64_t elements = wholes(bytes, bytesOf(type));
  const std::uint64_t chunks = config.makeRoute()->chunks();
  const std::uint64_t block = std::uint64_t{gemm.tile_rows} << config.tracker.block_log2;
  OutputShape best{.depths = std::vector(config.gpus, kGivenDepth), .given = true};
  std::uint64_t least = 0;
  std::uint32_t columns = storedColumns(gemm.tile_columns, type);
  while (true) {
    const std::uint64_t rows = wholes(elements, columns);
    const std::uint64_t slowest = wholes(wholes(rows, block), chunks) * block * chunks * columns;
    if (best.rows == 0 || slowest < least) {
      best.rows = static_cast<std::uint32_t>(rows);
      best.columns = columns;
      least = slowest;
    }
    const std::uint32_t narrower = storedColumns(columns / 2, type);
    if (least <= elements + elements / 50 || narrower == columns) return best;
    columns = narrower;
  }
}

namespace {

using Nodes = std::set<NodeId>;

/// Nodes of one run one after the other.
enum Chain : std::uint32_t { OfCompute, OfCommunication, OfHost, Chains };

/// What kernels run for a collective; null: none.
const Collective* collectiveOf(CommType type) {
  switch (type) {
    case CommType::AllReduce:
      return &kAllReduce;
    case CommType::AllGather:
      return &kAllGather;
    case CommType::ReduceScatter:
    case CommType::ReduceScatterBlock:
      return &kReduceScatter;
    default:
      return nullptr;
  }
}

/// What the nodes of a trace are, the same on all GPUs.
class SameTrace {
 public:
  SameTrace(const Workload& workload, const Meetings& meetings, const WorkPlan& itsPlan,
            const SystemConfig& machine)
      : trace(workload.gpu(0)),
        plan(itsPlan),
        scenario(machine),
        workload_(workload),
        meetings_(meetings) {
    for (std::uint32_t g = 1; g < workload.gpus(); ++g) requireAlike(workload.gpu(g));
    findCollectives();
    findDurations();
  }

  const TraceNode& node(std::uint32_t i) const { return trace.node(i); }
  [[noreturn]] void refuse(NodePlace at, const std::string& what) const {
    const GpuTrace& its = workload_.gpu(at.gpu);
    throw ConfigError(its.file->path, placeOf(its.node(at.node)), what);
  }
  /// The collective that a node is, or the one of whose pair it is the GEMM.
  std::optional<std::uint32_t> collectiveAt(std::uint32_t i) const {
    const auto found = collectives_.find(i);
    if (found == collectives_.end()) return std::nullopt;
    return found->second;
  }
  CommType typeOf(std::uint32_t collective) const {
    return meetings_.collectives()[collective].type;
  }

  const GpuTrace& trace;
  const WorkPlan& plan;
  const SystemConfig& scenario;
  std::vector<Picoseconds> durations;  ///< of the GPU on which a node takes longest
  bool durationsDiffer = false;

 private:
  void requireAlike(const GpuTrace& other) const {
    if (other.file == trace.file) return;
    for (std::uint32_t i = 0; i < std::max(trace.size(), other.size()); ++i) {
      const bool both = i < trace.size() && i < other.size();
      if (both && alike(node(i), other.node(i)) && trace.dependencies[i] == other.dependencies[i]) {
        continue;
      }
      throw ConfigError(other.file->path, i < other.size() ? placeOf(other.node(i)) : "its end",
                        "expected " + (i < trace.size() ? placeOf(node(i)) : "the end") + " of " +
                            trace.file->path +
                            ", with its sizes and dependencies, because on one machine all GPUs "
                            "run the same; --workload runs others");
    }
  }
  static bool alike(const TraceNode& one, const TraceNode& other) {
    const auto all = [](const TraceNode& of) {
      return std::tie(of.name, of.type, of.onHost, of.operations, of.tensorBytes, of.commType,
                      of.commBytes, of.gemm, of.elementType);
    };
    return all(one) == all(other);
  }

  void findCollectives() {
    if (!plan.messages.empty()) {
      refuse(plan.messages.front().from,
             "expected no message between two GPUs on one machine; --workload runs it");
    }
    for (std::uint32_t c = 0; c < plan.collectives.size(); ++c) {
      const std::vector<NodePlace>& members = plan.collectives[c].members;
      const NodePlace first = members.front();
      if (members.size() < workload_.gpus()) {
        refuse(first, "expected a collective of all " + std::to_string(workload_.gpus()) +
                          " GPUs on one machine, got one of " + std::to_string(members.size()) +
                          ", group " + inQuotes(node(first.node).group) + "; --workload runs it");
      }
      const auto other =
          std::ranges::find_if(members, [&](NodePlace at) { return at.node != first.node; });
      if (other != members.end()) {
        refuse(*other, "expected to meet the same node of every GPU on one machine, got GPU 0's " +
                           placeOf(node(first.node)) + "; --workload runs it");
      }
      if (collectiveOf(typeOf(c)) == nullptr) {
        refuse(first, std::string("expected an all-reduce, a reduce-scatter or an all-gather on "
                                  "one machine, got ") +
                          nameOf(typeOf(c)) + "; --workload runs it");
      }
      collectives_[first.node] = c;
      if (const auto& gemms = plan.collectives[c].gemms; !gemms.empty()) {
        collectives_[gemms.front().node] = c;
      }
    }
  }

  void findDurations() {
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      Picoseconds longest = plan.nodes.front()[i].duration;
      for (const std::vector<PlannedNode>& gpu : plan.nodes) {
        durationsDiffer = durationsDiffer || gpu[i].duration != longest;
        longest = std::max(longest, gpu[i].duration);
      }
      durations.push_back(longest);
    }
  }

  const Workload& workload_;
  const Meetings& meetings_;
  std::map<std::uint32_t, std::uint32_t> collectives_;  ///< by node
};

class GraphMaker {
 public:
  GraphMaker(const SameTrace& same, Pairs pairs)
      : same_(same),
        scenario_(same.scenario),
        pairs_(pairs),
        launch_(picosecondsFromNs(same.scenario.gpu.kernel_launch_us * 1e3)),
        ends_(same.trace.size()) {}

  Graph make() {
    std::vector<bool> done(same_.trace.size());
    const auto add = [&](std::uint32_t i) {
      Nodes before;
      for (const std::uint32_t earlier : same_.trace.dependencies[i]) {
        before.insert(ends_[earlier].begin(), ends_[earlier].end());
      }
      addNode(i, before);
      done[i] = true;
    };
    for (const std::uint32_t i : same_.trace.order()) {
      if (done[i]) continue;
      add(i);
      // A pair runs as one: its collective waits for nothing that its GEMM did not wait for.
      const auto pair = same_.collectiveAt(i);
      if (pair && gemmOf(*pair) == i) add(same_.plan.collectives[*pair].members.front().node);
    }
    addEdges();
    if (graph_.outputs.empty()) {
      throw ConfigError(same_.trace.file->path, "",
                        "expected a GEMM or a collective, which a machine runs");
    }
    return std::move(graph_);
  }
  /// Collectives alone, to whole rows of tiles.
  std::uint32_t padded() const { return padded_; }

 private:
  std::optional<std::uint32_t> gemmOf(std::uint32_t collective) const {
    const std::vector<NodePlace>& gemms = same_.plan.collectives[collective].gemms;
    if (gemms.empty()) return std::nullopt;
    return gemms.front().node;
  }

  void addNode(std::uint32_t i, const Nodes& before) {
    const PlannedNode& planned = same_.plan.nodes.front()[i];
    const TraceNode& one = same_.node(i);
    if (const auto c = same_.collectiveAt(i); c && gemmOf(*c) != i) {
      if (same_.plan.collectives[*c].takesNoTime) {
        ends_[i] = before;
      } else if (gemmOf(*c)) {
        addBehind(i, *c, before);
      } else {
        addAlone(i, *c, before);
      }
    } else if (planned.kind == WorkKind::PairGemm || planned.part) {
      const bool pair = planned.kind == WorkKind::PairGemm;
      GemmWork work{.output = addOutput(i, pair)};
      if (pair && pairs_ != Pairs::Kernels) work.stores = GemmWork::Stores::Tracked;
      ends_[i] = {inChain(OfCompute, before, {one.name, Phase::Gemm, work})};
    } else if (same_.durations[i] == 0) {
      ends_[i] = before;
    } else {
      const bool host = planned.kind == WorkKind::Host;
      const bool waits = !before.empty() || !last_[OfHost].empty();
      // The executor begins all that waits a kernel launch later, what the host does too.
      const Picoseconds launch = host && waits ? launch_ : 0;
      const DelayWork work{same_.durations[i] - std::min(launch, same_.durations[i])};
      ends_[i] = {inChain(host ? OfHost : OfCompute, before, {one.name, kDelayPhase, work})};
    }
  }

  /// The output of a GEMM.
  std::uint32_t addOutput(std::uint32_t i, bool reduced) {
    const TraceNode& one = same_.node(i);
    const DataType type = scenario_.workload.data_type;
    const DataType own = fromSpelling<DataType>(one.elementType).value_or(type);
    if (bytesOf(own) != bytesOf(type)) {
      same_.refuse({0, i}, "expected elements of " + spelling(type) +
                               ", workload.data_type, as all of a machine are, got " +
                               spelling(own));
    }
    const GemmShape shape = asStored(*one.gemm, scenario_.trace.output_layout);
    graph_.outputs.push_back(
        {.rows = static_cast<std::uint32_t>(shape.rows),
         .columns = storedColumns(static_cast<std::uint32_t>(shape.columns), type),
         .depths = std::vector(scenario_.gpus, static_cast<std::uint32_t>(shape.depth)),
         .chunked = reduced});
    return static_cast<std::uint32_t>(graph_.outputs.size() - 1);
  }

  /// The collective of a pair, whose GEMM has been added last.
  void addBehind(std::uint32_t i, std::uint32_t collective, const Nodes& before) {
    const NodeId gemm = *ends_[*gemmOf(collective)].begin();
    const std::uint32_t output = graph_.nodes[gemm].as<GemmWork>()->output;
    const bool both = same_.typeOf(collective) == CommType::AllReduce;
    const auto named = [&](const Collective& one) {
      return both ? same_.node(i).name + "." + one.name : same_.node(i).name;
    };
    const auto work = [&](const Collective& one, bool tracked) {
      return GraphNode{named(one), one.phase, CollectiveWork{&one, tracked, output}};
    };
    if (pairs_ == Pairs::Kernels) {
      ends_[i] = {inChain(OfCommunication, before, work(kReduceScatter, false))};
      if (both) ends_[i] = {inChain(OfCommunication, ends_[i], work(kAllGather, false))};
      return;
    }
    const NodeId sums = addGraphNode(work(kReduceScatter, true));
    graph_.connect(gemm, Gate::Chunks, sums);
    ends_[i] = {gemm, sums};
    if (both && pairs_ == Pairs::TrackedSums) {
      ends_[i] = {inChain(OfCommunication, ends_[i], work(kAllGather, false))};
    } else if (both) {
      const NodeId gathers = addGraphNode(work(kAllGather, true));
      graph_.connect(sums, Gate::Chunks, gathers);
      ends_[i].insert(gathers);
    }
    if (oneStream()) last_[OfCompute] = ends_[i];
  }

  /// A collective by kernels, on an output that nobody makes.
  void addAlone(std::uint32_t i, std::uint32_t c, const Nodes& before) {
    const Collective& collective = *collectiveOf(same_.typeOf(c));
    const std::uint64_t bytes = same_.plan.parts[*same_.plan.collectives[c].part].bytes;
    if (bytes > scenario_.hbm.capacityBytes()) {
      same_.refuse({0, i}, "expected a collective that fits into hbm.capacity_gib = " +
                               std::to_string(scenario_.hbm.capacity_gib) +
                               " GiB on one machine; --workload runs it");
    }
    const OutputShape& shape = graph_.outputs.emplace_back(givenOutput(scenario_, bytes));
    const std::uint64_t elements = std::uint64_t{shape.rows} * shape.columns;
    if (elements * bytesOf(scenario_.workload.data_type) != bytes) ++padded_;
    const auto output = static_cast<std::uint32_t>(graph_.outputs.size() - 1);
    ends_[i] = {inChain(
        OfCommunication, before,
        {same_.node(i).name, collective.phase, CollectiveWork{&collective, false, output}})};
  }

  // ---- order -----------------------------------------------------------------------------------

  bool oneStream() const { return scenario_.trace.overlap == TraceOverlap::None; }

  /// Adds a node that waits for those of its stream, too.
  NodeId inChain(Chain chain, const Nodes& before, GraphNode node) {
    if (chain == OfCommunication && oneStream()) chain = OfCompute;
    Nodes all = before;
    all.insert(last_[chain].begin(), last_[chain].end());
    const NodeId number = addGraphNode(std::move(node));
    waits_[number] = std::move(all);
    last_[chain] = {number};
    return number;
  }

  NodeId addGraphNode(GraphNode node) {
    const std::string name = node.name.empty() ? "node" : node.name;
    node.name = name;
    for (std::uint32_t again = 2; !names_.insert(node.name).second; ++again) {
      node.name = name + "#" + std::to_string(again);
    }
    waits_.emplace_back();
    if (waits_.size() > kMostTraceKernels) {
      throw ConfigError(same_.trace.file->path, "",
                        "expected at most " + std::to_string(kMostTraceKernels) +
                            " kernels on one machine; --workload-layers N takes the first layers, "
                            "and --workload runs all, as parts that do not contend");
    }
    return graph_.add(std::move(node));
  }

  /// `After`, but what follows from other edges.
  void addEdges() {
    std::vector<std::vector<bool>> ended(waits_.size());  // [node][node]: when the first begins
    const auto join = [](std::vector<bool>& to, const std::vector<bool>& from) {
      for (std::size_t n = 0; n < from.size(); ++n) to[n] = to[n] || from[n];
    };
    for (NodeId n = 0; n < waits_.size(); ++n) {
      ended[n].assign(waits_.size(), false);
      // What trackers do ends no earlier than the GEMM of their chunks begins.
      if (const auto source = graph_.source(Gate::Chunks, n)) join(ended[n], ended[*source]);
      std::vector<bool> behindOthers(waits_.size());
      for (const NodeId earlier : waits_[n]) join(behindOthers, ended[earlier]);
      for (const NodeId earlier : waits_[n]) {
        if (!behindOthers[earlier]) graph_.connect(earlier, Gate::After, n);
        ended[n][earlier] = true;
      }
      join(ended[n], behindOthers);
    }
  }

  const SameTrace& same_;
  const SystemConfig& scenario_;
  const Pairs pairs_;
  const Picoseconds launch_;
  Graph graph_;
  std::vector<Nodes> waits_;  ///< [node of the graph]
  std::vector<Nodes> ends_;   ///< [node of the trace]: over when all these are
  std::array<Nodes, Chains> last_;
  std::set<std::string> names_;
  std::uint32_t padded_ = 0;
};

}  // namespace

TraceGraphs traceGraphs(const Workload& workload, const SystemConfig& scenario) {
  // What each GPU, and a route from a file, have of their own is the machine's business.
  SystemConfig plain = scenario;
  plain.overrides = {};
  plain.workload.collective = plain.workload.graph = "";
  plain.algorithm.reset();
  const Meetings meetings(workload, {});
  const WorkPlan plan = planWork(workload, meetings, plain, {});
  const SameTrace same(workload, meetings, plan, scenario);
  GraphMaker byKernels(same, Pairs::Kernels);
  TraceGraphs made{{.byKernels = byKernels.make(),
                    .trackedSums = GraphMaker(same, Pairs::TrackedSums).make(),
                    .tracked = GraphMaker(same, Pairs::Tracked).make()},
                   plan.notes};
  if (byKernels.padded() != 0) {
    made.notes.push_back(std::to_string(byKernels.padded()) +
                         " collectives that follow no GEMM: padded to whole rows");
  }
  if (same.durationsDiffer) {
    made.notes.emplace_back("nodes whose times differ between GPUs: take the longest");
  }
  return made;
}

TraceGraphs readTraceGraphs(const SystemConfig& scenario) {
  const std::string& path = scenario.workload.graph;
  if (scenario.fabric.topology == Topology::Links) {
    throw ConfigError(path, "fabric.topology", "expected any but links with a trace");
  }
  if (!scenario.trace.launch && scenario.gpu.kernel_launch_us > 0) {
    throw ConfigError(path, "trace.launch",
                      "expected true, or gpu.kernel_launch_us = 0: on one machine every node "
                      "begins a launch after what it waited for");
  }
  const Workload workload(path, scenario.gpus, scenario.trace);
  if (workload.gpus() != scenario.gpus) {
    throw ConfigError(path, "gpus",
                      "expected " + std::to_string(workload.gpus()) + ", those of the trace, got " +
                          std::to_string(scenario.gpus));
  }
  return traceGraphs(workload, scenario);
}

}  // namespace t3
