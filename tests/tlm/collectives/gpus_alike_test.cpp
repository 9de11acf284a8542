// SPDX-License-Identifier: Apache-2.0
// Method: small algorithms whose GPUs do the same or, by one change, do not.
#include "tlm/collectives/gpus_alike.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/transport/payload.h"

namespace t3::gpus_alike_test {
namespace {

using test::step;

constexpr std::uint64_t kChunk = 1000;  ///< bytes; chunk c of a GPU lies at c times as much
constexpr std::uint32_t kGpus = 3;

/// What kernels, or trackers, do for an algorithm whose GPU g reaches GPU g + d by port d - 1.
std::optional<GpusAlike> alike(const Algorithm& algorithm, bool tracked) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const AlgorithmLayout layout(meaning.buffers(), kChunk, 1);
  const std::uint32_t gpus = form.algorithm().gpuCount();
  const AlgorithmPorts ports{gpus - 1, [gpus](std::uint32_t from, std::uint32_t to, std::uint32_t) {
                               return (to + gpus - from) % gpus - 1;
                             }};
  if (tracked) return GpusAlike::of(makeTrackedPrograms(meaning, layout, ports, true));
  const StepLayout steps = StepLayout::of(meaning.buffers(), layout);
  return GpusAlike::of({makeStepPrograms({algorithm, meaning.buffers(), steps, ports}, meaning)},
                       kChunk);
}

class OneForAll : public ::testing::TestWithParam<bool> {};  ///< tracked

TEST_P(OneForAll, AChunkOfAnotherGpuOnARingIsAsManyChunksBefore) {
  const auto ring = alike(test::ring(kReduceScatterPromise, kGpus), GetParam());
  ASSERT_TRUE(ring);
  for (std::uint32_t g = 0; g < kGpus; ++g) {
    for (std::uint32_t c = 0; c < kGpus; ++c) {
      const std::uint32_t there = (c + kGpus - g) % kGpus;
      EXPECT_EQ(ring->asOfGpu0(GpuId{g}, c * kChunk), there * kChunk);
      EXPECT_EQ(ring->asOfGpu0(GpuId{g}, c * kChunk + 7), there * kChunk + 7);
      EXPECT_EQ(ring->asOfGpu0(GpuId{g}, (c + 1) * kChunk - 1), (there + 1) * kChunk - 1);
    }
  }
}

TEST_P(OneForAll, BothOfTwoThatExchangeAreAlike) {
  const auto two = alike(test::exchange(), GetParam());
  ASSERT_TRUE(two);
  EXPECT_EQ(two->asOfGpu0(GpuId{1}, 0), kChunk);
  EXPECT_EQ(two->asOfGpu0(GpuId{1}, kChunk), 0U);
}

TEST_P(OneForAll, NobodyStandsForAllIfOneOnlySends) {
  EXPECT_FALSE(alike(test::reduceToOne(kCustomPromise), GetParam()));
}

/// GPU g sends its chunk to the others, the one `order(g)` first.
Algorithm scattered(const std::function<std::uint32_t(std::uint32_t gpu)>& order) {
  Algorithm algorithm = test::emptyAlgorithm(kAllGatherPromise, kGpus, kGpus);
  for (std::uint32_t g = 0; g < kGpus; ++g) {
    algorithm.gpus[g].inputChunks = 1;
    auto& blocks = algorithm.gpus[g].threadBlocks;
    for (std::uint32_t n = 0; n + 1 < kGpus; ++n) {
      const std::uint32_t distance = (order(g) + n) % (kGpus - 1) + 1;
      AlgorithmStep send = step(kSend, g, g);
      send.sourceBuffer = send.targetBuffer = AlgorithmBuffer::Output;
      blocks.push_back(test::sender((g + distance) % kGpus, {send}));
    }
    for (std::uint32_t distance = 1; distance < kGpus; ++distance) {
      const std::uint32_t from = (g + kGpus - distance) % kGpus;
      AlgorithmStep receive = step(kReceive, from, from);
      receive.sourceBuffer = receive.targetBuffer = AlgorithmBuffer::Output;
      blocks.push_back(test::receiver(from, {receive}));
    }
  }
  return algorithm;
}

// A kernel loads the chunk once and sends it to all; trackers send it as often, in the file's
// order.
TEST_P(OneForAll, TheOrderOfCopiesIsThatOfAllWhereItMatters) {
  EXPECT_TRUE(alike(scattered([](std::uint32_t) { return 0U; }), GetParam()));
  const bool tracked = GetParam();
  EXPECT_EQ(alike(scattered([](std::uint32_t g) { return g == 1 ? 1U : 0U; }), tracked).has_value(),
            !tracked);
}

INSTANTIATE_TEST_SUITE_P(KernelsAndTrackers, OneForAll, ::testing::Bool());

}  // namespace
}  // namespace t3::gpus_alike_test
