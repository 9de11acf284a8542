// SPDX-License-Identifier: Apache-2.0
// What docs/tracker.md promises, asked of every implementation through its sockets alone: the
// Verilated RTL, the twin, and the lockstep pair (which adds its own comparison to each test).
// Expected commands and counts come from an untimed scoreboard or from arithmetic beside each test.
// Time is only bounded where the specification bounds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/error_names.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/registers.h"

namespace {

using namespace t3;
using namespace t3::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace r = registers;

constexpr std::uint64_t kBase = 0x10'0000'0000;  // beyond 32 bits, so that all of an address counts

/// 2 x 3 tiles of 64 x 64 halves, 8 wavefronts of 8 rows: 1024 bytes per wavefront tile, no edges.
Tiling evenTiling() { return Tiling(128, 192, 2, 64, 64, 8, 1); }
/// 3 x 4 tiles with cut right and lower edges: 23 columns in the last one, 20 rows in the last one,
/// so of its wavefronts (8 rows each) two are whole, one has 4 rows, five are empty.
Tiling edgeTiling() { return Tiling(148, 215, 2, 64, 64, 8, 1); }

std::vector<std::uint32_t> ids(const std::vector<TrackerBench::Said>& said) {
  std::vector<std::uint32_t> result;
  result.reserve(said.size());
  for (const auto& item : said) result.push_back(item.message.command.value);
  return result;
}

class TrackerTest : public testing::TestWithParam<TrackerKind> {
 protected:
  TrackerBench& bench(const TrackerConfig& config = {}) {
    bench_ = std::make_unique<TrackerBench>("bench", config, [](const TrackerConfig& c) {
      return makeTracker("tracker", GetParam(), c);
    });
    return *bench_;
  }
  static TrackerConfig withSets(std::uint32_t sets) {
    TrackerConfig config;
    config.sets_per_bank = sets;
    config.ways = sets == 2 ? 1 : 4;
    return config;
  }
  /// An update of a whole wavefront tile of evenTiling as eight 128-byte rows on eight lanes.
  static void reportRows(TrackerBench& b, const Tiling& tiling, std::uint32_t wg,
                         std::uint32_t wf) {
    const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
    for (std::uint32_t row = 0; row < area.rows; ++row) {
      b.report({.lane = row % 8,
                .workgroup = wg,
                .wavefront = wf,
                .address = kBase + tiling.offset(area, row),
                .bytes = 2 * area.columns});
    }
  }

  std::unique_ptr<TrackerBench> bench_;
};

// ---- counting and triggering -------------------------------------------------------------------

TEST_P(TrackerTest, TriggersOnceWhenBothUpdatesOfAllWavefrontTilesAreIn) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 2, /*blockLog2=*/0, /*notify=*/true);
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 4, wf);
  for (std::uint32_t wf = 0; wf < 7; ++wf) b.reportTile(tiling, kBase, 4, wf);
  b.run();
  EXPECT_THAT(b.commands, IsEmpty());
  b.reportTile(tiling, kBase, 4, 7);
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(4U));
  EXPECT_EQ(b.commands[0].message.region, 0U);
  EXPECT_EQ(b.commands[0].message.workgroup.value, 4U);
  const auto last = tiling.wavefrontTile(WorkgroupId{4}, WavefrontId{7});
  ASSERT_THAT(ids(b.notifications), ElementsAre(4U));
  EXPECT_EQ(b.notifications[0].message.workgroup.value, 4U);
  EXPECT_EQ(b.notifications[0].message.address, kBase + tiling.offset(last, 0));
  EXPECT_EQ(b.read(r::kLive), 0U);
}

TEST_P(TrackerTest, NamesTheLowestAddressInGranulesOf32Bytes) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1, /*blockLog2=*/0, /*notify=*/true);
  b.write(r::command(2), 1);
  b.report({.workgroup = 2, .wavefront = 3, .address = kBase + 0x1100, .bytes = 128});
  b.report({.workgroup = 2, .wavefront = 3, .address = kBase + 0x1035, .bytes = 11});
  b.report({.workgroup = 2, .wavefront = 3, .address = kBase + 0x2000, .bytes = 1024 - 139});
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(2U));
  ASSERT_THAT(ids(b.notifications), ElementsAre(2U));
  EXPECT_EQ(b.notifications[0].message.address, kBase + 0x1020);
}

TEST_P(TrackerTest, CutsPiecesAtLinesOf128Bytes) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::command(0), 1);
  b.report({.address = kBase + 127, .bytes = 1});      // 1 line
  b.report({.address = kBase + 255, .bytes = 2});      // 2
  b.report({.address = kBase + 0x400, .bytes = 512});  // 4
  b.report({.address = kBase + 0x840, .bytes = 509});  // 5: 64 + 3 x 128 + 61
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U));
  EXPECT_EQ(b.tracker().statistics().updates, 12U);
}

TEST_P(TrackerTest, EdgeTilesCompleteAtTheirOwnSizeAndEmptyOnesAreNotWaitedFor) {
  TrackerBench& b = bench();
  const Tiling tiling = edgeTiling();
  ASSERT_EQ(tiling.liveWavefronts(WorkgroupId{11}), 3U);
  b.programAll(tiling, kBase, 2);
  Scoreboard expected(tiling, {.lastWorkgroup = tiling.tiles() - 1,
                               .firstAddress = kBase,
                               .lastAddress = kBase + tiling.outputBytes() - 1});
  std::uint64_t bytes = 0;
  for (int update = 0; update < 2; ++update) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
      bytes += tiling.bytes(tiling.tile(WorkgroupId{wg}));
    }
  }
  b.run();
  EXPECT_EQ(bytes, 2 * tiling.outputBytes());
  auto issued = ids(b.commands);
  std::sort(issued.begin(), issued.end());
  std::vector<std::uint32_t> all(tiling.tiles());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  EXPECT_EQ(issued, all);
  // 2 x 4 tiles with all wavefronts and 4 with three.
  EXPECT_EQ(b.tracker().statistics().completed, 2U * 4 * 8 + 4 * 3);
}

TEST_P(TrackerTest, ACommandMayCoverABlockOfTiles) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1, /*blockLog2=*/2,
               /*notify=*/true);  // commands 0: tiles 0 … 3, 1: tiles 4, 5
  for (std::uint32_t wg : {0U, 1U, 2U, 4U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
  }
  b.run();
  EXPECT_THAT(b.commands, IsEmpty());
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 5, wf);
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(1U));
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(1U, 0U));
  EXPECT_EQ(b.commands[0].message.workgroup.value, 4U) << "the first of its block";
  EXPECT_EQ(b.commands[1].message.workgroup.value, 0U);
  ASSERT_THAT(ids(b.notifications), ElementsAre(1U, 0U));
  EXPECT_EQ(b.notifications[0].message.workgroup.value, 5U) << "the last one that completed";
  EXPECT_EQ(b.notifications[1].message.workgroup.value, 3U);
}

TEST_P(TrackerTest, RegionsTriggerNotifyOrBothAndCountTheirCommands) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programGeometry(0, tiling);
  const std::uint64_t end = kBase + tiling.outputBytes() - 1;
  RegionSetup region{.firstAddress = kBase, .lastAddress = end, .updates = 1};
  region.lastWorkgroup = 1;
  region.trigger = true;
  region.target = 2;
  b.programRegion(3, region, tiling);
  region.firstWorkgroup = 2;
  region.lastWorkgroup = 3;
  region.trigger = false;
  region.notify = true;
  region.firstCommand = 100;
  region.target = 3;
  b.programRegion(5, region, tiling);
  region.firstWorkgroup = 4;
  region.lastWorkgroup = 5;
  region.trigger = true;
  region.firstCommand = 4094;
  b.programRegion(7, region, tiling);
  b.enable();
  for (std::uint32_t wg = 0; wg < 6; ++wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
  }
  b.run();
  EXPECT_THAT(ids(b.commands), UnorderedElementsAre(0U, 1U, 4094U, 4095U));
  EXPECT_THAT(ids(b.notifications), UnorderedElementsAre(100U, 101U, 4094U, 4095U));
  for (const auto& said : b.notifications) {
    EXPECT_EQ(said.message.region, said.message.command.value < 200 ? 5U : 7U);
  }
  EXPECT_EQ(b.read(r::region(3) + r::kRegDone), 2U);
  EXPECT_EQ(b.read(r::region(5) + r::kRegDone), 2U);
  EXPECT_EQ(b.read(r::kRegionDone), 1U << 3);  // only region 3 reached its target
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusRegionDone);
  EXPECT_FALSE(b.tracker().interrupt());
  b.write(r::kIrqEnable, r::kIrqStatusRegionDone);
  b.run();
  EXPECT_TRUE(b.tracker().interrupt());
  b.write(r::kRegionDone, 1U << 3);
  b.write(r::kIrqStatus, r::kIrqStatusRegionDone);
  b.run();
  EXPECT_FALSE(b.tracker().interrupt());
  EXPECT_EQ(b.read(r::kRegionDone), 0U);
  const TrackerStatistics statistics = b.tracker().statistics();
  EXPECT_EQ(statistics.triggers, 4U);
  EXPECT_EQ(statistics.notifications, 4U);
}

TEST_P(TrackerTest, CountsAndDropsWhatNoRegionClaims) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programGeometry(0, tiling);
  b.programRegion(0,
                  {.firstWorkgroup = 1,
                   .lastWorkgroup = 2,
                   .firstAddress = kBase,
                   .lastAddress = kBase + 0x1fff,
                   .updates = 1},
                  tiling);
  b.enable();
  b.report({.workgroup = 0, .address = kBase, .bytes = 128});
  b.report({.workgroup = 3, .address = kBase, .bytes = 128});
  b.report({.workgroup = 1, .address = kBase - 1, .bytes = 1});
  b.report({.workgroup = 2, .address = kBase + 0x2000, .bytes = 128});
  b.report({.workgroup = 2, .address = kBase + 0x1fff, .bytes = 1});  // tracked
  b.report({.workgroup = 1, .address = kBase, .bytes = 1});           // tracked
  b.run();
  EXPECT_EQ(b.read64(r::kUntracked), 4U);
  EXPECT_EQ(b.read64(r::kUpdates), 2U);
  EXPECT_EQ(b.read(r::kLive), 2U);
  EXPECT_EQ(b.read(r::kStatus), r::kStatusLive);
  b.write(r::kCtrl, 0);
  b.report({.workgroup = 1, .address = kBase, .bytes = 128});
  b.run();
  EXPECT_EQ(b.read64(r::kUntracked), 5U);
  EXPECT_EQ(b.read64(r::kUpdates), 2U);
}

TEST_P(TrackerTest, TheSameWorkgroupInTwoRegionsIsTwoTiles) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  constexpr std::uint64_t kOther = 0x20'0000'0000;
  b.programGeometry(0, tiling);
  b.programGeometry(1, tiling, 1, TrackerBench::kSpillBase + 0x100000);
  b.programRegion(
      0, {.lastWorkgroup = 5, .firstAddress = kBase, .lastAddress = kBase + 0xffff, .updates = 1},
      tiling);
  b.programRegion(1,
                  {.lastWorkgroup = 5,
                   .firstAddress = kOther,
                   .lastAddress = kOther + 0xffff,
                   .updates = 2,
                   .geometry = 1,
                   .firstCommand = 64},
                  tiling);
  b.enable();
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    b.reportTile(tiling, kOther, 3, wf);
    b.reportTile(tiling, kBase, 3, wf);
  }
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(3U));
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kOther, 3, wf);
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(3U, 67U));
}

TEST_P(TrackerTest, TheLowestNumberedRegionWins) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programGeometry(0, tiling);
  RegionSetup region{.lastWorkgroup = 5,
                     .firstAddress = kBase,
                     .lastAddress = kBase + 0xffff,
                     .updates = 1,
                     .firstCommand = 10};
  b.programRegion(4, region, tiling);
  region.firstWorkgroup = 2;
  region.firstCommand = 50;
  b.programRegion(2, region, tiling);
  b.enable();
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    b.reportTile(tiling, kBase, 1, wf);
    b.reportTile(tiling, kBase, 2, wf);
  }
  b.run();
  EXPECT_THAT(ids(b.commands), UnorderedElementsAre(11U, 50U));
}

TEST_P(TrackerTest, MoreBytesThanExpectedTriggerNothingAndAreReported) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::command(0), 1);
  b.report({.address = kBase, .bytes = 1000});
  b.run();
  b.report({.address = kBase + 0x1000, .bytes = 100});
  b.run();
  EXPECT_THAT(b.commands, IsEmpty());
  EXPECT_EQ(b.read64(r::kOverrun), 1U);
  EXPECT_EQ(b.read64(r::kCompleted), 0U);
  EXPECT_EQ(b.read(r::kLive), 0U);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusOverrun | r::kIrqStatusError);
}

TEST_P(TrackerTest, ACompletionTooManyIsAStrayAndTriggersNothing) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::command(0), 1);
  b.reportTile(tiling, kBase, 0, 0);
  b.run();
  b.reportTile(tiling, kBase, 0, 1);
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U));
  EXPECT_EQ(b.read64(r::kStray), 1U);
  EXPECT_EQ(b.read64(r::kCompleted), 2U);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusStray | r::kIrqStatusError);
}

// A record stays in memory after it was read. A surplus update reads it again, and must neither
// complete its tile once more nor take from the set's count a record that is another tile's.
TEST_P(TrackerTest, ASurplusUpdateAfterASpillIsAnOverrunAndHarmsNoOtherTile) {
  TrackerBench& b = bench(withSets(4));
  const Tiling tiling = Tiling(64 * 8, 64, 2, 64, 64, 1, 1);  // a column of tiles
  b.programAll(tiling, kBase, 1);
  b.write(r::geometry(0) + r::kGeoTilesDown, 0xffff);
  b.write(r::geometry(0) + r::expected(1, 0), 100);
  b.write(r::region(0) + r::kRegWgLast, 0xffff);
  // Bank 0, set 0 has room for four of these six.
  const std::vector<std::uint32_t> tiles = {0, 8, 16, 24, 32, 40};
  for (const std::uint32_t wg : tiles) b.write(r::command(wg), 1);
  const auto touch = [&b](std::uint32_t wg) {
    b.report({.workgroup = wg, .address = kBase + 0x100, .bytes = 50});
    b.run();
  };
  for (const std::uint32_t wg : tiles) touch(wg);
  EXPECT_EQ(b.recordWrites, 2U);
  touch(0);  // comes back and completes
  EXPECT_THAT(ids(b.commands), ElementsAre(0U));
  EXPECT_EQ(b.recordMarks, 1U);
  EXPECT_EQ(b.read(r::kErrors), 0U);
  touch(0);
  EXPECT_EQ(b.read64(r::kOverrun), 1U);
  EXPECT_EQ(b.read(r::kErrors), r::kErrorsOverrun);
  EXPECT_EQ(b.read(r::errorCount(0)), 1U);
  EXPECT_EQ(b.read(r::kErrorFirst), r::kErrorFirstValid) << "overrun, region 0, workgroup 0";
  EXPECT_EQ(b.read(r::kErrorAddressLo), static_cast<std::uint32_t>(kBase) + 0x100);
  for (const std::uint32_t wg : tiles) {
    if (wg != 0) touch(wg);
  }
  EXPECT_THAT(ids(b.commands), UnorderedElementsAre(0U, 8U, 16U, 24U, 32U, 40U));
  EXPECT_EQ(b.read64(r::kOverrun), 1U);
  EXPECT_EQ(b.read64(r::kStray), 0U);
  EXPECT_EQ(b.read(r::kLive), 0U);
}

TEST_P(TrackerTest, ErrorsAreKeptUntilSoftwareClearsThem) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::kIrqEnable, r::kIrqStatusError);
  b.write(r::command(3), 0);
  b.reportTile(tiling, kBase, 3, 5);  // its command waits for nothing: stray
  b.run();
  EXPECT_TRUE(b.tracker().interrupt());
  for (int overruns = 0; overruns < 3; ++overruns) {
    b.report({.workgroup = 2, .wavefront = 1, .address = kBase + 0x2040, .bytes = 1024});
    b.run();
    b.report({.workgroup = 2, .wavefront = 1, .address = kBase + 0x2040, .bytes = 4});
    b.run();
  }
  const std::uint32_t lowest = static_cast<std::uint32_t>(
      kBase + tiling.offset(tiling.wavefrontTile(WorkgroupId{3}, WavefrontId{5}), 0));
  const std::uint32_t first = r::kErrorFirstValid | 1U << r::kErrorFirstCauseShift |
                              5U << r::kErrorFirstWfShift | 3U << r::kErrorFirstWgShift;
  const std::uint32_t overruns = static_cast<std::uint32_t>(b.read64(r::kOverrun));
  const std::uint32_t strays = static_cast<std::uint32_t>(b.read64(r::kStray));
  EXPECT_EQ(b.read(r::errorCount(0)), overruns);
  EXPECT_EQ(b.read(r::errorCount(1)), strays);
  EXPECT_EQ(b.tracker().statistics().errors, r::kErrorsOverrun | r::kErrorsStray);
  EXPECT_EQ(errorNames(b.tracker().statistics().errors), "overrun, stray");
  EXPECT_EQ(b.read(r::kErrorFirst), first) << "the first one stays";
  EXPECT_EQ(b.read(r::kErrorAddressLo), lowest);
  EXPECT_EQ(b.read(r::kErrorAddressHi), kBase >> 32);

  const std::uint32_t errors = b.read(r::kErrors);
  EXPECT_NE(errors & r::kErrorsStray, 0U);
  b.write(r::kErrors, errors);
  EXPECT_EQ(b.read(r::kErrors), 0U);
  EXPECT_EQ(b.read(r::errorCount(1)), strays) << "counts stay";
  b.write(r::kErrorFirst, 0x7fffffff);
  EXPECT_EQ(b.read(r::kErrorFirst), first) << "only its valid bit clears it";
  b.write(r::kErrorFirst, r::kErrorFirstValid);
  EXPECT_EQ(b.read(r::kErrorFirst), 0U);
  EXPECT_EQ(b.read(r::kErrorAddressLo), 0U);
  b.write(r::kIrqStatus, r::kIrqStatusError);
  EXPECT_FALSE(b.tracker().interrupt());
  b.write(r::command(3), 0);
  b.reportTile(tiling, kBase, 3, 6);
  b.run();
  EXPECT_EQ(b.read(r::kErrors), r::kErrorsStray);
  EXPECT_EQ(b.read(r::kErrorFirst) & r::kErrorFirstWf, 6U << r::kErrorFirstWfShift);
  b.clear();
  EXPECT_EQ(b.read(r::kErrors), 0U);
  EXPECT_EQ(b.read(r::kErrorFirst), 0U);
  EXPECT_EQ(b.read(r::errorCount(1)), 0U);
}

// ---- speed ------------------------------------------------------------------------------------

TEST_P(TrackerTest, AllLanesUpdateOneTileEveryCycleWithoutABubble) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kPerLane = 200;
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::geometry(0) + r::expected(0, 0), 8 * kPerLane * 128);
  b.write(r::command(0), 1);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 0; i < kPerLane / 10; ++i) {
      b.report({.lane = lane,
                .channel = i % TrackerBench::kChannels,
                .address = kBase + 128 * 10 * lane,
                .bytes = 10 * 128});
    }
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U));
  // The first edge after 0 takes the first update of each lane; latency at most 12 cycles.
  EXPECT_LE(b.commands[0].time, (kPerLane + 12) * b.period());
  EXPECT_EQ(b.read64(r::kStalls), 0U);
}

TEST_P(TrackerTest, EveryLaneKeepsItsRateWhenTilesAreInDifferentBanks) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kPerLane = 64;
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    b.write(r::geometry(0) + r::expected(0, wf), kPerLane * 128);
    for (std::uint32_t i = 0; i < kPerLane / 8; ++i) {
      b.report({.lane = wf, .wavefront = wf, .address = kBase, .bytes = 8 * 128});
    }
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U));
  EXPECT_LE(b.commands[0].time, (kPerLane + 12 + 8) * b.period());  // eight complete at once
  EXPECT_EQ(b.read64(r::kStalls), 0U);
}

TEST_P(TrackerTest, ACommandComesWithinTwelveCyclesOfItsLastUpdate) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  for (std::uint32_t wg = 0; wg < 6; ++wg) b.write(r::command(wg), 1);
  for (std::uint32_t wg = 0; wg < 6; ++wg) {
    const Picoseconds when = b.in(100 + 50 * wg) + 300;  // between two edges
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 128, .when = when});
    for (std::uint32_t i = 1; i < 8; ++i) {
      b.report(
          {.lane = i, .workgroup = wg, .address = kBase + i * 128, .bytes = 128, .when = when});
    }
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U, 1U, 2U, 3U, 4U, 5U));
  for (const auto& said : b.commands) {
    const Picoseconds last = b.lastTaken[{said.message.workgroup.value, 0}];
    const Picoseconds entered = (last / b.period() + 1) * b.period();
    EXPECT_LE(said.time, entered + (12 + 7) * b.period());  // 7: some lanes may carry two updates
    EXPECT_EQ(said.time % b.period(), 0U);
  }
}

// ---- back-pressure ----------------------------------------------------------------------------

TEST_P(TrackerTest, AnUpdateIsSeenAtTheTimeThatItsDelayNames) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  const Picoseconds start = b.in(10), ahead = 1000 * b.period();
  for (std::uint32_t wf = 0; wf < 7; ++wf) b.reportTile(tiling, kBase, 4, wf, start);
  b.report({.workgroup = 4, .wavefront = 7, .address = kBase, .bytes = 896, .when = start});
  b.report({.workgroup = 4,
            .wavefront = 7,
            .address = kBase,
            .bytes = 128,
            .when = start,
            .ahead = ahead});
  // Another lane keeps the clock running meanwhile.
  for (std::uint32_t i = 0; i < 500; ++i) {
    b.report({.lane = 1, .workgroup = 5, .address = kBase, .bytes = 1, .when = b.in(20 + 2 * i)});
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(4U));
  EXPECT_GE(b.commands[0].time, start + ahead);
  EXPECT_LE(b.commands[0].time, start + ahead + 20 * b.period());
}

TEST_P(TrackerTest, ABusyDmaEngineHoldsCommandsBackAndNothingElse) {
  TrackerBench& b = bench();
  const Tiling tiling = Tiling(1024, 1024, 2, 64, 64, 8, 1);  // 256 tiles
  b.programAll(tiling, kBase, 1);
  b.dmaBusy = [] { return Picoseconds{5'000'000}; };
  for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      b.reportTile(tiling, kBase, wg, wf, b.in(32 * wg));
    }
  }
  b.run(32 * 256 + 1000);
  // 9 µs: the engine has taken two, the tracker has counted everything.
  EXPECT_EQ(b.commands.size(), 2U);
  EXPECT_EQ(b.read64(r::kCompleted), 8U * 256);
  EXPECT_EQ(b.read64(r::kTriggers), 256U);
  EXPECT_FALSE(b.tracker().idle());
  EXPECT_EQ(b.tracker().statistics().stall_cycles, 0U);
  b.run();
  std::vector<std::uint32_t> inOrder(256);
  for (std::uint32_t i = 0; i < 256; ++i) inOrder[i] = i;
  EXPECT_EQ(ids(b.commands), inOrder);  // tiles completed 32 cycles apart leave in that order
  for (std::size_t i = 1; i < b.commands.size(); ++i) {
    EXPECT_GE(b.commands[i].time, b.commands[i - 1].time + 5'000'000);
    EXPECT_LE(b.commands[i].time, b.commands[i - 1].time + 5'000'000 + 2 * b.period());
  }
}

// ---- rows -------------------------------------------------------------------------------------

std::vector<std::uint32_t> slots(const std::vector<TrackerBench::Row>& rows) {
  std::vector<std::uint32_t> result;
  result.reserve(rows.size());
  for (const auto& row : rows) result.push_back(row.slot);
  return result;
}

TEST_P(TrackerTest, ARowIsReleasedOnceWhenItsLastWavefrontTileIsIn) {
  TrackerBench& b = bench();
  const Tiling tiling = edgeTiling();  // 3 rows of 4 tiles; those of the last row have 3 wavefronts
  b.programGeometry(0, tiling);
  b.programRegion(2,
                  {.lastWorkgroup = 11,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 2,
                   .blockLog2 = 3,  // commands of eight tiles do not matter to rows of four
                   .firstRow = 254},
                  tiling);
  b.enable();
  for (const auto& [row, missing] : {std::pair{254U, 32U}, {255U, 32U}, {0U, 12U}}) {
    b.write(r::row(row), missing);
  }
  for (const std::uint32_t last : {11U, 0U, 6U}) {
    const std::uint32_t row = last / 4;
    for (int update = 0; update < 2; ++update) {
      for (std::uint32_t wg = 4 * row; wg < 4 * row + 4; ++wg) {
        for (std::uint32_t wf = 0; wf < 8; ++wf) {
          if (wg != last || wf != 0 || update == 0) b.reportTile(tiling, kBase, wg, wf);
        }
      }
    }
    b.run();
    const std::size_t before = b.releases.size();
    EXPECT_EQ(b.read(r::row((254 + row) % 256)), 1U);
    b.reportTile(tiling, kBase, last, 0);
    b.run();
    ASSERT_EQ(b.releases.size(), before + 1);
    EXPECT_GT(b.releases.back().time, (b.lastTaken[{last, 0}]));
    EXPECT_LE(b.releases.back().time, (b.lastTaken[{last, 0}]) + 32 * b.period());
  }
  EXPECT_THAT(slots(b.releases), ElementsAre(0U, 254U, 255U));
  EXPECT_EQ(b.tracker().statistics().releases, 3U);
  EXPECT_EQ(b.tracker().statistics().errors, 0U);
  EXPECT_EQ(b.read64(r::kReleases), 3U);
}

TEST_P(TrackerTest, PartsOfARowInRegionsOfTwoGeometriesAreOneRow) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();  // 2 rows of 3 tiles
  b.programGeometry(0, tiling);
  b.programGeometry(1, tiling, 1, TrackerBench::kSpillBase + 0x10'0000);
  RegionSetup own{.firstWorkgroup = 2,
                  .lastWorkgroup = 4,
                  .firstAddress = kBase,
                  .lastAddress = kBase + tiling.outputBytes() - 1,
                  .updates = 2,
                  .notify = true,
                  .blockLog2 = 1,
                  .firstRow = 7};
  RegionSetup arrivals = own;
  arrivals.firstWorkgroup = 0;
  arrivals.lastWorkgroup = 5;
  arrivals.updates = 1;
  arrivals.geometry = 1;
  arrivals.firstCommand = 100;
  b.programRegion(0, own, tiling);
  b.programRegion(1, arrivals, tiling);
  b.write(r::command(101), 8);  // workgroups 2 and 3 of it are the first region's
  b.enable();
  for (const std::uint32_t row : {7U, 8U}) b.write(r::row(row), 24);
  for (std::uint32_t wg = 0; wg < 6; ++wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
  }
  b.run();
  EXPECT_THAT(b.releases, IsEmpty());
  EXPECT_EQ(b.read(r::row(7)), 8U);
  EXPECT_EQ(b.read(r::row(8)), 16U);
  for (const std::uint32_t wg : {2U, 3U, 4U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf, b.in(1));
    b.run();
    EXPECT_EQ(b.releases.size(), wg == 4 ? 2U : 1U);
  }
  EXPECT_THAT(slots(b.releases), ElementsAre(7U, 8U));
}

TEST_P(TrackerTest, ABusyTargetHoldsRowsBackAndNothingElse) {
  TrackerBench& b = bench();
  const Tiling tiling(256 * 64, 64, 2, 64, 64, 8, 1);  // a row is a tile
  b.programGeometry(0, tiling);
  b.programRegion(0,
                  {.lastWorkgroup = 255,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 1,
                   .firstRow = 100},
                  tiling);
  b.enable();
  for (std::uint32_t row = 0; row < 256; ++row) b.write(r::row(row), 8);
  b.releaseBusy = [] { return Picoseconds{50'000'000}; };
  for (std::uint32_t wg = 0; wg < 256; ++wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf, b.in(32 * wg));
  }
  b.run(32 * 256 + 2000);
  EXPECT_EQ(b.releases.size(), 1U);
  EXPECT_EQ(b.commands.size(), 256U);
  EXPECT_EQ(b.read(r::kReleasesQueued), 255U);
  EXPECT_EQ(b.read64(r::kReleases), 256U);
  EXPECT_NE(b.read(r::kStatus) & r::kStatusReleases, 0U);
  EXPECT_EQ(b.read(r::row(99)), r::kRowWaits);
  EXPECT_FALSE(b.tracker().idle());
  EXPECT_THAT(b.tracker().waiting(), testing::HasSubstr("row slot 100"));
  EXPECT_EQ(b.tracker().statistics().stall_cycles, 0U);
  if (GetParam() != TrackerKind::Lockstep) {  // its twin has another target, which is never busy
    EXPECT_FALSE(b.tryWrite(r::row(99), 1)) << "it waits";
    EXPECT_EQ(errorNames(b.tracker().statistics().errors), "row armed early");
  }
  b.run();
  std::vector<std::uint32_t> inOrder(256);
  for (std::uint32_t i = 0; i < 256; ++i) inOrder[i] = (100 + i) % 256;
  EXPECT_EQ(slots(b.releases), inOrder);
  EXPECT_EQ(b.read(r::kReleasesQueued), 0U);
  b.write(r::row(99), 1);
}

TEST_P(TrackerTest, ACompletionForARowThatIsNotArmedIsAStrayRow) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programGeometry(0, tiling);
  b.programRegion(3,
                  {.lastWorkgroup = 5,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 1,
                   .firstRow = 40},
                  tiling);
  b.enable();
  b.reportTile(tiling, kBase, 4, 6);
  b.run();
  EXPECT_EQ(b.read(r::kErrors), r::kErrorsStrayRow);
  EXPECT_EQ(errorNames(b.tracker().statistics().errors), "stray row");
  EXPECT_EQ(b.read(r::errorCount(10)), 1U);
  EXPECT_EQ(b.read(r::kErrorFirst), r::kErrorFirstValid | 10U << r::kErrorFirstCauseShift |
                                        3U << r::kErrorFirstRegionShift |
                                        6U << r::kErrorFirstWfShift | 4U);
  EXPECT_EQ(b.read(r::kErrorAddressLo), 41U * 32);
  EXPECT_EQ(b.tracker().statistics().stray, 0U);
  EXPECT_THAT(b.releases, IsEmpty());
}

TEST_P(TrackerTest, AFullLaneQueueMakesChannelsWaitAndServesThemInOrder) {
  TrackerConfig config;
  config.lane_queue_updates = 4;
  TrackerBench& b = bench(config);
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  constexpr std::uint32_t kPieces = 60;
  std::vector<std::uint64_t> order;
  for (std::uint32_t i = 0; i < kPieces; ++i) {
    const std::uint64_t address = kBase + 128 * i;
    b.report({.lane = 5,
              .channel = i % 4,
              .workgroup = 1,
              .address = address,
              .bytes = 2,
              .when = b.in(0) + i});
    order.push_back(address);
  }
  b.run();
  EXPECT_EQ(b.reported, kPieces);
  // Each channel has one request out, so a lane's order is that of the requests: round robin here.
  EXPECT_EQ(b.takenOrder[5], order);
  const TrackerStatistics statistics = b.tracker().statistics();
  EXPECT_EQ(statistics.updates, kPieces);
  EXPECT_GT(statistics.stall_cycles, 0U);
}

TEST_P(TrackerTest, APieceLargerThanTheQueueStillGetsThrough) {
  TrackerConfig config;
  config.lane_queue_updates = 2;
  TrackerBench& b = bench(config);
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.write(r::command(1), 1);
  b.report({.lane = 3, .workgroup = 1, .address = kBase, .bytes = 1024});
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(1U));
}

// ---- full sets --------------------------------------------------------------------------------

TEST_P(TrackerTest, AFullSetSpillsAndNoTileIsForgottenOrTriggeredTwice) {
  TrackerBench& b = bench(withSets(2));
  const Tiling tiling =
      Tiling(512, 512, 2, 64, 64, 8, 1);  // 64 tiles, 512 entries; 16 in the table
  const RegionSetup region{
      .lastWorkgroup = 63, .firstAddress = kBase, .lastAddress = kBase + tiling.outputBytes() - 1};
  b.programAll(tiling, kBase, 2);
  Scoreboard expected(tiling, region);
  for (int update = 0; update < 2; ++update) {
    for (std::uint32_t wg = 0; wg < 64; ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) {
        const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
        for (std::uint32_t row = 0; row < area.rows; ++row) {
          const Report report{.lane = row,
                              .workgroup = wg,
                              .wavefront = wf,
                              .address = kBase + tiling.offset(area, row),
                              .bytes = 128};
          b.report(report);
          expected.add(report);
        }
      }
    }
  }
  b.run();
  expectConserved(b, expected);
  EXPECT_EQ(b.commands.size(), 64U);
  const TrackerStatistics statistics = b.tracker().statistics();
  EXPECT_GE(statistics.evictions, 512U - 16);
  EXPECT_GE(statistics.fills, 512U - 16);
  EXPECT_EQ(statistics.peak_entries, 16U);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusSpill);
  EXPECT_EQ(b.read64(r::kEvictions), b.recordWrites);
  EXPECT_EQ(b.read64(r::kFills), b.recordReads);
}

TEST_P(TrackerTest, NoRecordIsReadWhenAllSpilledTilesAreBack) {
  TrackerBench& b = bench(withSets(2));
  const Tiling tiling = Tiling(512, 512, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 2);
  // 32 entries for 16 places: some are spilled, and read again for their second update.
  for (int update = 0; update < 2; ++update) {
    for (std::uint32_t wg = 0; wg < 4; ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
    }
    b.run();
  }
  ASSERT_EQ(b.commands.size(), 4U);
  EXPECT_GT(b.recordReads, 0U);
  EXPECT_EQ(b.recordMarks, b.recordWrites) << "each that was written is back";
  const std::uint64_t before = b.recordReads;
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 4, wf);
  b.run();
  EXPECT_EQ(b.recordReads, before) << "nothing is in memory";
}

TEST_P(TrackerTest, ATableAsLargeAsTheWorkNeverSpills) {
  TrackerBench& b = bench(withSets(64));
  const Tiling tiling = Tiling(512, 512, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 2);
  for (int update = 0; update < 2; ++update) {
    for (std::uint32_t wg = 0; wg < 64; ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
    }
    b.run();  // all tiles have their first update now, so all entries are live
  }
  EXPECT_EQ(b.commands.size(), 64U);
  EXPECT_EQ(b.recordWrites + b.recordReads, 0U);
  EXPECT_EQ(b.tracker().statistics().peak_entries, 512U);
}

// The work of the tests above in the smaller table, and nothing to spill: no tile waits in it.
TEST_P(TrackerTest, TilesThatWaitForTheirNextContributionNeedNoEntry) {
  TrackerBench& b = bench(withSets(2));
  const Tiling tiling = Tiling(512, 512, 2, 64, 64, 8, 1);
  b.programGeometry(0, tiling);
  b.programRegion(0,
                  {.lastWorkgroup = tiling.tiles() - 1,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 3,
                   .notify = true,
                   .park = true},
                  tiling);
  b.enable();
  for (int update = 0; update < 3; ++update) {
    EXPECT_THAT(b.commands, IsEmpty());
    for (std::uint32_t wg = 0; wg < 64; ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
      b.run();
      EXPECT_EQ(b.read(r::kLive), 0U);
    }
  }
  EXPECT_EQ(b.commands.size(), 64U);
  ASSERT_EQ(b.notifications.size(), 64U);
  for (const TrackerBench::Said& said : b.notifications) {
    const WorkgroupId wg = said.message.workgroup;
    EXPECT_EQ(said.message.address,
              kBase + tiling.offset(tiling.wavefrontTile(wg, WavefrontId{7}), 0));
  }
  EXPECT_EQ(b.recordWrites + b.recordReads, 0U);
  EXPECT_LE(b.tracker().statistics().peak_entries, 8U);
}

TEST_P(TrackerTest, ATileIsParkedIfItsWorkgroupHasAPlaceForIt) {
  TrackerConfig config;
  if (GetParam() == TrackerKind::Model) config.parked_workgroups = 8192;
  const std::uint32_t places = config.parked_workgroups;
  TrackerBench& b = bench(config);
  EXPECT_EQ(b.read(r::kConfig2) >> r::kConfig2ParkedWorkgroupsShift, places);
  const Tiling tiling(128, 64 * 4098, 2, 64, 64, 8, 1);
  b.programGeometry(0, tiling);
  b.programRegion(0,
                  {.firstWorkgroup = places - 1,
                   .lastWorkgroup = places,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 2,
                   .park = true},
                  tiling);
  b.enable();
  b.reportTile(tiling, kBase, places - 1, 0);
  b.run();
  EXPECT_EQ(b.read(r::kLive), 0U);
  b.reportTile(tiling, kBase, places, 0);
  b.run();
  EXPECT_EQ(b.read(r::kLive), 1U);
}

TEST_P(TrackerTest, ASlowRecordMemoryHoldsUpOnlyTheBankConcerned) {
  TrackerBench& b = bench(withSets(2));
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 1);
  b.recordLatency = [] { return Picoseconds{50'000'000}; };
  // Workgroups 0 and 2, wavefront 0: bank 0, set 0 … and bank 2, set 0; 0 and 4 with wavefronts
  // 0 and 4 share bank 0 and set 0.
  b.report({.lane = 0, .workgroup = 0, .wavefront = 0, .address = kBase, .bytes = 128});
  b.report({.lane = 0,
            .workgroup = 4,
            .wavefront = 4,
            .address = kBase,
            .bytes = 128,
            .when = b.in(50)});
  b.report({.lane = 0,
            .workgroup = 0,
            .wavefront = 0,
            .address = kBase,
            .bytes = 128,
            .when = b.in(100)});  // its record is read: bank 0 waits 50 µs
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    b.reportTile(tiling, kBase, 1, wf, b.in(200));  // banks 1, 0, 3, 2 …: wavefront 1 waits
  }
  b.run(1000);
  EXPECT_EQ(b.recordReads, 1U);
  // Lanes whose head is for bank 0 wait; wavefront 0 came first everywhere and is done.
  EXPECT_GE(b.read64(r::kCompleted), 1U);
  EXPECT_THAT(b.commands, IsEmpty());
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(1U));
  EXPECT_GE(b.commands[0].time, 50'000'000U);
}

TEST_P(TrackerTest, RecordsOfAnEarlierKernelAreNotTakenForLive) {
  TrackerBench& b = bench(withSets(2));
  const Tiling tiling = Tiling(512, 64, 2, 64, 64, 8, 1);  // 8 tiles in a column
  for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) {
    b.clear();
    b.programGeometry(0, tiling, epoch);
    b.programRegion(0,
                    {.lastWorkgroup = 7,
                     .firstAddress = kBase,
                     .lastAddress = kBase + tiling.outputBytes() - 1,
                     .updates = 2},
                    tiling);
    b.enable();
    b.commands.clear();
    // The first kernels stop half way and leave live records behind.
    for (int update = 0; update < (epoch == 3 ? 2 : 1); ++update) {
      for (std::uint32_t wg = 0; wg < 8; ++wg) {
        for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
      }
    }
    b.run();
    EXPECT_EQ(b.commands.size(), epoch == 3 ? 8U : 0U);
    EXPECT_EQ(b.read64(r::kOverrun), 0U);
  }
  EXPECT_GT(b.recordWrites, 0U);
}

// ---- registers --------------------------------------------------------------------------------

TEST_P(TrackerTest, TellsWhatItIs) {
  TrackerBench& b = bench();
  EXPECT_EQ(b.read(r::kId), 0x54335454U);
  EXPECT_EQ(b.read(r::kVersion), 0x00010005U);
  EXPECT_EQ(b.read(r::kConfig0), 8U | 8U << 8 | 64U << 16);
  EXPECT_EQ(b.read(r::kConfig1), 4096U | 8U << 16 | 2U << 24);
  EXPECT_EQ(b.read(r::kConfig2), 3U | 4U << 4 | 4096U << 8);
  EXPECT_EQ(b.read(r::kConfig3), 256U);
  EXPECT_EQ(b.read(r::kStatus), 0U);
}

TEST_P(TrackerTest, ConfigurationReadsBackAsWritten) {
  TrackerBench& b = bench();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values;
  for (std::uint32_t g = 0; g < 2; ++g) {
    const std::uint32_t base = r::geometry(g);
    values.insert(values.end(), {{base + r::kGeoTilesAcross, 0xbeef - g},
                                 {base + r::kGeoTilesDown, 0x1234 + g},
                                 {base + r::kGeoReciprocalLo, 0xdeadbeef + g},
                                 {base + r::kGeoReciprocalHi, 1 - g},
                                 {base + r::kGeoSpillBaseLo, 0x12345000 + (g << 12)},
                                 {base + r::kGeoSpillBaseHi, 0x8001 + g},
                                 {base + r::kGeoEpoch, 0xffff - g}});
    for (std::uint32_t c = 0; c < 4; ++c) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) {
        values.push_back({base + r::expected(c, wf), 0x2a000 + g * 64 + c * 8 + wf});
      }
    }
  }
  for (std::uint32_t region = 0; region < 8; ++region) {
    const std::uint32_t base = r::region(region);
    values.insert(values.end(), {{base + r::kRegCtrl, 0x000f'0716 - (region << 16)},
                                 {base + r::kRegWgFirst, 0x1000 + region},
                                 {base + r::kRegWgLast, 0xfff0 + region},
                                 {base + r::kRegPageFirst, 0x89abcdef + region},
                                 {base + r::kRegPageLast, 0xfedcba98 + region},
                                 {base + r::kRegPageHigh, 0x000a'0005 + region},
                                 {base + r::kRegCmdBase, 0x800 + region},
                                 {base + r::kRegTarget, 0x900 + region},
                                 {base + r::kRegRelease, r::kRegReleaseEnable | (0xf0 + region)}});
  }
  for (std::uint32_t command : {0U, 1U, 77U, 2048U, 4095U}) {
    values.push_back({r::command(command), 0x0101 + command});
  }
  for (std::uint32_t row : {0U, 1U, 200U, 255U}) values.push_back({r::row(row), 0x0201 + row});
  values.push_back({r::kIrqEnable, 0xa});
  for (const auto& [address, value] : values) b.write(address, value);
  for (const auto& [address, value] : values) {
    EXPECT_EQ(b.read(address), value) << "register 0x" << std::hex << address;
  }
}

TEST_P(TrackerTest, RefusesWhatTheMapDoesNotHave) {
  TrackerBench& b = bench();
  for (std::uint32_t address : {0x011cU, 0x0300U, 0x0828U, 0x0a00U, 0x1000U, 0x3ffcU, r::row(256),
                                0x7ffcU, 0xc000U, 0xfffcU}) {
    EXPECT_FALSE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 0)) << std::hex << address;
  }
  for (std::uint32_t address : {0x0001U, 0x0012U, 0x0103U, 0x8002U}) {
    EXPECT_FALSE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 0)) << std::hex << address;
  }
  for (std::uint32_t address : {r::kId,
                                r::kVersion,
                                r::kConfig0,
                                r::kConfig1,
                                r::kConfig2,
                                r::kStatus,
                                r::kUpdates,
                                r::kUpdates + 4,
                                r::kStray + 4,
                                r::kErrorAddressLo,
                                r::kErrorAddressHi,
                                r::errorCount(0),
                                r::errorCount(11),
                                r::kConfig3,
                                r::kReleasesQueued,
                                r::kReleases,
                                r::kReleases + 4,
                                r::kCorrected,
                                r::kCorrected + 4,
                                r::kDamaged,
                                r::kTaken,
                                r::kTaken + 4,
                                r::kQueued,
                                r::kLanesWaiting,
                                r::kLive,
                                r::kPeak,
                                r::kStallsSpill,
                                r::kStallsClosed + 4,
                                r::region(0) + r::kRegDone}) {
    EXPECT_TRUE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
  }
}

TEST_P(TrackerTest, AWriteWithoutAllStrobesChangesNothing) {
  TrackerBench& b = bench();
  b.write(r::geometry(0) + r::kGeoEpoch, 0x1234);
  for (std::uint8_t strobes = 0; strobes < 0xf; ++strobes) {
    EXPECT_FALSE(b.tryWrite(r::geometry(0) + r::kGeoEpoch, 0x5678, strobes)) << int{strobes};
  }
  EXPECT_EQ(b.read(r::geometry(0) + r::kGeoEpoch), 0x1234U);
  b.nameAllBytes(true);
  b.write(r::geometry(0) + r::kGeoEpoch, 0x5678);
  EXPECT_EQ(b.read(r::geometry(0) + r::kGeoEpoch), 0x5678U) << "all strobes, byte by byte";
}

TEST_P(TrackerTest, RegisterAccessesCostTime) {
  TrackerBench& b = bench();
  b.read(r::kId);
  const sc_core::sc_time one = b.registerTime();
  EXPECT_GE(one, fromPicoseconds(2 * b.period()));
  EXPECT_LE(one, fromPicoseconds(16 * b.period()));
  b.write(r::kIrqEnable, 0);
  EXPECT_GT(b.registerTime(), one);
}

TEST_P(TrackerTest, ClearForgetsEntriesCountersAndCommandsButNotTheProgram) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 2);
  b.write(r::region(0) + r::kRegTarget, 1);
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    b.reportTile(tiling, kBase, 2, wf);
    b.reportTile(tiling, kBase, 2, wf);
    b.reportTile(tiling, kBase, 3, wf);
  }
  b.run();
  ASSERT_EQ(b.commands.size(), 1U);
  ASSERT_GT(b.read(r::kLive), 0U);
  b.clear();
  EXPECT_EQ(b.read(r::kLive), 0U);
  EXPECT_EQ(b.read(r::kPeak), 0U);
  EXPECT_EQ(b.read(r::kStatus), 0U);
  EXPECT_EQ(b.read(r::kIrqStatus), 0U);
  EXPECT_EQ(b.read(r::kRegionDone), 0U);
  EXPECT_EQ(b.read(r::region(0) + r::kRegDone), 0U);
  EXPECT_EQ(b.read(r::command(3)), 0U);
  for (std::uint32_t counter = r::kUpdates; counter <= r::kStray; counter += 8) {
    EXPECT_EQ(b.read64(counter), 0U) << std::hex << counter;
  }
  EXPECT_EQ(b.read64(r::kReleases), 0U);
  EXPECT_EQ(b.read(r::geometry(0) + r::kGeoTilesAcross), tiling.tilesAcross());
  // The same tile again counts from nothing.
  b.write(r::command(3), 8);
  b.enable();
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  b.run();
  EXPECT_EQ(b.commands.size(), 1U);
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  b.run();
  EXPECT_EQ(b.commands.size(), 2U);
}

TEST_P(TrackerTest, DebugReadsCostNoTime) {
  TrackerBench& b = bench();
  std::uint32_t value = 0;
  Payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(r::kId);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  EXPECT_EQ(b.debug(payload), 4U);
  EXPECT_EQ(value, 0x54335454U);
  EXPECT_EQ(b.registerTime(), sc_core::SC_ZERO_TIME);
  payload.set_address(0xfffc);
  EXPECT_EQ(b.debug(payload), 0U);
}

// ---- all together -----------------------------------------------------------------------------

struct RandomCase {
  std::uint32_t sets;
  std::uint32_t tiles;  ///< down x 4
  std::uint32_t blockLog2;
  bool slowMemory;
  bool park = false;
};

class TrackerRandomTest : public testing::TestWithParam<std::tuple<TrackerKind, RandomCase>> {};

TEST_P(TrackerRandomTest, AgreesWithTheScoreboard) {
  const auto [kind, variant] = GetParam();
  std::mt19937_64 random(test::seed(20240607));
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const std::uint32_t down = variant.tiles / 4;
  const auto rows = static_cast<std::uint32_t>(64 * down - 1 - below(63));
  const auto columns = static_cast<std::uint32_t>(64 * 4 - 1 - below(63));
  const Tiling tiling(rows, columns, 2, 64, 64, 8, 1);

  TrackerConfig config;
  config.sets_per_bank = variant.sets;
  config.ways = variant.sets == 2 ? 1 : 4;
  config.lane_queue_updates = static_cast<std::uint32_t>(1 + below(40));
  TrackerBench b("bench", config,
                 [kind = kind](const TrackerConfig& c) { return makeTracker("tracker", kind, c); });
  std::mt19937_64 timing(random());
  b.dmaBusy = [&timing] { return timing() % 3 == 0 ? timing() % 200'000 : 0; };
  b.releaseBusy = [&timing] { return timing() % 3 == 0 ? timing() % 200'000 : 0; };
  if (variant.slowMemory) {
    b.recordLatency = [&timing] { return 1 + timing() % 800'000; };
    b.recordStall = [&timing] { return timing() % 2 == 0 ? 0 : timing() % 20'000; };
  }

  const RegionSetup region{.firstWorkgroup = 1,
                           .lastWorkgroup = tiling.tiles() - 1,
                           .firstAddress = kBase,
                           .lastAddress = kBase + tiling.outputBytes() - 1,
                           .updates = static_cast<std::uint32_t>(1 + below(3)),
                           .notify = below(2) == 0,
                           .blockLog2 = variant.blockLog2,
                           .firstCommand = static_cast<std::uint32_t>(below(3000)),
                           .park = variant.park,
                           .firstRow = static_cast<std::uint32_t>(below(256))};
  b.programGeometry(0, tiling, static_cast<std::uint32_t>(1 + below(65535)));
  b.programRegion(static_cast<std::uint32_t>(below(8)), region, tiling);
  std::map<std::uint32_t, std::uint32_t> rowSlots;
  for (std::uint32_t wg = region.firstWorkgroup; wg <= region.lastWorkgroup; ++wg) {
    rowSlots[(*region.firstRow + wg / 4) % 256] += tiling.liveWavefronts(WorkgroupId{wg});
  }
  for (const auto& [row, missing] : rowSlots) b.write(r::row(row), missing);
  b.enable();

  // All updates of all tiles, cut at random, in an order that mixes a moving window of tiles.
  std::vector<Report> reports;
  for (std::uint32_t update = 0; update < region.updates; ++update) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) {
        const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
        for (std::uint32_t row = 0; row < area.rows; ++row) {
          std::uint64_t address = kBase + tiling.offset(area, row);
          const std::uint64_t end = address + 2 * area.columns;
          while (address < end) {
            const std::uint64_t bytes = std::min(end - address, 1 + below(160));
            reports.push_back({static_cast<std::uint32_t>(below(8)),
                               static_cast<std::uint32_t>(below(4)), wg, wf, address,
                               static_cast<std::uint32_t>(bytes), 0});
            address += bytes;
          }
        }
      }
    }
  }
  // With parking, mostly one contribution after the other.
  const std::size_t window = 1 + below(variant.park ? 100 : 4000);
  for (std::size_t i = 0; i + 1 < reports.size(); ++i) {
    std::swap(reports[i], reports[i + below(std::min(window, reports.size() - i))]);
  }

  Scoreboard expected(tiling, region);
  Picoseconds when = 1000;
  for (Report& report : reports) {
    if (below(50) == 0) when += below(100'000);
    when += below(1200);
    report.when = when;
    expected.add(report);
    b.report(report);
  }
  b.run();
  ASSERT_GT(expected.completed, 0U);
  expectConserved(b, expected);
  for (const auto& [row, time] : b.releases) {
    EXPECT_EQ(rowSlots.erase(row), 1U) << "row " << row << " unwanted or twice";
    const std::uint32_t gridRow = (row + 256 - *region.firstRow) % 256;
    for (const auto& [tile, taken] : b.lastTaken) {
      if (tile.first < region.firstWorkgroup || tile.first / 4 != gridRow) continue;
      EXPECT_GT(time, taken);
    }
  }
  EXPECT_TRUE(rowSlots.empty()) << rowSlots.size() << " rows were never released";
  EXPECT_EQ(b.tracker().statistics().errors, 0U);
  EXPECT_EQ(b.notifications.size(), region.notify ? b.commands.size() : 0U);
  EXPECT_EQ(b.reported, reports.size());
}

std::string kindName(TrackerKind kind) {
  return kind == TrackerKind::Rtl ? "Rtl" : kind == TrackerKind::Model ? "Model" : "Lockstep";
}

INSTANTIATE_TEST_SUITE_P(, TrackerTest,
                         testing::Values(TrackerKind::Rtl, TrackerKind::Model,
                                         TrackerKind::Lockstep),
                         [](const auto& test) { return kindName(test.param); });

INSTANTIATE_TEST_SUITE_P(
    , TrackerRandomTest,
    testing::Combine(testing::Values(TrackerKind::Rtl, TrackerKind::Model, TrackerKind::Lockstep),
                     testing::Values(RandomCase{64, 32, 0, false}, RandomCase{4, 64, 2, false},
                                     RandomCase{2, 48, 0, true}, RandomCase{4, 96, 1, true},
                                     RandomCase{4, 64, 1, false, true},
                                     RandomCase{2, 48, 0, true, true})),
    [](const auto& test) {
      const RandomCase& variant = std::get<1>(test.param);
      return kindName(std::get<0>(test.param)) + std::to_string(variant.sets) + "Sets" +
             std::to_string(variant.tiles) + (variant.park ? "TilesParked" : "Tiles");
    });

}  // namespace
