// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/interconnect/link_config.h"
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

/// By which way a chunk's copies come together.
enum class CollectiveRoute : std::uint8_t { Auto, Ring, Direct };
BOOST_DESCRIBE_ENUM(CollectiveRoute, Auto, Ring, Direct)

struct FabricConfig {
  Topology topology = Topology::Ring;
  CollectiveRoute collective = CollectiveRoute::Auto;
  bool links_share_bandwidth = true;

  /// Rings that run at the same time, where collectives go round.
  std::uint32_t rings() const { return topology == Topology::BidirectionalRing ? 2 : 1; }
  bool direct() const;
  bool switched() const { return topology == Topology::Switch; }
  /// What one link of one of `gpus` GPUs has of `link`.
  LinkConfig linkOf(LinkConfig link, std::uint32_t gpus) const;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(FabricConfig, (), (topology, collective, links_share_bandwidth))

}  // namespace t3
