// SPDX-License-Identifier: Apache-2.0
// Method: paint every element of the output with the tile that claims it, and compare with what a
// person would count on paper for the shapes of the paper.
#include "tlm/gpu/tiling.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace t3 {
namespace {

/// How many of `areas` claim each element.
std::vector<int> paint(const Tiling& tiling, const std::vector<Rectangle>& areas) {
  std::vector<int> claims(std::size_t{tiling.rows()} * tiling.columns());
  for (const Rectangle& area : areas) {
    for (std::uint32_t row = 0; row < area.rows; ++row) {
      for (std::uint32_t column = 0; column < area.columns; ++column) {
        ++claims.at(std::size_t{area.row + row} * tiling.columns() + area.column + column);
      }
    }
  }
  return claims;
}

TEST(Tiling, TilesAndWavefrontTilesCoverEveryElementOnce) {
  std::mt19937_64 random(test::seed(11));
  for (int round = 0; round < 40; ++round) {
    const auto upTo = [&](std::uint32_t limit) {
      return static_cast<std::uint32_t>(random() % limit) + 1;
    };
    const Tiling tiling(upTo(90), upTo(90), 2, upTo(40), upTo(40), upTo(8), 1);
    std::vector<Rectangle> tiles, bands;
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      tiles.push_back(tiling.tile(WorkgroupId{wg}));
      std::uint32_t live = 0;
      for (std::uint32_t wf = 0; wf < tiling.wavefronts(); ++wf) {
        bands.push_back(tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf}));
        if (bands.back().elements() > 0) ++live;
      }
      EXPECT_EQ(tiling.liveWavefronts(WorkgroupId{wg}), live);
    }
    const std::vector<int> once(std::size_t{tiling.rows()} * tiling.columns(), 1);
    EXPECT_EQ(paint(tiling, tiles), once);
    EXPECT_EQ(paint(tiling, bands), once);
  }
}

TEST(Tiling, IdsRunAlongTheRowsOfTheOutput) {
  const Tiling tiling(300, 500, 2, 100, 125, 4, 1);
  EXPECT_EQ(tiling.tilesDown(), 3U);
  EXPECT_EQ(tiling.tilesAcross(), 4U);
  EXPECT_EQ(tiling.tile(WorkgroupId{0}), (Rectangle{0, 0, 100, 125}));
  EXPECT_EQ(tiling.tile(WorkgroupId{3}), (Rectangle{0, 375, 100, 125}));
  EXPECT_EQ(tiling.tile(WorkgroupId{4}), (Rectangle{100, 0, 100, 125}));
}

TEST(Tiling, TNlgHasThirtyThreeAndAQuarterTilesAcross) {
  const Tiling tiling(8192, 4256, 2, 128, 128, 8, 8);
  EXPECT_EQ(tiling.tilesAcross(), 34U);
  EXPECT_EQ(tiling.tile(WorkgroupId{33}), (Rectangle{0, 33 * 128, 128, 32}));
  EXPECT_EQ(tiling.bytes(tiling.wavefrontTile(WorkgroupId{0}, WavefrontId{0})), 4096U);
  EXPECT_EQ(tiling.bytes(tiling.wavefrontTile(WorkgroupId{33}, WavefrontId{7})), 1024U);
  EXPECT_EQ(tiling.chunk(ChunkId{1}), (TileRange{272, 272}));  // eight whole tile rows
  EXPECT_EQ(tiling.chunkBytes(ChunkId{1}), 1024U * 4256 * 2);
}

TEST(Tiling, WavefrontTilesBelowTheLowerEdgeAreShortOrEmpty) {
  const Tiling tiling(128 + 20, 64, 2, 128, 64, 8, 1);
  const WorkgroupId last{1};
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{0}), (Rectangle{128, 0, 16, 64}));
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{1}), (Rectangle{144, 0, 4, 64}));
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{2}).rows, 0U);
  EXPECT_EQ(tiling.liveWavefronts(last), 2U);
}

TEST(Tiling, OffsetsAreThoseOfADenseRowMajorArray) {
  const Tiling tiling(256, 300, 4, 128, 128, 8, 1);
  const Rectangle area = tiling.wavefrontTile(WorkgroupId{4}, WavefrontId{2});
  EXPECT_EQ(tiling.offset(area, 3), ((128 + 2 * 16 + 3) * 300ULL + 128) * 4);
}

TEST(Tiling, ChunksPartitionTheTilesAndTheBytes) {
  const Tiling tiling(2048, 20480, 2, 128, 128, 8, 32);
  std::uint64_t bytes = 0;
  std::uint32_t next = 0;
  for (std::uint32_t c = 0; c < 32; ++c) {
    const TileRange range = tiling.chunk(ChunkId{c});
    EXPECT_EQ(range.first, next);
    EXPECT_EQ(range.count, 80U);  // half a tile row
    EXPECT_EQ(tiling.chunkOf(WorkgroupId{range.first}), ChunkId{c});
    EXPECT_EQ(tiling.chunkOf(WorkgroupId{range.end() - 1}), ChunkId{c});
    next = range.end();
    bytes += tiling.chunkBytes(ChunkId{c});
  }
  EXPECT_EQ(next, tiling.tiles());
  EXPECT_EQ(bytes, tiling.outputBytes());
}

TEST(Tiling, ChunksDifferByOneUnitAtMostHoweverManyThereAre) {
  for (std::uint32_t tiles = 1; tiles <= 40; ++tiles) {
    for (std::uint32_t chunks = 1; chunks <= 17; ++chunks) {
      for (const std::uint32_t unit : {1U, 2U, 4U, 5U}) {
        SCOPED_TRACE(testing::Message() << tiles << " tiles, " << chunks << " chunks, " << unit);
        const Tiling tiling(8 * tiles, 8, 2, 8, 8, 1, chunks, unit);
        const std::uint32_t units = (tiles + unit - 1) / unit;
        std::uint32_t next = 0;
        for (std::uint32_t c = 0; c < chunks; ++c) {
          const TileRange range = tiling.chunk(ChunkId{c});
          ASSERT_EQ(range.first, next);
          const std::uint32_t ofChunk = (range.count + unit - 1) / unit;
          ASSERT_TRUE(ofChunk == units / chunks || ofChunk == (units + chunks - 1) / chunks);
          ASSERT_TRUE(range.count % unit == 0 || range.end() == tiles);
          for (std::uint32_t wg = range.first; wg < range.end(); ++wg) {
            ASSERT_EQ(tiling.chunkOf(WorkgroupId{wg}), ChunkId{c});
          }
          next = range.end();
        }
        ASSERT_EQ(next, tiles);
      }
    }
  }
}

}  // namespace
}  // namespace t3
