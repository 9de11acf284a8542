// SPDX-License-Identifier: Apache-2.0
// Method: the share of a block that survives, against a 16-way cache of lines that is filled and
// read for real; then whole GEMMs, walked without time, through both.
#include "tlm/gpu/l2_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <random>

#include "tests/support/seed.h"
#include "tests/tlm/gpu/line_cache.h"
#include "tlm/gpu/gemm_order.h"

namespace t3::l2_cache_test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint32_t kRows = 64;
constexpr std::uint32_t kRowBytes = 256;  // a block of 16 KiB
constexpr std::uint32_t kBlocksPerMiB = 64;

/// Reads a block and brings in what is missing of it.
std::uint32_t readNow(L2Cache& cache, L2Cache::Block block) {
  const auto lookup = cache.read(block, kRows, kRowBytes);
  EXPECT_FALSE(lookup.pending);
  if (lookup.missingRows != 0) cache.filled(block);
  return lookup.missingRows;
}

TEST(L2Cache, AFirstReadMissesAllAndIsPendingUntilFilled) {
  L2Cache cache(kMiB, 16, 4);
  EXPECT_EQ(cache.read(1, kRows, kRowBytes).missingRows, kRows);
  const auto second = cache.read(1, kRows, kRowBytes);
  EXPECT_TRUE(second.pending);
  EXPECT_EQ(second.missingRows, 0U);
  cache.filled(1);
  const auto third = cache.read(1, kRows, kRowBytes);
  EXPECT_FALSE(third.pending);
  EXPECT_EQ(third.missingRows, 0U);
}

TEST(L2Cache, AWorkingSetFarBelowTheCapacityStays) {
  L2Cache cache(kMiB, 16, kBlocksPerMiB);
  for (int round = 0; round < 50; ++round) {
    for (L2Cache::Block block = 0; block < kBlocksPerMiB / 4; ++block) {
      EXPECT_EQ(readNow(cache, block), round == 0 ? kRows : 0U);
    }
  }
}

TEST(L2Cache, AWorkingSetFarAboveTheCapacityDoesNot) {
  L2Cache cache(kMiB, 16, 4 * kBlocksPerMiB);
  for (int round = 0; round < 5; ++round) {
    for (L2Cache::Block block = 0; block < 4 * kBlocksPerMiB; ++block) {
      EXPECT_EQ(readNow(cache, block), kRows);
    }
  }
}

TEST(L2Cache, ReuseCountsFromTheLastUse) {
  L2Cache cache(kMiB, 16, 8 * kBlocksPerMiB);
  for (L2Cache::Block block = 1; block < 8 * kBlocksPerMiB; ++block) {
    readNow(cache, block);
    EXPECT_EQ(readNow(cache, 0), block == 1 ? kRows : 0U);  // block 0 in between
  }
  EXPECT_EQ(readNow(cache, 1), kRows);
}

TEST(L2Cache, SurvivalAgreesWithACacheOfLines) {
  // Blocks at random places, all read in turn, again and again: the share missing each time.
  std::mt19937_64 random(test::seed(5));
  constexpr std::uint64_t kCapacity = 16 * kMiB;
  for (const std::uint32_t ways : {4U, 16U}) {
    for (const std::uint32_t percent : {40U, 70U, 85U, 100U, 115U, 150U}) {
      const std::uint32_t blocks = 16 * kBlocksPerMiB * percent / 100;
      L2Cache cache(kCapacity, ways, blocks);
      test::LineCache lines(kCapacity, ways, 128);
      std::vector<std::uint64_t> address(blocks);
      for (auto& at : address) at = random() % (1ULL << 40) / 16384 * 16384;
      std::uint64_t blockMissing = 0, lineMissing = 0, total = 0;
      for (int round = 0; round < 5; ++round) {
        for (L2Cache::Block block = 0; block < blocks; ++block) {
          const std::uint32_t missing = readNow(cache, block);
          std::uint64_t absent = 0;
          for (std::uint32_t line = 0; line < kRows * 2; ++line) {
            absent += lines.touch(address[block] + line * 128, false).hit ? 0 : 1;
          }
          if (round == 0) continue;
          blockMissing += missing * 2;
          lineMissing += absent;
          total += kRows * 2;
        }
      }
      const auto share = [&](std::uint64_t count) {
        return 100.0 * static_cast<double>(count) / static_cast<double>(total);
      };
      EXPECT_GT(total, 100000U);
      EXPECT_NEAR(share(blockMissing), share(lineMissing), 2.0)
          << ways << " ways, working set " << percent << " % of the capacity";
    }
  }
}

TEST(L2Cache, WritesAllocateWithoutAFetchAndLeaveOldestFirst) {
  L2Cache cache(1000, 16, 12);
  for (L2Cache::Block block = 0; block < 10; ++block) cache.write(block, 100);
  EXPECT_TRUE(cache.displaced().empty());
  EXPECT_EQ(cache.read(9, 1, 100).missingRows, 0U);
  cache.write(10, 100);
  cache.write(11, 100);
  EXPECT_EQ(cache.displaced(), (std::vector<L2Cache::Block>{0, 1}));
  cache.clearDisplaced();
  cache.write(0, 100);  // again: dirty once more
  EXPECT_EQ(cache.displaced(), (std::vector<L2Cache::Block>{2}));
}

TEST(L2Cache, ReadsDisplaceDirtyBlocksToo) {
  L2Cache cache(1000, 16, 12);
  cache.write(0, 100);
  for (L2Cache::Block block = 1; block < 10; ++block) cache.read(block, 1, 100);
  EXPECT_TRUE(cache.displaced().empty());
  cache.read(10, 1, 100);
  EXPECT_EQ(cache.displaced(), (std::vector<L2Cache::Block>{0}));
}

TEST(L2Cache, CleaningWalksTheDirtyBlocksOldestFirstAndKeepsThem) {
  L2Cache cache(1000, 16, 4);
  cache.write(2, 100);
  cache.read(1, 1, 100);
  cache.write(0, 100);
  cache.write(2, 100);
  L2Cache::Block block = 99;
  EXPECT_TRUE(cache.cleanOne(block));
  EXPECT_EQ(block, 2U);
  EXPECT_TRUE(cache.cleanOne(block));
  EXPECT_EQ(block, 0U);
  EXPECT_FALSE(cache.cleanOne(block));
  EXPECT_EQ(cache.read(2, 1, 100).missingRows, 0U);
}

TEST(L2Cache, ForgetsEverythingWhenCleared) {
  L2Cache cache(1000, 16, 4);
  cache.write(0, 100);
  cache.read(1, 1, 100);
  cache.clear();
  L2Cache::Block block = 99;
  EXPECT_FALSE(cache.cleanOne(block));
  EXPECT_EQ(cache.read(1, 1, 100).missingRows, 1U);
}

TEST(L2Cache, WhatIsOnItsWayWhenAnotherGpuStoresItIsNotKept) {
  L2Cache cache(kMiB, 16, 4);
  EXPECT_EQ(cache.read(1, kRows, kRowBytes).missingRows, kRows);
  cache.invalidate(1);
  EXPECT_TRUE(cache.read(1, kRows, kRowBytes).pending);
  cache.filled(1);
  EXPECT_EQ(readNow(cache, 1), kRows);
  EXPECT_EQ(readNow(cache, 1), 0U) << "now it is the new value";
}

TEST(L2Cache, WhatIsDirtyStaysWhenOthersStore) {
  L2Cache cache(kMiB, 16, 4);
  cache.write(1, 100);
  cache.invalidate(1);
  L2Cache::Block block = 99;
  EXPECT_TRUE(cache.cleanOne(block));
  EXPECT_EQ(block, 1U);
}

TEST(L2Cache, WhatIsWrittenThroughIsThereAndClean) {
  L2Cache cache(kMiB, 16, 4);
  cache.write(1, kRows * kRowBytes, false);
  L2Cache::Block block = 99;
  EXPECT_FALSE(cache.cleanOne(block));
  EXPECT_EQ(readNow(cache, 1), 0U);
}

TEST(L2Cache, WhatWasInvalidatedTakesNoRoom) {
  // As a consumer sees it: the same lines arrive from another GPU again and again, and each arrival
  // makes the copy of before invalid. All that time only two blocks are in the cache.
  L2Cache cache(kMiB, 16, 2);
  readNow(cache, 0);
  for (std::uint32_t arrival = 0; arrival < 16 * kBlocksPerMiB; ++arrival) {
    EXPECT_EQ(readNow(cache, 1), kRows);
    cache.invalidate(1);
  }
  EXPECT_EQ(readNow(cache, 0), 0U);
}

TEST(L2Cache, BytesSinceLastUseAreExactOverManyAccesses) {
  // One way: a block is gone with probability 1 - e^-(bytes since / capacity), so the expected
  // number of missing rows tells the distance; here summed over a random trace.
  std::mt19937_64 random(test::seed(9));
  constexpr std::uint32_t kBlocks = 40;
  constexpr double kCapacity = 30000;
  L2Cache cache(static_cast<std::uint64_t>(kCapacity), 1, kBlocks);
  std::list<std::uint32_t> byUse;  // front: most recent
  const auto bytesOf = [](std::uint32_t block) { return 1000 * (100 + block); };
  double expected = 0;
  std::uint64_t found = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto block = static_cast<std::uint32_t>(random() % kBlocks);
    double since = 0;
    auto at = byUse.begin();
    for (; at != byUse.end() && *at != block; ++at) since += bytesOf(*at) / 1000.0;
    if (at == byUse.end()) {
      expected += 1000;
    } else {
      byUse.erase(at);
      // The model's table has steps of 1/256 of the capacity.
      expected += 1000 * (1 - std::exp(-std::floor(since * 1000 / kCapacity * 256) / 256));
    }
    byUse.push_front(block);
    const auto lookup = cache.read(block, 1000, bytesOf(block) / 1000);
    if (lookup.missingRows != 0) cache.filled(block);
    found += lookup.missingRows;
  }
  EXPECT_NEAR(static_cast<double>(found), expected, 2.0);
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
  L2Cache cache(l2.capacity_bytes, l2.ways, operandBlocks + tiling.tiles());
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
    const auto lookup = cache.read(panel * slabs + slab, rows, rowBytes);
    if (lookup.missingRows != 0) {
      cache.filled(panel * slabs + slab);
      // A line of a pair is missing with this probability; touching either brings both.
      const double missing = static_cast<double>(lookup.missingRows) / rows;
      count.misses += static_cast<std::uint64_t>(
          std::llround(rows * (1 - std::pow(1 - missing, l2.fetch_bytes / l2.line_bytes))));
      count.fetchedBytes += std::uint64_t{lookup.missingRows} * rowBytes;
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
  double tolerance = 1.0;  ///< percentage points
};

class L2Agreement : public testing::TestWithParam<Agreement> {};

/// The promise of the block model (issue: hit rate within one percentage point).
TEST_P(L2Agreement, BlockModelHitsAsOftenAsALineAccurateCache) {
  const Agreement& p = GetParam();
  L2Config l2;
  l2.capacity_bytes = p.capacity;
  const GemmConfig gemm;
  const Tiling tiling({p.rows, p.columns, 2}, {gemm.tile_rows, gemm.tile_columns, gemm.wavefronts},
                      p.chunks);
  const auto chunks = ringChunkOrder(GpuId{0}, p.chunks);
  const auto order = dispatchOrder(tiling, chunks, {WorkgroupOrder::Swizzled, 8});
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
  EXPECT_NEAR(missRate(blocks), missRate(lines), p.tolerance);
}

TEST(L2Config, HoldsWholeSets) {
  L2Config config;
  config.line_bytes = config.fetch_bytes = 128;
  config.ways = 16;
  for (const std::uint32_t sets : {1U, 3U}) {
    config.capacity_bytes = sets * 2048;
    EXPECT_EQ(config.check(), std::nullopt);
    config.capacity_bytes += 1024;
    EXPECT_NE(config.check(), std::nullopt);
  }
}

// nothing_fits: not even the blocks of one K step, where which lines are missing is no longer
// independent of which were before. No preset comes near it.
INSTANTIATE_TEST_SUITE_P(
    Small, L2Agreement,
    testing::Values(Agreement{"fits", 1024, 1024, 512, 1, 16 * kMiB, false},
                    Agreement{"one_wave_fits", 2048, 2048, 512, 1, 2 * kMiB, false},
                    Agreement{"nothing_fits", 2048, 2048, 1024, 1, kMiB / 2, false, 1.5},
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
}  // namespace t3::l2_cache_test
