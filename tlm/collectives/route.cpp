// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/route.h"

#include <algorithm>
#include <array>

#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/collectives/two_level_route.h"

namespace t3 {

std::vector<ChunkId> Route::numbering(const Promise& /*promise*/) const {
  std::vector<ChunkId> all;
  for (std::uint32_t c = 0; c < chunks(); ++c) all.emplace_back(c);
  std::ranges::stable_sort(all, {}, [this](ChunkId chunk) { return owner(chunk).value; });
  return all;
}

std::uint32_t mostUpdatesPerElement(const Route& route) {
  std::uint32_t most = 0;
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    for (std::uint32_t c = 0; c < route.chunks(); ++c) {
      most = std::max(most, route.updatesPerElement(GpuId{g}, ChunkId{c}));
    }
  }
  return most;
}

Algorithm algorithmOf(const Route& route, const Promise& promise) {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = true;
  algorithm.chunks = route.chunks();
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    algorithm.gpus.push_back(route.steps(promise, GpuId{g}));
    for (const AlgorithmThreadBlock& block : algorithm.gpus.back().threadBlocks) {
      algorithm.channels = std::max(algorithm.channels, block.channel + 1);
    }
  }
  return algorithm;
}

std::vector<std::uint32_t> portsTo(const Route& route, GpuId from, GpuId to) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t p = 0; p < route.size().ports; ++p) {
    if (route.leads(from, p) && route.peer(from, p) == to) all.push_back(p);
  }
  return all;
}

std::uint32_t portTo(const Route& route, GpuId from, GpuId to, std::uint32_t channel) {
  if (channel < route.size().ports && route.leads(from, channel) &&
      route.peer(from, channel) == to) {
    return channel;
  }
  const auto all = portsTo(route, from, to);
  return all.at(channel % all.size());
}

constinit const CollectiveRoute kAutoRoute = {
    .name = "auto", .needs = RouteNeeds::Any, .make = [](const Reach& reach) {
      if (reach.gpusPerNode != 0) return kTwoLevelRoute.make(reach);
      return (reach.everyGpu ? kDirectRoute : kRingRoute).make(reach);
    }};

constinit const CollectiveRoute kRingRoute = {
    .name = "ring",
    .needs = RouteNeeds::Ring,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<RingRoute>(reach.gpus, reach.rings);
    }};

constinit const CollectiveRoute kDirectRoute = {
    .name = "direct",
    .needs = RouteNeeds::EveryGpu,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      const bool all = reach.contributions == 0;
      return std::make_unique<DirectRoute>(reach.gpus, all ? reach.gpus : reach.contributions);
    }};

constinit const CollectiveRoute kTwoLevelRoute = {
    .name = "two-level",
    .needs = RouteNeeds::Nodes,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<TwoLevelRoute>(reach.gpus, reach.gpusPerNode);
    }};

std::span<const CollectiveRoute* const> CollectiveRoute::table() {
  static constexpr std::array<const CollectiveRoute*, 4> kTable = {&kAutoRoute, &kRingRoute,
                                                                   &kDirectRoute, &kTwoLevelRoute};
  return kTable;
}

}  // namespace t3
