// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/direct_route.h"

#include <optional>

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
  AlgorithmMaker maker(promise, chunks());
  // Thread block p sends by port p, thread block ports() + p receives what others send by it.
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(peer(gpu, p).value, std::nullopt);
  for (std::uint32_t p = 0; p < ports(); ++p) maker.block(std::nullopt, source(gpu, p).value);
  std::optional<AlgorithmMaker::Place> sum;
  for (std::uint32_t p = 0; maker.reduces() && p < ports(); ++p) {
    maker.add(p, kSend, peer(gpu, p).value);
    sum = maker.add(ports() + p, kReceiveReduceCopy, gpu.value, sum);
  }
  for (std::uint32_t p = 0; maker.gathers() && p < ports(); ++p) {
    maker.add(p, kSend, gpu.value, sum);
    maker.add(ports() + p, kReceive, source(gpu, p).value);
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
