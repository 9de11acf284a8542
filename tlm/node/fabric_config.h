// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/collectives/collective_route.h"
#include "tlm/interconnect/link_config.h"
#include "tlm/transport/choice.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// How the GPUs are connected.
enum class Topology : std::uint8_t {
  Ring,               ///< a link from every GPU to the next
  BidirectionalRing,  ///< links to both neighbours: two rings, each with half of every GPU's share
  FullyConnected,     ///< a link from every GPU to every other one
  Switch,             ///< a link from every GPU to one switch, and one back
  /// Nodes of some GPUs: a ring inside each, and a slower ring through the GPUs of equal places in
  /// all nodes (a rail)
  TwoLevel
};
BOOST_DESCRIBE_ENUM(Topology, Ring, BidirectionalRing, FullyConnected, Switch, TwoLevel)

struct FabricConfig {
  Topology topology = Topology::Ring;
  Choice<CollectiveRoute> collective = kAutoRoute;
  bool links_share_bandwidth = true;
  std::uint32_t gpus_per_node = 4;
  double rail_bandwidth_gb_s = 25;
  double rail_latency_ns = 2000;

  /// What the topology lets a route of `gpus` GPUs use.
  Reach reach(std::uint32_t gpus) const;
  bool switched() const { return topology == Topology::Switch; }
  bool hasNodes() const { return topology == Topology::TwoLevel; }
  /// Link number `index` of one of `gpus` GPUs whose links have the settings `link`.
  LinkConfig linkOf(LinkConfig link, std::uint32_t gpus, std::uint32_t index) const;
  /// Whether `gpus` GPUs make whole nodes, if there are nodes: one line if not.
  std::optional<std::string> checkNodes(std::uint32_t gpus) const;

  static constexpr auto settings() {
    using C = FabricConfig;
    return std::tuple{
        T3_SETTING(
            topology, "", 0, 0,
            "ring (the paper's): a link to the next GPU; bidirectional-ring: links both ways "
            "round; fully-connected: a link to every other GPU; switch: links to and from "
            "one switch; two-level: rings inside nodes, and rings between them "
            "(docs/fabric.md)"),
        T3_SETTING(collective, "", 0, 0,
                   "ring: chunks are summed on their way round; direct: each GPU sends its part of "
                   "a chunk to the GPU that sums it; two-level: rings inside nodes, then between "
                   "them; auto: the one that fits the topology (docs/fabric.md)"),
        T3_SETTING(
            links_share_bandwidth, "", 0, 0,
            "fully-connected: whether the links of a GPU have link.bandwidth_gb_s together, each "
            "1/(N-1) of it, as if a ring's pins were distributed (assumption), or each"),
        T3_SETTING(gpus_per_node, "", 2, 512,
                   "two-level: GPUs 0 to this - 1 are the first node, and so on (assumption: 4)"),
        T3_SETTING(rail_bandwidth_gb_s, "GB/s", 0.001, 100000,
                   "two-level: raw bandwidth of one direction of each GPU's link to the next node "
                   "(assumption: 25, a network port of 200 Gb/s for each GPU)"),
        T3_SETTING(rail_latency_ns, "ns", 0, 1e6,
                   "two-level: of that link, as link.latency_ns (assumption: 2000)")};
  }
  std::optional<std::string> check() const;
};

}  // namespace t3
