// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/two_level_route.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/gpu/collective_route.h"
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

CollectiveProgram TwoLevelRoute::reduceScatter(GpuId gpu, std::uint32_t /*kernel*/,
                                               const MemoryLayout& layout) const {
  const auto buffer = [&](std::uint32_t arrival) {
    return layout.receive + arrival * std::uint64_t{layout.receiveStrideBytes};
  };
  // Of the chunk that ends `nodes` nodes before: what the ring's step brings, and the rail.
  const std::uint32_t steps = places_ - 1;
  const auto ofRing = [&](std::uint32_t nodes, std::uint32_t step) {
    return (nodes - 1) * steps + step;
  };
  const auto ofRail = [&](std::uint32_t nodes) { return nodes_ * steps + nodes - 2; };
  const auto send = [&](std::uint32_t port, std::uint32_t arrival) {
    return CollectiveSend{port, globalAddress(peer(gpu, port), buffer(arrival)), true, arrival};
  };
  CollectiveProgram program;
  program.ports = ports();
  const auto addStep = [&](ChunkId chunk, std::vector<std::uint32_t> arrivals) -> CollectiveStep& {
    CollectiveStep& step = program.steps.emplace_back();
    step.chunk = chunk;
    for (const std::uint32_t arrival : arrivals) step.addresses.push_back(buffer(arrival));
    step.waitsFor = std::move(arrivals);
    return step;
  };
  for (std::uint32_t nodes = 1; nodes <= nodes_; ++nodes) {
    for (std::uint32_t s = 0; s < steps; ++s) {
      std::vector<std::uint32_t> arrivals;
      if (s > 0) arrivals.push_back(ofRing(nodes, s - 1));
      addStep(before(gpu, nodes, s + 1), arrivals).sends = {send(kRing, ofRing(nodes, s))};
      program.arrivals.push_back({before(gpu, nodes, s + 2), buffer(ofRing(nodes, s)), true});
    }
  }
  const auto ofThePlace = [&](std::uint32_t nodes) {
    std::vector<std::uint32_t> arrivals{ofRing(nodes, steps - 1)};
    if (nodes > 1) arrivals.push_back(ofRail(nodes));
    return arrivals;
  };
  const auto rails = static_cast<std::uint32_t>(program.steps.size());
  for (std::uint32_t nodes = 1; nodes < nodes_; ++nodes) {
    // In the next node the chunk ends one node further before.
    addStep(before(gpu, nodes, 0), ofThePlace(nodes)).sends = {send(kRail, ofRail(nodes + 1))};
    program.arrivals.push_back({before(gpu, nodes + 1, 0), buffer(ofRail(nodes + 1)), true});
  }
  const auto last = static_cast<std::uint32_t>(program.steps.size());
  addStep(before(gpu, nodes_, 0), ofThePlace(nodes_)).keeps = true;
  program.threadBlocks = {{last, last + 1}, {0, rails}, {rails, last}};
  return program;
}

CollectiveProgram TwoLevelRoute::allGather(GpuId gpu, std::uint32_t /*kernel*/,
                                           const MemoryLayout& layout) const {
  // Of the chunk that began `nodes` nodes before: what the rail brings, and the ring's step.
  const auto ofRail = [](std::uint32_t nodes) { return nodes - 1; };
  const std::uint32_t steps = places_ - 1;
  const auto ofRing = [&](std::uint32_t nodes, std::uint32_t step) {
    return nodes_ - 1 + nodes * steps + step;
  };
  const auto send = [&](std::uint32_t port, std::uint32_t arrival) {
    return CollectiveSend{port, globalAddress(peer(gpu, port), layout.output), false, arrival};
  };
  CollectiveProgram program;
  program.ports = ports();
  for (std::uint32_t nodes = 0; nodes < nodes_; ++nodes) {
    CollectiveStep& step = program.steps.emplace_back();
    step.chunk = before(gpu, nodes, 0);
    if (nodes > 0) {
      step.waitsFor = {ofRail(nodes)};
      program.arrivals.push_back({step.chunk, layout.output, false});
    }
    step.sends = {send(kRing, ofRing(nodes, 0))};
    if (nodes + 1 < nodes_) step.sends.push_back(send(kRail, ofRail(nodes + 1)));
  }
  const auto rings = static_cast<std::uint32_t>(program.steps.size());
  for (std::uint32_t nodes = 0; nodes < nodes_; ++nodes) {
    for (std::uint32_t s = 0; s < steps; ++s) {
      program.arrivals.push_back({before(gpu, nodes, s + 1), layout.output, false});
      if (s + 1 == steps) continue;
      CollectiveStep& step = program.steps.emplace_back();
      step.chunk = before(gpu, nodes, s + 1);
      step.waitsFor = {ofRing(nodes, s)};
      step.sends = {send(kRing, ofRing(nodes, s + 1))};
    }
  }
  const auto end = static_cast<std::uint32_t>(program.steps.size());
  program.threadBlocks = {{0, rings}};
  if (end > rings) program.threadBlocks.push_back({rings, end});
  return program;
}

constinit const CollectiveRoute kTwoLevelRoute = {
    .name = "two-level",
    .needs = RouteNeeds::Nodes,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<TwoLevelRoute>(reach.gpus, reach.gpusPerNode);
    }};

}  // namespace t3
