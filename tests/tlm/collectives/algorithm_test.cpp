// SPDX-License-Identifier: Apache-2.0
// Method: a small all-reduce that is right, and others that are wrong or at a limit. Errors of
// files, with their lines, are tested in tests/testbench/msccl_file_test.cpp.
#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/collectives/algorithm_config.h"

namespace t3::algorithm_test {
namespace {

using test::emptyAlgorithm;
using test::refusal;

TEST(AlgorithmForm, HasTwoToSixtyFourGpus) {
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 1, 1)), "ngpus: expected 2 to 1024, got 1");
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 2, 1)), "");
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 64, 1)), "");
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 1025, 1)),
            "ngpus: expected 2 to 1024, got 1025");
}

TEST(AlgorithmForm, HasOneToAMillionChunks) {
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 2, 0)),
            "nchunksperloop: expected 1 to 1048576, got 0");
  const Algorithm most = emptyAlgorithm(kCustomPromise, 2, 1 << 20);
  EXPECT_NO_THROW(AlgorithmForm{most});
  EXPECT_EQ(refusal(emptyAlgorithm(kCustomPromise, 2, (1 << 20) + 1)),
            "nchunksperloop: expected 1 to 1048576, got 1048577");
}

TEST(AlgorithmForm, KnowsBothEndsOfAConnection) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  EXPECT_EQ(form.threadBlocks(), 4U);
  EXPECT_EQ(form.receiverOf(0), 3U);
  EXPECT_EQ(form.senderTo(3), 0U);
  EXPECT_EQ(form.receiverOf(2), 1U);
  EXPECT_EQ(form.senderTo(1), 2U);
  EXPECT_EQ(form.receiverOf(1), AlgorithmForm::kNobody);
  EXPECT_EQ(form.senderTo(0), AlgorithmForm::kNobody);
}

TEST(AlgorithmMeaning, ResultsAreSumsOfWhatWasSent) {
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    for (std::uint32_t chunk = 0; chunk < 2; ++chunk) {
      ASSERT_NE(meaning.result(gpu, chunk), nullptr);
      EXPECT_EQ(*meaning.result(gpu, chunk), Contributions(chunk, GpuSet{0, 1}));
    }
  }
  EXPECT_EQ(meaning.longestSum(), 2U);
  EXPECT_EQ(meaning.receiverOf({0, 1}), (StepId{3, 1}));
  EXPECT_EQ(meaning.senderTo({3, 1}), (StepId{0, 1}));
}

TEST(AlgorithmMeaning, AReducePromisesTheRootsOutputOnly) {
  const Algorithm algorithm = test::reduceToOne(kReducePromise);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  EXPECT_EQ(meaning.root(), 1U);
  EXPECT_EQ(meaning.result(0, 0), nullptr);
  ASSERT_NE(meaning.result(1, 0), nullptr);
  EXPECT_EQ(*meaning.result(1, 0), Contributions(0, GpuSet{0, 1}));
}

TEST(AlgorithmMeaning, AResultThatIsNotWhatIsPromisedIsRefused) {
  // An all-reduce that only one of the two ends.
  EXPECT_EQ(refusal(test::reduceToOne(kAllReducePromise)),
            "GPU 0: output chunk 0 ends as chunk 0 of GPU 0; expected chunk 0 of GPUs 0-1 for "
            "coll=\"allreduce\"");
}

TEST(AlgorithmConfig, ChunksAreWholeBurstsAndHoldAllBytes) {
  AlgorithmConfig config;
  config.bytes = 1024;
  EXPECT_EQ(config.chunkBytes(1), 1024U);
  EXPECT_EQ(config.chunkBytes(4), 256U);
  EXPECT_EQ(config.chunkBytes(3), 352U) << "341.3 bytes are 11 bursts of 32";
  config.bytes = 1025;
  EXPECT_EQ(config.chunkBytes(4), 288U);
}

}  // namespace
}  // namespace t3::algorithm_test
