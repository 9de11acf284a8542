// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <span>

#include "tlm/transport/field_info.h"

namespace t3 {

/// How the GPUs are connected, and what of that the collectives use.
enum class Topology : std::uint8_t {
  Ring,              ///< one ring: a link from every GPU to the next
  BidirectionalRing  ///< two that turn against each other, each with half of every GPU's share
};
BOOST_DESCRIBE_ENUM(Topology, Ring, BidirectionalRing)

struct FabricConfig {
  Topology topology = Topology::Ring;

  /// Rings that run at the same time.
  std::uint32_t rings() const { return topology == Topology::BidirectionalRing ? 2 : 1; }

  static std::span<const FieldInfo> fields();
};
BOOST_DESCRIBE_STRUCT(FabricConfig, (), (topology))

}  // namespace t3
