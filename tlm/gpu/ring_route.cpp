// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/ring_route.h"

#include "tlm/gpu/collective_route.h"
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

CollectiveProgram RingRoute::reduceScatter(GpuId gpu, std::uint32_t kernel,
                                           const MemoryLayout& layout) const {
  const RingPath& ring = rings_[kernel];
  const std::uint32_t last = gpus() - 1;
  const auto buffer = [&](std::uint32_t step) {
    return layout.receive +
           (ring.index * (gpus() - 1) + step) * std::uint64_t{layout.receiveStrideBytes};
  };
  CollectiveProgram program;
  for (std::uint32_t s = 0; s <= last; ++s) {
    CollectiveStep step;
    step.chunk = ring.behind(gpu, s + 1);
    if (s > 0) {
      step.waitsFor = {s - 1};
      step.addresses = {buffer(s - 1)};
    }
    step.keeps = s == last;
    if (!step.keeps) {
      step.sends = {{0, globalAddress(ring.next(gpu), buffer(s)), true, s}};
      program.arrivals.push_back({ring.behind(gpu, s + 2), buffer(s), true});
    }
    program.steps.push_back(std::move(step));
  }
  program.threadBlocks = {{last, gpus()}, {0, last}};
  return program;
}

CollectiveProgram RingRoute::allGather(GpuId gpu, std::uint32_t kernel,
                                       const MemoryLayout& layout) const {
  const RingPath& ring = rings_[kernel];
  CollectiveProgram program;
  for (std::uint32_t s = 0; s + 1 < gpus(); ++s) {
    CollectiveStep step;
    step.chunk = ring.behind(gpu, s);
    if (s > 0) step.waitsFor = {s - 1};
    step.sends = {{0, globalAddress(ring.next(gpu), layout.output), false, s}};
    program.steps.push_back(std::move(step));
    program.arrivals.push_back({ring.behind(gpu, s + 1), layout.output, false});
  }
  program.threadBlocks = {{0, gpus() - 1}};
  return program;
}

constinit const CollectiveRoute kRingRoute = {
    .name = "ring",
    .needs = RouteNeeds::Ring,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<RingRoute>(reach.gpus, reach.rings);
    }};

}  // namespace t3
