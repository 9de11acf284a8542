// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <utility>

#include "tlm/transport/agenda.h"
#include "tlm/transport/numbers.h"

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

/// What this process has of a GPU that another one simulates: those of its links that end here, and
/// a place where links to it end. Nothing ever happens at its ends of them (CutLinks).
class Fabric::RemoteGpu : public sc_core::sc_module {
 public:
  Place place{*this};                        ///< before all that belongs to it
  std::vector<std::unique_ptr<Link>> links;  ///< as a GpuNode's; null if it does not end here

  tlm_utils::multi_passthrough_target_socket_optional<RemoteGpu> in{"in"};

  /// Which of the links of GPU `gpu` end in this process.
  RemoteGpu(const sc_core::sc_module_name& name, const SystemConfig& config, std::uint32_t gpu,
            const std::vector<bool>& endHere)
      : sc_module(name), links(endHere.size()) {
    in.register_nb_transport_fw(this, &RemoteGpu::refuse);
    for (std::uint32_t l = 0; l < links.size(); ++l) {
      if (!endHere[l]) continue;
      links[l] = std::make_unique<Link>(numbered("link", l).c_str(), config.linkOf(gpu, l));
      out_.bind(links[l]->in);
    }
  }

 private:
  tlm::tlm_sync_enum refuse(int, Payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    SC_REPORT_FATAL("t3/node", "a link that is cut delivers where it begins");
    return tlm::TLM_COMPLETED;
  }

  tlm_utils::multi_passthrough_initiator_socket_optional<RemoteGpu> out_{"out"};
};

Fabric::Fabric(const SystemConfig& config, const Route& links, const Peers* peers)
    : config_(config),
      wiring_(config, links),
      peers_(peers),
      own_(ownGpus(config, peers)),
      cut_(peers == nullptr ? 0 : peers->self(), peers == nullptr ? 1 : peers->count()) {
  Agenda::ofSimulation().shuffle(config.order_seed);
}

Fabric::~Fabric() = default;

bool Fabric::builds(std::uint32_t gpu) const {
  return peers_ == nullptr || process(gpu) == peers_->self() || peers_->buildsAll();
}

Link* Fabric::link(std::uint32_t gpu, std::uint32_t number) const {
  return (nodes_[gpu] != nullptr ? nodes_[gpu]->links : remotes_[gpu]->links)[number].get();
}

void Fabric::add(GpuNode* node) {
  const auto gpu = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  remotes_.emplace_back();
  if (node != nullptr) return;
  std::vector<bool> endHere;
  for (std::uint32_t l = 0; l < wiring_.linkCount(gpu); ++l) {
    const Wiring::End end = wiring_.endOf(gpu, l);
    endHere.push_back(end.switched || process(end.gpu) == peers_->self());
  }
  remotes_.back() = std::make_unique<RemoteGpu>(("gpu" + std::to_string(gpu)).c_str(),
                                                config_.ofGpu(gpu), gpu, endHere);
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
  for (std::uint32_t g = 0; g < wiring_.simulated(); ++g) {
    leaving.push_back(leaves(config_.linkOf(g, 0)));
  }
  std::optional<Switch::Merging> merging;
  if (config_.merges()) merging = {config_.switched, config_.gpus - 1, config_.gpus, tracing};
  switches_.push_back(std::make_unique<Switch>(
      "switch", leaving,
      [simulated = wiring_.simulated()](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
      },
      merging));
}

void Fabric::lead(Link& link, const Wiring::End& end, const MakeLoop& makeLoop) {
  if (!end.switched && nodes_[end.gpu] == nullptr) return link.out.bind(remotes_[end.gpu]->in);
  const sc_core::sc_object& module =
      end.switched ? static_cast<sc_core::sc_object&>(*switches_[*end.switched]) : *nodes_[end.gpu];
  link.endsAt(module, end.place);
  const auto bind = [&](auto& out) {
    if (end.switched) {
      out.bind(switches_[*end.switched]->ports[end.place]->in);
    } else {
      out.bind(nodes_[end.gpu]->gpu.ingress[end.place]->link);
    }
  };
  if (!makeLoop) return bind(link.out);
  loops_.push_back(makeLoop(("loop_" + std::to_string(loops_.size())).c_str()));
  link.out.bind(loops_.back()->in);
  bind(loops_.back()->out);
}

void Fabric::connect(const MakeLoop& makeLoop, const RtlTracingOf& tracing) {
  makeSwitches(tracing);
  const MakeLoop inLoops = wiring_.simulated() == 1 ? makeLoop : MakeLoop{};
  for (std::uint32_t g = 0; g < wiring_.simulated(); ++g) {
    for (std::uint32_t l = 0; l < wiring_.linkCount(g); ++l) {
      if (Link* out = link(g, l)) lead(*out, wiring_.endOf(g, l), inLoops);
    }
  }
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    for (std::uint32_t l = 0; l < switches_[s]->links.size(); ++l) {
      lead(*switches_[s]->links[l], wiring_.endOfSwitch(s, l), {});
    }
  }
  if (peers_ != nullptr) cutLinks();
  cut_.onFlag(
      [this](const CutLinks::Flag& flag) { seen_(flag.to, flag.from, flag.value, flag.arrival); });
  for (std::uint32_t g = 0; g < wiring_.simulated(); ++g) {
    for (std::uint32_t port = 0; port < wiring_.ports().size().ports; ++port) {
      if (wiring_.ports().leads(GpuId{g}, port)) cut_.flagsTake(wiring_.flagLatency(g, port));
    }
  }
}

/// All switches are simulated by the first process.
void Fabric::cutLinks() {
  std::uint32_t number = 0;
  const auto add = [&](Link* one, const LinkConfig& link, std::uint32_t from,
                       const Wiring::End& end) {
    cut_.add(number++, one, link, from, end.switched ? 0 : process(end.gpu));
  };
  for (std::uint32_t g = 0; g < wiring_.simulated(); ++g) {
    for (std::uint32_t l = 0; l < wiring_.linkCount(g); ++l) {
      add(link(g, l), config_.linkOf(g, l), process(g), wiring_.endOf(g, l));
    }
  }
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    for (std::uint32_t l = 0; l < switches_[s]->links.size(); ++l) {
      const LinkConfig config =
          graph() == nullptr
              ? config_.linkOf(l, 0)
              : config_.fabric.wireOf(config_.link, graph()->leaving(config_.gpus + s)[l]);
      add(switches_[s]->links[l].get(), config, 0, wiring_.endOfSwitch(s, l));
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

void Fabric::tellReady(std::uint32_t gpu, std::uint32_t round) {
  for (std::uint32_t to = 0; to < wiring_.simulated(); ++to) {
    Picoseconds latency = 0;  // of the link between them; one GPU for all has all links to itself
    for (std::uint32_t port = 0; port < wiring_.ports().size().ports; ++port) {
      if (wiring_.peer(to, port) != gpu || !wiring_.ports().leads(GpuId{to}, port)) continue;
      latency = std::max(latency, wiring_.flagLatency(graph() == nullptr ? gpu : to, port));
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
  for (std::uint32_t g = 0; g < wiring_.simulated(); ++g) {
    for (std::uint32_t l = 0; l < wiring_.linkCount(g); ++l) {
      if (const Link* one = link(g, l)) count += one->requestsInUse();
    }
  }
  return count;
}

}  // namespace t3
