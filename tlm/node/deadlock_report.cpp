// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/machine.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "tlm/transport/numbers.h"

namespace t3 {
namespace {

using Names = std::vector<std::string>;

/// Which parts wait, and for which others.
class WaitGraph {
 public:
  void add(const std::string& part, const std::string& holds, Names waitsFor) {
    text_ += "\n  " + part;
    for (std::size_t i = 0; i < waitsFor.size(); ++i) {
      text_ += (i == 0 ? " waits for " : ", ") + waitsFor[i];
    }
    text_ += ": " + holds;
    waits_[part] = std::move(waitsFor);
  }

  std::string parts() const { return text_; }
  std::string circle() const {
    const std::string circle = findCircle();
    return circle.empty() ? "" : "\n  circle: " + circle;
  }

 private:
  /// Depth first from every part: the first path that comes back to itself.
  std::string findCircle() const {
    Names way;
    std::map<std::string, bool> done;
    for (const auto& [part, ignored] : waits_) {
      if (follow(part, way, done)) break;
    }
    std::string text;
    for (const std::string& part : way) text += (text.empty() ? "" : " -> ") + part;
    return text;
  }

  bool follow(const std::string& part, Names& way, std::map<std::string, bool>& done) const {
    const auto seen = std::find(way.begin(), way.end(), part);
    if (seen != way.end()) {
      way.erase(way.begin(), seen);
      way.push_back(part);
      return true;
    }
    const auto entry = waits_.find(part);
    if (entry == waits_.end() || done[part]) return false;
    way.push_back(part);
    for (const std::string& next : entry->second) {
      if (follow(next, way, done)) return true;
    }
    way.pop_back();
    done[part] = true;
    return false;
  }

  std::string text_;
  std::map<std::string, Names> waits_;
};

std::string withoutName(const std::string& description) {
  const std::size_t colon = description.find(": ");
  return colon == std::string::npos ? description : description.substr(colon + 2);
}

/// The first lines of `text`, to stand below a line of the report.
std::string firstLines(const std::string& text) {
  constexpr int kLines = 4;
  std::istringstream lines(text);
  std::string result;
  std::string line;
  for (int count = 0; count < kLines && std::getline(lines, line); ++count) {
    result += "\n      " + line;
  }
  return result;
}

/// "", or `what` and the first workgroup of each of some blocks of tiles.
std::string blocks(const char* what, const auto& firstTiles) {
  constexpr std::size_t kShown = 4;
  if (firstTiles.empty()) return "";
  std::string text = what;
  std::size_t shown = 0;
  for (const WorkgroupId workgroup : firstTiles) {
    if (shown == kShown) break;
    text += (shown++ == 0 ? "workgroup " : ", ") + std::to_string(workgroup.value);
  }
  const std::size_t more = firstTiles.size() - shown;
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

std::string nameOf(std::uint32_t gpu, const std::string& part, std::uint32_t number = 0) {
  return numbered("gpu" + std::to_string(gpu) + "." + part, number);
}

std::string nameOf(const Wiring::End& end) {
  return end.switched ? numbered("switch", *end.switched) : nameOf(end.gpu, "ingress", end.place);
}

/// What is in front of the links that leave a switch and in them, and for whom it waits.
void addSwitch(WaitGraph& graph, const Fabric& all, std::uint32_t number) {
  const Switch& fabric = *all.switches()[number];
  if (fabric.idle()) return;
  Names names;
  for (std::uint32_t l = 0; l < fabric.links.size(); ++l) {
    const bool adds = !fabric.merges.empty() && !fabric.merges[l]->idle();
    if (adds || !fabric.links[l]->idle())
      names.push_back(nameOf(all.wiring().endOfSwitch(number, l)));
  }
  const std::string holds = "something in " + std::to_string(names.size()) + " of its links" +
                            (fabric.merges.empty() ? "" : " and merge units");
  graph.add(numbered("switch", number), holds, std::move(names));
}

/// The waiting parts of one GPU.
class GpuWaits {
 public:
  GpuWaits(WaitGraph& graph, const Machine& machine, std::uint32_t gpu)
      : graph_(graph),
        machine_(machine),
        route_(machine.route()),
        node_(machine.node(gpu)),
        executor_(machine.executor()),
        gpu_(gpu) {}

  void add() {
    addSoftware();
    addGemmAndDma();
    addUnits();
    for (std::uint32_t k = 0; k < route_.size().kernels; ++k) {
      for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) addCollective(n, k);
    }
    for (std::uint32_t l = 0; l < std::max(node_.links.size(), node_.gpu.ingress.size()); ++l) {
      if (l < node_.links.size()) addLink(l);
      if (l < node_.gpu.ingress.size()) addEntry(l);
    }
    addMemory();
    addTracker();
  }

 private:
  std::string name(const std::string& part, std::uint32_t number = 0) const {
    return nameOf(gpu_, part, number);
  }

  std::vector<Wiring::Sender> senders(std::uint32_t entry) const {
    return machine_.fabric().wiring().sendersTo(gpu_, entry);
  }

  /// Null if another process simulates the GPU.
  const GpuNode* find(std::uint32_t gpu) const {
    return machine_.fabric().builds(gpu) ? &machine_.node(gpu) : nullptr;
  }

  const std::string& nodeName(NodeId n) const { return machine_.graph().nodes[n].name; }

  /// What somebody with these two ports waits for.
  Names waits(const MemoryPort& memory, const auto&... egress) const {
    Names names;
    if (!memory.idle()) names.push_back(name("memory"));
    if ((egress.idle() && ...)) return names;
    for (std::uint32_t l = 0; l < node_.links.size(); ++l) {
      if (!node_.links[l]->idle()) names.push_back(name("link", l));
    }
    return names;
  }

  void addSoftware() {
    if (executor_.allEnded(gpu_)) {
      if (!node_.hbm.idleIsAwaited()) return;
      return graph_.add(name("software"), "a fence", {name("memory")});
    }
    Names names, left;
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      if (executor_.span(gpu_, n).end == 0) left.push_back(nodeName(n));
    }
    if (executor_.round(gpu_) > 0 && executor_.waitsToBegin(gpu_)) {
      for (std::uint32_t g = 0; g < machine_.config().simulatedGpus(); ++g) {
        if (executor_.round(g) < executor_.round(gpu_)) names.push_back(nameOf(g, "software"));
      }
    } else {
      names = firstThatRuns();
    }
    graph_.add(name("software"), "not ended: " + firstOf(left), std::move(names));
  }

  static std::string firstOf(const Names& list) {
    constexpr std::size_t kMostListed = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(list.size(), kMostListed); ++i) {
      text += (i == 0 ? "" : ", ") + list[i];
    }
    if (list.size() > kMostListed) {
      text += " and " + std::to_string(list.size() - kMostListed) + " more";
    }
    return text;
  }

  /// The first node that has begun and not ended.
  Names firstThatRuns() const {
    if (node_.gpu.array().claimsWaiting() != 0) return {name("compute_units")};
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      const TimeSpan& span = executor_.span(gpu_, n);
      if (!span.begun() || span.end != 0) continue;
      if (machine_.graph().nodes[n].tracked()) return {name("tracker")};
      return node_.gpu.nodes[n].steps.empty() ? Names{name(nodeName(n))} : runningKernels(n);
    }
    return {};
  }
  Names runningKernels(NodeId n) const {
    Names names;
    const auto& steps = node_.gpu.nodes[n].steps;
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      if (!steps[k]->idle()) names.push_back(name(nodeName(n), k));
    }
    return names;
  }

  /// Whether the tracker has said all that software waits for.
  bool saidAll() const {
    const TrackedOutput* tracked = machine_.trackedNow(gpu_);
    return tracked == nullptr || tracked->saidAll(gpu_);
  }

  void addGemm(const std::string& which, const GemmKernel& gemm) {
    if (gemm.idle()) return;
    Names names = waits(gemm.memory, gemm.egress);
    const std::string held = rowsHeld(gemm.rowsHeld(), names);
    graph_.add(name(which),
               std::to_string(static_cast<int>(100 * gemm.progress())) + "% done, " +
                   std::to_string(gemm.memory.waiting() + gemm.memory.inFlight()) +
                   " requests at the memory, " +
                   std::to_string(gemm.egress.waiting() + gemm.egress.inFlight()) + " at the link" +
                   held,
               std::move(names));
  }

  /// Claims wait for workgroups, and for kernels that hold units.
  void addUnits() {
    const std::size_t claims = node_.gpu.array().claimsWaiting();
    if (claims == 0) return;
    Names names;
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      if (node_.gpu.nodes[n].gemm && !node_.gpu.nodes[n].gemm->idle()) {
        names.push_back(name(nodeName(n)));
      }
      const auto* work = machine_.graph().nodes[n].as<CollectiveWork>();
      if (work == nullptr || !work->holdsUnits()) continue;
      for (std::string& kernel : runningKernels(n)) names.push_back(std::move(kernel));
    }
    graph_.add(name("compute_units"),
               std::to_string(claims) + " kernels wait for units of their own", std::move(names));
  }

  void addNorm(const std::string& which, const NormKernel& norm) {
    if (norm.idle()) return;
    Names names = waits(norm.memory);
    const std::string held = rowsHeld(norm.rowsHeld(), names);
    graph_.add(name(which), "rows are not stored" + held, std::move(names));
  }

  /// Who lets rows of tiles begin: kernels of an all-gather beside the consumer, or the tracker.
  std::string rowsHeld(std::uint32_t rows, Names& waitsFor) const {
    if (rows == 0) return "";
    const std::size_t others = waitsFor.size();
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      for (std::string& kernel : runningKernels(n)) waitsFor.push_back(std::move(kernel));
    }
    if (waitsFor.size() == others) waitsFor.push_back(name("tracker"));
    return ", " + std::to_string(rows) + " rows of tiles may not begin yet";
  }

  void addGemmAndDma() {
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      const Gpu::Kernels& kernels = node_.gpu.nodes[n];
      if (kernels.gemm) addGemm(nodeName(n), *kernels.gemm);
      if (kernels.norm) addNorm(nodeName(n), *kernels.norm);
    }
    const DmaEngine& dma = node_.gpu.dma;
    if (!dma.idle()) {
      graph_.add(name("dma"), withoutName(dma.describe()),
                 waits(dma.memory, dma.egress, dma.gatherEgress));
    }
    if (!dma.zeros().complete()) graph_.add(name("zeros"), "not all written", {name("dma")});
  }

  void addCollective(NodeId n, std::uint32_t k) {
    const auto& steps = node_.gpu.nodes[n].steps;
    if (k >= steps.size() || steps[k]->idle()) return;
    Names names = waits(steps[k]->memory, steps[k]->egress);
    if (names.empty()) names = sendersOf(n, k);
    graph_.add(name(nodeName(n), k), withoutName(steps[k]->describe()), std::move(names));
  }

  /// Whose slices a kernel that has nothing in hand may be waiting for: what a sender has sent is
  /// in its link, and one that has no kernel yet has other things to wait for.
  Names sendersOf(NodeId n, std::uint32_t k) const {
    Names names;
    for (std::uint32_t e = 0; e < node_.gpu.ingress.size(); ++e) {
      if (route_.size().kernelOf(e) != k) continue;
      for (const auto& [sender, link] : senders(e)) {
        const GpuNode* node = find(sender);
        if (!machine_.fabric().link(sender, link)->idle()) {
          names.push_back(nameOf(sender, "link", link));
        } else if (node != nullptr && !node->gpu.nodes[n].steps[k]->idle()) {
          const bool allSent = node->gpu.nodes[n].steps[k]->allSent();
          if (!allSent) names.push_back(nameOf(sender, nodeName(n), k));
        } else if (node == nullptr || !executor_.allEnded(sender)) {
          names.push_back(nameOf(sender, "software"));
        }
      }
    }
    return addFabric(std::move(names));
  }

  void addLink(std::uint32_t l) {
    if (!node_.links[l]->idle()) {
      graph_.add(name("link", l), withoutName(node_.links[l]->describe()),
                 {nameOf(machine_.fabric().wiring().endOf(gpu_, l))});
    }
  }

  void addEntry(std::uint32_t l) {
    const Ingress& ingress = *node_.gpu.ingress[l];
    if (ingress.idle()) return;
    const MemoryPort& memory = ingress.memory;
    const bool zeros = memory.idle();  // it refuses only for zeros then
    graph_.add(name("ingress", l),
               std::to_string(memory.waiting() + memory.inFlight()) + " writes at the memory" +
                   (zeros ? ", one held back" : ""),
               {zeros ? name("zeros") : name("memory")});
  }

  void addMemory() {
    if (node_.hbm.idle()) return;
    Names names;
    if (!node_.tracker->idle()) names.push_back(name("tracker"));
    graph_.add(name("memory"), "requests without answer", std::move(names));
  }

  /// Updates come from the own GEMM, and from other GPUs.
  void addTracker() {
    const std::vector<WorkgroupId> untriggered = node_.gpu.dma.untriggered();
    if (saidAll() && untriggered.empty()) return;
    Names names;
    for (NodeId n = 0; n < node_.gpu.nodes.size(); ++n) {
      const auto& gemm = node_.gpu.nodes[n].gemm;
      if (gemm && gemm->egress.ports() != 0 && !gemm->idle()) names.push_back(name(nodeName(n)));
    }
    for (std::uint32_t e = 0; e < node_.gpu.ingress.size(); ++e) {
      if (!node_.gpu.ingress[e]->idle()) names.push_back(name("ingress", e));
      for (const auto& [sender, link] : senders(e)) {
        const GpuNode* node = find(sender);
        if (!machine_.fabric().link(sender, link)->idle()) {
          names.push_back(nameOf(sender, "link", link));
        } else if (node == nullptr) {
          names.push_back(nameOf(sender, "software"));
        } else if (!node->gpu.dma.idle()) {
          names.push_back(nameOf(sender, "dma"));
        } else if (!node->gpu.dma.untriggered().empty()) {
          names.push_back(nameOf(sender, "tracker"));
        }
      }
    }
    static const TrackerPlan kNothing;
    const TrackedOutput* tracked = machine_.trackedNow(gpu_);
    const TrackerPlan& plan = tracked != nullptr ? tracked->plan(gpu_) : kNothing;
    graph_.add(name("tracker"),
               "updates are missing" + blocks("; in the own chunk: ", missing(plan.reduced)) +
                   blocks("; of other GPUs' chunks: ", missing(plan.arrived)) +
                   blocks("; DMA commands not issued: ", untriggered) +
                   firstLines(node_.tracker->waiting()) + firstLines(node_.paper.faultAtEnd()),
               addFabric(std::move(names)));
  }

  /// First workgroups of the blocks that the judge beside the tracker still counts for.
  std::vector<WorkgroupId> missing(const std::vector<TrackerPlan::Block>& list) const {
    std::vector<WorkgroupId> first;
    for (const TrackerPlan::Block& block : list) {
      if (node_.paper.misses(block.slot)) first.emplace_back(block.tiles.first);
    }
    return first;
  }

  /// What is on its way may also be in the switch.
  Names addFabric(Names names) const {
    const auto& switches = machine_.fabric().switches();
    for (std::uint32_t s = 0; s < switches.size(); ++s) {
      if (!switches[s]->idle()) names.push_back(numbered("switch", s));
    }
    return names;
  }

  WaitGraph& graph_;
  const Machine& machine_;
  const Route& route_;
  const GpuNode& node_;
  const Executor& executor_;
  std::uint32_t gpu_;
};

/// The workers of a collective alone that have not ended.
std::string stepsThatWait(const Machine& machine) {
  const Executor& executor = machine.executor();
  std::string text;
  for (const std::uint32_t g : machine.own()) {
    if (executor.allEnded(g)) continue;
    const std::string round = executor.rounds() == 1
                                  ? ""
                                  : "round " + std::to_string(executor.round(g) + 1) + " of " +
                                        std::to_string(executor.rounds()) + ": ";
    if (executor.round(g) > 0 && executor.waitsToBegin(g)) {
      text += "\n  gpu" + std::to_string(g) + ": " + round +
              "waits until those to which it sends are ready for it";
      continue;
    }
    for (const StepWorker* worker : machine.node(g).gpu.nodes.front().workers()) {
      if (!worker->finished()) text += "\n  " + round + worker->describe();
    }
  }
  return text;
}

}  // namespace

std::string deadlockReport(const Machine& machine, bool standstill) {
  if (machine.graph().planOf(0) != nullptr) return stepsThatWait(machine);
  WaitGraph graph;
  for (const std::uint32_t g : machine.own()) GpuWaits(graph, machine, g).add();
  const std::size_t switches = machine.fabric().switches().size();
  for (std::uint32_t s = 0; s < switches; ++s) addSwitch(graph, machine.fabric(), s);
  return graph.parts() + (standstill ? graph.circle() : "");
}

}  // namespace t3
