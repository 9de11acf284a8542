// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/nvls.h"

#include "tlm/collectives/algorithm_maker.h"

namespace t3 {
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
  return steps(kPromise, gpu.value, route.gpus(), route.chunksPerGpu());
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
