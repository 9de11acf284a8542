// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/direct_route.h"

#include <utility>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/collective_route.h"
#include "tlm/transport/payload.h"

namespace t3 {

std::uint32_t DirectRoute::port(GpuId from, ChunkId chunk) const {
  // The own chunk is not sent, so its port has no meaning.
  return (chunk.value + gpus() - from.value + gpus() - 1) % gpus() % ports();
}

std::vector<ChunkId> DirectRoute::order(GpuId gpu) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t i = 1; i <= gpus(); ++i) chunks.emplace_back(ahead(gpu, i).value);
  return chunks;
}

AlgorithmGpu DirectRoute::steps(const Promise& promise, GpuId gpu) const {
  using Place = AlgorithmMaker::Place;
  const InPlace work(promise, chunks());
  AlgorithmMaker maker = work.maker(gpus() - 1);
  std::vector<std::uint32_t> senders, receivers;  // by distance, from 1 on
  for (std::uint32_t d = 1; d < gpus(); ++d) {
    senders.push_back(maker.block(ahead(gpu, d).value, std::nullopt));
  }
  for (std::uint32_t d = 1; d < gpus(); ++d) {
    receivers.push_back(maker.block(std::nullopt, ahead(gpu, d).value));
  }
  const auto scratch = [](std::uint32_t behind) {
    return AlgorithmMaker::Chunk{AlgorithmBuffer::Scratch, behind - 1};
  };
  std::vector<Place> reduced;
  if (work.reduces) {
    std::vector<Place> copies;
    for (std::uint32_t d = 1; d < gpus(); ++d) {
      const AlgorithmMaker::Chunk here = scratch(gpus() - d);
      maker.add(senders[d - 1], kSend, work.chunk(ahead(gpu, d).value), scratch(d));
      copies.push_back(maker.add(receivers[d - 1], kReceive, here, here));
    }
    const std::uint32_t adder = maker.block(std::nullopt, std::nullopt);
    for (std::uint32_t behind = 1; behind < gpus(); ++behind) {
      reduced = {maker.add(adder, kReduce, scratch(behind), work.chunk(gpu.value),
                           std::exchange(copies, {}))};
    }
  }
  for (std::uint32_t d = 1; work.gathers && d < gpus(); ++d) {
    const AlgorithmMaker::Chunk own = work.chunk(gpu.value);
    const AlgorithmMaker::Chunk other = work.chunk(ahead(gpu, d).value);
    maker.add(senders[d - 1], kSend, own, own, reduced);
    maker.add(receivers[d - 1], kReceive, other, other);
  }
  return maker.take();
}

constinit const CollectiveRoute kDirectRoute = {
    .name = "direct",
    .needs = RouteNeeds::EveryGpu,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<DirectRoute>(reach.gpus);
    }};

}  // namespace t3
