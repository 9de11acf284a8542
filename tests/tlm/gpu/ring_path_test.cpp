// SPDX-License-Identifier: Apache-2.0
// Who sends to whom on a ring, and in which order the chunks travel: compared with orders written
// down by hand, and with what has to hold between neighbours.
#include "tlm/gpu/ring_path.h"

#include <gtest/gtest.h>

#include "tlm/collectives/collective_route.h"
#include "tlm/gpu/tiling.h"

namespace t3 {
namespace {

TEST(RingChunkOrder, StartsBehindTheGpuAndEndsAtItsOwnChunk) {
  const auto order = ringChunkOrder(GpuId{1}, 4);
  EXPECT_EQ(order, (std::vector{ChunkId{0}, ChunkId{3}, ChunkId{2}, ChunkId{1}}));
}

TEST(RingChunkOrder, NoTwoGpusProduceTheSameChunkAtTheSamePlace) {
  for (std::uint32_t place = 0; place < 8; ++place) {
    std::vector<bool> seen(8);
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
      const ChunkId chunk = ringChunkOrder(GpuId{gpu}, 8).at(place);
      EXPECT_FALSE(seen.at(chunk.value));
      seen.at(chunk.value) = true;
    }
  }
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
  EXPECT_EQ(one->ports(), 1U);
  EXPECT_EQ(one->chunks(), 4U);
  EXPECT_EQ(one->peer(GpuId{3}, 0), GpuId{0});
  const auto two = kRingRoute.make({.gpus = 4, .rings = 2});
  EXPECT_EQ(two->ports(), 2U);
  EXPECT_EQ(two->chunks(), 8U);
  EXPECT_EQ(two->peer(GpuId{3}, 1), GpuId{2});
}

}  // namespace
}  // namespace t3
