// SPDX-License-Identifier: Apache-2.0
// Walks over small outputs in steps of several sizes, and compares every byte that is met with the
// rectangles of the tiling.
#include "tlm/gpu/byte_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace t3 {
namespace {

using Owner = std::pair<std::uint32_t, std::uint32_t>;  ///< workgroup, wavefront

/// Every byte that a walk meets in steps of up to `most` bytes, with its owner.
std::map<std::uint64_t, Owner> walked(ByteWalk walk, std::uint64_t most) {
  std::map<std::uint64_t, Owner> bytes;
  while (!walk.atEnd()) {
    const std::uint64_t step = std::min(most, walk.left());
    for (std::uint64_t b = 0; b < step; ++b) {
      const Owner owner{walk.workgroup().value, walk.wavefront().value};
      EXPECT_TRUE(bytes.emplace(walk.offset() + b, owner).second) << "met twice";
    }
    walk.advance(step);
  }
  return bytes;
}

/// The same from the tiling, for outputs that follow one another.
std::map<std::uint64_t, Owner> expected(const Tiling& tiling, TileRange tiles,
                                        std::uint32_t outputs) {
  std::map<std::uint64_t, Owner> bytes;
  for (std::uint32_t o = 0; o < outputs; ++o) {
    for (std::uint32_t wg = tiles.first; wg < tiles.end(); ++wg) {
      for (std::uint32_t wf = 0; wf < tiling.liveWavefronts(WorkgroupId{wg}); ++wf) {
        const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
        for (std::uint32_t row = 0; row < area.rows; ++row) {
          const std::uint64_t first =
              ((std::uint64_t{area.row} + row) * tiling.columns() + area.column) *
              tiling.elementBytes();
          for (std::uint64_t b = 0; b < std::uint64_t{area.columns} * tiling.elementBytes(); ++b) {
            bytes[o * tiling.outputBytes() + first + b] = {o * tiling.tiles() + wg, wf};
          }
        }
      }
    }
  }
  return bytes;
}

const Tiling kCutAtTheEdges{40, 50, 2, 16, 32, 4, 1};  // 3 x 2 tiles
const Tiling kFullWidth{40, 32, 2, 16, 32, 4, 1};

TEST(ByteWalk, MeetsEveryByteOfTheTilesOnceWithItsWavefrontTile) {
  for (const std::uint64_t most : {2U, 6U, 64U, 1000U}) {
    EXPECT_EQ(walked({kCutAtTheEdges, {1, 4}}, most), expected(kCutAtTheEdges, {1, 4}, 1));
  }
}

TEST(ByteWalk, GoesOnOverOutputsThatFollowOneAnother) {
  EXPECT_EQ(walked({kCutAtTheEdges, {2, 2}, 3}, 64), expected(kCutAtTheEdges, {2, 2}, 3));
}

TEST(ByteWalk, AWavefrontTileAsWideAsTheOutputIsOneRun) {
  EXPECT_EQ(ByteWalk(kFullWidth, {0, 1}).left(), 4u * 32 * 2);
  EXPECT_EQ(ByteWalk(kCutAtTheEdges, {0, 1}).left(), 32u * 2);
  EXPECT_EQ(walked({kFullWidth, {0, 3}}, 100), expected(kFullWidth, {0, 3}, 1));
}

TEST(ByteWalk, IsAtItsEndBeforeItBegins) { EXPECT_TRUE(ByteWalk().atEnd()); }

}  // namespace
}  // namespace t3
