// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "tlm/transport/agenda.h"
#include "tlm/transport/numbered.h"

namespace t3 {
namespace {

/// Between two looks of a fence at the memory's queues: some accesses to memory. Assumed;
/// docs/all-gather.md, "Several sublayers".
constexpr Picoseconds kFenceInterval = 10'000;

std::vector<std::uint32_t> ownGpus(const SystemConfig& config, const Peers* peers) {
  const std::uint32_t first = peers == nullptr ? 0 : peers->firstGpu(config.gpus, peers->self());
  const std::uint32_t end =
      peers == nullptr ? config.simulatedGpus() : peers->firstGpu(config.gpus, peers->self() + 1);
  std::vector<std::uint32_t> gpus(end - first);
  std::iota(gpus.begin(), gpus.end(), first);
  return gpus;
}

}  // namespace

Fabric::Fabric(const SystemConfig& config, const Route& links, const Peers* peers)
    : config_(config),
      links_(links),
      linksPerGpu_(config.fabric.switched() ? 1 : links.ports()),
      peers_(peers),
      own_(ownGpus(config, peers)),
      cut_(peers == nullptr ? 0 : peers->self(), peers == nullptr ? 1 : peers->count()) {
  Agenda::ofSimulation().shuffle(config.order_seed);
}

bool Fabric::builds(std::uint32_t gpu) const { return isOwn(gpu) || peers_->buildsAll(); }

void Fabric::add(FabricNode* node) {
  const auto gpu = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  remotes_.emplace_back();
  if (node != nullptr) return;
  std::vector<bool> endHere;
  for (std::uint32_t l = 0; l < linkCount(gpu); ++l) {
    const End end = endOf(gpu, l);
    endHere.push_back(end.switched || isOwn(end.gpu));
  }
  remotes_.back() = std::make_unique<RemoteGpu>(("gpu" + std::to_string(gpu)).c_str(),
                                                config_.ofGpu(gpu), gpu, endHere);
}

std::uint32_t Fabric::linkCount(std::uint32_t gpu) const {
  return graph() == nullptr ? linksPerGpu_
                            : static_cast<std::uint32_t>(graph()->leaving(gpu).size());
}

std::uint32_t Fabric::entryCount(std::uint32_t gpu) const {
  return graph() == nullptr ? linksPerGpu_
                            : static_cast<std::uint32_t>(graph()->arriving(gpu).size());
}

std::uint32_t Fabric::entryOf(std::uint32_t gpu, std::uint32_t port) const {
  if (graph() == nullptr) return port % linksPerGpu_;
  const auto way = graph()->way(graph()->source(gpu, port), gpu);
  return way.empty() ? 0 : graph()->placeAtEnd(way.back());
}

std::vector<Fabric::Sender> Fabric::sendersTo(std::uint32_t gpu, std::uint32_t entry) const {
  std::vector<Sender> senders;
  for (std::uint32_t port = 0; port < links_.ports(); ++port) {
    const GpuId from = links_.source(GpuId{gpu}, port);
    if (!links_.leads(from, port) || entryOf(gpu, port) != entry) continue;
    senders.push_back({index(from.value), linkOf(from.value, port)});
  }
  std::ranges::sort(senders);
  senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
  return senders;
}

Fabric::End Fabric::endOf(std::uint32_t gpu, std::uint32_t link) const {
  if (graph() != nullptr) return endOfWire(graph()->leaving(gpu)[link]);
  if (config_.fabric.switched()) return {.gpu = 0, .place = gpu, .switched = 0};
  return {.gpu = peer(gpu, link), .place = link, .switched = {}};
}

Fabric::End Fabric::endOfSwitch(std::uint32_t number, std::uint32_t link) const {
  if (graph() != nullptr) return endOfWire(graph()->leaving(config_.gpus + number)[link]);
  return {.gpu = link, .place = 0, .switched = {}};
}

Fabric::End Fabric::endOfWire(std::uint32_t wire) const {
  const std::uint32_t to = graph()->wires()[wire].to, place = graph()->placeAtEnd(wire);
  if (to < config_.gpus) return {.gpu = to, .place = place, .switched = {}};
  return {.gpu = 0, .place = place, .switched = to - config_.gpus};
}

/// One between all GPUs, where a write for GPU g leaves by link g modulo those that are simulated,
/// or those of the graph.
void Fabric::makeSwitches(const RtlTracingOf& tracing) {
  const auto leaves = [](LinkConfig link) {
    link.lose_write = 0;  // one fault, on the way to the switch
    return link;
  };
  for (std::uint32_t s = 0; graph() != nullptr && s < graph()->switches(); ++s) {
    const std::uint32_t node = config_.gpus + s;
    std::vector<LinkConfig> leaving;
    for (const std::uint32_t wire : graph()->leaving(node)) {
      leaving.push_back(leaves(config_.fabric.wireOf(config_.link, wire)));
    }
    std::vector<int> linkTo(config_.gpus);
    for (std::uint32_t g = 0; g < config_.gpus; ++g) {
      if (const auto wire = graph()->next(node, g)) {
        linkTo[g] = static_cast<int>(graph()->placeAtBegin(*wire));
      }
    }
    switches_.push_back(std::make_unique<Switch>(
        numbered("switch", s).c_str(), leaving,
        [linkTo = std::move(linkTo)](const Payload& payload) {
          return linkTo[gpuOf(payload.get_address()).value];
        },
        std::nullopt, graph()->arriving(node).size()));
  }
  if (!config_.fabric.switched()) return;
  std::vector<LinkConfig> leaving;
  for (std::uint32_t g = 0; g < simulated(); ++g) leaving.push_back(leaves(config_.linkOf(g, 0)));
  std::optional<Switch::Merging> merging;
  if (config_.merges()) merging = {config_.switched, config_.gpus - 1, config_.gpus, tracing};
  switches_.push_back(std::make_unique<Switch>(
      "switch", leaving,
      [simulated = simulated()](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
      },
      merging));
}

void Fabric::lead(Link& link, const End& end, const MakeLoop& makeLoop) {
  if (!end.switched && nodes_[end.gpu] == nullptr) return link.out.bind(remotes_[end.gpu]->in);
  const sc_core::sc_object& module =
      end.switched ? static_cast<sc_core::sc_object&>(*switches_[*end.switched]) : *nodes_[end.gpu];
  link.endsAt(module, end.place);
  const auto bind = [&](auto& out) {
    if (end.switched) {
      out.bind(switches_[*end.switched]->ports[end.place]->in);
    } else {
      out.bind(nodes_[end.gpu]->entry(end.place).link);
    }
  };
  if (!makeLoop) return bind(link.out);
  loops_.push_back(makeLoop(("loop_" + std::to_string(loops_.size())).c_str()));
  link.out.bind(loops_.back()->in);
  bind(loops_.back()->out);
}

void Fabric::connect(const MakeLoop& makeLoop, const RtlTracingOf& tracing) {
  makeSwitches(tracing);
  const MakeLoop inLoops = simulated() == 1 ? makeLoop : MakeLoop{};
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linkCount(g); ++l) {
      if (Link* out = link(g, l)) lead(*out, endOf(g, l), inLoops);
    }
  }
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    for (std::uint32_t l = 0; l < switches_[s]->links.size(); ++l) {
      lead(*switches_[s]->links[l], endOfSwitch(s, l), {});
    }
  }
  if (peers_ != nullptr) cutLinks();
  cut_.onFlag(
      [this](const CutLinks::Flag& flag) { seen_(flag.to, flag.from, flag.value, flag.arrival); });
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t port = 0; port < links_.ports(); ++port) {
      if (links_.leads(GpuId{g}, port)) cut_.flagsTake(flagLatency(g, port));
    }
  }
}

/// All switches are simulated by the first process.
void Fabric::cutLinks() {
  std::uint32_t number = 0;
  const auto add = [&](Link* one, const LinkConfig& link, std::uint32_t from, const End& end) {
    cut_.add(number++, one, link, from, end.switched ? 0 : process(end.gpu));
  };
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linkCount(g); ++l) {
      add(link(g, l), config_.linkOf(g, l), process(g), endOf(g, l));
    }
  }
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    for (std::uint32_t l = 0; l < switches_[s]->links.size(); ++l) {
      const LinkConfig config =
          graph() == nullptr
              ? config_.linkOf(l, 0)
              : config_.fabric.wireOf(config_.link, graph()->leaving(config_.gpus + s)[l]);
      add(switches_[s]->links[l].get(), config, 0, endOfSwitch(s, l));
    }
  }
}

void Fabric::at(std::uint32_t gpu, Picoseconds when, Step step) {
  node(gpu).host.post(std::max(when, now()), std::move(step));
}

void Fabric::fence(std::uint32_t gpu, const Step& step) { lookAtFence(gpu, now(), step); }

/// Looks at the memory, and at the first of the times after `first` at which it may be idle again.
void Fabric::lookAtFence(std::uint32_t gpu, Picoseconds first, const Step& step) {
  if (node(gpu).hbm.idle()) return step();
  node(gpu).hbm.whenIdle([this, gpu, first, step] {
    // What happens at the time of a look comes after it.
    const Picoseconds looks = (now() - first) / kFenceInterval + 1;
    at(gpu, first + looks * kFenceInterval,
       [this, gpu, first, step] { lookAtFence(gpu, first, step); });
  });
}

void Fabric::launch(std::uint32_t gpu, Step step) {
  if (config_.launchTime(gpu) == 0) return step();
  at(gpu, config_.launchTime(gpu), std::move(step));
}

Picoseconds Fabric::flagLatency(std::uint32_t from, std::uint32_t port) const {
  if (graph() != nullptr) {
    double latency = 0;
    for (const std::uint32_t wire : graph()->way(from, graph()->peer(from, port))) {
      latency += graph()->wires()[wire].latency_ns;
    }
    return std::max<Picoseconds>(1, picosecondsFromNs(latency));
  }
  const bool switched = config_.fabric.switched();
  const double latency = config_.linkOf(from, switched ? 0 : port).latency_ns;
  return std::max<Picoseconds>(1, picosecondsFromNs((switched ? 2 : 1) * latency));
}

void Fabric::tellReady(std::uint32_t gpu, std::uint32_t round) {
  for (std::uint32_t to = 0; to < simulated(); ++to) {
    Picoseconds latency = 0;  // of the link between them; one GPU for all has all links to itself
    for (std::uint32_t port = 0; port < links_.ports(); ++port) {
      if (peer(to, port) != gpu || !links_.leads(GpuId{to}, port)) continue;
      latency = std::max(latency, flagLatency(graph() == nullptr ? gpu : to, port));
    }
    if (latency == 0) continue;
    const Picoseconds when = now() + latency;
    if (process(to) != process(gpu)) {
      cut_.send(process(to), {to, gpu, round, when});
    } else {
      seen_(to, gpu, round, when);
    }
  }
}

std::uint64_t Fabric::heartbeat() const {
  std::uint64_t beats = 0;
  for (const std::uint32_t g : own_) beats += node(g).heartbeat();
  return beats;
}

bool Fabric::idle() const {
  const auto idleLink = [](const auto& link) { return link == nullptr || link->idle(); };
  return std::ranges::all_of(loops_, [](const auto& loop) { return loop->idle(); }) &&
         std::ranges::all_of(switches_, [](const auto& one) { return one->idle(); }) &&
         std::ranges::all_of(nodes_,
                             [](const auto* node) { return node == nullptr || node->idle(); }) &&
         std::ranges::all_of(remotes_, [&](const auto& remote) {
           return !remote || std::ranges::all_of(remote->links, idleLink);
         });
}

std::size_t Fabric::requestsInUse() const {
  std::size_t count = 0;
  for (const auto& one : switches_) count += one->requestsInUse();
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linkCount(g); ++l) {
      if (const Link* one = link(g, l)) count += one->requestsInUse();
    }
  }
  return count;
}

}  // namespace t3
