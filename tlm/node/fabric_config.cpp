// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric_config.h"

#include <array>

#include "tlm/gpu/two_level_route.h"

namespace t3 {

std::span<const FieldInfo> FabricConfig::fields() {
  static constexpr std::array<FieldInfo, 6> kFields{{
      {"topology", "", 0, 0,
       "ring: every GPU sends to the next (the paper's); bidirectional-ring: two rings that turn "
       "against each other, each with a link of its own and half of every chunk; fully-connected: "
       "a link from every GPU to every other; switch: a link from every GPU to one switch and one "
       "back; two-level: rings inside nodes, and slower rings through the GPUs of equal places in "
       "all nodes (docs/fabric.md)"},
      {"collective", "", 0, 0,
       "ring: chunks are summed on their way round; direct: every GPU sends its copy of a chunk to "
       "the chunk's owner, which sums all; two-level: rings inside the nodes, then through them; "
       "auto: ring on a ring, direct where every GPU reaches every other, two-level with nodes"},
      {"links_share_bandwidth", "", 0, 0,
       "fully-connected: whether the links of a GPU have link.bandwidth_gb_s together, each "
       "1/(N-1) "
       "of it, as if a ring's pins were distributed (assumption), or each"},
      {"gpus_per_node", "", 2, 512,
       "two-level: GPUs 0 to this - 1 are the first node, and so on (assumption: 4)"},
      {"rail_bandwidth_gb_s", "GB/s", 0.001, 100000,
       "two-level: raw bandwidth of one direction of each GPU's link to the next node (assumption: "
       "25, a network port of 200 Gb/s for each GPU)"},
      {"rail_latency_ns", "ns", 0, 1e6,
       "two-level: of that link, as link.latency_ns (assumption: 2000)"},
  }};
  return kFields;
}

Reach FabricConfig::reach(std::uint32_t gpus) const {
  return {.gpus = gpus,
          .everyGpu = topology == Topology::FullyConnected || topology == Topology::Switch,
          .rings = topology == Topology::BidirectionalRing ? 2U : 1U,
          .gpusPerNode = hasNodes() ? gpus_per_node : 0};
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
  const auto suits = [this](const CollectiveRoute& route) {
    switch (route.needs) {
      case RouteNeeds::Any:
        return true;
      case RouteNeeds::Ring:
        return !hasNodes();
      case RouteNeeds::EveryGpu:
        return reach(2).everyGpu;
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
