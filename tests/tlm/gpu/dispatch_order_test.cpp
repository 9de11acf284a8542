// SPDX-License-Identifier: Apache-2.0
// Method: whatever the policy, the order is a permutation of the tiles, chunk by chunk; the shape
// of each policy is checked on grids small enough to write down.
#include "tlm/gpu/dispatch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/seed.h"

namespace t3 {
namespace {

/// A tiling of `down` x `across` one-element tiles.
Tiling grid(std::uint32_t down, std::uint32_t across, std::uint32_t chunks) {
  return {down, across, 2, 1, 1, 1, chunks};
}

std::vector<std::uint32_t> order(const Tiling& tiling, const std::vector<ChunkId>& chunks,
                                 WorkgroupOrder policy, std::uint32_t swizzleRows = 2,
                                 bool serpentine = false) {
  std::vector<std::uint32_t> ids;
  for (const WorkgroupId wg : dispatchOrder(tiling, chunks, {policy, swizzleRows, serpentine})) {
    ids.push_back(wg.value);
  }
  return ids;
}

using Ids = std::vector<std::uint32_t>;
constexpr WorkgroupOrder kPolicies[] = {WorkgroupOrder::RowMajor, WorkgroupOrder::ColumnMajor,
                                        WorkgroupOrder::Swizzled};

TEST(DispatchOrder, EveryPolicyNamesEveryTileOnceAndKeepsTheChunksInOrder) {
  std::mt19937_64 random(test::seed(7));
  for (int round = 0; round < 100; ++round) {
    const auto upTo = [&](std::uint32_t limit) {
      return static_cast<std::uint32_t>(random() % limit) + 1;
    };
    const std::uint32_t chunks = upTo(6);
    const Tiling tiling = grid(upTo(9) * chunks, upTo(20), chunks);
    std::vector<ChunkId> sequence;
    for (std::uint32_t c = 0; c < chunks; ++c) sequence.push_back(ChunkId{c});
    std::shuffle(sequence.begin(), sequence.end(), random);
    for (const WorkgroupOrder policy : kPolicies) {
      Ids ids = order(tiling, sequence, policy, upTo(10), random() % 2 == 0);
      ASSERT_EQ(ids.size(), tiling.tiles());
      const std::uint32_t perChunk = tiling.tiles() / chunks;
      for (std::uint32_t i = 0; i < ids.size(); ++i) {
        ASSERT_EQ(tiling.chunkOf(WorkgroupId{ids[i]}), sequence[i / perChunk]);
      }
      std::sort(ids.begin(), ids.end());
      Ids all(tiling.tiles());
      std::iota(all.begin(), all.end(), 0U);
      ASSERT_EQ(ids, all);
    }
  }
}

TEST(DispatchOrder, PoliciesDifferInTheHeightOfTheirBands) {
  const Tiling tiling = grid(4, 3, 1);
  const std::vector<ChunkId> all{ChunkId{0}};
  EXPECT_EQ(order(tiling, all, WorkgroupOrder::RowMajor),
            (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(order(tiling, all, WorkgroupOrder::ColumnMajor),
            (Ids{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  EXPECT_EQ(order(tiling, all, WorkgroupOrder::Swizzled),
            (Ids{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

TEST(DispatchOrder, SerpentineTurnsEverySecondBandAroundAlsoAcrossChunks) {
  const Tiling one = grid(4, 3, 1);
  EXPECT_EQ(order(one, {ChunkId{0}}, WorkgroupOrder::Swizzled, 2, true),
            (Ids{0, 3, 1, 4, 2, 5, 8, 11, 7, 10, 6, 9}));
  const Tiling two = grid(4, 3, 2);  // chunk 0: rows 0, 1
  EXPECT_EQ(order(two, {ChunkId{1}, ChunkId{0}}, WorkgroupOrder::ColumnMajor, 0, true),
            (Ids{6, 9, 7, 10, 8, 11, 2, 5, 1, 4, 0, 3}));
}

TEST(DispatchOrder, ChunksOfWholeBandsAreWalkedAsTheWholeOutputIs) {
  // T3 runs the baseline's kernel: from each chunk on, the order is that of the whole output.
  const Tiling tiling = grid(8, 5, 4);
  Ids byChunk =
      order(tiling, {ChunkId{2}, ChunkId{3}, ChunkId{0}, ChunkId{1}}, WorkgroupOrder::Swizzled, 2);
  std::rotate(byChunk.begin(), byChunk.begin() + 20, byChunk.end());
  EXPECT_EQ(byChunk, order(tiling, {}, WorkgroupOrder::Swizzled, 2));
}

TEST(DispatchOrder, BandsStartAtTheChunkNotAtTheOutput) {
  const Tiling tiling = grid(6, 2, 2);  // chunk 1: rows 3, 4, 5
  EXPECT_EQ(order(tiling, {ChunkId{1}}, WorkgroupOrder::Swizzled), (Ids{6, 8, 7, 9, 10, 11}));
}

TEST(DispatchOrder, AChunkThatIsPartOfATileRowRunsAlongIt) {
  const Tiling tiling = grid(2, 8, 4);
  for (const WorkgroupOrder policy : kPolicies) {
    EXPECT_EQ(order(tiling, {ChunkId{3}, ChunkId{0}}, policy), (Ids{12, 13, 14, 15, 0, 1, 2, 3}));
  }
}

TEST(DispatchOrder, AChunkThatStartsInsideATileRowHasNoTileOfItsNeighbours) {
  const Tiling tiling = grid(3, 4, 2);  // chunk 1: tiles 6 … 11
  EXPECT_EQ(order(tiling, {ChunkId{1}}, WorkgroupOrder::ColumnMajor), (Ids{8, 9, 6, 10, 7, 11}));
}

TEST(DispatchOrder, WithoutChunksTheWholeOutputIsOne) {
  const Tiling tiling = grid(4, 2, 4);
  EXPECT_EQ(order(tiling, {}, WorkgroupOrder::ColumnMajor), (Ids{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(DispatchOrder, SideBySideTakesOneTileOfEachChunkInTurn) {
  const Tiling tiling = grid(4, 2, 2);  // chunks of two rows: 0 1 / 2 3 and 4 5 / 6 7
  const auto ids = [&](WorkgroupOrder policy) {
    Ids list;
    for (const WorkgroupId wg :
         dispatchOrder(tiling, std::vector<ChunkId>{ChunkId{1}, ChunkId{0}}, {policy, 1}, true)) {
      list.push_back(wg.value);
    }
    return list;
  };
  EXPECT_EQ(ids(WorkgroupOrder::RowMajor), (Ids{4, 0, 5, 1, 6, 2, 7, 3}));
  EXPECT_EQ(ids(WorkgroupOrder::ColumnMajor), (Ids{4, 0, 6, 2, 5, 1, 7, 3}));
}

}  // namespace
}  // namespace t3
