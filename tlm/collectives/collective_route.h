// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tlm/collectives/route.h"

namespace t3 {

/// What a route has to know about the links between the GPUs.
struct Reach {
  std::uint32_t gpus = 2;
  bool everyGpu = false;    ///< a GPU reaches every other one, not only its ring neighbours
  std::uint32_t rings = 1;  ///< that run at the same time, each on links of its own
  /// GPUs of a node. Their first links form a ring; the second ones of those of equal places in all
  /// nodes form rings as well. 0: there are no nodes.
  std::uint32_t gpusPerNode = 0;
  /// Of a sum that each GPU sends its part of straight to: so many parts are added. 0: all.
  std::uint32_t contributions = 0;
};

/// The links that a route needs.
enum class RouteNeeds : std::uint8_t {
  Any,       ///< it suits itself to what there is
  Ring,      ///< from every GPU to the next
  EveryGpu,  ///< to every other GPU
  Nodes      ///< rings inside nodes, and rings through all nodes
};

/// A row of the table of routes. A program adds a route of its own without a change here:
///
///   constexpr CollectiveRoute kMine{.name = "mine", …};
///   config.fabric.collective = kMine;
struct CollectiveRoute {
  const char* name;
  RouteNeeds needs;
  std::unique_ptr<const Route> (*make)(const Reach& reach);

  static std::span<const CollectiveRoute* const> table();
};

/// Direct where every GPU reaches every other one, two-level where there are nodes, else ring.
extern const CollectiveRoute kAutoRoute;
extern const CollectiveRoute kRingRoute;
extern const CollectiveRoute kDirectRoute;
extern const CollectiveRoute kTwoLevelRoute;

}  // namespace t3
