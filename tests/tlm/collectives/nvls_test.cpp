// SPDX-License-Identifier: Apache-2.0
// Method: the algorithms of the NVLS kernel against the definition of the collectives, and what
// their kernels are compiled to, written down by hand.
#include "tlm/collectives/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/direct_route.h"
#include "tlm/transport/payload.h"

namespace t3::nvls_test {
namespace {

using test::refusal;

constexpr std::array kPromises = {&kReduceScatterPromise, &kAllGatherPromise, &kAllReducePromise};

StepProgram program(const Collective& collective, std::uint32_t gpu) {
  const DirectRoute route(4);
  const Tiling tiling({512, 512, 2}, {128, 128, 8}, 4);
  MemoryLayout layout;
  layout.output = 0x100000;
  return collective.program(route, tiling, layout, GpuId{gpu}, 0);
}

constexpr std::uint64_t kChunk = 512 * 512 * 2 / 4;

TEST(Nvls, DoesWhatItsCollectivePromisesOnAnyNumberOfGpus) {
  for (const Promise* promise : kPromises) {
    for (const std::uint32_t gpus : {2U, 3U, 8U, 64U}) {
      EXPECT_EQ(refusal(nvlsAlgorithm(*promise, gpus)), "") << promise->name << " on " << gpus;
    }
  }
}

TEST(Nvls, ASumIsOfAllGpusAndAStoreIsInAll) {
  Algorithm algorithm = nvlsAlgorithm(kAllReducePromise, 2);
  algorithm.gpus[1].threadBlocks[0].steps.pop_back();
  EXPECT_EQ(refusal(algorithm),
            "GPU 0: output chunk 1 ends as chunk 1 of GPU 0; expected chunk 1 of GPUs 0-1 for "
            "coll=\"allreduce\"");
}

TEST(Nvls, WhatAnotherGpuHasWrittenIsNotLoaded) {
  // GPU 1 loads chunk 0 as well, which GPU 0 stores in all: before or after that?
  Algorithm algorithm = nvlsAlgorithm(kAllReducePromise, 2);
  AlgorithmStep again = test::step(kLoadSum, 0, 0);
  again.targetBuffer = AlgorithmBuffer::Input;
  algorithm.gpus[1].threadBlocks[0].steps.push_back(again);
  EXPECT_THAT(refusal(algorithm), testing::HasSubstr("expected a dependency that orders the two"));
}

TEST(Nvls, AChunkHasOneAddressInAllGpus) {
  // Output chunk 0 of GPU g is the g-th share of the input.
  Algorithm algorithm = test::emptyAlgorithm(kReduceScatterPromise, 2, 2);
  for (AlgorithmGpu& gpu : algorithm.gpus) {
    gpu.outputChunks = 1;
    gpu.threadBlocks.push_back({});
  }
  algorithm.gpus[0].threadBlocks[0].steps = {test::step(kStoreToAll, 0, 0)};
  EXPECT_EQ(refusal(algorithm),
            "GPU 0, thread block 0, step 0: dstoff: expected a chunk that is in the same place in "
            "all GPUs");
}

TEST(Nvls, AnAllReduceStoresWhatItHasLoadedAtOnce) {
  for (std::uint32_t g = 0; g < 4; ++g) {
    const StepProgram kernel = program(kNvlsAllReduce, g);
    EXPECT_EQ(kernel.gpus, 4U);
    ASSERT_EQ(kernel.runs.size(), 1U);
    ASSERT_EQ(kernel.runs[0].size(), 1U);
    const StepProgram::Step& step = kernel.runs[0][0];
    EXPECT_TRUE(step.loadsSum);
    EXPECT_EQ(step.shape, g);
    EXPECT_EQ(step.loads, (std::vector<ChunkPlace>{{0x100000, false}}));
    EXPECT_FALSE(step.store);
    ASSERT_EQ(step.sends.size(), 1U);
    EXPECT_TRUE(step.sends[0].toAll);
    EXPECT_EQ(step.sends[0].arrival, g) << "the same number at every GPU";
    EXPECT_EQ(localAddress(step.sends[0].destination.address), 0x100000U);
    EXPECT_TRUE(step.arrivals.empty());
    ASSERT_EQ(kernel.arrivals.size(), 4U) << "its own chunk comes back";
    for (std::uint32_t c = 0; c < 4; ++c) EXPECT_EQ(kernel.arrivals[c].shape, c);
  }
}

TEST(Nvls, AReduceScatterKeepsItsSumAndAnAllGatherLoadsItsOwnChunk) {
  const StepProgram scatter = program(kNvlsReduceScatter, 2);
  ASSERT_EQ(scatter.runs.size(), 1U);
  EXPECT_TRUE(scatter.runs[0][0].loadsSum);
  EXPECT_EQ(scatter.runs[0][0].store, (ChunkPlace{0x100000, false}));
  EXPECT_TRUE(scatter.runs[0][0].sends.empty());
  EXPECT_TRUE(scatter.arrivals.empty());
  const StepProgram gather = program(kNvlsAllGather, 2);
  ASSERT_EQ(gather.runs.size(), 1U);
  EXPECT_FALSE(gather.runs[0][0].loadsSum);
  EXPECT_EQ(gather.runs[0][0].loads.size(), 1U);
  EXPECT_TRUE(gather.runs[0][0].sends.at(0).toAll);
  EXPECT_EQ(gather.arrivals.size(), 4U);
}

TEST(Nvls, AKernelKnowsThatOthersLoadAndWhetherEachSumComesToAll) {
  EXPECT_TRUE(program(kNvlsAllReduce, 1).loadsSums);
  EXPECT_TRUE(program(kNvlsAllReduce, 1).sumsArrive);
  EXPECT_TRUE(program(kNvlsReduceScatter, 1).loadsSums);
  EXPECT_FALSE(program(kNvlsReduceScatter, 1).sumsArrive) << "somebody may still load";
  EXPECT_FALSE(program(kNvlsAllGather, 1).loadsSums);
}

TEST(Nvls, FillsBothDirectionsWithAnOutputAndAShare) {
  const DirectRoute route(4);
  const Tiling tiling({512, 512, 2}, {128, 128, 8}, 4);
  const auto expect = [&](const Collective& collective, std::uint64_t up, std::uint64_t down,
                          std::uint64_t sums) {
    const CollectiveTraffic traffic(collective, route, tiling);
    EXPECT_EQ(traffic.toSwitch(GpuId{1}), up * kChunk) << collective.name;
    EXPECT_EQ(traffic.fromSwitch(GpuId{1}), down * kChunk) << collective.name;
    EXPECT_EQ(traffic.sums(GpuId{1}), sums * kChunk) << collective.name;
    EXPECT_EQ(traffic.bytes(GpuId{1}, 0), 0U) << collective.name;
  };
  expect(kNvlsReduceScatter, 4, 1, 1);
  expect(kNvlsAllGather, 1, 4, 0);
  expect(kNvlsAllReduce, 5, 5, 1);
}

}  // namespace
}  // namespace t3::nvls_test
