// SPDX-License-Identifier: Apache-2.0
// Method: every byte of the output is given to the tile that it lies in, element by element. The
// bytes of a run of tiles, in order of address, are then compared with the segments, and the place
// of each byte in a chunk without gaps with how many bytes of the chunk lie before it.
#include "tlm/gpu/chunk_segments.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace t3 {
namespace {

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
Tiling cutTiles(std::uint32_t chunks) { return {18, 30, 2, 4, 8, 2, chunks}; }

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
}  // namespace t3
