// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "tlm/transport/agenda.h"

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

/// The switch between `simulated` GPUs, with their links; null if the fabric has none. A write for
/// GPU g leaves by link g modulo `simulated`.
std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated,
                                   const RtlTracingOf& tracing) {
  if (!config.fabric.switched()) return nullptr;
  std::vector<LinkConfig> leaving;
  for (std::uint32_t g = 0; g < simulated; ++g) {
    leaving.push_back(config.linkOf(g, 0));
    leaving.back().lose_write = 0;  // one fault, on the way to the switch
  }
  std::optional<Switch::Merging> merging;
  if (config.merges()) merging = {config.switched, config.gpus - 1, config.gpus, tracing};
  return std::make_unique<Switch>(
      "switch", leaving,
      [simulated](const Payload& payload) {
        return static_cast<int>(gpuOf(payload.get_address()).value % simulated);
      },
      merging);
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
  for (std::uint32_t l = 0; l < linksPerGpu_; ++l) {
    endHere.push_back(config_.fabric.switched() || isOwn(peer(gpu, l)));
  }
  remotes_.back() = std::make_unique<RemoteGpu>(("gpu" + std::to_string(gpu)).c_str(),
                                                config_.ofGpu(gpu), endHere);
}

void Fabric::connect(const MakeLoop& makeLoop, const RtlTracingOf& tracing) {
  switch_ = makeSwitch(config_, simulated(), tracing);
  // `port` of `module`: where the link ends.
  const auto lead = [&](Link& link, auto& entry, const sc_core::sc_object& module,
                        std::uint32_t port) {
    link.endsAt(module, port);
    if (simulated() != 1) return link.out.bind(entry);
    loops_.push_back(makeLoop(("loop_" + std::to_string(loops_.size())).c_str()));
    link.out.bind(loops_.back()->in);
    loops_.back()->out.bind(entry);
  };
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu_; ++l) {
      Link* const out = link(g, l);
      if (switch_) {
        lead(*out, switch_->ports[g]->in, *switch_, g);
        if (nodes_[g] == nullptr) {
          switch_->links[g]->out.bind(remotes_[g]->in);
        } else {
          switch_->links[g]->out.bind(nodes_[g]->entry(l).link);
          switch_->links[g]->endsAt(*nodes_[g], l);
        }
      } else if (out != nullptr) {
        const std::uint32_t to = peer(g, l);
        if (nodes_[to] == nullptr) {
          out->out.bind(remotes_[to]->in);
        } else {
          lead(*out, nodes_[to]->entry(l).link, *nodes_[to], l);
        }
      }
    }
  }
  if (peers_ != nullptr) cutLinks();
  cut_.onFlag(
      [this](const CutLinks::Flag& flag) { seen_(flag.to, flag.from, flag.value, flag.arrival); });
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu_; ++l) cut_.flagsTake(flagLatency(g, l));
  }
}

void Fabric::cutLinks() {
  std::uint32_t number = 0;
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu_; ++l) {
      cut_.add(number++, link(g, l), config_.linkOf(g, l), process(g),
               switch_ ? 0 : process(peer(g, l)));
    }
    if (switch_) cut_.add(number++, switch_->links[g].get(), config_.linkOf(g, 0), 0, process(g));
  }
}

void Fabric::at(std::uint32_t gpu, Picoseconds when, Step step) {
  node(gpu).host.post(std::max(when, now()), std::move(step));
}

void Fabric::fence(std::uint32_t gpu, Step step) { lookAtFence(gpu, now(), step); }

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
  const bool switched = config_.fabric.switched();
  const double latency = config_.linkOf(from, switched ? 0 : port).latency_ns;
  return std::max<Picoseconds>(1, picosecondsFromNs((switched ? 2 : 1) * latency));
}

void Fabric::tellReady(std::uint32_t gpu, std::uint32_t round) {
  for (std::uint32_t to = 0; to < simulated(); ++to) {
    Picoseconds latency = 0;  // of the link between them; one GPU for all has all links to itself
    for (std::uint32_t port = 0; port < links_.ports(); ++port) {
      if (peer(to, port) == gpu) latency = std::max(latency, flagLatency(gpu, port));
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
         (!switch_ || switch_->idle()) &&
         std::ranges::all_of(nodes_,
                             [](const auto* node) { return node == nullptr || node->idle(); }) &&
         std::ranges::all_of(remotes_, [&](const auto& remote) {
           return !remote || std::ranges::all_of(remote->links, idleLink);
         });
}

std::size_t Fabric::requestsInUse() const {
  std::size_t count = switch_ ? switch_->requestsInUse() : 0;
  for (std::uint32_t g = 0; g < simulated(); ++g) {
    for (std::uint32_t l = 0; l < linksPerGpu_; ++l) {
      if (const Link* one = link(g, l)) count += one->requestsInUse();
    }
  }
  return count;
}

}  // namespace t3
