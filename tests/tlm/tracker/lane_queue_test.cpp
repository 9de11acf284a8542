// SPDX-License-Identifier: Apache-2.0
// The queue in front of a lane against a byte-by-byte reference: every byte of every piece comes
// out once, in order, in updates that never cross a 128-byte line.
#include "tlm/tracker/lane_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace t3::lane_queue_test {
namespace {

LanePiece piece(std::uint64_t address, std::uint32_t bytes, Picoseconds edge = 0) {
  return {WorkgroupId{7}, WavefrontId{3}, address, bytes, edge};
}

TEST(LaneQueue, CountsTheLinesAPieceTouches) {
  EXPECT_EQ(LaneQueue::updatesOf(piece(0, 1)), 1U);
  EXPECT_EQ(LaneQueue::updatesOf(piece(0, 128)), 1U);
  EXPECT_EQ(LaneQueue::updatesOf(piece(0, 129)), 2U);
  EXPECT_EQ(LaneQueue::updatesOf(piece(127, 2)), 2U);
  EXPECT_EQ(LaneQueue::updatesOf(piece(64, 2048)), 17U);
}

TEST(LaneQueue, TakesAPieceIfAllOfItFitsOrTheQueueIsEmpty) {
  LaneQueue queue(4);
  EXPECT_TRUE(queue.fits(piece(0, 2048)));
  queue.push(piece(0, 384));
  EXPECT_TRUE(queue.fits(piece(0, 128)));
  EXPECT_FALSE(queue.fits(piece(0, 129)));
  queue.pop();
  EXPECT_TRUE(queue.fits(piece(0, 129)));
  EXPECT_FALSE(queue.fits(piece(0, 257)));
}

TEST(LaneQueue, ShowsAPieceFromItsEdgeOn) {
  LaneQueue queue(4);
  queue.push(piece(0, 256, 5000));
  EXPECT_FALSE(queue.ready(4000));
  EXPECT_TRUE(queue.ready(5000));
  EXPECT_EQ(queue.frontEdge(), 5000U);
  queue.pop();
  EXPECT_TRUE(queue.ready(5000));
  queue.pop();
  EXPECT_FALSE(queue.ready(6000));
  EXPECT_TRUE(queue.empty());
}

TEST(LaneQueue, DeliversEveryByteOnceAndInOrder) {
  std::mt19937_64 random(t3::test::seed(11));
  LaneQueue queue(32);
  std::deque<std::uint64_t> bytes;
  std::uint64_t delivered = 0;
  for (int step = 0; step < 20'000; ++step) {
    const LanePiece next =
        piece(random() % 100'000, static_cast<std::uint32_t>(1 + random() % 600));
    if (random() % 2 == 0 && queue.fits(next)) {
      queue.push(next);
      for (std::uint32_t i = 0; i < next.bytes; ++i) bytes.push_back(next.address + i);
    } else if (!queue.empty()) {
      const LaneUpdate update = queue.front();
      queue.pop();
      ASSERT_GE(update.bytes, 1U);
      ASSERT_EQ(update.address / 128, (update.address + update.bytes - 1) / 128);
      ASSERT_EQ(update.workgroup, WorkgroupId{7});
      ASSERT_EQ(update.wavefront, WavefrontId{3});
      for (std::uint32_t i = 0; i < update.bytes; ++i) {
        ASSERT_EQ(bytes.front(), update.address + i);
        bytes.pop_front();
        ++delivered;
      }
    }
    ASSERT_EQ(queue.empty(), bytes.empty());
  }
  EXPECT_GT(delivered, 1'000'000U);
}

TEST(LaneQueue, GivesWhatASwitchHasAddedOnceForEachContribution) {
  LaneQueue queue(16);
  LanePiece sum = piece(64, 128);  // in two lines
  sum.contributions = 3;
  EXPECT_EQ(LaneQueue::updatesOf(sum), 6U);
  EXPECT_EQ(sum.weight(), 384U);
  queue.push(sum);
  queue.push(piece(512, 32));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> given;
  while (!queue.empty()) {
    given.emplace_back(queue.front().address, queue.front().bytes);
    queue.pop();
  }
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> expected = {
      {64, 64}, {64, 64}, {64, 64}, {128, 64}, {128, 64}, {128, 64}, {512, 32}};
  EXPECT_EQ(given, expected);
  EXPECT_EQ(queue.updates(), 0U);
}

}  // namespace
}  // namespace t3::lane_queue_test
