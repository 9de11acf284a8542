// SPDX-License-Identifier: Apache-2.0
// Method: a ring, all pairs and an exchange of halves, for which is written down by hand what is
// added to each input chunk, who reads the sum, and what the producer sends itself; then what keeps
// a message from being added there.
#include "tlm/collectives/input_sums.h"

#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"

namespace t3 {
namespace {

TEST(InputSums, OnARingTheProducerSendsOneChunkAndEachOtherTakesOneMessage) {
  const Algorithm algorithm = test::ring(kReduceScatterPromise, 4);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const InputSums sums(meaning);
  for (std::uint32_t g = 0; g < 4; ++g) {
    EXPECT_TRUE(sums.byProducer({g, 0}));
    for (std::uint32_t c = 0; c < 4; ++c) {
      const InputSums::Chunk& chunk = sums.chunk(g, c);
      const bool leaves = c == (g + 3) % 4, kept = c == g;
      EXPECT_EQ(chunk.updates(), leaves ? 0U : 2U);
      EXPECT_EQ(chunk.passes, !kept);
      EXPECT_EQ(chunk.readers.empty(), kept);
    }
    for (std::uint32_t s = 1; s < 4; ++s) {
      EXPECT_TRUE(sums.folded({g, s}));
      EXPECT_EQ(sums.addedTo({g, s}), (g + 7 - s) % 4);
    }
  }
}

TEST(InputSums, AllPairsAddToTheOwnersChunkPastTheScratch) {
  const Algorithm algorithm = test::direct(4);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const InputSums sums(meaning);
  for (std::uint32_t g = 0; g < 4; ++g) {
    for (std::uint32_t c = 0; c < 4; ++c) {
      EXPECT_EQ(sums.chunk(g, c).updates(), c == g ? 4U : 0U);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(sums.byProducer({form.first(g) + 2 * i, 0}));
      EXPECT_EQ(sums.addedTo({form.first(g) + 2 * i + 1, 0}), g);
      EXPECT_TRUE(sums.folded({form.first(g) + 6, i}));
    }
  }
}

TEST(InputSums, ACopyThatSomebodyElseReadsIsAddedFromScratch) {
  Algorithm algorithm = test::direct(3);
  algorithm.gpus[0].scratchChunks = 3;
  AlgorithmStep copy = test::stepAfter(1, kCopy, 0, 2);
  copy.sourceBuffer = copy.targetBuffer = AlgorithmBuffer::Scratch;
  AlgorithmThreadBlock reader;
  reader.steps = {copy};
  algorithm.gpus[0].threadBlocks.push_back(reader);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const InputSums sums(meaning);
  EXPECT_FALSE(sums.addedTo({1, 0})) << "the copy needs it in scratch";
  EXPECT_FALSE(sums.folded({4, 0}));
  EXPECT_EQ(sums.chunk(0, 0).messages, 0U) << "the first `re` reads the chunk";
  EXPECT_EQ(sums.inputsOf({4, 0}), std::vector<std::uint32_t>{0});
  EXPECT_FALSE(sums.byProducer({form.first(2), 0})) << "it would be stored in another place";
  EXPECT_EQ(sums.chunk(1, 1).messages, 2U) << "other GPUs are as before";
}

TEST(InputSums, ASumThatIsReadTakesNoMoreMessages) {
  // GPU 1 sends its chunk on before GPU 0's message is added to it.
  Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 3, 1);
  algorithm.gpus[0].threadBlocks = {test::sender(1, {test::step(kSend, 0, 0)})};
  algorithm.gpus[1].threadBlocks = {
      test::sender(2, {test::firstStep(kSend, 0, 0)}),
      test::receiver(0, {test::stepAfter(0, kReceiveReduceCopy, 0, 0)})};
  algorithm.gpus[2].threadBlocks = {test::receiver(1, {test::step(kReceiveReduceCopy, 0, 0)})};
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const InputSums sums(meaning);
  EXPECT_FALSE(sums.folded({2, 0}));
  EXPECT_EQ(sums.chunk(1, 0).messages, 0U);
  EXPECT_TRUE(sums.chunk(1, 0).disturbed);
  EXPECT_FALSE(sums.byProducer({1, 0})) << "the chunk is needed here too";
  EXPECT_EQ(sums.chunk(2, 0).messages, 1U);
}

}  // namespace
}  // namespace t3
