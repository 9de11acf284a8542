// SPDX-License-Identifier: Apache-2.0
// Method: small algorithms whose loads, stores and messages are written down by hand, address by
// address.
#include "tlm/collectives/step_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

using test::step;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kChunk = 1000;  ///< bytes
constexpr std::uint64_t kStaging = 2048;

std::vector<StepProgram> programsOf(const Algorithm& algorithm) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const AlgorithmLayout layout(meaning.buffers(), kChunk, 256);
  return makeStepPrograms(
      meaning, layout, {2, [](std::uint32_t from, std::uint32_t, std::uint32_t) { return from; }});
}

TEST(StepProgram, LoadsAddsAndSendsWhatTheStepsSay) {
  const auto programs = programsOf(test::exchange());
  ASSERT_EQ(programs.size(), 2U);
  const StepProgram& program = programs[0];
  EXPECT_EQ(program.chunkBytes, kChunk);
  EXPECT_EQ(program.ports, 2U);
  EXPECT_THAT(program.sentBytes, ElementsAre(2 * kChunk, 0));
  EXPECT_THAT(programs[1].sentBytes, ElementsAre(0, 2 * kChunk));

  // What is added waits behind the buffers, what replaces goes where it belongs.
  ASSERT_EQ(program.arrivals.size(), 2U);
  EXPECT_EQ(program.arrivals[0].destination, kStaging);
  EXPECT_EQ(program.arrivals[1].destination, kChunk);
  EXPECT_EQ(program.arrivals[0].chunks, 1U);

  ASSERT_EQ(program.threadBlocks.size(), 2U);
  const StepProgram::ThreadBlock& sender = program.threadBlocks[0];
  ASSERT_EQ(sender.size(), 2U);
  EXPECT_THAT(sender[0].loads, ElementsAre(kChunk));
  ASSERT_TRUE(sender[0].send);
  EXPECT_EQ(sender[0].send->port, 0U);
  EXPECT_EQ(sender[0].send->destination, globalAddress(GpuId{1}, kStaging));
  EXPECT_EQ(sender[0].send->arrival, 0U);
  EXPECT_FALSE(sender[0].store);
  EXPECT_FALSE(sender[0].arrival);
  EXPECT_THAT(sender[0].dependencies, IsEmpty());
  EXPECT_EQ(sender[0].number, 0U);
  EXPECT_THAT(sender[1].loads, ElementsAre(0));
  EXPECT_EQ(sender[1].send->destination, globalAddress(GpuId{1}, 0));
  EXPECT_EQ(sender[1].send->arrival, 1U);
  ASSERT_EQ(sender[1].dependencies.size(), 1U);
  EXPECT_EQ(sender[1].dependencies[0].threadBlock, 1U);
  EXPECT_EQ(sender[1].dependencies[0].step, 0U);
  EXPECT_EQ(sender[1].number, 1U);

  const StepProgram::ThreadBlock& receiver = program.threadBlocks[1];
  ASSERT_EQ(receiver.size(), 2U);
  EXPECT_THAT(receiver[0].loads, ElementsAre(0, kStaging));
  EXPECT_EQ(receiver[0].store, 0U);
  EXPECT_EQ(receiver[0].arrival, 0U);
  EXPECT_FALSE(receiver[0].send);
  EXPECT_THAT(receiver[1].loads, IsEmpty());
  EXPECT_FALSE(receiver[1].store);
  EXPECT_EQ(receiver[1].arrival, 1U);
}

/// GPU 0 does these steps alone, on four chunks in place.
StepProgram::ThreadBlock alone(std::vector<AlgorithmStep> steps) {
  Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 2, 4);
  algorithm.gpus[0].threadBlocks.emplace_back().steps = std::move(steps);
  return programsOf(algorithm)[0].threadBlocks[0];
}

TEST(StepProgram, NeighboursThatAddToOneTargetAreOneStep) {
  const auto steps = alone({step(kReduce, 1, 0), step(kReduce, 2, 0)});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_THAT(steps[0].loads, ElementsAre(0, kChunk, 2 * kChunk));
  EXPECT_EQ(steps[0].store, 0U);
}

TEST(StepProgram, AnAdditionBehindACopyIsAStepOfItsOwn) {
  const auto steps = alone({step(kCopy, 1, 0), step(kReduce, 2, 0)});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps[0].loads, ElementsAre(kChunk));
  EXPECT_EQ(steps[0].store, 0U);
  EXPECT_THAT(steps[1].loads, ElementsAre(0, 2 * kChunk));
  EXPECT_EQ(steps[1].store, 0U);
}

TEST(StepProgram, AdditionsToTwoTargetsAreTwoSteps) {
  const auto steps = alone({step(kReduce, 1, 0), step(kReduce, 2, 3)});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps[1].loads, ElementsAre(3 * kChunk, 2 * kChunk));
}

TEST(StepProgram, AStepThatOnlyWaitsIsPartOfTheNext) {
  AlgorithmStep nop = step(kNop, 0, 0);
  nop.count = 0;
  EXPECT_EQ(alone({nop, step(kCopy, 1, 0)}).size(), 1U);
  nop.hasDependents = true;
  EXPECT_EQ(alone({nop, step(kCopy, 1, 0)}).size(), 2U) << "others wait for it";
}

}  // namespace
}  // namespace t3
