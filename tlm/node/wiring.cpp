// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/wiring.h"

#include <algorithm>

namespace t3 {

Wiring::Wiring(const SystemConfig& config, const Route& ports)
    : config_(config),
      ports_(ports),
      linksPerGpu_(config.fabric.switched() ? 1 : ports.size().ports) {}

std::uint32_t Wiring::linkCount(std::uint32_t gpu) const {
  return graph() == nullptr ? linksPerGpu_
                            : static_cast<std::uint32_t>(graph()->leaving(gpu).size());
}

std::uint32_t Wiring::entryCount(std::uint32_t gpu) const {
  return graph() == nullptr ? linksPerGpu_
                            : static_cast<std::uint32_t>(graph()->arriving(gpu).size());
}

std::uint32_t Wiring::entryOf(std::uint32_t gpu, std::uint32_t port) const {
  if (graph() == nullptr) return port % linksPerGpu_;
  const auto way = graph()->way(graph()->source(gpu, port), gpu);
  return way.empty() ? 0 : graph()->placeAtEnd(way.back());
}

std::vector<Wiring::Sender> Wiring::sendersTo(std::uint32_t gpu, std::uint32_t entry) const {
  std::vector<Sender> senders;
  for (std::uint32_t port = 0; port < ports_.size().ports; ++port) {
    const GpuId from = ports_.source(GpuId{gpu}, port);
    if (!ports_.leads(from, port) || entryOf(gpu, port) != entry) continue;
    senders.push_back({index(from.value), linkOf(from.value, port)});
  }
  std::ranges::sort(senders);
  senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
  return senders;
}

Wiring::End Wiring::endOf(std::uint32_t gpu, std::uint32_t link) const {
  if (graph() != nullptr) return endOfWire(graph()->leaving(gpu)[link]);
  if (config_.fabric.switched()) return {.gpu = 0, .place = gpu, .switched = 0};
  return {.gpu = peer(gpu, link), .place = link, .switched = {}};
}

Wiring::End Wiring::endOfSwitch(std::uint32_t number, std::uint32_t link) const {
  if (graph() != nullptr) return endOfWire(graph()->leaving(config_.gpus + number)[link]);
  return {.gpu = link, .place = 0, .switched = {}};
}

Wiring::End Wiring::endOfWire(std::uint32_t wire) const {
  const std::uint32_t to = graph()->wires()[wire].to, place = graph()->placeAtEnd(wire);
  if (to < config_.gpus) return {.gpu = to, .place = place, .switched = {}};
  return {.gpu = 0, .place = place, .switched = to - config_.gpus};
}

Picoseconds Wiring::flagLatency(std::uint32_t from, std::uint32_t port) const {
  double latency = 0;
  if (graph() != nullptr) {
    for (const std::uint32_t wire : graph()->way(from, graph()->peer(from, port))) {
      latency += graph()->wires()[wire].latency_ns;
    }
  } else {
    const bool switched = config_.fabric.switched();
    latency = (switched ? 2 : 1) * config_.linkOf(from, switched ? 0 : port).latency_ns;
  }
  return std::max<Picoseconds>(1, picosecondsFromNs(latency));
}

}  // namespace t3
