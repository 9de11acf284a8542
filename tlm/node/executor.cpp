// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/executor.h"

#include <algorithm>

#include "tlm/node/machine.h"
#include "tlm/transport/clock.h"

namespace t3 {

Executor::Executor(const Graph& graph, Machine& machine, const ExecutorOptions& options)
    : graph_(graph),
      machine_(machine),
      options_(options),
      allWaits_(graph.nodes.size()),
      gpus_(machine.fabric().simulated()) {
  for (const GraphEdge& edge : graph.edges) {
    if (edge.gate == Gate::After) ++allWaits_[edge.to].left;
  }
  for (Gpu& gpu : gpus_) addRound(gpu);
  machine.fabric().onReady(
      [this](std::uint32_t to, std::uint32_t from, std::uint32_t round, Picoseconds when) {
        of(to).flags[from] = {round, when};
        tryBegin(to);
      });
  machine.obey(*this);
}

void Executor::addRound(Gpu& gpu) const {
  gpu.history.emplace_back().nodes.resize(graph_.nodes.size());
  gpu.waits = allWaits_;
  gpu.nodesLeft = static_cast<std::uint32_t>(graph_.nodes.size());
  gpu.tracksNoMore = gpu.over = false;
}

// ---- parts ------------------------------------------------------------------------------------

/// Trackers are set up before any GPU sends, because updates arrive from the first send on.
void Executor::startPart() {
  const std::vector<std::uint32_t>& own = machine_.fabric().own();
  const bool tracked = std::ranges::any_of(
      graph_.nodes, [this](const GraphNode& node) { return node.part == part_ && node.tracked(); });
  if (tracked) {
    for (const std::uint32_t g : own) machine_.setUp(g, part_);
  }
  for (const std::uint32_t g : own) {
    if (part_ > 0) {
      startRoots(g);
      continue;
    }
    machine_.renew(g, machine_.fabric().launchTime(g));
    machine_.fabric().launch(g, [this, g] { startRoots(g); });
  }
}

bool Executor::resume() {
  if (!machine_.idle() || part_ + 1 == graph_.parts()) return false;
  ++part_;
  startPart();
  return true;
}

bool Executor::finished() const {
  return std::ranges::all_of(machine_.fabric().own(), [this](std::uint32_t gpu) {
    return atLastRound(gpu) && allEnded(gpu);
  });
}

// ---- nodes ------------------------------------------------------------------------------------

void Executor::startRoots(std::uint32_t gpu) {
  for (NodeId node = 0; node < graph_.nodes.size(); ++node) {
    if (graph_.nodes[node].part == part_ && graph_.isRoot(node)) machine_.launch(gpu, node);
  }
}

void Executor::begun(std::uint32_t gpu, NodeId node) {
  of(gpu).history.back().nodes[node].start = now();
}

void Executor::ended(std::uint32_t gpu, NodeId node, Picoseconds when) {
  Gpu& one = of(gpu);
  one.history.back().nodes[node].end = when;
  --one.nodesLeft;
  for (const GraphEdge& edge : graph_.edges) {
    if (edge.from != node || edge.gate != Gate::After) continue;
    Wait& wait = one.waits[edge.to];
    wait.last = std::max(wait.last, when);
    if (--wait.left > 0) continue;
    machine_.fabric().at(gpu, wait.last + options_.launchLatency,
                         [this, gpu, next = edge.to] { machine_.launch(gpu, next); });
  }
  look(gpu);
}

TimeSpan Executor::span(std::uint32_t gpu, Phase phase) const {
  const auto node = graph_.find(phase);
  return node ? span(gpu, *node) : TimeSpan{};
}

bool Executor::waitsToBegin(std::uint32_t gpu) const {
  return std::ranges::none_of(of(gpu).history.back().nodes, &TimeSpan::begun);
}

// ---- rounds -----------------------------------------------------------------------------------

void Executor::look(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (atLastRound(gpu)) return;
  if (options_.tracks && !one.tracksNoMore && machine_.tracksNoMore(gpu)) {
    one.tracksNoMore = true;
    machine_.setUpAgain(gpu, [this, gpu] { partReady(gpu); });
  }
  if (one.over || !allEnded(gpu) || (options_.tracks && !machine_.tracksNoMore(gpu))) return;
  one.over = true;
  one.ended = now();
  if (!options_.fences) return memoryReady(gpu);
  machine_.fabric().fence(gpu, [this, gpu] { memoryReady(gpu); });
}

void Executor::memoryReady(std::uint32_t gpu) {
  machine_.roundOver(gpu);
  partReady(gpu);
}

void Executor::partReady(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (++one.partsReady < (options_.tracks ? 2 : 1)) return;
  one.partsReady = 0;
  one.readySince = now();
  addRound(one);
  machine_.renew(gpu, now() + options_.launchLatency);
  if (options_.flags) machine_.fabric().tellReady(gpu, round(gpu));
  tryBegin(gpu);
}

void Executor::tryBegin(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (one.begun == round(gpu)) return;
  Picoseconds begins = one.readySince + options_.launchLatency;
  const Route& links = machine_.fabric().links();
  for (std::uint32_t port = 0; options_.flags && port < links.ports(); ++port) {
    if (!machine_.sends(gpu, port)) continue;
    const std::uint32_t peer = links.peer(GpuId{gpu}, port).value % machine_.fabric().simulated();
    const Gpu::Flag flag = one.flags[peer];
    if (flag.round < round(gpu)) return;
    begins = std::max(begins, flag.when);
  }
  one.begun = round(gpu);
  one.history.back().waited = begins - (one.ended + options_.launchLatency);
  machine_.fabric().at(gpu, begins, [this, gpu] { startRoots(gpu); });
}

// ---- for who watches the run ------------------------------------------------------------------

bool Executor::idle() const { return machine_.idle(); }
std::uint64_t Executor::heartbeat() const { return machine_.heartbeat(); }
Picoseconds Executor::lookahead() const { return machine_.fabric().lookahead(); }
double Executor::fractionDone() const { return machine_.fractionDone(); }
Watchdog Executor::watchdog() const { return machine_.watchdog(); }
std::string Executor::whoWaits() const { return machine_.whoWaits(); }

}  // namespace t3
