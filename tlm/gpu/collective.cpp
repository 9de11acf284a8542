// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective.h"

#include <algorithm>
#include <iterator>

namespace t3 {
namespace {

CollectiveProgram reduceScatter(const Route& route, GpuId gpu, std::uint32_t kernel,
                                const MemoryLayout& layout) {
  return route.reduceScatter(gpu, kernel, layout).inPhase(Phase::ReduceScatter);
}

CollectiveProgram allGather(const Route& route, GpuId gpu, std::uint32_t kernel,
                            const MemoryLayout& layout) {
  return route.allGather(gpu, kernel, layout).inPhase(Phase::AllGather);
}

CollectiveProgram allReduce(const Route& route, GpuId gpu, std::uint32_t kernel,
                            const MemoryLayout& layout) {
  CollectiveProgram program = reduceScatter(route, gpu, kernel, layout);
  CollectiveProgram gather = allGather(route, gpu, kernel, layout);
  const auto before = static_cast<std::uint32_t>(program.arrivals.size());
  for (CollectiveStep& step : gather.steps) {
    for (std::uint32_t& arrival : step.waitsFor) arrival += before;
    for (CollectiveSend& send : step.sends) send.arrival += before;
  }
  std::ranges::copy(gather.arrivals, std::back_inserter(program.arrivals));
  const auto kept = static_cast<std::uint32_t>(program.steps.size()) - 1;
  // The step that keeps the sum is also the first step of the all-gather. The others follow it.
  program.steps.back().sends = std::move(gather.steps.front().sends);
  std::move(gather.steps.begin() + 1, gather.steps.end(), std::back_inserter(program.steps));
  // With one port there is one thread block, which sends in the order of the steps.
  const auto steps = static_cast<std::uint32_t>(program.steps.size());
  if (program.ports == 1) {
    program.threadBlocks = {{0, steps}};
    return program;
  }
  for (const auto& [first, end] : gather.threadBlocks) {
    const std::uint32_t shared = std::max(first, 1U);
    if (shared < end) program.threadBlocks.push_back({kept + shared, kept + end});
  }
  return program;
}

}  // namespace

constinit const Collective kReduceScatter = {"reduce_scatter", "rs", Phase::ReduceScatter,
                                             reduceScatter};
constinit const Collective kAllGather = {"all_gather", "ag", Phase::AllGather, allGather};
constinit const Collective kAllReduce = {"all_reduce", "ar", Phase::ReduceScatter, allReduce};

CollectiveTraffic::CollectiveTraffic(const Collective& collective, const Route& route,
                                     const Tiling& tiling)
    : bytes_(route.gpus(), std::vector<std::uint64_t>(route.ports())) {
  std::vector<std::uint64_t> chunkBytes;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    chunkBytes.push_back(tiling.chunkBytes(ChunkId{c}));
  }
  const std::uint32_t portsOfKernel = route.ports() / route.kernels();
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    for (std::uint32_t kernel = 0; kernel < route.kernels(); ++kernel) {
      for (const auto& step : collective.program(route, GpuId{g}, kernel, {}).steps) {
        for (const CollectiveSend& send : step.sends) {
          bytes_[g][kernel * portsOfKernel + send.port] += chunkBytes[step.chunk.value];
        }
      }
    }
  }
}

}  // namespace t3
