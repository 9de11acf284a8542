// SPDX-License-Identifier: Apache-2.0
// Method: whatever the policy, the order is a permutation of the tiles, chunk by chunk; the shape
// of each policy is checked on grids small enough to write down.
#include "tlm/gpu/gemm_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/seed.h"

namespace t3::dispatch_order_test {
namespace {

/// A tiling of `down` x `across` one-element tiles.
Tiling grid(std::uint32_t down, std::uint32_t across, std::uint32_t chunks) {
  return {{down, across, 2}, {1, 1, 1}, chunks};
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

// ---- slabs --------------------------------------------------------------------------------------

Ids slabs(const Tiling& tiling, const std::vector<ChunkId>& chunks, std::uint32_t rows,
          std::uint32_t bandRows, bool serpentine = false) {
  Ids ids;
  for (const WorkgroupId wg :
       slabOrder(tiling, chunks, rows, {WorkgroupOrder::Swizzled, bandRows, serpentine})) {
    ids.push_back(wg.value);
  }
  return ids;
}

TEST(DispatchOrder, SideBySideABandIsAsHighOverAllChunksTogether) {
  // Two chunks of four rows of two tiles: 0 … 7 and 8 … 15.
  const Tiling tiling = grid(8, 2, 2);
  const std::vector<ChunkId> both{ChunkId{0}, ChunkId{1}};
  const auto ids = [&](std::uint32_t swizzleRows) {
    Ids list;
    for (const WorkgroupId wg :
         dispatchOrder(tiling, both, {WorkgroupOrder::Swizzled, swizzleRows, false}, true)) {
      list.push_back(wg.value);
    }
    return list;
  };
  const Ids ofOneRow{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
  EXPECT_EQ(ids(4), (Ids{0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15}))
      << "two rows of each";
  EXPECT_EQ(ids(3), ofOneRow);
  EXPECT_EQ(ids(2), ofOneRow);
  EXPECT_EQ(ids(1), ofOneRow) << "at least a row of each";
}

TEST(SlabOrder, NamesEveryTileOnceAndFinishesTheSameRowsOfAllChunksBeforeTheNext) {
  std::mt19937_64 random(test::seed(11));
  for (int round = 0; round < 200; ++round) {
    const auto upTo = [&](std::uint32_t limit) {
      return static_cast<std::uint32_t>(random() % limit) + 1;
    };
    const std::uint32_t chunks = upTo(8);
    // Chunks of any number of tiles: they begin and end anywhere in a row of tiles.
    const std::uint32_t across = upTo(20);
    std::uint32_t down = upTo(12);
    while (down * across % chunks != 0) ++down;
    const Tiling tiling = grid(down, across, chunks);
    std::vector<ChunkId> sequence;
    for (std::uint32_t c = 0; c < chunks; ++c) sequence.push_back(ChunkId{c});
    std::shuffle(sequence.begin(), sequence.end(), random);
    const std::uint32_t rows = upTo(4);
    Ids ids = slabs(tiling, sequence, rows, upTo(10), random() % 2 == 0);
    std::uint32_t slab = 0;
    for (const std::uint32_t id : ids) {
      const std::uint32_t first = tiling.chunk(tiling.chunkOf(WorkgroupId{id})).first;
      const std::uint32_t of = (id - first) / (rows * across);
      ASSERT_GE(of, slab);
      slab = of;
    }
    std::sort(ids.begin(), ids.end());
    Ids all(tiling.tiles());
    std::iota(all.begin(), all.end(), 0U);
    ASSERT_EQ(ids, all);
  }
}

TEST(SlabOrder, ABandHoldsRowsOfSeveralChunksColumnByColumn) {
  const Tiling tiling = grid(6, 3, 3);  // chunks of two rows: 0…5, 6…11, 12…17
  const std::vector<ChunkId> order{ChunkId{2}, ChunkId{1}, ChunkId{0}};
  EXPECT_EQ(slabs(tiling, order, 1, 2),
            (Ids{12, 6, 13, 7, 14, 8, 0, 1, 2, 15, 9, 16, 10, 17, 11, 3, 4, 5}));
  EXPECT_EQ(slabs(tiling, order, 2, 2),
            (Ids{12, 15, 13, 16, 14, 17, 6, 9, 7, 10, 8, 11, 0, 3, 1, 4, 2, 5}))
      << "one slab: chunk by chunk";
}

TEST(SlabOrder, ABandIsNoHigherThanAChunk) {
  const Tiling tiling = grid(4, 2, 2);  // chunks of two rows
  const std::vector<ChunkId> order{ChunkId{0}, ChunkId{1}};
  EXPECT_EQ(slabs(tiling, order, 2, 8), slabs(tiling, order, 2, 2));
}

TEST(SlabOrder, SideBySideTheSameTilesOfAllChunksFollowOneAnother) {
  const Tiling tiling = grid(6, 2, 3);  // chunks of two rows: 0…3, 4…7, 8…11
  const std::vector<ChunkId> order{ChunkId{2}, ChunkId{1}, ChunkId{0}};
  const TileWalk walk{WorkgroupOrder::RowMajor, 1, false};
  Ids ids;
  for (const WorkgroupId wg : slabOrder(tiling, order, 1, walk, SlabBands::WholeSlab))
    ids.push_back(wg.value);
  EXPECT_EQ(ids, (Ids{8, 4, 0, 9, 5, 1, 10, 6, 2, 11, 7, 3}));
}

TEST(SlabOrder, ChunksThatArePartOfATileRowShareABand) {
  const Tiling tiling = grid(2, 4, 4);  // chunks of half a row
  EXPECT_EQ(slabs(tiling, {ChunkId{0}, ChunkId{1}, ChunkId{2}, ChunkId{3}}, 1, 8),
            (Ids{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(SlabOrder, ARowOfAChunkThatStartsInsideATileRowGoesOnInTheNext) {
  const Tiling tiling = grid(3, 4, 2);  // chunk 1: tiles 6 … 11, its first row 6 … 9
  EXPECT_EQ(slabs(tiling, {ChunkId{1}, ChunkId{0}}, 1, 1),
            (Ids{8, 9, 6, 7, 0, 1, 2, 3, 10, 11, 4, 5}));
}

}  // namespace
}  // namespace t3::dispatch_order_test
