// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/work_plan.h"

#include <algorithm>
#include <set>

#include "testbench/collective/collective_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {

double rooflineNs(const SystemConfig& scenario, double operations, double bytes) {
  const GpuConfig& gpu = scenario.gpu;
  const double perNs =
      2.0 * gpu.compute_units * gpu.gemm.macs_per_cu_per_cycle * gpu.clock_mhz * 1e-3;
  return std::max(operations / (perNs * scenario.trace.peak_share),
                  bytes / (scenario.hbm.peakBytesPerNs() * scenario.trace.bandwidth_share));
}

namespace {

const Promise* promiseOf(CommType type) {
  switch (type) {
    case CommType::AllReduce:
      return &kAllReducePromise;
    case CommType::AllGather:
      return &kAllGatherPromise;
    case CommType::AllToAll:
      return &kAllToAllPromise;
    case CommType::Broadcast:
      return &kBroadcastPromise;
    case CommType::ReduceScatter:
    case CommType::ReduceScatterBlock:
      return &kReduceScatterPromise;
    default:
      return nullptr;
  }
}

class Planner {
 public:
  Planner(const Workload& workload, const Meetings& meetings, const SystemConfig& scenario,
          const CollectiveFiles& files)
      : workload_(workload), meetings_(meetings), scenario_(scenario), files_(files) {}

  WorkPlan plan() {
    findPairs();
    for (std::uint32_t g = 0; g < workload_.gpus(); ++g) {
      const GpuTrace& trace = workload_.gpu(g);
      std::vector<PlannedNode>& nodes = plan_.nodes.emplace_back(trace.size());
      for (std::uint32_t i = 0; i < trace.size(); ++i) nodes[i] = planNode({g, i});
      if (trace.missing != 0) {
        note("dependencies on nodes that are not in the trace: ignored", trace.file->path,
             trace.missing);
      }
    }
    for (std::size_t c = 0; c < meetings_.collectives().size(); ++c) planCollective(c);
    for (const MessageMeeting& message : meetings_.messages()) planMessage(message);
    noteAttributes();
    for (const Note& one : notes_) {
      plan_.notes.push_back(std::to_string(one.count) + " " + one.kind +
                            (one.example.empty() ? "" : " (first: " + one.example + ")"));
    }
    return std::move(plan_);
  }

 private:
  /// What is not simulated as the trace has it.
  struct Note {
    std::string kind, example;  ///< the first of them
    std::uint64_t count = 0;
  };

  void note(const std::string& kind, const std::string& example, std::uint64_t count = 1) {
    auto known = std::ranges::find(notes_, kind, &Note::kind);
    if (known == notes_.end()) known = notes_.insert(known, {kind, example});
    known->count += count;
  }

  const TraceNode& node(NodePlace at) const { return workload_.gpu(at.gpu).node(at.node); }
  std::string place(NodePlace at) const {
    return workload_.gpu(at.gpu).file->path + ": " + placeOf(node(at));
  }

  DataType typeOf(const TraceNode& gemm) const {
    return fromSpelling<DataType>(gemm.elementType).value_or(scenario_.workload.data_type);
  }

  /// The number of a part; the same one where everything about it is the same.
  std::uint32_t use(const WorkPart& part) {
    const auto [entry, isNew] =
        partNumbers_.emplace(part, static_cast<std::uint32_t>(plan_.parts.size()));
    if (isNew) {
      plan_.parts.push_back(part);
      plan_.occurrences.push_back(0);
    }
    ++plan_.occurrences[entry->second];
    return entry->second;
  }

  const std::optional<std::string>& problemOf(const WorkPart& part) {
    const auto known = problems_.find(part);
    if (known != problems_.end()) return known->second;
    return problems_.emplace(part, partProblem(part, scenario_)).first->second;
  }

  // ---- pairs ------------------------------------------------------------------------------------

  /// The GEMM whose output a member of a collective works on: the only data it waits for, of its
  /// size, and whatever else it waits for the GEMM waits for too.
  std::optional<NodePlace> gemmOf(NodePlace member) const {
    const GpuTrace& trace = workload_.gpu(member.gpu);
    const TraceNode& collective = node(member);
    std::optional<std::uint32_t> found;
    for (const std::uint32_t earlier : trace.dependencies[member.node]) {
      const TraceNode& candidate = trace.node(earlier);
      const bool data = std::ranges::find(collective.dataDependencies, candidate.id) !=
                        collective.dataDependencies.end();
      if (!data || !candidate.gemm) continue;
      if (found) return std::nullopt;
      found = earlier;
    }
    if (!found) return std::nullopt;
    const std::vector<std::uint32_t>& before = trace.dependencies[*found];
    for (const std::uint32_t earlier : trace.dependencies[member.node]) {
      if (earlier != *found && !std::ranges::binary_search(before, earlier)) return std::nullopt;
    }
    const GemmShape& shape = *trace.node(*found).gemm;
    const double bytes = static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
                         bytesOf(typeOf(trace.node(*found)));
    if (bytes != static_cast<double>(collective.commBytes)) return std::nullopt;
    return NodePlace{member.gpu, *found};
  }

  std::optional<WorkPart> pairOf(const CollectiveMeeting& meeting,
                                 const std::vector<NodePlace>& gemms) const {
    WorkPart part{.kind = PartKind::Pair,
                  .gpus = static_cast<std::uint32_t>(meeting.members.size()),
                  .gemm = *node(gemms.front()).gemm,
                  .type = typeOf(node(gemms.front())),
                  .collective = promiseOf(meeting.type)};
    for (const NodePlace gemm : gemms) {
      if (node(gemm).gemm != part.gemm || typeOf(node(gemm)) != part.type) return std::nullopt;
    }
    return part;
  }

  void findPairs() {
    gemms_.resize(meetings_.collectives().size());
    for (std::size_t c = 0; c < meetings_.collectives().size(); ++c) {
      const CollectiveMeeting& meeting = meetings_.collectives()[c];
      const Promise* promise = promiseOf(meeting.type);
      if ((promise != &kAllReducePromise && promise != &kReduceScatterPromise) ||
          meeting.members.size() < 2) {
        continue;
      }
      std::vector<NodePlace> gemms;
      for (const NodePlace member : meeting.members) {
        const auto gemm = gemmOf(member);
        if (!gemm || paired_.contains(*gemm)) break;
        gemms.push_back(*gemm);
      }
      if (gemms.size() != meeting.members.size()) continue;
      const auto part = pairOf(meeting, gemms);
      if (!part) {
        note("collectives behind a GEMM run after it, because its sizes differ between GPUs",
             place(meeting.members.front()));
      } else if (files_.contains({promise, part->gpus})) {
        note("collectives behind a GEMM run after it, because they have a file",
             place(meeting.members.front()));
      } else if (const auto& problem = problemOf(*part)) {
        note("collectives behind a GEMM run after it, because the models cannot run the pair",
             place(meeting.members.front()) + ": " + *problem);
      } else {
        paired_.insert(gemms.begin(), gemms.end());
        gemms_[c] = std::move(gemms);
      }
    }
    dropPairsThatWaitForThemselves();
  }

  /// A pair begins on all its GPUs at the same time. Where a GEMM of it waits, by way of others,
  /// for another GEMM of it, that cannot be.
  void dropPairsThatWaitForThemselves() {
    while (true) {
      JoinedGraph graph(workload_, meetings_.messages());
      for (std::size_t c = 0; c < meetings_.collectives().size(); ++c) {
        const std::vector<NodePlace>& members = meetings_.collectives()[c].members;
        for (const NodePlace member : members) graph.join(members.front(), member);
        for (const NodePlace gemm : gemms_[c]) graph.join(members.front(), gemm);
      }
      const std::vector<NodePlace> circle = graph.circle();
      if (circle.empty()) return;
      for (std::size_t c = 0; c < gemms_.size(); ++c) {
        if (gemms_[c].empty()) continue;
        const NodePlace first = gemms_[c].front();
        if (std::ranges::none_of(circle, [&](NodePlace at) { return graph.joined(at, first); })) {
          continue;
        }
        note("collectives behind a GEMM run after it, because GPUs wait for one another in between",
             place(meetings_.collectives()[c].members.front()));
        for (const NodePlace gemm : gemms_[c]) paired_.erase(gemm);
        gemms_[c].clear();
      }
    }
  }

  // ---- nodes of one GPU -------------------------------------------------------------------------

  PlannedNode planNode(NodePlace at) {
    const TraceNode& one = node(at);
    const Picoseconds duration = one.durationMicros * 1'000'000;
    if (one.type == TraceNodeType::Invalid || one.type == TraceNodeType::Metadata) {
      note(one.type == TraceNodeType::Invalid ? "nodes INVALID_NODE: take no time"
                                              : "nodes METADATA_NODE: take no time",
           place(at));
      return {};
    }
    if (one.onHost) {
      if (one.type != TraceNodeType::Compute) {
        note(
            "communication and memory nodes of the CPU: take the time of the trace, and "
            "meet nobody",
            place(at));
      }
      return {WorkKind::Host, {}, scenario_.trace.host_time ? duration : 0};
    }
    switch (one.type) {
      case TraceNodeType::Compute:
        return planCompute(at, duration);
      case TraceNodeType::MemoryLoad:
      case TraceNodeType::MemoryStore: {
        const double peak = scenario_.trace.memory_gb_s > 0 ? scenario_.trace.memory_gb_s
                                                            : scenario_.hbm.peakBytesPerNs();
        return {WorkKind::Memory,
                {},
                bounded(at, static_cast<double>(*one.tensorBytes) /
                                (peak * scenario_.trace.bandwidth_share))};
      }
      default:
        return {};  // they meet others
    }
  }

  PlannedNode planCompute(NodePlace at, Picoseconds duration) {
    const TraceNode& one = node(at);
    if (one.gemm) {
      if (padded(*one.gemm, typeOf(one), scenario_.trace.output_layout)) {
        note("GEMMs whose rows of output are padded to whole bursts of 32 bytes", place(at));
      }
      if (paired_.contains(at)) return {WorkKind::PairGemm, {}, 0};
      const WorkPart part{
          .kind = PartKind::Gemm, .gpus = 1, .gemm = *one.gemm, .type = typeOf(one)};
      const auto& problem = problemOf(part);
      if (!problem) return {WorkKind::Gemm, use(part), 0};
      note("GEMMs are timed by a roofline, because the model cannot run them",
           place(at) + ": " + *problem);
      const auto m = static_cast<double>(one.gemm->rows);
      const auto n = static_cast<double>(one.gemm->columns);
      const auto k = static_cast<double>(one.gemm->depth);
      return {WorkKind::Gemm,
              {},
              bounded(at, rooflineNs(scenario_, 2 * m * n * k,
                                     (m * k + k * n + m * n) * bytesOf(part.type)))};
    }
    const bool timed = one.durationMicros != 0;
    const auto operations = static_cast<double>(one.operations.value_or(0));
    const auto bytes = static_cast<double>(one.tensorBytes.value_or(0));
    const bool counted = operations > 0 || bytes > 0;
    if (counted && (!timed || scenario_.trace.compute_time == ComputeTime::Roofline)) {
      return {WorkKind::Compute, {}, bounded(at, rooflineNs(scenario_, operations, bytes))};
    }
    if (!timed) {
      note("compute nodes without a duration, num_ops or tensor_size: take no time", place(at));
    }
    return {WorkKind::Compute, {}, duration};
  }

  /// Durations of which many can be added.
  Picoseconds bounded(NodePlace at, double ns) const {
    constexpr double kMostNs = 1e13;  // as many as a trace may say itself
    if (ns <= kMostNs) return picosecondsFromNs(ns);
    throw ConfigError(workload_.gpu(at.gpu).file->path, placeOf(node(at)),
                      "expected a node that takes less than 10000 s on this machine");
  }

  // ---- nodes that meet --------------------------------------------------------------------------

  void planCollective(std::size_t number) {
    const CollectiveMeeting& meeting = meetings_.collectives()[number];
    const NodePlace first = meeting.members.front();
    PlannedCollective planned;
    planned.members = meeting.members;
    planned.gemms = gemms_[number];
    const auto gpus = static_cast<std::uint32_t>(meeting.members.size());
    const Promise* promise = promiseOf(meeting.type);
    if (!planned.gemms.empty()) {
      planned.part = use(*pairOf(meeting, planned.gemms));
    } else if (gpus == 1) {
      note("collectives of one GPU: take no time", place(first));
      planned.takesNoTime = true;
    } else if (meeting.type == CommType::Barrier) {
      note("barriers: take no time, and end on all GPUs together", place(first));
      planned.takesNoTime = true;
    } else if (promise == nullptr) {
      note(std::string(nameOf(meeting.type)) +
               " collectives: not simulated, take the time of the trace",
           place(first));
      for (const NodePlace member : meeting.members) {
        planned.duration =
            std::max<Picoseconds>(planned.duration, node(member).durationMicros * 1'000'000);
      }
    } else if (meeting.bytes == 0) {
      note("collectives of no bytes: take no time", place(first));
      planned.takesNoTime = true;
    } else {
      planned.part = use(alone(meeting, *promise, gpus));
    }
    plan_.collectives.push_back(std::move(planned));
  }

  WorkPart alone(const CollectiveMeeting& meeting, const Promise& promise, std::uint32_t gpus) {
    const bool share =
        &promise == &kAllGatherPromise && scenario_.trace.comm_size == CommSize::Input;
    WorkPart part{.kind = PartKind::Collective,
                  .gpus = gpus,
                  .type = scenario_.collective.data_type,
                  .collective = &promise,
                  .bytes = meeting.bytes * (share ? gpus : 1)};
    if (const auto file = files_.find({&promise, gpus}); file != files_.end()) {
      part.file = file->second;
    }
    if (const auto& problem = problemOf(part)) {
      const NodePlace at = meeting.members.front();
      throw ConfigError(workload_.gpu(at.gpu).file->path, placeOf(node(at)),
                        "cannot run on this machine as " + part.text() + ": " + *problem);
    }
    return part;
  }

  void planMessage(const MessageMeeting& message) {
    const std::uint32_t gpus = workload_.gpus();
    const std::uint32_t forward = (message.to.gpu + gpus - message.from.gpu) % gpus;
    // The links on its way, each of a GPU by its number: no other message is on them meanwhile.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> way;
    const auto addHops = [&way](std::uint32_t hops, std::uint32_t number, const auto& next,
                                std::uint32_t at) {
      for (; hops > 0; --hops, at = next(at)) way.emplace_back(at, number);
    };
    const auto after = [gpus](std::uint32_t at) { return (at + 1) % gpus; };
    const std::uint32_t from = message.from.gpu, to = message.to.gpu;
    std::uint32_t hops = 1, rails = 0;
    switch (scenario_.fabric.topology) {
      case Topology::Ring:
        hops = forward;
        addHops(hops, 0, after, from);
        break;
      case Topology::BidirectionalRing:
        hops = std::min(forward, gpus - forward);
        if (hops == forward) {
          addHops(hops, 0, after, from);
        } else {
          addHops(
              hops, 1, [gpus](std::uint32_t at) { return (at + gpus - 1) % gpus; }, from);
        }
        break;
      case Topology::Links:  // no trace runs on them
      case Topology::FullyConnected:
        break;  // the sender's own, and it sends one after the other
      case Topology::Switch:
        hops = 2;
        way = {{from, 0}, {to, 1}};
        break;
      case Topology::TwoLevel: {
        const std::uint32_t places = scenario_.fabric.gpus_per_node;
        const std::uint32_t nodes = std::max(gpus / places, 1U);
        hops = (to + places - from % places) % places;
        rails = (to / places + nodes - from / places) % nodes;
        const auto inNode = [places](std::uint32_t at) {
          return at / places * places + (at + 1) % places;
        };
        addHops(hops, 0, inNode, from);
        addHops(
            rails, 1, [gpus, places](std::uint32_t at) { return (at + places) % gpus; },
            from / places * places + to % places);
        break;
      }
    }
    const LinkConfig link = linkOf(0), rail = linkOf(1);
    const auto sending = [&message](const LinkConfig& one) {
      return static_cast<double>(one.wireBytes(Protocol::Simple, message.bytes)) /
             one.bandwidth_gb_s;
    };
    const double busy = std::max(hops != 0 ? sending(link) : 0.0, rails != 0 ? sending(rail) : 0.0);
    const double latency = hops * link.latency_ns + rails * rail.latency_ns;
    plan_.nodes[from][message.from.node].kind = WorkKind::Message;
    plan_.nodes[to][message.to.node].kind = WorkKind::Message;
    plan_.messages.push_back({message.from, message.to, bounded(message.from, busy),
                              bounded(message.from, busy + latency), std::move(way)});
  }

  LinkConfig linkOf(std::uint32_t index) const {
    return scenario_.fabric.linkOf(scenario_.link, std::max(workload_.gpus(), 2U), index);
  }

  void noteAttributes() {
    std::map<std::string, std::uint64_t> all;
    std::set<const TraceFile*> seen;
    for (std::uint32_t g = 0; g < workload_.gpus(); ++g) {
      const TraceFile& file = *workload_.gpu(g).file;
      if (!seen.insert(&file).second) continue;
      for (const auto& [name, count] : file.ignoredAttributes) all[name] += count;
    }
    if (all.empty()) return;
    std::string list;
    std::uint64_t count = 0;
    for (const auto& [name, nodes] : all) {
      count += nodes;
      if (list.size() < 200) list += (list.empty() ? "" : ", ") + name;
    }
    if (list.size() >= 200) list += " …";
    note("attributes that change nothing here: " + list, "", count);
  }

  const Workload& workload_;
  const Meetings& meetings_;
  const SystemConfig& scenario_;
  const CollectiveFiles& files_;
  WorkPlan plan_;
  std::vector<Note> notes_;  ///< in the order in which they were met
  std::map<WorkPart, std::uint32_t> partNumbers_;
  std::map<WorkPart, std::optional<std::string>> problems_;
  std::vector<std::vector<NodePlace>> gemms_;  ///< [collective] of a pair, else empty
  std::set<NodePlace> paired_;                 ///< GEMMs of pairs
};

}  // namespace

WorkPlan planWork(const Workload& workload, const Meetings& meetings, const SystemConfig& scenario,
                  const CollectiveFiles& files) {
  return Planner(workload, meetings, scenario, files).plan();
}

}  // namespace t3
