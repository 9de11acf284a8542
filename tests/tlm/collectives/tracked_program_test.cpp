// SPDX-License-Identifier: Apache-2.0
// Method: a small all-reduce whose transfers, and the rows of the tracker's grid, are written down
// by hand.
#include "tlm/collectives/tracked_program.h"

#include <gtest/gtest.h>

#include "tests/tlm/collectives/algorithms.h"
#include "tlm/transport/payload.h"

namespace t3::tracked_program_test {
namespace {

constexpr std::uint64_t kChunk = 1024;  ///< bytes

std::vector<TrackedProgram> programsOf(const Algorithm& algorithm) {
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  const AlgorithmLayout layout(meaning.buffers(), kChunk, 256);
  return makeTrackedPrograms(
      meaning, layout, {1, [](std::uint32_t, std::uint32_t, std::uint32_t) { return 0U; }}, true);
}

TEST(TrackedProgram, MessagesAreAddedToTheSourceOrReplaceTheTarget) {
  const auto programs = programsOf(test::exchange());
  ASSERT_EQ(programs.size(), 2U);
  const TrackedProgram& program = programs[0];
  ASSERT_EQ(program.arrivals.size(), 2U);
  EXPECT_EQ(program.arrivals[0].address, 0U) << "the sum is made in its place";
  EXPECT_EQ(program.arrivals[0].updates, 1U);
  EXPECT_EQ(program.arrivals[1].address, kChunk);
  EXPECT_EQ(program.memoryEnd, 2 * kChunk) << "nothing waits elsewhere";
  EXPECT_EQ(program.sentBytes[0], 2 * kChunk);

  const auto& sender = program.threadBlocks[0];
  ASSERT_EQ(sender.size(), 2U);
  ASSERT_TRUE(sender[0].after && !sender[0].after->remote.empty());
  EXPECT_EQ(sender[0].after->source, kChunk);
  EXPECT_FALSE(sender[0].after->triggered);
  EXPECT_EQ(sender[0].after->remote.front().destination, globalAddress(GpuId{1}, kChunk));
  EXPECT_EQ(sender[0].after->remote.front().operation, MemoryOperation::Add);
  EXPECT_EQ(sender[0].after->remote.front().row, 0U);
  ASSERT_TRUE(sender[1].after && !sender[1].after->remote.empty());
  EXPECT_EQ(sender[1].after->source, 0U);
  EXPECT_EQ(sender[1].after->remote.front().destination, globalAddress(GpuId{1}, 0));
  EXPECT_EQ(sender[1].after->remote.front().operation, MemoryOperation::Store);
  EXPECT_EQ(sender[1].after->remote.front().row, 1U);

  const auto& receiver = program.threadBlocks[1];
  EXPECT_EQ(receiver[0].arrival, 0U);
  EXPECT_FALSE(receiver[0].before || receiver[0].after) << "memory adds";
  EXPECT_FALSE(receiver[1].before || receiver[1].after);
}

TEST(TrackedProgram, RowsOfTheGridAreOrderedByTheirTreatment) {
  const auto programs = programsOf(test::exchange());
  EXPECT_EQ(programs[0].rows, 2U);
  EXPECT_EQ(programs[0].arrivals[0].row, 0U);
  EXPECT_EQ(programs[0].arrivals[1].row, 1U);
  const auto rows = trackedRows(programs[0]);
  ASSERT_EQ(rows.size(), 1U) << "both get one update";
  EXPECT_EQ(rows[0].first, 0U);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].updates, 1U);
}

TEST(TrackedProgram, ASumThatMustNotReplaceItsSourceHasAnAccumulator) {
  // Out of place, so GPU 1 keeps its input: accumulator behind the two chunks of the buffers.
  Algorithm algorithm = test::reduceToOne(kReducePromise);
  algorithm.inPlace = false;
  const auto programs = programsOf(algorithm);
  const TrackedProgram& program = programs[1];
  ASSERT_EQ(program.arrivals.size(), 1U);
  EXPECT_EQ(program.arrivals[0].address, 2 * kChunk);
  EXPECT_EQ(program.arrivals[0].updates, 2U) << "the message, and the source";
  EXPECT_EQ(program.memoryEnd, 3 * kChunk);
  const TrackedProgram::Step& step = program.threadBlocks[0][0];
  ASSERT_TRUE(step.before && step.before->local);
  EXPECT_EQ(step.before->source, 0U);
  EXPECT_EQ(step.before->local->destination, 2 * kChunk);
  EXPECT_EQ(step.before->local->operation, MemoryOperation::Add);
  EXPECT_EQ(step.before->local->row, 0U);
  ASSERT_TRUE(step.after && step.after->local);
  EXPECT_EQ(step.after->source, 2 * kChunk);
  EXPECT_EQ(step.after->local->destination, kChunk);
  EXPECT_TRUE(step.after->clears);
  EXPECT_TRUE(step.after->triggered);
  EXPECT_EQ(programs[0].threadBlocks[0][0].after->remote.front().destination,
            globalAddress(GpuId{1}, 2 * kChunk));
}

TEST(TrackedGrid, SlicesGrowUntilTheSlotsAreEnough) {
  const auto grid = TrackedGrid::make(2, 96 << 10, 32 << 10, 6);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->slices(), 3U);
  EXPECT_EQ(grid->workgroup(1, 2), 5U);
  const auto longer = TrackedGrid::make(2, 96 << 10, 32 << 10, 5);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->slices(), 2U);
  EXPECT_EQ(longer->sliceBytes(), 64U << 10);
}

TEST(TrackedGrid, ASliceIsAtMostWhatASlotCounts) {
  constexpr std::uint64_t kMost = 1 << 21;  // two contributions are 2^22
  EXPECT_EQ(TrackedGrid::leastSlots(1, kMost), 1U);
  EXPECT_EQ(TrackedGrid::leastSlots(1, kMost + 32), 2U);
  EXPECT_TRUE(TrackedGrid::make(3, kMost, 4096, 3));
  EXPECT_TRUE(TrackedGrid::make(3, kMost + 32, 4096, 6));
  EXPECT_FALSE(TrackedGrid::make(3, kMost + 32, 4096, 5));
}

}  // namespace
}  // namespace t3::tracked_program_test
