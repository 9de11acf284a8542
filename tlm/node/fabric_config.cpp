// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric_config.h"

#include <string>
#include <utility>

#include "tlm/collectives/link_graph.h"
#include "tlm/collectives/two_level_route.h"

namespace t3 {

Reach FabricConfig::reach(std::uint32_t gpus) const {
  return {.gpus = gpus,
          .everyGpu = topology == Topology::FullyConnected || topology == Topology::Switch ||
                      (graph != nullptr && graph->reachesAll()),
          .rings = topology == Topology::BidirectionalRing ? 2U : 1U,
          .gpusPerNode = hasNodes() ? gpus_per_node : 0};
}

std::unique_ptr<const Route> FabricConfig::makeRoute(const CollectiveRoute& route,
                                                     std::uint32_t gpus,
                                                     std::uint32_t contributions) const {
  Reach where = reach(gpus);
  where.contributions = contributions;
  auto made = route.make(where);
  if (graph == nullptr) return made;
  return std::make_unique<GraphRoute>(graph, std::move(made));
}

LinkConfig FabricConfig::wireOf(LinkConfig link, std::uint32_t wire) const {
  link.bandwidth_gb_s = graph->wires()[wire].bandwidth_gb_s;
  link.latency_ns = graph->wires()[wire].latency_ns;
  return link;
}

std::uint32_t FabricConfig::linkOfPort(std::uint32_t gpu, std::uint32_t port,
                                       std::size_t count) const {
  if (graph == nullptr) return static_cast<std::uint32_t>(port % count);
  const auto wire =
      graph->leads(gpu, port) ? graph->next(gpu, graph->peer(gpu, port)) : std::nullopt;
  return wire ? graph->placeAtBegin(*wire) : 0;
}

LinkConfig FabricConfig::linkOf(LinkConfig link, std::uint32_t gpus, std::uint32_t index) const {
  if (topology == Topology::FullyConnected && links_share_bandwidth) {
    link.bandwidth_gb_s /= gpus - 1;
  }
  if (hasNodes() && index == TwoLevelRoute::kRail) {
    link.bandwidth_gb_s = rail_bandwidth_gb_s;
    link.latency_ns = rail_latency_ns;
  }
  return link;
}

std::optional<std::string> FabricConfig::check() const {
  if ((topology == Topology::Links) == links.empty()) {
    return links.empty() ? "links: expected a file with topology = links, got none"
                         : "links: expected none, because topology is not links, got a file";
  }
  const auto suits = [this](const CollectiveRoute& route) {
    switch (route.needs) {
      case RouteNeeds::Any:
        return true;
      case RouteNeeds::Ring:
        return !hasNodes();
      case RouteNeeds::EveryGpu:
        return reach(2).everyGpu || (topology == Topology::Links && graph == nullptr);
      case RouteNeeds::Nodes:
        return hasNodes();
    }
    return false;
  };
  if (suits(*collective)) return std::nullopt;
  std::string routes;
  for (const CollectiveRoute* route : CollectiveRoute::table()) {
    if (suits(*route)) routes += (routes.empty() ? "" : " or ") + std::string(route->name);
  }
  const char* why = hasNodes()          ? "between nodes a GPU reaches those of its place only"
                    : reach(2).everyGpu ? "there are no nodes"
                                        : "on a ring a GPU reaches its neighbours only";
  return "collective: expected " + routes + ", because " + why;
}

std::optional<std::string> FabricConfig::checkNodes(std::uint32_t gpus) const {
  if (!hasNodes() || (gpus % gpus_per_node == 0 && gpus > gpus_per_node)) return std::nullopt;
  return "gpus_per_node: expected at least 2 whole nodes of the " + std::to_string(gpus) +
         " GPUs, got nodes of " + std::to_string(gpus_per_node);
}

}  // namespace t3
