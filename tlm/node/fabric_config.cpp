// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/fabric_config.h"

#include <array>

namespace t3 {

std::span<const FieldInfo> FabricConfig::fields() {
  static constexpr std::array<FieldInfo, 3> kFields{{
      {"topology", "", 0, 0,
       "ring: every GPU sends to the next (the paper's); bidirectional-ring: two rings that turn "
       "against each other, each with a link of its own and half of every chunk; fully-connected: "
       "a link from every GPU to every other; switch: a link from every GPU to one switch and one "
       "back (docs/fabric.md)"},
      {"collective", "", 0, 0,
       "ring: chunks are summed on their way round; direct: every GPU sends its copy of a chunk to "
       "the chunk's owner, which sums all; auto: ring on a ring, direct where every GPU reaches "
       "every other"},
      {"links_share_bandwidth", "", 0, 0,
       "fully-connected: whether the links of a GPU have link.bandwidth_gb_s together, each "
       "1/(N-1) "
       "of it, as if a ring's pins were distributed (assumption), or each"},
  }};
  return kFields;
}

Reach FabricConfig::reach(std::uint32_t gpus) const {
  return {.gpus = gpus,
          .everyGpu = topology == Topology::FullyConnected || topology == Topology::Switch,
          .rings = topology == Topology::BidirectionalRing ? 2U : 1U};
}

LinkConfig FabricConfig::linkOf(LinkConfig link, std::uint32_t gpus) const {
  if (topology == Topology::FullyConnected && links_share_bandwidth) {
    link.bandwidth_gb_s /= gpus - 1;
  }
  return link;
}

std::optional<std::string> FabricConfig::check() const {
  if (reach(2).everyGpu || collective->onRing) return std::nullopt;
  std::string routes;
  for (const CollectiveRoute* route : CollectiveRoute::table()) {
    if (route->onRing) routes += (routes.empty() ? "" : " or ") + std::string(route->name);
  }
  return "collective: expected " + routes + ", because on a ring a GPU reaches its neighbours only";
}

}  // namespace t3
