// SPDX-License-Identifier: Apache-2.0
// Method: small algorithms whose loads, stores and messages are written down by hand, address by
// address.
#include "tlm/collectives/step_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/transport/payload.h"

namespace t3::step_program_test {
namespace {

using test::step;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kChunk = 1000;  ///< bytes
constexpr std::uint64_t kStaging = 2048;

std::vector<StepProgram> programsOf(const Algorithm& algorithm, bool ownBlocks = false) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const StepLayout layout =
      StepLayout::of(meaning.buffers(), AlgorithmLayout(meaning.buffers(), kChunk, 256));
  const AlgorithmPorts ports{
      2, [](std::uint32_t from, std::uint32_t, std::uint32_t) { return from % 2; }};
  return makeStepPrograms(
      {algorithm, meaning.buffers(), layout, ports, Phase::ReduceScatter, ownBlocks}, meaning);
}

std::vector<std::uint64_t> loadsOf(const StepProgram::Step& step) {
  std::vector<std::uint64_t> addresses;
  for (const ChunkPlace& place : step.loads) addresses.push_back(place.address);
  return addresses;
}
using Dependency = StepProgram::Dependency;

// Whoever receives a message copies it, and a thread block is one run.
TEST(StepProgram, ThreadBlocksOfTheirOwnTakeEveryMessageFromABuffer) {
  const auto programs = programsOf(test::exchange(), true);
  for (const StepProgram& program : programs) {
    EXPECT_TRUE(program.ownBlocks);
    ASSERT_EQ(program.arrivals.size(), 2U);
    EXPECT_EQ(program.arrivals[0].destination, ChunkPlace{kStaging});
    EXPECT_EQ(program.arrivals[1].destination, ChunkPlace{kStaging + kChunk});
    ASSERT_EQ(program.runs.size(), program.threadBlocks);
    for (const StepProgram::Run& run : program.runs) {
      ASSERT_EQ(run.size(), 2U);
      EXPECT_EQ(run[0].number, 0U);
      EXPECT_EQ(run[1].number, 1U);
    }
    const StepProgram::Run& receiver = program.runs[1];
    EXPECT_THAT(loadsOf(receiver[1]), ElementsAre(kStaging + kChunk));
    EXPECT_TRUE(receiver[1].store);
  }
}

TEST(StepProgram, LoadsAddsAndSendsWhatTheStepsSay) {
  const auto programs = programsOf(test::exchange());
  ASSERT_EQ(programs.size(), 2U);
  const StepProgram& program = programs[0];
  EXPECT_EQ(program.chunkBytes(0), kChunk);
  EXPECT_EQ(program.ports, 2U);
  EXPECT_THAT(program.sentBytes(), ElementsAre(2 * kChunk, 0));
  EXPECT_THAT(programs[1].sentBytes(), ElementsAre(0, 2 * kChunk));

  // What is added waits behind the buffers, what replaces goes where it belongs.
  ASSERT_EQ(program.arrivals.size(), 2U);
  EXPECT_EQ(program.arrivals[0].destination, ChunkPlace{kStaging});
  EXPECT_EQ(program.arrivals[1].destination, ChunkPlace{kChunk});

  ASSERT_EQ(program.runs.size(), 2U);
  const StepProgram::Run& sender = program.runs[0];
  ASSERT_EQ(sender.size(), 1U);
  EXPECT_THAT(loadsOf(sender[0]), ElementsAre(kChunk));
  ASSERT_EQ(sender[0].sends.size(), 1U);
  EXPECT_EQ(sender[0].sends[0].port, 0U);
  EXPECT_EQ(sender[0].sends[0].destination.address, globalAddress(GpuId{1}, kStaging));
  EXPECT_EQ(sender[0].sends[0].arrival, 0U);
  EXPECT_FALSE(sender[0].store);
  EXPECT_THAT(sender[0].arrivals, IsEmpty());
  EXPECT_THAT(sender[0].dependencies, IsEmpty());
  EXPECT_EQ(sender[0].number, 0U);

  // The sum leaves as it is made, though another thread block says so.
  const StepProgram::Run& adder = program.runs[1];
  ASSERT_EQ(adder.size(), 1U);
  EXPECT_THAT(loadsOf(adder[0]), ElementsAre(0, kStaging));
  EXPECT_EQ(adder[0].store, ChunkPlace{0});
  EXPECT_THAT(adder[0].arrivals, ElementsAre(0U));
  EXPECT_THAT(adder[0].dependencies, IsEmpty());
  ASSERT_EQ(adder[0].sends.size(), 1U);
  EXPECT_EQ(adder[0].sends[0].destination.address, globalAddress(GpuId{1}, 0));
  EXPECT_EQ(adder[0].sends[0].arrival, 1U);
  EXPECT_EQ(adder[0].threadBlock, 1U);
}

/// GPU 0 does these steps alone, on four chunks in place.
StepProgram::Run alone(std::vector<AlgorithmStep> steps, bool ownBlocks = false) {
  Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 2, 4);
  algorithm.gpus[0].threadBlocks.emplace_back().steps = std::move(steps);
  return programsOf(algorithm, ownBlocks)[0].runs[0];
}

TEST(StepProgram, StepsThatAddToOneTargetAreOneStep) {
  const auto steps = alone({step(kReduce, 1, 0), step(kReduce, 2, 0), step(kReduce, 3, 0)});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_THAT(loadsOf(steps[0]), ElementsAre(0, kChunk, 2 * kChunk, 3 * kChunk));
  EXPECT_EQ(steps[0].store, ChunkPlace{0});
  EXPECT_THAT(steps[0].dependencies, IsEmpty());
}

// As the runtime of a library does: 16 at most, and none of those that others wait for.
TEST(StepProgram, ThreadBlocksOfTheirOwnAddConsecutiveChunksInOnePass) {
  const auto parts = [](std::size_t reductions, std::optional<std::size_t> waitedFor = {}) {
    std::vector<AlgorithmStep> steps(reductions, step(kReduce, 1, 0));
    if (waitedFor) steps[*waitedFor].hasDependents = true;
    std::vector<std::size_t> loads;
    for (const StepProgram::Step& one : alone(steps, true)) loads.push_back(one.loads.size());
    return loads;
  };
  EXPECT_THAT(parts(3), ElementsAre(4U));
  EXPECT_THAT(parts(16), ElementsAre(17U));
  EXPECT_THAT(parts(17), ElementsAre(17U, 2U));
  EXPECT_THAT(parts(3, 1), ElementsAre(3U, 2U));
  EXPECT_EQ(alone({step(kReduce, 1, 0), step(kReduce, 2, 3), step(kReduce, 3, 0)}, true).size(), 3U)
      << "another target comes between";
  EXPECT_EQ(alone({step(kCopy, 1, 0), step(kReduce, 2, 0)}, true).size(), 2U);
}

TEST(StepProgram, ThreadBlocksOfTheirOwnStoreSumsOfASwitchAsTheyCome) {
  Algorithm algorithm = test::emptyAlgorithm(kAllReducePromise, 2, 2);
  for (std::uint32_t g = 0; g < 2; ++g) {
    algorithm.gpus[g].threadBlocks.emplace_back().steps = {step(kLoadSum, g, g),
                                                           step(kStoreToAll, g, g)};
  }
  const StepProgram::Run run = programsOf(algorithm, true)[0].runs.at(0);
  ASSERT_EQ(run.size(), 1U);
  EXPECT_TRUE(run[0].loadsSum);
  EXPECT_FALSE(run[0].store);
  ASSERT_EQ(run[0].sends.size(), 1U);
  EXPECT_TRUE(run[0].sends[0].toAll);
}

TEST(StepProgram, ACopyThatOnlyASumLoadsIsNotMade) {
  const auto steps = alone({step(kCopy, 1, 0), step(kReduce, 2, 0)});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_THAT(loadsOf(steps[0]), ElementsAre(kChunk, 2 * kChunk));
  EXPECT_EQ(steps[0].store, ChunkPlace{0});
}

TEST(StepProgram, ACopyThatIsAResultIsMade) {
  const auto steps = alone({step(kCopy, 1, 0), step(kReduce, 0, 3)});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].store, ChunkPlace{0});
  EXPECT_THAT(loadsOf(steps[1]), ElementsAre(3 * kChunk, 0));
  EXPECT_THAT(steps[1].dependencies, ElementsAre(Dependency{0, 0}));
}

TEST(StepProgram, ACopyOfWhatIsReplacedBeforeTheSumIsMade) {
  const auto steps = alone({step(kCopy, 1, 0), step(kCopy, 3, 1), step(kReduce, 2, 0)});
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_THAT(steps[1].dependencies, ElementsAre(Dependency{0, 0})) << "it replaces what is read";
  EXPECT_THAT(steps[2].dependencies, ElementsAre(Dependency{0, 0}));
}

TEST(StepProgram, StepsOnOtherChunksDoNotWaitForOneAnother) {
  const auto steps = alone({step(kReduce, 1, 0), step(kReduce, 2, 3)});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(loadsOf(steps[1]), ElementsAre(3 * kChunk, 2 * kChunk));
  EXPECT_THAT(steps[1].dependencies, IsEmpty());
}

TEST(StepProgram, AStepThatOnlyWaitsIsNone) {
  AlgorithmStep nop = step(kNop, 0, 0);
  nop.count = 0;
  nop.hasDependents = true;
  EXPECT_EQ(alone({nop, step(kCopy, 1, 0)}).size(), 1U);
}

TEST(StepProgram, AChunkThatGoesToSeveralGpusIsLoadedOnce) {
  Algorithm algorithm = test::emptyAlgorithm(kAllGatherPromise, 3, 3);
  for (std::uint32_t g = 0; g < 3; ++g) {
    algorithm.gpus[g].inputChunks = 1;
    for (const std::uint32_t other : {(g + 1) % 3, (g + 2) % 3}) {
      AlgorithmStep send = step(kSend, g, g), receive = step(kReceive, other, other);
      send.sourceBuffer = send.targetBuffer = AlgorithmBuffer::Output;
      algorithm.gpus[g].threadBlocks.push_back(test::sender(other, {send}));
      algorithm.gpus[g].threadBlocks.push_back(test::receiver(other, {receive}));
    }
  }
  const StepProgram program = programsOf(algorithm)[1];
  ASSERT_EQ(program.runs.size(), 1U);
  ASSERT_EQ(program.runs[0].size(), 1U);
  const StepProgram::Step& own = program.runs[0][0];
  EXPECT_THAT(loadsOf(own), ElementsAre(kChunk));
  ASSERT_EQ(own.sends.size(), 2U);
  EXPECT_EQ(own.sends[0].destination.address, globalAddress(GpuId{2}, kChunk));
  EXPECT_EQ(own.sends[1].destination.address, globalAddress(GpuId{0}, kChunk));
}

TEST(StepProgram, AStepIsDoneChunkByChunk) {
  AlgorithmStep both = step(kReduce, 2, 0);
  both.count = 2;
  const auto steps = alone({both, step(kCopy, 1, 3)});
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_THAT(loadsOf(steps[0]), ElementsAre(0, 2 * kChunk));
  EXPECT_THAT(loadsOf(steps[1]), ElementsAre(kChunk, 3 * kChunk));
  EXPECT_EQ(steps[0].number, steps[1].number);
  EXPECT_THAT(steps[2].dependencies, ElementsAre(Dependency{0, 1})) << "only for the second chunk";
}

TEST(StepProgram, ChannelsThatShareNothingAreKernelsOfTheirOwn) {
  const auto separate = [](const Algorithm& algorithm) {
    const AlgorithmBuffers buffers(algorithm);
    const StepLayout layout = StepLayout::of(buffers, AlgorithmLayout(buffers, kChunk, 256));
    const AlgorithmPorts ports{};
    return separateChannels({algorithm, buffers, layout, ports});
  };
  Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 2, 4);
  auto& blocks = algorithm.gpus[0].threadBlocks;
  blocks.resize(2);
  blocks[0].steps = {step(kCopy, 0, 1)};
  blocks[1].steps = {step(kCopy, 2, 3)};
  EXPECT_THAT(separate(algorithm), IsEmpty()) << "there is one";
  blocks[1].channel = 2;
  EXPECT_THAT(separate(algorithm), ElementsAre(0U, 2U));
  blocks[1].steps[0].dependency = {0, 0};
  EXPECT_THAT(separate(algorithm), IsEmpty()) << "one waits for the other";
  blocks[1].steps = {step(kCopy, 1, 3)};
  EXPECT_THAT(separate(algorithm), IsEmpty()) << "both touch chunk 1";
}

TEST(StepProgram, AMessageThatOnlyTheOrderOfAThreadBlockKeepsBackWaits) {
  // GPU 0 sends chunks 0 and 1; when it has chunk 1, GPU 1 sends it back, to where chunk 0 was.
  Algorithm algorithm = test::emptyAlgorithm(kCustomPromise, 2, 2);
  AlgorithmStep back = step(kSend, 1, 0);
  back.dependency = {0, 1};
  AlgorithmStep last = step(kReceive, 1, 1);
  last.hasDependents = true;
  algorithm.gpus[0].threadBlocks = {test::sender(1, {step(kSend, 0, 0), step(kSend, 1, 1)}),
                                    test::receiver(1, {step(kReceive, 0, 0)})};
  algorithm.gpus[1].threadBlocks = {test::receiver(0, {step(kReceive, 0, 0), last}),
                                    test::sender(0, {back})};
  const AlgorithmForm form(algorithm);
  ASSERT_TRUE(AlgorithmMeaning(form).targetIsFree({1, 0})) << "chunk 0 has left before chunk 1";
  const StepProgram program = programsOf(algorithm)[0];
  EXPECT_EQ(program.arrivals[0].destination, ChunkPlace{kStaging});
  ASSERT_EQ(program.runs.size(), 2U);
  ASSERT_EQ(program.runs[0].size(), 1U) << "what sends nothing comes first";
  EXPECT_THAT(loadsOf(program.runs[0][0]), ElementsAre(kStaging));
  EXPECT_EQ(program.runs[0][0].store, ChunkPlace{0});
  EXPECT_THAT(program.runs[0][0].dependencies, ElementsAre(Dependency{1, 0}));
}

}  // namespace
}  // namespace t3::step_program_test
