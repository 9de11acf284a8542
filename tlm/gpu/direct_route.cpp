// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/direct_route.h"

#include "tlm/gpu/collective_route.h"
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

CollectiveProgram DirectRoute::reduceScatter(GpuId gpu, std::uint32_t /*kernel*/,
                                             const MemoryLayout& layout) const {
  const auto buffer = [&](std::uint32_t port) {
    return layout.receive + port * std::uint64_t{layout.receiveStrideBytes};
  };
  CollectiveProgram program;
  program.ports = ports();
  CollectiveStep own;
  own.chunk = ChunkId{gpu.value};
  own.keeps = true;
  program.threadBlocks = {{ports(), ports() + 1}};
  for (std::uint32_t p = 0; p < ports(); ++p) {
    CollectiveStep step;
    step.chunk = ChunkId{peer(gpu, p).value};
    step.sends = {{p, globalAddress(peer(gpu, p), buffer(p)), true, p}};
    program.threadBlocks.push_back({p, p + 1});
    program.steps.push_back(std::move(step));
    program.arrivals.push_back({own.chunk, buffer(p), true});
    own.waitsFor.push_back(p);
    own.addresses.push_back(buffer(p));
  }
  program.steps.push_back(std::move(own));
  return program;
}

CollectiveProgram DirectRoute::allGather(GpuId gpu, std::uint32_t /*kernel*/,
                                         const MemoryLayout& layout) const {
  CollectiveProgram program;
  program.ports = ports();
  program.threadBlocks = {{0, 1}};
  CollectiveStep own;
  own.chunk = ChunkId{gpu.value};
  for (std::uint32_t p = 0; p < ports(); ++p) {
    own.sends.push_back({p, globalAddress(peer(gpu, p), layout.output), false, p});
    program.arrivals.push_back({ChunkId{source(gpu, p).value}, layout.output, false});
  }
  program.steps.push_back(std::move(own));
  return program;
}

constinit const CollectiveRoute kDirectRoute = {
    .name = "direct",
    .needs = RouteNeeds::EveryGpu,
    .make = [](const Reach& reach) -> std::unique_ptr<const Route> {
      return std::make_unique<DirectRoute>(reach.gpus);
    }};

}  // namespace t3
