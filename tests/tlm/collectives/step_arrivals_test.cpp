// SPDX-License-Identifier: Apache-2.0
// Method: writes of other GPUs are announced by hand, with times that lie ahead. A slice has to
// become ready exactly `slice_sync_ns` after the latest of its bytes, and no sooner; what is not
// part of the collective, or comes twice, is an error.
#include "tlm/collectives/step_arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/error_of.h"

namespace t3::step_arrivals_test {
namespace {

using testing::ElementsAre;

constexpr Picoseconds kSync = 300'000;
constexpr std::uint64_t kBuffer = 1 << 20;  ///< of arrival 0, without gaps
constexpr std::uint64_t kOutput = 1 << 24;  ///< of arrival 1

/// Two chunks, the left and the right half of 4 rows of 50 bytes: 100 bytes in 4 segments each.
/// Slices of 40 bytes: 40, 40 and 20.
struct StepArrivalsTest : testing::Test {
  Tiling tiling{{4, 50, 1}, {4, 25, 1}, 2};
  StepProgram program = [this] {
    StepProgram expected;
    expected.shapes = std::make_shared<const std::vector<ChunkSegments>>(
        std::vector{ChunkSegments(tiling, ChunkId{0}), ChunkSegments(tiling, ChunkId{1})});
    expected.arrivals = {{{kBuffer, true}, 0}, {{kOutput, false}, 1}};
    return expected;
  }();
  std::vector<Picoseconds> readyAt;
  PayloadPool pool;
  StepArrivals arrivals{"kernel", program, 40, kSync, [this] { readyAt.push_back(now()); }};

  void arrive(std::uint32_t arrival, std::uint64_t address, std::uint32_t bytes, Picoseconds when) {
    Payload& write = pool.allocate(tlm::TLM_WRITE_COMMAND, address, bytes, false);
    traffic(write).step = arrival;
    arrivals.arrived(write, when);
    write.release();
  }
  /// Up to and including `when`.
  static void runUntil(Picoseconds when) { sc_core::sc_start(fromPicoseconds(when + 1 - now())); }
};

TEST_F(StepArrivalsTest, ASliceIsReadyAfterItsLatestByteAndTheTimeOfItsFlag) {
  arrive(0, kBuffer, 16, 5'000);
  arrive(0, kBuffer + 24, 16, 9'000);
  arrive(0, kBuffer + 16, 8, 7'000);  // the last to be announced, but not the last in memory
  runUntil(9'000 + kSync - 1);
  EXPECT_FALSE(arrivals.ready(0, 0));
  runUntil(9'000 + kSync);
  EXPECT_TRUE(arrivals.ready(0, 0));
  EXPECT_FALSE(arrivals.ready(0, 1));
  EXPECT_FALSE(arrivals.ready(1, 0)) << "another arrival";
  EXPECT_THAT(readyAt, ElementsAre(9'000 + kSync));
  EXPECT_EQ(arrivals.missing(), 5U);
}

TEST_F(StepArrivalsTest, ASliceThatMissesAByteIsNotReady) {
  arrive(0, kBuffer, 39, 5'000);
  runUntil(10 * kSync);
  EXPECT_FALSE(arrivals.ready(0, 0));
  EXPECT_EQ(arrivals.missing(), 6U);
}

TEST_F(StepArrivalsTest, AWriteMayEndOneSliceAndBeginTheNext) {
  arrive(0, kBuffer, 30, 1'000);
  arrive(0, kBuffer + 30, 70, 2'000);  // 10 bytes of the first, all of the second and the short one
  runUntil(3'000 + kSync);
  EXPECT_TRUE(arrivals.ready(0, 0));
  EXPECT_TRUE(arrivals.ready(0, 1));
  EXPECT_TRUE(arrivals.ready(0, 2)) << "the last slice has 20 bytes only";
  EXPECT_THAT(readyAt, ElementsAre(2'000 + kSync, 2'000 + kSync, 2'000 + kSync));
  EXPECT_EQ(arrivals.missing(), 3U);
}

TEST_F(StepArrivalsTest, InTheOutputTheBytesOfAChunkAreFoundByTheirSegment) {
  // Chunk 1 is bytes 25 … 49 of each row: its first slice is row 0 and 15 bytes of row 1.
  arrive(1, kOutput + 25, 25, 1'000);
  arrive(1, kOutput + 75, 15, 4'000);
  runUntil(4'000 + kSync);
  EXPECT_TRUE(arrivals.ready(1, 0));
  EXPECT_FALSE(arrivals.ready(1, 1));
  EXPECT_THAT(readyAt, ElementsAre(4'000 + kSync));
}

TEST_F(StepArrivalsTest, WhatAnotherKernelExpectsIsNotPartOfThisOne) {
  program.arrivals[1].expected = false;
  arrivals.reset();
  EXPECT_EQ(arrivals.missing(), 3U);
  EXPECT_NE(test::errorOf([&] { arrive(1, kOutput + 25, 1, 0); }), "");
}

TEST_F(StepArrivalsTest, AWriteThatIsNotPartOfTheCollectiveIsAnError) {
  const auto stray = testing::HasSubstr("is not part of the collective");
  EXPECT_THAT(test::errorOf([&] { arrive(2, kBuffer, 1, 0); }), stray) << "no such arrival";
  EXPECT_THAT(test::errorOf([&] { arrive(0, kBuffer - 1, 1, 0); }), stray) << "below the buffer";
  EXPECT_THAT(test::errorOf([&] { arrive(0, kBuffer + 100, 1, 0); }), stray) << "behind the buffer";
  EXPECT_THAT(test::errorOf([&] { arrive(0, kBuffer + 90, 11, 0); }), stray) << "half behind it";
  EXPECT_THAT(test::errorOf([&] { arrive(1, kOutput + 24, 1, 0); }), stray) << "of another chunk";
  EXPECT_EQ(test::errorOf([&] { arrive(0, kBuffer + 90, 10, 0); }), "");
}

TEST_F(StepArrivalsTest, ABytesSecondArrivalIsAnErrorUntilAReset) {
  arrive(0, kBuffer, 40, 1'000);
  EXPECT_THAT(test::errorOf([&] { arrive(0, kBuffer + 39, 1, 2'000); }),
              testing::HasSubstr("came more than once"));
  runUntil(2 * kSync);
  EXPECT_TRUE(arrivals.ready(0, 0));
  arrivals.reset();
  EXPECT_FALSE(arrivals.ready(0, 0));
  EXPECT_EQ(arrivals.missing(), 6U);
  EXPECT_EQ(test::errorOf([&] { arrive(0, kBuffer, 40, now()); }), "");
  runUntil(4 * kSync);
  EXPECT_TRUE(arrivals.ready(0, 0));
  EXPECT_EQ(arrivals.missing(), 5U);
}

}  // namespace
}  // namespace t3::step_arrivals_test
