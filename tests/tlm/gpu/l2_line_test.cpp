// SPDX-License-Identifier: Apache-2.0
// Method: the line model, and where both models must agree, against a list of what was written and
// read.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/support/seed.h"
#include "tlm/gpu/make_l2_model.h"

namespace t3 {
namespace {

using Part = L2Model::Part;

L2Config lineConfig(std::uint64_t capacity) {
  L2Config config;
  config.model = L2ModelKind::Line;
  config.capacity_bytes = capacity;
  return config;
}

TEST(L2Line, AMissBringsInTheRowsFetchAndOthersMergeUntilItIsHere) {
  const auto cache = makeL2Model(lineConfig(1 << 20), 4);
  std::vector<Part> fetches;
  const auto first = cache->read({1, 0, 10, 0, 128}, 256, fetches);
  EXPECT_EQ(first.misses, 10U);
  ASSERT_EQ(fetches.size(), 10U);
  for (std::uint32_t row = 0; row < 10; ++row) EXPECT_EQ(fetches[row], (Part{1, row, 1, 0, 256}));
  EXPECT_TRUE(cache->pending(1));
  fetches.clear();
  EXPECT_EQ(cache->read({1, 0, 10, 128, 128}, 256, fetches).merged, 10U);
  EXPECT_EQ(cache->read({1, 0, 10, 0, 256}, 256, fetches).merged, 20U) << "two lines of each row";
  cache->filled(1);
  EXPECT_EQ(cache->read({1, 0, 10, 128, 128}, 256, fetches).hits, 10U);
  EXPECT_EQ(cache->read({1, 0, 10, 0, 256}, 256, fetches).hits, 20U);
  EXPECT_TRUE(fetches.empty());
}

/// Lines that a read of all of block 1, 10 rows of 256 B, has to fetch.
std::uint32_t missingOf(L2Model& cache) {
  std::vector<Part> fetches;
  cache.read({1, 0, 10, 0, 256}, 256, fetches);
  cache.filled(1);
  return static_cast<std::uint32_t>(fetches.size());
}

TEST(L2Line, WhatAnotherGpuStoresIsReadAgainAndNothingElse) {
  const auto cache = makeL2Model(lineConfig(1 << 20), 4);
  EXPECT_EQ(missingOf(*cache), 10U);
  cache->invalidate({1, 3, 1, 128, 128});
  std::vector<Part> fetches;
  EXPECT_EQ(cache->read({1, 0, 10, 0, 256}, 256, fetches).misses, 1U);
  cache->filled(1);
  ASSERT_EQ(fetches.size(), 1U);
  EXPECT_EQ(fetches.front(), (Part{1, 3, 1, 128, 128}));
  EXPECT_EQ(missingOf(*cache), 0U);
}

TEST(L2Model, WhatIsOnItsWayWhenAnotherGpuStoresItIsNotKept) {
  for (const L2ModelKind kind : {L2ModelKind::Block, L2ModelKind::Line}) {
    L2Config config = lineConfig(1 << 20);
    config.model = kind;
    const auto cache = makeL2Model(config, 4);
    std::vector<Part> fetches;
    cache->read({1, 0, 10, 0, 256}, 256, fetches);
    for (std::uint32_t row = 0; row < 10; ++row) cache->invalidate({1, row, 1, 0, 256});
    EXPECT_TRUE(cache->pending(1));
    cache->filled(1);
    EXPECT_EQ(missingOf(*cache), 10U);
    EXPECT_EQ(missingOf(*cache), 0U) << "now it is the new value";
    cache->invalidate({1, 0, 1, 0, 256});
    EXPECT_GT(missingOf(*cache), 0U);
    EXPECT_EQ(missingOf(*cache), 0U);
  }
}

TEST(L2Model, DirtyLinesStayWhenOthersStore) {
  for (const L2ModelKind kind : {L2ModelKind::Block, L2ModelKind::Line}) {
    L2Config config = lineConfig(1 << 20);
    config.model = kind;
    const auto cache = makeL2Model(config, 4);
    cache->write(1, 10, 256, true);
    cache->invalidate({1, 0, 1, 0, 256});
    std::vector<Part> dirty;
    cache->clean(dirty);
    std::uint32_t bytes = 0;
    for (const Part& part : dirty) bytes += part.rows * part.bytes;
    EXPECT_EQ(bytes, 10U * 256);
  }
}

TEST(L2Line, TheLeastRecentlyUsedLineOfASetLeaves) {
  // One set of 16 ways: the order of use is all there is.
  const auto cache = makeL2Model(lineConfig(16 * 128), 20);
  std::vector<Part> fetches;
  const auto read = [&](L2Model::Block block) {
    fetches.clear();
    const auto lookup = cache->read({block, 0, 1, 0, 128}, 128, fetches);
    cache->filled(block);
    return lookup.hits == 1;
  };
  for (L2Model::Block block = 0; block < 16; ++block) EXPECT_FALSE(read(block));
  EXPECT_TRUE(read(0));
  EXPECT_FALSE(read(16));  // displaces 1, not 0
  EXPECT_TRUE(read(0));
  EXPECT_FALSE(read(1));  // displaces 2
  EXPECT_FALSE(read(2));
  EXPECT_TRUE(read(16));
}

TEST(L2Line, EveryDirtyByteLeavesOnceDisplacedOrCleaned) {
  std::mt19937_64 random(test::seed(4));
  constexpr std::uint32_t kBlocks = 200, kRows = 8, kRowBytes = 300;  // the last line is cut
  const auto cache = makeL2Model(lineConfig(1 << 18), kBlocks);
  std::map<L2Model::Block, std::set<std::uint32_t>> dirty;  // bytes of a block not yet out
  std::vector<Part> parts;
  std::uint64_t left = 0;
  const auto leave = [&] {
    for (const Part& part : parts) {
      for (std::uint32_t row = part.firstRow; row < part.firstRow + part.rows; ++row) {
        for (std::uint32_t i = 0; i < part.bytes; ++i) {
          ASSERT_EQ(dirty[part.block].erase(row * kRowBytes + part.offset + i), 1U);
          ++left;
        }
      }
    }
    parts.clear();
  };
  std::vector<Part> fetches;
  for (int i = 0; i < 1000; ++i) {
    const auto block = static_cast<L2Model::Block>(random() % kBlocks);
    if (random() % 3 == 0) {
      if (!dirty[block].empty()) continue;
      for (std::uint32_t byte = 0; byte < kRows * kRowBytes; ++byte) dirty[block].insert(byte);
      cache->write(block, kRows, kRowBytes, true);
    } else {
      cache->read({block, 0, kRows, 0, kRowBytes}, kRowBytes, fetches);
      cache->filled(block);
    }
    cache->takeDisplaced(parts);
    leave();
  }
  EXPECT_GT(left, 10000U) << "some were displaced";
  cache->clean(parts);
  leave();
  for (const auto& [block, bytes] : dirty) EXPECT_TRUE(bytes.empty()) << block;
}

TEST(L2Line, ARowThatEndsInsideALineIsCleanedToItsLastByte) {
  const auto cache = makeL2Model(lineConfig(1 << 20), 4);
  cache->write(1, 2, 200, true);  // lines of 128 bytes
  std::vector<Part> parts;
  cache->clean(parts);
  EXPECT_EQ(parts, (std::vector<Part>{{1, 0, 1, 0, 200}, {1, 1, 1, 0, 200}}));
}

TEST(L2Line, WhatIsWrittenThroughIsThereAndClean) {
  const auto cache = makeL2Model(lineConfig(1 << 20), 2);
  cache->write(0, 4, 256, false);
  std::vector<Part> parts;
  cache->clean(parts);
  EXPECT_TRUE(parts.empty());
  EXPECT_EQ(cache->read({0, 0, 4, 0, 256}, 256, parts).hits, 8U);
}

}  // namespace
}  // namespace t3
