// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tlm/gpu/route.h"

namespace t3 {

/// What a route has to know about the links between the GPUs.
struct Reach {
  std::uint32_t gpus = 2;
  bool everyGpu = false;    ///< a GPU reaches every other one, not only its ring neighbours
  std::uint32_t rings = 1;  ///< that run at the same time, each on links of its own
};

/// A row of the table of routes. A program adds a route of its own without a change here:
///
///   constexpr CollectiveRoute kMine{.name = "mine", …};
///   config.fabric.collective = kMine;
struct CollectiveRoute {
  const char* name;
  bool onRing;  ///< needs the links of a ring only
  std::unique_ptr<const Route> (*make)(const Reach& reach);

  static std::span<const CollectiveRoute* const> table();
};

/// Direct where every GPU reaches every other one, else ring.
extern const CollectiveRoute kAutoRoute;
extern const CollectiveRoute kRingRoute;
extern const CollectiveRoute kDirectRoute;

}  // namespace t3
