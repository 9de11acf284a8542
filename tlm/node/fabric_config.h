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
  Switch              ///< a link from every GPU to one switch, and one back
};
BOOST_DESCRIBE_ENUM(Topology, Ring, BidirectionalRing, FullyConnected, Switch)

struct FabricConfig {
  Topology topology = Topology::Ring;
  Choice<CollectiveRoute> collective = kAutoRoute;  ///< by which way a chunk's copies come together
  bool links_share_bandwidth = true;

  /// What the topology lets a route of `gpus` GPUs use.
  Reach reach(std::uint32_t gpus) const;
  bool switched() const { return topology == Topology::Switch; }
  /// What one link of one of `gpus` GPUs has of `link`.
  LinkConfig linkOf(LinkConfig link, std::uint32_t gpus) const;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(FabricConfig, (), (topology, collective, links_share_bandwidth))

}  // namespace t3
