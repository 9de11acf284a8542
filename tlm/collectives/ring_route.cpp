// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/ring_route.h"

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/collective_route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/payload.h"

namespace t3 {
RingRoute::RingRoute(std::uint32_t gpus, std::uint32_t rings) : Route(gpus, rings, rings, rings) {
  for (std::uint32_t r = 0; r < rings; ++r) rings_.push_back({gpus, rings, r});
}

std::vector<ChunkId> RingRoute::order(GpuId gpu) const {
  return ringChunkOrder(gpu, gpus(), static_cast<std::uint32_t>(rings_.size()));
}

Route::Duty RingRoute::duty(GpuId gpu, ChunkId chunk) const {
  if (owner(chunk) == gpu) return Duty::Keeps;
  return ringOf(chunk).behind(gpu, 1) == chunk ? Duty::Sends : Duty::Passes;
}

AlgorithmGpu RingRoute::steps(const Promise& promise, GpuId gpu) const {
  AlgorithmMaker maker(promise, chunks());
  for (const RingPath& ring : rings_) {
    maker.addRing(maker.block(ring.next(gpu).value, ring.previous(gpu).value, ring.index), gpus(),
                  [&](std::uint32_t distance) { return ring.behind(gpu, distance).value; });
  }
  return maker.take();
}

constinit const CollectiveRoute kRingRoute = {
    .name = "ring",
    .needs = RouteNeeds::Ring,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<RingRoute>(reach.gpus, reach.rings);
    }};

}  // namespace t3
