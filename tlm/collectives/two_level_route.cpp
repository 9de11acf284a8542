// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/two_level_route.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/collective_route.h"
#include "tlm/transport/payload.h"

namespace t3 {

TwoLevelRoute::TwoLevelRoute(std::uint32_t gpus, std::uint32_t gpusPerNode)
    : Route(gpus, 2, 1, 1),
      places_(gpusPerNode),
      nodes_(gpusPerNode == 0 ? 0 : gpus / gpusPerNode) {
  if (places_ >= 2 && nodes_ >= 2 && nodes_ * places_ == gpus) return;
  throw std::invalid_argument("expected at least 2 whole nodes of at least 2 GPUs, got " +
                              std::to_string(gpus) + " GPUs in nodes of " +
                              std::to_string(gpusPerNode));
}

GpuId TwoLevelRoute::owner(ChunkId chunk) const { return at(nodeOf(chunk), placeOf(chunk)); }

ChunkId TwoLevelRoute::before(GpuId gpu, std::uint32_t nodes, std::uint32_t places) const {
  const GpuId end =
      at(node(gpu) + nodes_ - nodes % nodes_, place(gpu) + places_ - places % places_);
  return ChunkId{place(end) * nodes_ + node(end)};
}

ChunkId TwoLevelRoute::asOfGpu0(ChunkId chunk, GpuId gpu) const {
  return before(owner(chunk), node(gpu), place(gpu));
}

GpuId TwoLevelRoute::peer(GpuId from, std::uint32_t port) const {
  return port == kRing ? at(node(from), place(from) + 1) : at(node(from) + 1, place(from));
}

GpuId TwoLevelRoute::source(GpuId to, std::uint32_t port) const {
  return port == kRing ? at(node(to), place(to) + places_ - 1)
                       : at(node(to) + nodes_ - 1, place(to));
}

std::uint32_t TwoLevelRoute::port(GpuId from, ChunkId chunk) const {
  return placeOf(chunk) == place(from) ? kRail : kRing;
}

std::vector<ChunkId> TwoLevelRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t nodes = 1; nodes <= nodes_; ++nodes) {
    for (std::uint32_t places = 1; places <= places_; ++places) {
      chunks.push_back(before(gpu, nodes, places));
    }
  }
  return chunks;
}

Route::Duty TwoLevelRoute::duty(GpuId gpu, ChunkId chunk) const {
  if (owner(chunk) == gpu) return Duty::Keeps;
  return placeOf(chunk) == (place(gpu) + places_ - 1) % places_ ? Duty::Sends : Duty::Passes;
}

std::uint32_t TwoLevelRoute::updatesPerElement(GpuId gpu, ChunkId chunk) const {
  const bool beginsHere = nodeOf(chunk) == (node(gpu) + nodes_ - 1) % nodes_;
  return placeOf(chunk) == place(gpu) && !beginsHere ? 3 : 2;
}

AlgorithmGpu TwoLevelRoute::steps(const Promise& promise, GpuId gpu) const {
  AlgorithmMaker maker(promise, chunks());
  const auto blockOf = [&](std::uint32_t port) {
    return maker.block(peer(gpu, port).value, source(gpu, port).value, port);
  };
  // What begins at a rail goes on in the ring, so in an all-gather the rail comes first.
  const std::uint32_t first = blockOf(maker.reduces() ? kRing : kRail);
  const std::uint32_t second = blockOf(maker.reduces() ? kRail : kRing);
  const std::uint32_t ring = maker.reduces() ? first : second;
  const std::uint32_t rail = maker.reduces() ? second : first;
  const auto add = [&](std::uint32_t block, const StepKind& kind, std::uint32_t nodes,
                       std::uint32_t places,
                       std::optional<AlgorithmMaker::Place> after = std::nullopt) {
    return maker.add(block, kind, owner(before(gpu, nodes, places)).value, after);
  };
  std::optional<AlgorithmMaker::Place> there;  // the chunk that goes round next
  for (std::uint32_t n = 1; maker.reduces() && n <= nodes_; ++n) {
    add(ring, kSend, n, 1);
    for (std::uint32_t p = 2; p < places_; ++p) add(ring, kReceiveReduceSend, n, p);
    const AlgorithmMaker::Place ofNode = add(ring, kReceiveReduceCopy, n, 0);
    there = add(rail,
                n == nodes_ ? (maker.gathers() ? kReceiveReduceCopySend : kReceiveReduceCopy)
                : n == 1    ? kSend
                            : kReceiveReduceSend,
                n, 0, ofNode);
  }
  if (!maker.gathers()) return maker.take();
  if (!maker.reduces()) add(rail, kSend, 0, 0);
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n != 0) there = add(rail, n + 1 < nodes_ ? kReceiveCopySend : kReceive, n, 0);
    add(ring, kSend, n, 0, there);
    for (std::uint32_t p = 1; p + 1 < places_; ++p) add(ring, kReceiveCopySend, n, p);
    add(ring, kReceive, n, places_ - 1);
  }
  return maker.take();
}

constinit const CollectiveRoute kTwoLevelRoute = {
    .name = "two-level",
    .needs = RouteNeeds::Nodes,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<TwoLevelRoute>(reach.gpus, reach.gpusPerNode);
    }};

}  // namespace t3
