// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/collective_route.h"

#include <array>

namespace t3 {

constinit const CollectiveRoute kAutoRoute = {
    .name = "auto", .needs = RouteNeeds::Any, .make = [](const Reach& reach) {
      if (reach.gpusPerNode != 0) return kTwoLevelRoute.make(reach);
      return (reach.everyGpu ? kDirectRoute : kRingRoute).make(reach);
    }};

std::span<const CollectiveRoute* const> CollectiveRoute::table() {
  static constexpr std::array<const CollectiveRoute*, 4> kTable = {&kAutoRoute, &kRingRoute,
                                                                   &kDirectRoute, &kTwoLevelRoute};
  return kTable;
}

}  // namespace t3
