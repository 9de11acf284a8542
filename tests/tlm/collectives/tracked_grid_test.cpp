// SPDX-License-Identifier: Apache-2.0
// Method: sizes by hand.
#include "tlm/collectives/tracked_grid.h"

#include <gtest/gtest.h>

namespace t3 {
namespace {

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
}  // namespace t3
