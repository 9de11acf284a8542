// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/direct_route.h"

#include <optional>
#include <vector>

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
  using Chunk = AlgorithmMaker::Chunk;
  AlgorithmMaker maker(promise, chunks(), true, promise.inputIsShare ? 0 : ports());
  // Thread block p sends by port p, thread block ports() + p receives what others send by it.
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(peer(gpu, p).value, std::nullopt);
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(std::nullopt, source(gpu, p).value);
  const Chunk own = maker.chunk(gpu.value);
  std::vector<AlgorithmMaker::Place> before;
  for (std::uint32_t p = 0; maker.reduces() && p < ports(); ++p) {
    const Chunk copy{AlgorithmBuffer::Scratch, p};
    maker.add(p, kSend, maker.chunk(peer(gpu, p).value), copy);
    before.push_back(maker.add(ports() + p, kReceive, copy, copy));
  }
  const std::uint32_t adder = maker.reduces() ? maker.block(std::nullopt, std::nullopt) : 0;
  for (std::uint32_t p = 0; maker.reduces() && p < ports(); ++p) {
    const Chunk copy{AlgorithmBuffer::Scratch, p};
    const AlgorithmMaker::Place sum = maker.add(
        adder, kReduce, copy, own, p == 0 ? before : std::vector<AlgorithmMaker::Place>{});
    if (p + 1 == ports()) before = {sum};
  }
  for (std::uint32_t p = 0; maker.gathers() && p < ports(); ++p) {
    const Chunk other = maker.chunk(source(gpu, p).value);
    maker.add(p, kSend, own, own, before);
    maker.add(ports() + p, kReceive, other, other);
  }
  return maker.take();
}

constinit const CollectiveRoute kDirectRoute = {
    .name = "direct",
    .needs = RouteNeeds::EveryGpu,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      const bool all = reach.contributions == 0;
      return std::make_unique<DirectRoute>(reach.gpus, all ? reach.gpus : reach.contributions);
    }};

}  // namespace t3
