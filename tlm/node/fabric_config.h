// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/gpu/collective_route.h"
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
  Choice<CollectiveRoute> collective = kAutoRoute;  ///< by which way a chunk's copies come together
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

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(FabricConfig, (),
                      (topology, collective, links_share_bandwidth, gpus_per_node,
                       rail_bandwidth_gb_s, rail_latency_ns))

}  // namespace t3
