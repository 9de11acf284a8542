// SPDX-License-Identifier: Apache-2.0
// Method: the replacement against a list-based reference on random accesses; then whole GEMMs,
// walked without time, through the block model and through a 16-way cache of lines.
#include "tlm/gpu/l2_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "tests/support/seed.h"
#include "tests/tlm/gpu/line_cache.h"
#include "tlm/gpu/dispatch_order.h"

namespace t3 {
namespace {

using Lookup = L2Cache::Lookup;

TEST(L2Cache, AMissIsPendingUntilFilledAndThenHits) {
  L2Cache cache(1000, 4);
  EXPECT_EQ(cache.read(1, 100), Lookup::Miss);
  EXPECT_EQ(cache.read(1, 100), Lookup::Pending);
  cache.filled(1);
  EXPECT_EQ(cache.read(1, 100), Lookup::Hit);
  EXPECT_EQ(cache.usedBytes(), 100U);
}

TEST(L2Cache, TheLeastRecentlyUsedBlockGoesFirst) {
  L2Cache cache(300, 5);
  for (L2Cache::Block block : {0U, 1U, 2U}) {
    cache.read(block, 100);
    cache.filled(block);
  }
  cache.read(0, 100);
  EXPECT_EQ(cache.read(3, 100), Lookup::Miss);
  cache.filled(3);
  EXPECT_EQ(cache.read(0, 100), Lookup::Hit);
  EXPECT_EQ(cache.read(2, 100), Lookup::Hit);
  EXPECT_EQ(cache.read(1, 100), Lookup::Miss);
  EXPECT_TRUE(cache.displaced().empty());  // clean blocks leave silently
}

TEST(L2Cache, BlocksOnTheirWayInAreNotDisplaced) {
  L2Cache cache(200, 4);
  cache.read(0, 100);
  cache.read(1, 100);
  cache.read(2, 100);
  EXPECT_EQ(cache.usedBytes(), 300U);
  EXPECT_EQ(cache.read(0, 100), Lookup::Pending);
  for (L2Cache::Block block : {0U, 1U, 2U}) cache.filled(block);
  cache.read(3, 100);
  EXPECT_EQ(cache.usedBytes(), 200U);  // back inside the capacity
}

TEST(L2Cache, WritesAllocateWithoutAFetchAndLeaveAsWriteBacks) {
  L2Cache cache(200, 4);
  cache.write(0, 100);
  EXPECT_EQ(cache.read(0, 100), Lookup::Hit);
  cache.write(1, 100);
  cache.write(1, 100);
  EXPECT_EQ(cache.usedBytes(), 200U);
  cache.write(2, 100);
  cache.write(3, 100);
  EXPECT_EQ(cache.displaced(), (std::vector<L2Cache::Block>{0, 1}));
}

TEST(L2Cache, CleaningWalksTheDirtyBlocksOldestFirstAndKeepsThem) {
  L2Cache cache(1000, 4);
  cache.write(2, 100);
  cache.read(1, 100);
  cache.filled(1);
  cache.write(0, 100);
  L2Cache::Block block = 99;
  EXPECT_TRUE(cache.cleanOne(block));
  EXPECT_EQ(block, 2U);
  EXPECT_TRUE(cache.cleanOne(block));
  EXPECT_EQ(block, 0U);
  EXPECT_FALSE(cache.cleanOne(block));
  EXPECT_EQ(cache.read(2, 100), Lookup::Hit);
}

TEST(L2Cache, ReplacesExactlyAsAListInOrderOfUse) {
  std::mt19937_64 random(test::seed(3));
  constexpr std::uint32_t kBlocks = 60;
  constexpr std::uint64_t kCapacity = 2000;
  L2Cache cache(kCapacity, kBlocks);
  std::list<std::uint32_t> byUse;  // front: least recent
  std::map<std::uint32_t, bool> dirty;
  const auto sizeOf = [](std::uint32_t block) { return 50 + block % 7 * 20; };
  std::uint64_t used = 0;
  std::vector<L2Cache::Block> displaced;
  int misses = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto block = static_cast<std::uint32_t>(random() % kBlocks * (random() % kBlocks)) / 60;
    const bool write = random() % 4 == 0;
    const auto found = std::find(byUse.begin(), byUse.end(), block);
    const bool present = found != byUse.end();
    if (present) {
      byUse.erase(found);
    } else {
      ++misses;
      while (used + sizeOf(block) > kCapacity) {
        if (dirty[byUse.front()]) displaced.push_back(byUse.front());
        dirty[byUse.front()] = false;
        used -= sizeOf(byUse.front());
        byUse.pop_front();
      }
      used += sizeOf(block);
    }
    byUse.push_back(block);
    if (write) {
      dirty[block] = true;
      cache.write(block, sizeOf(block));
    } else {
      ASSERT_EQ(cache.read(block, sizeOf(block)), present ? Lookup::Hit : Lookup::Miss) << i;
      if (!present) cache.filled(block);
    }
    ASSERT_EQ(cache.usedBytes(), used);
  }
  EXPECT_EQ(cache.displaced(), displaced);
  EXPECT_GT(misses, 1000);
  EXPECT_GT(displaced.size(), 100U);
}

/// Hit rate over line reads of a GEMM walked through the block model.
struct BlockCount {
  std::uint64_t accesses = 0, misses = 0, fetchedBytes = 0, writtenBytes = 0;
};

BlockCount countBlocks(const Tiling& tiling, std::uint32_t depthBytes, std::uint32_t stepBytes,
                       std::uint64_t pitch, std::span<const WorkgroupId> order, std::uint32_t slots,
                       bool stores, const L2Config& l2) {
  const auto slabs = (depthBytes + l2.fetch_bytes - 1) / l2.fetch_bytes;
  const std::uint32_t operandBlocks = (tiling.tilesDown() + tiling.tilesAcross()) * slabs;
  L2Cache cache(l2.capacity_bytes, operandBlocks + tiling.tiles());
  BlockCount count;
  const auto drain = [&] {
    for (const L2Cache::Block block : cache.displaced()) {
      count.writtenBytes += tiling.bytes(tiling.tile(WorkgroupId{block - operandBlocks}));
    }
    cache.clearDisplaced();
  };
  const auto read = [&](std::uint32_t panel, std::uint32_t rows, std::uint32_t k) {
    const std::uint32_t slab = k / l2.fetch_bytes;
    const auto rowBytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(l2.fetch_bytes, pitch - slab * l2.fetch_bytes));
    count.accesses += rows;
    if (cache.read(panel * slabs + slab, rows * rowBytes) == Lookup::Miss) {
      cache.filled(panel * slabs + slab);
      count.misses += rows;
      count.fetchedBytes += std::uint64_t{rows} * rowBytes;
    }
    drain();
  };
  for (std::size_t wave = 0; wave < order.size(); wave += slots) {
    const auto running = order.subspan(wave, std::min<std::size_t>(slots, order.size() - wave));
    for (std::uint32_t k = 0; k < depthBytes; k += stepBytes) {
      for (const WorkgroupId wg : running) {
        read(wg.value / tiling.tilesAcross(), tiling.tile(wg).rows, k);
        read(tiling.tilesDown() + wg.value % tiling.tilesAcross(), tiling.tile(wg).columns, k);
      }
    }
    if (!stores) continue;
    for (const WorkgroupId wg : running) {
      cache.write(operandBlocks + wg.value,
                  static_cast<std::uint32_t>(tiling.bytes(tiling.tile(wg))));
      drain();
    }
  }
  return count;
}

struct Agreement {
  const char* name;
  std::uint32_t rows, columns, depth, chunks;
  std::uint64_t capacity;
  bool stores;
};

class L2Agreement : public testing::TestWithParam<Agreement> {};

/// The promise of the block model (issue: hit rate within one percentage point).
TEST_P(L2Agreement, BlockModelHitsAsOftenAsALineAccurateCache) {
  const Agreement& p = GetParam();
  L2Config l2;
  l2.capacity_bytes = p.capacity;
  const GemmConfig gemm;
  const Tiling tiling(p.rows, p.columns, 2, gemm.tile_rows, gemm.tile_columns, gemm.wavefronts,
                      p.chunks);
  const auto chunks = ringChunkOrder(GpuId{0}, p.chunks);
  const auto order = dispatchOrder(tiling, chunks, WorkgroupOrder::Swizzled, gemm.swizzle_rows);
  const std::uint32_t depthBytes = p.depth * 2;
  const std::uint64_t pitch = (depthBytes + 255) / 256 * 256;
  const std::uint64_t b = (p.rows * pitch + 0xfffff) & ~0xfffffULL;
  const test::WalkLayout layout{0, b, 2 * b + p.columns * pitch, pitch};

  const auto lines =
      test::countLines(tiling, depthBytes, gemm.k_step * 2, layout, order, 80, p.stores, l2);
  const auto blocks =
      countBlocks(tiling, depthBytes, gemm.k_step * 2, pitch, order, 80, p.stores, l2);

  ASSERT_EQ(lines.accesses, blocks.accesses);
  const auto missRate = [](const auto& c) {
    return 100.0 * static_cast<double>(c.misses) / static_cast<double>(c.accesses);
  };
  std::printf(
      "%-22s hit rate: lines %.2f %%, blocks %.2f %%; read MB: lines %.1f, blocks %.1f; "
      "written back before the end MB: lines %.1f, blocks %.1f\n",
      p.name, 100 - missRate(lines), 100 - missRate(blocks),
      static_cast<double>(lines.fetchedBytes) / 1e6, static_cast<double>(blocks.fetchedBytes) / 1e6,
      static_cast<double>(lines.writtenBytes) / 1e6,
      static_cast<double>(blocks.writtenBytes) / 1e6);
  EXPECT_GT(lines.misses, 0U);
  EXPECT_NEAR(missRate(blocks), missRate(lines), 1.0);
}

constexpr std::uint64_t kMiB = 1 << 20;
INSTANTIATE_TEST_SUITE_P(
    Small, L2Agreement,
    testing::Values(Agreement{"fits", 1024, 1024, 512, 1, 16 * kMiB, false},
                    Agreement{"one_wave_fits", 2048, 2048, 512, 1, 2 * kMiB, false},
                    Agreement{"nothing_fits", 2048, 2048, 1024, 1, kMiB / 2, false},
                    Agreement{"edges", 1100, 1300, 400, 1, kMiB, false},
                    Agreement{"with_stores", 2048, 2048, 512, 2, 4 * kMiB, true}),
    [](const auto& instance) { return std::string(instance.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Presets, L2Agreement,
    testing::Values(Agreement{"t_nlg_op_tp8", 8192, 4256, 532, 8, 16 * kMiB, true},
                    Agreement{"t_nlg_fc2_tp8", 8192, 4256, 2128, 8, 16 * kMiB, true},
                    Agreement{"t_nlg_fc2_tp8_bypass", 8192, 4256, 2128, 8, 16 * kMiB, false},
                    Agreement{"mega_gpt_2_fc2_tp8", 16384, 3072, 1536, 8, 16 * kMiB, true},
                    Agreement{"mega_gpt_2_fc2_bypass", 16384, 3072, 1536, 8, 16 * kMiB, false}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace t3
