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
      gpus_(machine.config().simulatedGpus()) {
  for (const GraphEdge& edge : graph.edges) {
    if (edge.gate == Gate::After) ++allWaits_[edge.to].left;
  }
  for (std::size_t t = 1; options.tracks && t < graph.trackings.size(); ++t) {
    Wait& wait = allWaits_[*graph.producerOf(graph.trackings[t])];
    ++wait.left;
    wait.tracking = t;
  }
  for (const NodeId node : graph.order()) {
    const auto* work = graph.nodes[node].as<CollectiveWork>();
    if (work == nullptr || !work->holdsUnits()) continue;
    allWaits_[node].holds = true;
    holders_.push_back(node);
  }
  for (Gpu& gpu : gpus_) addRound(gpu);
  machine.fabric().onReady(
      [this](std::uint32_t to, std::uint32_t from, std::uint32_t number, Picoseconds when) {
        of(to).flags[from] = {number, when};
        tryBegin(to);
        for (NodeId node = 0; node < graph_.nodes.size(); ++node) {
          if (of(to).waits[node].tracking) tryLaunch(to, node);
        }
      });
  machine.obey(*this);
  if (graph.planOf(0) == nullptr) bytesToSend_ = bytesToSend();
}

void Executor::addRound(Gpu& gpu) const {
  gpu.history.emplace_back().nodes.resize(graph_.nodes.size());
  gpu.waits = allWaits_;
  gpu.nodesLeft = static_cast<std::uint32_t>(graph_.nodes.size());
  gpu.over = false;
  gpu.claims = 0;
}

// ---- parts ------------------------------------------------------------------------------------

/// Trackers are set up before any GPU sends, because updates arrive from the first send on.
void Executor::startPart() {
  const std::vector<std::uint32_t>& own = machine_.fabric().own();
  for (std::size_t t = 0; t < graph_.trackings.size(); ++t) {
    if (graph_.partOf(graph_.trackings[t]) != part_) continue;
    for (const std::uint32_t g : own) {
      machine_.setUp(g, t);
      of(g).tracking = t;
      of(g).tracks = true;
    }
    break;  // a tracker turns to others later
  }
  for (const std::uint32_t g : own) {
    if (part_ > 0) {
      startRoots(g);
      continue;
    }
    const Picoseconds launched = machine_.config().launchTime(g);
    machine_.renew(g, launched);
    if (launched == 0) {
      startRoots(g);
    } else {
      machine_.fabric().at(g, launched, [this, g] { startRoots(g); });
    }
  }
}

bool Executor::resume() {
  if (!idle() || part_ + 1 == graph_.parts()) return false;
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
    if (graph_.nodes[node].part != part_ || !graph_.isRoot(node)) continue;
    if (!allWaits_[node].tracking) launch(gpu, node);  // else when the tracker is ready
  }
}

void Executor::begun(std::uint32_t gpu, NodeId node) {
  of(gpu).history.back().nodes[node].start = now();
  machine_.node(gpu).gpu.announce({.kind = EventKind::NodeBegin, .number = node});
}

void Executor::ended(std::uint32_t gpu, NodeId node, Picoseconds when) {
  Gpu& one = of(gpu);
  one.history.back().nodes[node].end = when;
  machine_.node(gpu).gpu.announce({.kind = EventKind::NodeEnd, .number = node});
  --one.nodesLeft;
  for (const GraphEdge& edge : graph_.edges) {
    if (edge.from != node || edge.gate != Gate::After) continue;
    arrive(gpu, edge.to, when);
  }
  look(gpu);
}

/// Something has happened for which a node waits.
void Executor::arrive(std::uint32_t gpu, NodeId node, Picoseconds when) {
  Wait& wait = of(gpu).waits[node];
  wait.last = std::max(wait.last, when);
  --wait.left;
  tryLaunch(gpu, node);
}

void Executor::tryLaunch(std::uint32_t gpu, NodeId node) {
  Wait& wait = of(gpu).waits[node];
  if (wait.left > 0 || wait.planned) return;
  Picoseconds begins = wait.last + options_.launchLatency;
  if (wait.tracking && options_.flags) {
    const auto ready = othersReady(gpu, flagOf(gpu, *wait.tracking));
    if (!ready) return;
    begins = std::max(begins, *ready);
  }
  wait.planned = true;
  machine_.fabric().at(gpu, begins, [this, gpu, node] { launch(gpu, node); });
}

void Executor::launch(std::uint32_t gpu, NodeId node) {
  Gpu& one = of(gpu);
  if (!one.waits[node].holds) return machine_.launch(gpu, node);
  one.waits[node].due = true;
  while (one.claims < holders_.size() && one.waits[holders_[one.claims]].due) {
    machine_.launch(gpu, holders_[one.claims++]);
  }
}

bool Executor::waitsToBegin(std::uint32_t gpu) const {
  return std::ranges::none_of(of(gpu).history.back().nodes, &TimeSpan::begun);
}

// ---- trackers and rounds ----------------------------------------------------------------------

void Executor::look(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (options_.tracks && one.tracks && machine_.tracksNoMore(gpu, one.tracking)) {
    one.tracks = false;
    nextTracking(gpu);
  }
  if (atLastRound(gpu) || one.over || !allEnded(gpu)) return;
  if (options_.tracks && (one.tracks || !atLastTracking(one))) return;
  one.over = true;
  one.ended = now();
  if (!options_.fences) return memoryReady(gpu);
  machine_.fabric().fence(gpu, [this, gpu] { memoryReady(gpu); });
}

bool Executor::atLastTracking(const Gpu& gpu) const {
  return gpu.tracking + 1 == graph_.trackings.size();
}

void Executor::nextTracking(std::uint32_t gpu) {
  if (const std::size_t next = of(gpu).tracking + 1; next < graph_.trackings.size()) {
    machine_.setUpAgain(gpu, next, [this, gpu, next] { trackingReady(gpu, next); });
  } else if (!atLastRound(gpu)) {
    machine_.setUpAgain(gpu, 0, [this, gpu] { partReady(gpu); });
  }
}

void Executor::trackingReady(std::uint32_t gpu, std::size_t tracking) {
  of(gpu).tracking = tracking;
  of(gpu).tracks = true;
  machine_.prepare(gpu, tracking, now() + options_.launchLatency);
  if (options_.flags) machine_.fabric().tellReady(gpu, flagOf(gpu, tracking));
  arrive(gpu, *graph_.producerOf(graph_.trackings[tracking]), now());
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
  one.tracking = 0;
  one.tracks = options_.tracks;
  machine_.renew(gpu, now() + options_.launchLatency);
  if (options_.flags) machine_.fabric().tellReady(gpu, flagOf(gpu, 0));
  tryBegin(gpu);
}

std::uint32_t Executor::flagOf(std::uint32_t gpu, std::size_t tracking) const {
  const std::size_t each = std::max<std::size_t>(1, graph_.trackings.size());
  return static_cast<std::uint32_t>(round(gpu) * each + tracking);
}

std::optional<Picoseconds> Executor::othersReady(std::uint32_t gpu, std::uint32_t number) {
  Picoseconds since = 0;
  const Wiring& wiring = machine_.fabric().wiring();
  const CollectivePlan* plan = graph_.planOf(0);
  for (std::uint32_t port = 0; port < wiring.ports().size().ports; ++port) {
    if (plan != nullptr && !plan->sends(GpuId{gpu}, port)) continue;
    const std::uint32_t peer = wiring.peer(gpu, port);
    const Gpu::Flag flag = of(gpu).flags[peer];
    if (flag.number < number) return std::nullopt;
    since = std::max(since, flag.when);
  }
  return since;
}

void Executor::tryBegin(std::uint32_t gpu) {
  Gpu& one = of(gpu);
  if (one.begun == round(gpu)) return;
  Picoseconds begins = one.readySince + options_.launchLatency;
  if (options_.flags) {
    const auto ready = othersReady(gpu, flagOf(gpu, 0));
    if (!ready) return;
    begins = std::max(begins, *ready);
  }
  one.begun = round(gpu);
  one.history.back().waited = begins - (one.ended + options_.launchLatency);
  machine_.fabric().at(gpu, begins, [this, gpu] { startRoots(gpu); });
}

// ---- for who watches the run ------------------------------------------------------------------

bool Executor::idle() const {
  return std::ranges::all_of(machine_.own(),
                             [this](std::uint32_t gpu) {
                               const auto& driver = machine_.node(gpu).driver;
                               return !driver || driver->idle();
                             }) &&
         machine_.fabric().idle();
}

/// Of the GEMMs of a GPU; 1 where there is none.
double Executor::computed(std::uint32_t gpu) const {
  double done = 0, count = 0;
  for (const t3::Gpu::Kernels& kernels : machine_.node(gpu).gpu.nodes) {
    if (!kernels.gemm) continue;
    done += kernels.gemm->progress();
    ++count;
  }
  return count == 0 ? 1 : done / count;
}

std::uint64_t Executor::heartbeat() const {
  std::uint64_t beats = machine_.fabric().heartbeat();
  for (const std::uint32_t g : machine_.own()) {
    for (const t3::Gpu::Kernels& kernels : machine_.node(g).gpu.nodes) {
      if (kernels.gemm) beats += static_cast<std::uint64_t>(kernels.gemm->progress() * 1e9);
    }
  }
  return beats;
}

Picoseconds Executor::lookahead() const { return machine_.fabric().wiring().lookahead(); }

/// Of the steps of a collective alone.
double Executor::stepsDone() const {
  double done = 0, all = 0;
  for (const std::uint32_t g : machine_.own()) {
    for (const StepWorker* worker : machine_.node(g).gpu.nodes.front().workers()) {
      const auto ofRound = static_cast<double>(worker->slicesToDo());
      all += ofRound * rounds();
      done += round(g) * ofRound + static_cast<double>(worker->slicesDone());
    }
  }
  return all == 0 ? 1 : done / all;
}

/// By all collectives, mean of the GPUs.
double Executor::bytesToSend() const {
  double bytes = 0;
  const std::uint32_t gpus = machine_.config().gpus;
  for (const GraphNode& node : graph_.nodes) {
    const auto* work = node.as<CollectiveWork>();
    if (work == nullptr) continue;
    const Route& route = machine_.route();
    const CollectiveTraffic traffic(*work->collective, route,
                                    machine_.outputs()[work->output].tiling);
    for (std::uint32_t g = 0; g < gpus; ++g) {
      for (std::uint32_t port = 0; port < route.size().ports; ++port) {
        bytes += static_cast<double>(traffic.bytes(GpuId{g}, port)) / gpus;
      }
      bytes += static_cast<double>(traffic.toSwitch(GpuId{g})) / gpus;
    }
  }
  return bytes;
}

/// GEMMs and what is sent count half each.
double Executor::fractionDone() const {
  if (graph_.planOf(0) != nullptr) return stepsDone();
  double gemms = 0, sent = 0;
  for (const std::uint32_t g : machine_.own()) {
    gemms += round(g) + (round(g) > 0 && waitsToBegin(g) ? 0 : computed(g));
    sent += static_cast<double>(machine_.node(g).sentBytes());
  }
  const double all = 1.0 * static_cast<double>(machine_.own().size()) * rounds();
  return (0.5 * gemms + 0.5 * std::min(all, sent / bytesToSend_)) / all;
}

Watchdog Executor::watchdog() const {
  return Watchdog(machine_.config(), [this] { return deadlockReport(machine_, true); });
}

std::string Executor::whoWaits() const { return deadlockReport(machine_, false); }

}  // namespace t3
