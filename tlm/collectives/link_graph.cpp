// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/link_graph.h"

#include <algorithm>
#include <deque>

namespace t3 {
namespace {

constexpr std::uint32_t kNone = ~0U;

std::uint32_t placeIn(const std::vector<std::uint32_t>& wires, std::uint32_t wire) {
  return static_cast<std::uint32_t>(std::ranges::find(wires, wire) - wires.begin());
}

}  // namespace

LinkGraph::LinkGraph(std::uint32_t gpus, std::uint32_t switches, std::vector<Wire> wires,
                     const Network& network)
    : gpus_(gpus),
      wires_(std::move(wires)),
      network_(network),
      leaving_(gpus + switches),
      arriving_(gpus + switches) {
  for (std::uint32_t w = 0; w < wires_.size(); ++w) {
    leaving_[wires_[w].from].push_back(w);
    arriving_[wires_[w].to].push_back(w);
  }
  findWays();
  givePorts();
}

std::uint32_t LinkGraph::placeAtBegin(std::uint32_t wire) const {
  return placeIn(leaving_[wires_[wire].from], wire);
}

std::uint32_t LinkGraph::placeAtEnd(std::uint32_t wire) const {
  return placeIn(arriving_[wires_[wire].to], wire);
}

/// Backward from each GPU, the nearest nodes first.
void LinkGraph::findWays() {
  next_.assign(leaving_.size(), std::vector<std::optional<std::uint32_t>>(gpus_));
  for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
    std::deque<std::uint32_t> nodes = {gpu};
    for (; !nodes.empty(); nodes.pop_front()) {
      for (const std::uint32_t wire : arriving_[nodes.front()]) {
        const std::uint32_t from = wires_[wire].from;
        if (from == gpu || next_[from][gpu]) continue;
        const bool inNode =
            from < gpus_ && from / network_.gpusPerNode == gpu / network_.gpusPerNode;
        if (inNode && nodes.front() >= network_.first) continue;
        next_[from][gpu] = wire;
        if (from >= gpus_) nodes.push_back(from);
      }
    }
  }
}

std::vector<std::uint32_t> LinkGraph::way(std::uint32_t from, std::uint32_t gpu) const {
  std::vector<std::uint32_t> wires;
  while (from != gpu) {
    const auto wire = next_[from][gpu];
    if (!wire) return {};
    wires.push_back(*wire);
    from = wires_[*wire].to;
  }
  return wires;
}

/// The edges of a bipartite graph of senders and receivers, coloured with as few colours as the
/// largest degree (Kőnig): where no colour is free at both ends, two are swapped along a chain.
void LinkGraph::givePorts() {
  std::vector<std::uint32_t> sends(gpus_), receives(gpus_);
  for (std::uint32_t from = 0; from < gpus_; ++from) {
    for (std::uint32_t to = 0; to < gpus_; ++to) {
      if (!next_[from][to]) continue;
      ++sends[from];
      ++receives[to];
    }
  }
  const std::uint32_t most =
      std::max(*std::ranges::max_element(sends), *std::ranges::max_element(receives));
  const std::vector<std::uint32_t> nobody(gpus_, kNone);
  ports_.assign(most, {nobody, nobody, std::vector<bool>(gpus_)});
  const auto freeIn = [this](std::vector<std::uint32_t> Port::*ends, std::uint32_t gpu) {
    return static_cast<std::uint32_t>(
        std::ranges::find_if(ports_, [&](const Port& one) { return (one.*ends)[gpu] == kNone; }) -
        ports_.begin());
  };
  for (std::uint32_t from = 0; from < gpus_; ++from) {
    for (std::uint32_t to = 0; to < gpus_; ++to) {
      if (!next_[from][to]) continue;
      Port& port = ports_[freeIn(&Port::to, from)];
      Port& other = ports_[freeIn(&Port::from, to)];
      // What arrives here by `port` goes to `other`, what its sender sends by that to `port`, …
      std::uint32_t receiver = to, sender = std::exchange(port.from[to], from);
      port.to[from] = to;
      while (sender != kNone) {
        const std::uint32_t next = std::exchange(other.to[sender], receiver);
        other.from[receiver] = sender;
        port.to[sender] = next;
        if (next == kNone) break;
        receiver = next;
        sender = std::exchange(port.from[receiver], sender);
        if (sender == kNone) other.from[receiver] = kNone;
      }
    }
  }
  for (Port& port : ports_) {
    std::uint32_t free = 0;
    for (std::uint32_t from = 0; from < gpus_; ++from) {
      port.leads[from] = port.to[from] != kNone;
      if (port.leads[from]) continue;
      while (port.from[free] != kNone) ++free;
      port.to[from] = free;
      port.from[free] = from;
    }
  }
}

bool LinkGraph::reachesAll() const {
  for (std::uint32_t from = 0; from < gpus_; ++from) {
    for (std::uint32_t to = 0; to < gpus_; ++to) {
      if (from != to && !next_[from][to]) return false;
    }
  }
  return true;
}

}  // namespace t3
