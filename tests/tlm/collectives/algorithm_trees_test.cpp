// SPDX-License-Identifier: Apache-2.0
// Method: trees of a ring, all pairs and an exchange written down by hand; then algorithms that are
// right, and whose sums go no such way.
#include "tlm/collectives/algorithm_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/gpu/tiling.h"

namespace t3::algorithm_trees_test {
namespace {

using Hop = AlgorithmTrees::Hop;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AlgorithmTrees treesOf(const Algorithm& algorithm) {
  const AlgorithmForm form(algorithm);
  return AlgorithmTrees(AlgorithmMeaning(form));
}

std::string refusal(const Algorithm& algorithm) {
  try {
    treesOf(algorithm);
  } catch (const AlgorithmError& error) {
    return error.what();
  }
  return "none";
}

TEST(AlgorithmTrees, ARingPassesEachChunkOnceRound) {
  const AlgorithmTrees trees = treesOf(test::ring(kReduceScatterPromise, 4));
  ASSERT_EQ(trees.gpus(), 4U);
  ASSERT_EQ(trees.chunks(), 4U);
  for (std::uint32_t c = 0; c < 4; ++c) {
    EXPECT_EQ(trees.owner(c), c);
    for (std::uint32_t s = 0; s < 4; ++s) {  // s hops before the owner's
      const std::uint32_t g = (c + 1 + s) % 4;
      const AlgorithmTrees::Place& place = trees.at(g, c);
      if (s == 0) {
        EXPECT_THAT(place.sumsFrom, IsEmpty());
      } else {
        EXPECT_THAT(place.sumsFrom, ElementsAre(Hop{(g + 3) % 4, 0, s}));
      }
      EXPECT_EQ(place.sumTo, s == 3 ? std::nullopt : std::optional(Hop{(g + 1) % 4, 0, s + 1}));
      EXPECT_FALSE(place.wholeFrom);
      EXPECT_THAT(place.wholeTo, IsEmpty());
    }
  }
}

TEST(AlgorithmTrees, ThroughScratchOrNotAllPairsMeetAtTheOwner) {
  const AlgorithmTrees trees = treesOf(test::direct(3));
  EXPECT_THAT(trees.at(1, 1).sumsFrom, ElementsAre(Hop{0, 0, 1}, Hop{2, 0, 1}));
  EXPECT_EQ(trees.at(0, 1).sumTo, (Hop{1, 0, 1}));
  EXPECT_EQ(trees.at(2, 1).sumTo, (Hop{1, 0, 1}));
}

TEST(AlgorithmTrees, AnAllReduceGathersAlongASecondTree) {
  const AlgorithmTrees trees = treesOf(test::exchange());
  EXPECT_EQ(trees.owner(1), 1U);
  EXPECT_EQ(trees.at(0, 1).sumTo, (Hop{1, 0, 1}));
  EXPECT_EQ(trees.at(1, 1).wholeTo.size(), 1U);
  ASSERT_TRUE(trees.at(0, 1).wholeFrom);
  EXPECT_EQ(trees.at(0, 1).wholeFrom->peer, 1U);
  EXPECT_FALSE(trees.at(1, 1).wholeFrom);
}

/// Every GPU sends the other its whole input, and both add.
Algorithm bothAdd() {
  Algorithm algorithm = test::emptyAlgorithm(kAllReducePromise, 2, 1);
  for (std::uint32_t g = 0; g < 2; ++g) {
    algorithm.gpus[g].scratchChunks = 1;
    AlgorithmStep receive = test::firstStep(kReceive, 0, 0);
    receive.targetBuffer = AlgorithmBuffer::Scratch;
    AlgorithmStep send = test::firstStep(kSend, 0, 0);
    AlgorithmStep waits = test::stepAfter(0, kNop, 0, 0);
    waits.count = 0;
    AlgorithmStep add = test::stepAfter(1, kReduce, 0, 0);
    add.sourceBuffer = AlgorithmBuffer::Scratch;
    add.targetBuffer = AlgorithmBuffer::Input;
    AlgorithmThreadBlock adds;
    adds.steps = {waits, add};
    algorithm.gpus[g].threadBlocks = {test::sender(1 - g, {send}), test::receiver(1 - g, {receive}),
                                      adds};
  }
  return algorithm;
}

TEST(AlgorithmTrees, TwoGpusThatMakeTheSameSumAreRefused) {
  EXPECT_THAT(refusal(bothAdd()),
              HasSubstr("expected to send all that it has of a chunk, as behind a GEMM, chunk 0 of "
                        "GPUs 0-1, got chunk 0 of GPU 1"));
}

TEST(AlgorithmTrees, ARelayThatDoesNotAddIsRefusedAtItsSecondMessage) {
  // GPU 2's chunk 0 goes to GPU 0 by way of GPU 1, which sends its own by itself.
  Algorithm algorithm = test::emptyAlgorithm(kReduceScatterPromise, 2, 2);
  algorithm = test::ring(kReduceScatterPromise, 3);
  algorithm.gpus[1].scratchChunks = 1;
  auto& steps = algorithm.gpus[1].threadBlocks[0].steps;
  // Thread block 0 of GPU 1: sends chunk 0, adds to chunk 2 and sends it, keeps chunk 1.
  ASSERT_EQ(steps[1].kind, &kReceiveReduceSend);
  AlgorithmStep own = test::step(kSend, 2, 2), relay = test::step(kReceiveCopySend, 0, 0);
  relay.targetBuffer = AlgorithmBuffer::Scratch;
  steps[1] = relay;
  steps.insert(steps.begin() + 2, own);
  auto& next = algorithm.gpus[2].threadBlocks[0].steps;
  ASSERT_EQ(next.back().kind, &kReceiveReduceCopy);
  next.push_back(next.back());
  EXPECT_THAT(refusal(algorithm), HasSubstr("GPU 1, thread block 0, step 1: expected to send all "
                                            "that it has of a chunk"));
}

TEST(StepTimes, CountStepsThatWaitForOneAnother) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const auto times = stepTimes(AlgorithmMeaning(form));
  EXPECT_THAT(times[0], ElementsAre(1U, 3U));  // the second waits for the sum
  EXPECT_THAT(times[1], ElementsAre(2U, 4U));
}

std::vector<InputOrder> ordersOf(const Algorithm& algorithm) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  return inputOrders(meaning);
}

TEST(InputOrder, OfARingIsThatOfTheRingRoute) {
  const auto orders = ordersOf(test::ring(kReduceScatterPromise, 5));
  for (std::uint32_t g = 0; g < 5; ++g) {
    std::vector<std::uint32_t> expected;
    for (const ChunkId chunk : ringChunkOrder(GpuId{g}, 5)) expected.push_back(chunk.value);
    EXPECT_EQ(orders[g].chunks, expected);
    EXPECT_EQ(orders[g].groups, std::vector<std::uint32_t>(5, 1)) << "one after another";
  }
}

TEST(InputOrder, ChunksForAllLinksAreMadeSideBySideWithWhatIsDueNext) {
  const auto orders = ordersOf(test::direct(4));
  for (std::uint32_t g = 0; g < 4; ++g) {
    EXPECT_EQ(orders[g].chunks,
              (std::vector<std::uint32_t>{(g + 1) % 4, (g + 2) % 4, (g + 3) % 4, g}));
    EXPECT_EQ(orders[g].groups, std::vector<std::uint32_t>{4});
  }
}

}  // namespace
}  // namespace t3::algorithm_trees_test
