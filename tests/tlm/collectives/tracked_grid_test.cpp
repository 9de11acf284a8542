// SPDX-License-Identifier: Apache-2.0
// Method: sizes by hand; the bytes of tiles against the output's own tiling.
#include "tlm/collectives/tracked_grid.h"

#include <gtest/gtest.h>

#include <set>

#include "tlm/gpu/byte_walk.h"

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

TEST(TrackedGrid, SlicesOfTilesAreTheTilesOfTheOutputByteForByte) {
  // 3 x 3 tiles in each of 2 chunks, the right ones cut; blocks of one tile.
  const Tiling output(96, 40, 2, 16, 16, 4, 2);
  const TrackedGrid grid = TrackedGrid::ofTiles(output, 0);
  EXPECT_EQ(grid.slices(), 9U);
  for (std::uint32_t wg = 0; wg < output.tiles(); ++wg) {
    const std::uint32_t row = wg / 9, slice = wg % 9;
    ASSERT_EQ(grid.workgroup(row, slice), wg) << "ids are those of the tiles";
    std::set<std::pair<std::uint64_t, std::uint32_t>> bytes, expected;  // address, wavefront
    for (ByteWalk walk(grid.row(), grid.tiles(slice), row + 1); !walk.atEnd(); walk.advance(1)) {
      if (walk.workgroup().value < row * 9) continue;  // of the rows before
      EXPECT_EQ(walk.workgroup().value, wg);
      bytes.emplace(walk.offset(), walk.wavefront().value);
    }
    for (std::uint32_t wf = 0; wf < 4; ++wf) {
      const Rectangle area = output.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
      for (std::uint32_t r = 0; r < area.rows; ++r) {
        for (std::uint32_t b = 0; b < area.columns * 2; ++b) {
          expected.emplace(output.offset(area, r) + b, wf);
        }
      }
    }
    EXPECT_EQ(bytes, expected);
  }
}

TEST(TrackedGrid, ABlockOfTilesIsOneSlice) {
  const TrackedGrid grid = TrackedGrid::ofTiles(Tiling(64, 64, 2, 16, 16, 4, 2), 2);
  EXPECT_EQ(grid.slices(), 2U);
  EXPECT_EQ(grid.workgroup(1, 1), 12U);
  EXPECT_EQ(grid.tiles(1), (TileRange{4, 4}));
  EXPECT_EQ(grid.tiling(5).tiles(), 5U * 8);
}

}  // namespace
}  // namespace t3
