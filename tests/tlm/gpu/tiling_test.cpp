// SPDX-License-Identifier: Apache-2.0
// Method: every element of the output is painted with the tile that claims it; every byte that a
// segment has with the rectangles of the tiling. Orders of rings, and shapes of the paper, are
// written down by hand.
#include "tlm/gpu/tiling.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "tests/support/seed.h"
#include "tlm/collectives/route.h"

namespace t3::tiling_test {
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
    const Tiling tiling({upTo(90), upTo(90), 2}, {upTo(40), upTo(40), upTo(8)}, 1);
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
  const Tiling tiling({300, 500, 2}, {100, 125, 4}, 1);
  EXPECT_EQ(tiling.tilesDown(), 3U);
  EXPECT_EQ(tiling.tilesAcross(), 4U);
  EXPECT_EQ(tiling.tile(WorkgroupId{0}), (Rectangle{0, 0, 100, 125}));
  EXPECT_EQ(tiling.tile(WorkgroupId{3}), (Rectangle{0, 375, 100, 125}));
  EXPECT_EQ(tiling.tile(WorkgroupId{4}), (Rectangle{100, 0, 100, 125}));
}

TEST(Tiling, TNlgHasThirtyThreeAndAQuarterTilesAcross) {
  const Tiling tiling({8192, 4256, 2}, {128, 128, 8}, 8);
  EXPECT_EQ(tiling.tilesAcross(), 34U);
  EXPECT_EQ(tiling.tile(WorkgroupId{33}), (Rectangle{0, 33 * 128, 128, 32}));
  EXPECT_EQ(tiling.bytes(tiling.wavefrontTile(WorkgroupId{0}, WavefrontId{0})), 4096U);
  EXPECT_EQ(tiling.bytes(tiling.wavefrontTile(WorkgroupId{33}, WavefrontId{7})), 1024U);
  EXPECT_EQ(tiling.chunk(ChunkId{1}), (TileRange{272, 272}));  // eight whole tile rows
  EXPECT_EQ(tiling.chunkBytes(ChunkId{1}), 1024U * 4256 * 2);
}

TEST(Tiling, WavefrontTilesBelowTheLowerEdgeAreShortOrEmpty) {
  const Tiling tiling({128 + 20, 64, 2}, {128, 64, 8}, 1);
  const WorkgroupId last{1};
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{0}), (Rectangle{128, 0, 16, 64}));
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{1}), (Rectangle{144, 0, 4, 64}));
  EXPECT_EQ(tiling.wavefrontTile(last, WavefrontId{2}).rows, 0U);
  EXPECT_EQ(tiling.liveWavefronts(last), 2U);
}

TEST(Tiling, OffsetsAreThoseOfADenseRowMajorArray) {
  const Tiling tiling({256, 300, 4}, {128, 128, 8}, 1);
  const Rectangle area = tiling.wavefrontTile(WorkgroupId{4}, WavefrontId{2});
  EXPECT_EQ(tiling.offset(area, 3), ((128 + 2 * 16 + 3) * 300ULL + 128) * 4);
}

TEST(Tiling, ChunksPartitionTheTilesAndTheBytes) {
  const Tiling tiling({2048, 20480, 2}, {128, 128, 8}, 32);
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
        const Tiling tiling({8 * tiles, 8, 2}, {8, 8, 1}, chunks, unit);
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

TEST(RingChunkOrder, StartsBehindTheGpuAndEndsAtItsOwnChunk) {
  const auto order = ringChunkOrder(GpuId{1}, 4);
  EXPECT_EQ(order, (std::vector{ChunkId{0}, ChunkId{3}, ChunkId{2}, ChunkId{1}}));
}

TEST(RingChunkOrder, FirstChunkOfAGpuIsTheSecondOfTheNext) {
  for (std::uint32_t gpus : {2U, 4U, 8U}) {
    for (std::uint32_t g = 0; g < gpus; ++g) {
      const auto mine = ringChunkOrder(GpuId{g}, gpus);
      const auto next = ringChunkOrder(GpuId{(g + 1) % gpus}, gpus);
      ASSERT_EQ(mine.size(), gpus);
      EXPECT_EQ(mine.back(), ChunkId{g}) << "the chunk that stays";
      for (std::uint32_t i = 0; i + 1 < gpus; ++i) EXPECT_EQ(mine[i], next[i + 1]);
    }
  }
}

TEST(RingChunkOrder, TwoRingsTurnAgainstEachOther) {
  // GPU 1 of 4: forward it sends what ends at 0, 3, 2, backward what ends at 2, 3, 0.
  const auto order = ringChunkOrder(GpuId{1}, 4, 2);
  const std::vector<ChunkId> expected = {ChunkId{0}, ChunkId{5}, ChunkId{6}, ChunkId{7},
                                         ChunkId{4}, ChunkId{1}, ChunkId{2}, ChunkId{3}};
  EXPECT_EQ(order, expected);
  EXPECT_EQ((RingPath{4, 2, 0}.next(GpuId{3})), GpuId{0});
  EXPECT_EQ((RingPath{4, 2, 1}.next(GpuId{0})), GpuId{3});
  EXPECT_EQ((RingPath{4, 2, 1}.previous(GpuId{3})), GpuId{0});
  EXPECT_EQ((RingPath{4, 4, 2}.next(GpuId{3})), GpuId{0}) << "every other ring turns alike";
  EXPECT_EQ((RingPath{4, 4, 3}.next(GpuId{3})), GpuId{2});
}

TEST(RingRoute, IsOneRingUnlessTheLinksHaveMore) {
  const auto one = kRingRoute.make({.gpus = 4});
  EXPECT_EQ(one->size().ports, 1U);
  EXPECT_EQ(one->chunks(), 4U);
  EXPECT_EQ(one->peer(GpuId{3}, 0), GpuId{0});
  const auto two = kRingRoute.make({.gpus = 4, .rings = 2});
  EXPECT_EQ(two->size().ports, 2U);
  EXPECT_EQ(two->chunks(), 8U);
  EXPECT_EQ(two->peer(GpuId{3}, 1), GpuId{2});
}

/// Offsets of all bytes of `tiles`, in order of address.
std::vector<std::uint64_t> bytesOf(const Tiling& tiling, TileRange tiles) {
  std::vector<std::uint64_t> bytes;
  for (std::uint64_t offset = 0; offset < tiling.outputBytes(); ++offset) {
    const std::uint64_t row = offset / tiling.pitchBytes();
    const std::uint64_t column = offset % tiling.pitchBytes() / tiling.elementBytes();
    const std::uint64_t tile =
        row / tiling.tileRows() * tiling.tilesAcross() + column / tiling.tileColumns();
    if (tile >= tiles.first && tile < tiles.end()) bytes.push_back(offset);
  }
  return bytes;
}

std::vector<std::uint64_t> bytesOf(const std::vector<Segment>& segments) {
  std::vector<std::uint64_t> bytes;
  for (const Segment& segment : segments) {
    const std::size_t before = bytes.size();
    bytes.resize(before + segment.bytes);
    std::iota(bytes.begin() + static_cast<std::ptrdiff_t>(before), bytes.end(), segment.offset);
  }
  return bytes;
}

/// 20 tiles, 5 down and 4 across; the last ones are cut by the edges of the output.
Tiling cutTiles(std::uint32_t chunks) { return {{18, 30, 2}, {4, 8, 2}, chunks}; }

TEST(Segments, CoverTheBytesOfAnyRunOfTilesInOrderOfAddressWithoutANeedlessCut) {
  const Tiling tiling = cutTiles(1);
  for (std::uint32_t first = 0; first < tiling.tiles(); ++first) {
    for (std::uint32_t end = first + 1; end <= tiling.tiles(); ++end) {
      const TileRange tiles{first, end - first};
      const auto segments = segmentsOf(tiling, tiles);
      ASSERT_EQ(bytesOf(segments), bytesOf(tiling, tiles)) << first << " to " << end;
      for (std::size_t i = 1; i < segments.size(); ++i) {
        ASSERT_LT(segments[i - 1].offset + segments[i - 1].bytes, segments[i].offset)
            << first << " to " << end;
      }
    }
  }
}

TEST(Segments, WholeTileRowsAreOneSegmentAndAPartOfOneIsASegmentPerRowOfElements) {
  const Tiling tiling = cutTiles(1);
  EXPECT_EQ(segmentsOf(tiling, {4, 8}), (std::vector<Segment>{{4 * 60, 8 * 60}}));
  EXPECT_EQ(segmentsOf(tiling, {5, 2}),
            (std::vector<Segment>{{256, 32}, {316, 32}, {376, 32}, {436, 32}}));
  EXPECT_TRUE(segmentsOf(tiling, {5, 0}).empty());
}

TEST(ChunkSegments, ThePlaceOfAByteIsTheNumberOfBytesOfTheChunkBeforeIt) {
  for (const std::uint32_t chunks : {1U, 2U, 4U, 5U, 10U, 20U}) {
    const Tiling tiling = cutTiles(chunks);
    std::uint64_t total = 0;
    for (std::uint32_t c = 0; c < chunks; ++c) {
      const ChunkSegments chunk(tiling, ChunkId{c});
      const auto bytes = bytesOf(tiling, tiling.chunk(ChunkId{c}));
      ASSERT_EQ(chunk.bytes(), bytes.size());
      std::size_t next = 0;
      for (std::uint64_t offset = 0; offset < tiling.outputBytes(); ++offset) {
        const bool inside = next < bytes.size() && bytes[next] == offset;
        const auto expected = inside ? std::optional<std::uint64_t>(next++) : std::nullopt;
        ASSERT_EQ(chunk.denseOffset(offset, 1), expected) << "chunk " << c << ", byte " << offset;
        if (!inside) continue;
        const Segment rest = chunk.from(*expected);
        ASSERT_EQ(rest.offset, offset);
        ASSERT_TRUE(chunk.denseOffset(offset, rest.bytes)) << "to the end of the segment";
        ASSERT_FALSE(chunk.denseOffset(offset, rest.bytes + 1));
      }
      total += chunk.bytes();
    }
    EXPECT_EQ(total, tiling.outputBytes());
  }
}

TEST(ChunkSegments, ARunOfBytesHasAPlaceOnlyInsideOneSegment) {
  const Tiling tiling = cutTiles(10);  // chunk 3: tiles 6 and 7, the right half of a tile row
  const ChunkSegments chunk(tiling, ChunkId{3});
  ASSERT_EQ(chunk.size(), 4U);
  const Segment second = chunk[1];
  EXPECT_EQ(second, (Segment{5 * 60 + 32, 28}));
  EXPECT_EQ(chunk.denseOffset(second.offset, 28), 28U);
  EXPECT_EQ(chunk.denseOffset(second.offset + 4, 24), 32U);
  EXPECT_EQ(chunk.denseOffset(second.offset + 4, 25), std::nullopt) << "one byte past its end";
  EXPECT_EQ(chunk.denseOffset(second.offset - 1, 2), std::nullopt) << "one byte before it";
  EXPECT_EQ(chunk.denseOffset(chunk[0].offset - 1, 1), std::nullopt) << "before the chunk";
  EXPECT_EQ(chunk.denseOffset(chunk[3].offset + 28, 1), std::nullopt) << "behind the chunk";
}

}  // namespace
}  // namespace t3::tiling_test
