// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_route.h"

#include <array>

namespace t3 {

constinit const CollectiveRoute kAutoRoute = {
    .name = "auto", .onRing = true, .make = [](const Reach& reach) {
      return (reach.everyGpu ? kDirectRoute : kRingRoute).make(reach);
    }};

std::span<const CollectiveRoute* const> CollectiveRoute::table() {
  static constexpr std::array<const CollectiveRoute*, 3> kTable = {&kAutoRoute, &kRingRoute,
                                                                   &kDirectRoute};
  return kTable;
}

}  // namespace t3
