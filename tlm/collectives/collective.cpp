// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/collective.h"

#include <numeric>

#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

namespace {

/// The part of the algorithm that is about a GPU: its own steps and those of whom it talks to. By
/// way of a switch that is all.
Algorithm around(const Collective& collective, const Route& route, GpuId gpu) {
  Algorithm algorithm;
  algorithm.promise = collective.promise;
  algorithm.inPlace = true;
  algorithm.chunks = route.chunks();
  algorithm.gpus.resize(route.gpus());
  AlgorithmGpu& own = algorithm.gpus[gpu.value];
  own = collective.steps(route, gpu);
  for (const AlgorithmThreadBlock& block : own.threadBlocks) {
    for (const auto& peer : {block.sendsTo, block.receivesFrom}) {
      if (!peer || !algorithm.gpus[*peer].threadBlocks.empty()) continue;
      algorithm.gpus[*peer] = collective.steps(route, GpuId{*peer});
    }
  }
  if (algorithm.needsSwitch()) {
    for (std::uint32_t g = 0; g < route.gpus(); ++g) {
      algorithm.gpus[g] = collective.steps(route, GpuId{g});
    }
  }
  return algorithm;
}

/// The chunks lie in the output, scratch and messages that wait in the receive buffers. Scratch has
/// copies of the chunk that the GPU owns.
StepLayout layoutOf(const Promise& promise, const Route& route, const Tiling& tiling,
                    const MemoryLayout& memory, std::uint32_t slots, GpuId gpu) {
  StepLayout layout;
  std::vector<ChunkSegments> shapes;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) shapes.emplace_back(tiling, ChunkId{c});
  layout.shapes = std::make_shared<const std::vector<ChunkSegments>>(std::move(shapes));
  for (const ChunkId chunk : route.numbering(promise)) layout.shapeOf.push_back(chunk.value);
  layout.places.resize(layout.shapeOf.size(), {memory.output, false});
  layout.staging = memory.receive;
  layout.stagingStride = memory.receiveStrideBytes;
  for (; layout.places.size() < slots; layout.staging += layout.stagingStride) {
    layout.places.push_back({layout.staging, true});
  }
  layout.shapeOf.resize(slots, layout.shapeOf[gpu.value * route.size().chunksPerGpu]);
  return layout;
}

template <const Promise& kPromise>
AlgorithmGpu stepsOfRoute(const Route& route, GpuId gpu) {
  return route.steps(kPromise, gpu);
}

}  // namespace

constinit const Collective kReduceScatter = {"reduce_scatter", "rs", Phase::ReduceScatter,
                                             &kReduceScatterPromise,
                                             stepsOfRoute<kReduceScatterPromise>};
constinit const Collective kAllGather = {"all_gather", "ag", Phase::AllGather, &kAllGatherPromise,
                                         stepsOfRoute<kAllGatherPromise>};
constinit const Collective kAllReduce = {"all_reduce", "ar", extraPhase(0), &kAllReducePromise,
                                         stepsOfRoute<kAllReducePromise>};

StepProgram Collective::program(const Route& route, const Tiling& tiling,
                                const MemoryLayout& memory, GpuId gpu,
                                std::optional<std::uint32_t> kernel) const {
  const std::uint32_t count =
      kernel ? route.size().ports / route.size().kernels : route.size().ports;
  const std::uint32_t first = kernel.value_or(0) * count;
  std::optional<KernelChannels> channels;
  if (kernel && route.size().kernels > 1) channels = {first, count};
  const AlgorithmPorts ports{count,
                             [&](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
                               return portTo(route, GpuId{from}, GpuId{to}, channel) - first;
                             }};
  const auto layoutFor = [&](const AlgorithmBuffers& buffers) {
    return layoutOf(*promise, route, tiling, memory, buffers.slots(), gpu);
  };
  if (const AlgorithmMeaning* whole = route.whole(*promise)) {
    const StepLayout layout = layoutFor(whole->buffers());
    return makeStepProgram({whole->form().algorithm(), whole->buffers(), layout, ports, phase,
                            route.traits().ownBlocks},
                           *whole, gpu.value, channels);
  }
  const Algorithm algorithm = around(*this, route, gpu);
  const AlgorithmBuffers buffers(algorithm);
  const StepLayout layout = layoutFor(buffers);
  return makeStepProgram({algorithm, buffers, layout, ports, phase}, gpu.value, channels);
}

CollectiveTraffic::CollectiveTraffic(const Collective& collective, const Route& route,
                                     const Tiling& tiling)
    : CollectiveTraffic(route.gpus(), route.size().ports) {
  if (route.whole(*collective.promise) != nullptr) {  // what its scratch holds, its program knows
    for (std::uint32_t g = 0; g < route.gpus(); ++g) {
      add(GpuId{g}, collective.program(route, tiling, {}, GpuId{g}, std::nullopt));
    }
    return;
  }
  std::vector<std::uint64_t> chunkBytes;  // in the order of an algorithm
  for (const ChunkId chunk : route.numbering(*collective.promise)) {
    chunkBytes.push_back(tiling.chunkBytes(chunk));
  }
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    for (const AlgorithmThreadBlock& block : collective.steps(route, GpuId{g}).threadBlocks) {
      for (const AlgorithmStep& step : block.steps) {
        if (step.kind->readsAll) sums_[g] += chunkBytes.at(step.source);
        if (step.kind->writesAll) toAll_[g] += chunkBytes.at(step.target);
      }
      if (!block.sendsTo) continue;
      std::uint64_t& bytes =
          bytes_[g][portTo(route, GpuId{g}, GpuId{*block.sendsTo}, block.channel)];
      for (const AlgorithmStep& step : block.steps) {
        if (!step.kind->sends) continue;
        bytes += chunkBytes.at(step.kind->readsSource ? step.source : step.target);
      }
    }
  }
}

void CollectiveTraffic::add(GpuId gpu, const std::vector<std::uint64_t>& sentBytes) {
  for (std::size_t port = 0; port < sentBytes.size(); ++port) {
    bytes_[gpu.value][port] += sentBytes[port];
  }
}

void CollectiveTraffic::add(GpuId gpu, const StepProgram& kernel) {
  add(gpu, kernel.sentBytes());
  sums_[gpu.value] += kernel.sumBytes();
  toAll_[gpu.value] += kernel.toAllBytes();
}

std::uint64_t CollectiveTraffic::toSwitch(GpuId gpu) const {
  return std::accumulate(sums_.begin(), sums_.end(), toAll_[gpu.value]);
}

std::uint64_t CollectiveTraffic::fromSwitch(GpuId gpu) const {
  return std::accumulate(toAll_.begin(), toAll_.end(), sums_[gpu.value]);
}

namespace {

AlgorithmGpu steps(const Promise& promise, std::uint32_t gpu, std::uint32_t gpus,
                   std::uint32_t chunksPerGpu) {
  AlgorithmMaker maker(promise, gpus * chunksPerGpu);
  const std::uint32_t block = maker.block(std::nullopt, std::nullopt);
  for (std::uint32_t c = gpu * chunksPerGpu; c < (gpu + 1) * chunksPerGpu; ++c) {
    if (maker.reduces()) maker.add(block, kLoadSum, c);
    if (maker.gathers()) maker.add(block, kStoreToAll, c);
  }
  return maker.take();
}

template <const Promise& kPromise>
AlgorithmGpu stepsOf(const Route& route, GpuId gpu) {
  return steps(kPromise, gpu.value, route.gpus(), route.size().chunksPerGpu);
}

}  // namespace

constinit const Collective kNvlsReduceScatter = {"reduce_scatter", "rs", Phase::ReduceScatter,
                                                 &kReduceScatterPromise,
                                                 stepsOf<kReduceScatterPromise>};
constinit const Collective kNvlsAllGather = {"all_gather", "ag", Phase::AllGather,
                                             &kAllGatherPromise, stepsOf<kAllGatherPromise>};
constinit const Collective kNvlsAllReduce = {"all_reduce", "ar", extraPhase(0), &kAllReducePromise,
                                             stepsOf<kAllReducePromise>};

Algorithm nvlsAlgorithm(const Promise& promise, std::uint32_t gpus) {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = true;
  algorithm.chunks = gpus;
  algorithm.channels = 1;
  for (std::uint32_t g = 0; g < gpus; ++g) algorithm.gpus.push_back(steps(promise, g, gpus, 1));
  return algorithm;
}

}  // namespace t3
