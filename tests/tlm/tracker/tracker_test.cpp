// SPDX-License-Identifier: Apache-2.0
// What docs/tracker.md promises of updates, commands, rows and speed, asked of every implementation
// through its sockets alone: the Verilated RTL, the twin, and the lockstep pair (which adds its own
// comparison to each test). Expected commands and counts come from an untimed scoreboard or from
// arithmetic beside each test. Time is only bounded where the specification bounds it.
// What it promises to software is in software_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_fixture.h"
#include "tlm/tracker/registers.h"

namespace t3::tracker_test {
namespace {

using namespace t3::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace r = registers;

/// 2 x 3 tiles of 64 x 64 halves, 8 wavefronts of 8 rows: 1024 bytes per wavefront tile, no edges.
Tiling evenTiling() { return Tiling({128, 192, 2}, {64, 64, 8}, 1); }
/// 3 x 4 tiles with cut right and lower edges: 23 columns in the last one, 20 rows in the last one,
/// so of its wavefronts (8 rows each) two are whole, one has 4 rows, five are empty.
Tiling edgeTiling() { return Tiling({148, 215, 2}, {64, 64, 8}, 1); }

class TrackerTest : public TrackerFixture {};

// ---- counting and triggering -------------------------------------------------------------------

TEST_P(TrackerTest, TriggersOnceWhenAllBytesOfABlockAreIn) {
  TrackerBench& b = bench();
  const Tiling tiling = evenTiling();
  b.programAll(tiling, kBase, 2);
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 4, wf);
  for (std::uint32_t wf = 0; wf < 7; ++wf) b.reportTile(tiling, kBase, 4, wf);
  b.run();
  EXPECT_THAT(b.commands, IsEmpty());
  EXPECT_EQ(b.read(r::slot(4)), 1024U) << "the bytes of one wavefront tile";
  b.reportTile(tiling, kBase, 4, 7);
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(4U));
  EXPECT_FALSE(b.commands[0].message.spoiled);
  EXPECT_EQ(b.read(r::slot(4)), 0U);
}

TEST_P(TrackerTest, CutsPiecesAtLinesOf128Bytes) {
  TrackerBench& b = bench();
  start(b, {}, 1 + 2 + 512 + 509);
  b.report({.address = kBase + 127, .bytes = 1});      // 1 line
  b.report({.address = kBase + 255, .bytes = 2});      // 2
  b.report({.address = kBase + 0x400, .bytes = 512});  // 4
  b.report({.address = kBase + 0x840, .bytes = 509});  // 5: 64 + 3 x 128 + 61
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U));
  EXPECT_EQ(b.tracker().statistics().updates, 12U);
}

TEST_P(TrackerTest, EdgeTilesAreDoneAtTheirOwnSize) {
  TrackerBench& b = bench();
  const Tiling tiling = edgeTiling();
  b.programAll(tiling, kBase, 2);
  std::uint64_t bytes = 0;
  for (int contribution = 0; contribution < 2; ++contribution) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
      bytes += tiling.bytes(tiling.tile(WorkgroupId{wg}));
    }
  }
  b.run();
  EXPECT_EQ(bytes, 2 * tiling.outputBytes());
  auto issued = ids(b.commands);
  std::ranges::sort(issued);
  std::vector<std::uint32_t> all(tiling.tiles());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(issued, all);
  EXPECT_EQ(b.tracker().statistics().completed, tiling.tiles());
}

TEST_P(TrackerTest, ASlotMayBeOfAWavefrontTileAWorkgroupOrABlock) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xffff);
  // Tiles 10 … 13; the same ones in each region, told apart by their windows.
  constexpr std::uint64_t kApart = 0x10'0000;
  const std::uint32_t shifts[] = {0, 2, 3, 4};
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i != 0) b.setWindow(i, kBase + i * kApart, kBase + i * kApart + 0xffff);
    b.program(i, {.firstWorkgroup = 10,
                  .lastWorkgroup = 13,
                  .window = i,
                  .shift = shifts[i],
                  .firstSlot = 100 * i});
    b.setState(i, TrackerBench::kStopped);
    b.fill(i, 16U << shifts[i]);
    b.setState(i, TrackerBench::kOn);
  }
  b.enable();
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      b.report({.lane = i,
                .workgroup = 12,
                .wavefront = wf,
                .address = kBase + i * kApart,
                .bytes = 16});
    }
  }
  b.run();
  auto issued = ids(b.commands);
  std::ranges::sort(issued);
  EXPECT_THAT(issued, ElementsAre(16U, 17U, 18U, 19U, 20U, 21U, 22U, 23U, 104U, 105U, 202U));
  EXPECT_EQ(b.read(r::slot(301)), 128U) << "half of the block of workgroups 12 and 13";
}

TEST_P(TrackerTest, LargeShiftsPutManyWorkgroupsIntoASlot) {
  TrackerBench& b = bench();
  start(b, {.firstWorkgroup = 1, .lastWorkgroup = 8192, .shift = 15}, 4 * 128);
  for (const std::uint32_t wg : {1U, 4096U, 4097U, 8192U}) {
    for (int i = 0; i < 2; ++i) b.report({.workgroup = wg, .address = kBase, .bytes = 128});
  }
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U, 1U));
}

TEST_P(TrackerTest, ASlotCountsToTheLargestCount) {
  TrackerBench& b = bench();
  TrackerConfig config;
  start(b, {}, TrackerConfig::kMostCount);
  EXPECT_EQ(b.read(r::slot(0)), TrackerConfig::kMostCount);
  for (std::uint32_t i = 0; i < TrackerConfig::kMostCount / 0x10000; ++i) {
    b.report({.lane = i % 8, .address = kBase, .bytes = 0x10000 - (i == 0 ? 1U : 0U)});
  }
  b.run();
  EXPECT_THAT(b.commands, IsEmpty());
  EXPECT_EQ(b.read(r::slot(0)), 1U);
  b.report({.address = kBase, .bytes = 1});
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U));
}

TEST_P(TrackerTest, RegionsTriggerOrNotAndCountWhatIsDone) {
  TrackerBench& b = bench();
  b.write(r::kIrqEnable, r::kIrqStatusRegionDone);
  b.setWindow(0, kBase, kBase + 0xffff);
  const auto region = [&b](std::uint32_t index, const RegionSetup& setup) {
    b.program(index, setup);
    b.setState(index, TrackerBench::kStopped);
    b.fill(index, 128);
    b.setState(index, TrackerBench::kOn);
  };
  region(3, {.lastWorkgroup = 1, .target = 2});
  region(
      5,
      {.firstWorkgroup = 2, .lastWorkgroup = 3, .firstSlot = 100, .trigger = false, .target = 3});
  region(7, {.firstWorkgroup = 4, .lastWorkgroup = 5, .firstSlot = 4094});
  b.enable();
  for (std::uint32_t wg = 0; wg < 6; ++wg) {
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 128, .when = b.in(20 * wg)});
  }
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U, 1U, 4094U, 4095U));
  for (const std::uint32_t index : {3U, 5U, 7U}) {
    EXPECT_EQ(b.read(r::region(index) + r::kRegDone), 2U);
  }
  EXPECT_EQ(b.read(r::kRegionDone), 1U << 3);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusRegionDone);
  EXPECT_EQ(b.interrupts.size(), 1U);
  EXPECT_EQ(b.read64(r::kCompleted), 6U);
  EXPECT_EQ(b.read64(r::kTriggers), 4U);
  EXPECT_EQ(b.read64(r::kTaken), 4U);
}

TEST_P(TrackerTest, CountsAndDropsWhatNoRegionClaims) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase + 0x1000, kBase + 0x2fff);
  b.program(0, {.firstWorkgroup = 5, .lastWorkgroup = 6});
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 1000);
  b.setState(0, TrackerBench::kOn);
  const auto update = [&b](std::uint32_t wg, std::uint64_t address) {
    b.report({.workgroup = wg, .address = address, .bytes = 10});
    b.run();
  };
  update(5, kBase + 0x1000);
  EXPECT_EQ(b.read64(r::kUntracked), 1U) << "the unit is not enabled";
  b.enable();
  update(4, kBase + 0x1000);
  update(7, kBase + 0x1000);
  update(5, kBase + 0xfff - 9);
  update(5, kBase + 0x3000);
  update(5, 0x1000);
  EXPECT_EQ(b.read64(r::kUntracked), 6U);
  update(5, kBase + 0x1000);
  update(6, kBase + 0x2fff - 9);
  EXPECT_EQ(b.read64(r::kUpdates), 2U);
  EXPECT_EQ(b.read64(r::kUntracked), 6U);
  b.setState(0, TrackerBench::kStopped);
  update(5, kBase + 0x1000);
  EXPECT_EQ(b.read64(r::kDropped), 1U);
  b.setState(0, TrackerBench::kOff);
  update(5, kBase + 0x1000);
  EXPECT_EQ(b.read64(r::kUntracked), 7U);
  EXPECT_EQ(b.read64(r::kDropped), 1U);
  EXPECT_EQ(b.read(r::slot(0)), 990U);
}

TEST_P(TrackerTest, TheLowestNumberedRegionWinsEvenIfItIsStopped) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xffff);
  b.program(6, {.lastWorkgroup = 10, .firstSlot = 50});
  b.program(2, {.firstWorkgroup = 4, .lastWorkgroup = 5, .firstSlot = 80});
  for (const std::uint32_t index : {2U, 6U}) {
    b.setState(index, TrackerBench::kStopped);
    b.fill(index, 128);
    b.setState(index, TrackerBench::kOn);
  }
  b.enable();
  const auto update = [&b](std::uint32_t wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 128});
    b.run();
  };
  update(4);
  EXPECT_THAT(ids(b.commands), ElementsAre(80U));
  b.setState(2, TrackerBench::kStopped);
  update(5);
  EXPECT_EQ(b.commands.size(), 1U);
  EXPECT_EQ(b.read64(r::kDropped), 1U);
  EXPECT_EQ(b.read(r::slot(55)), 128U) << "a late update does not fall through";
  b.setState(2, TrackerBench::kOff);
  update(5);
  EXPECT_THAT(ids(b.commands), ElementsAre(80U, 55U));
}

// ---- speed ------------------------------------------------------------------------------------

TEST_P(TrackerTest, AllLanesUpdateOneSlotEveryCycleWithoutABubble) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kPerLane = 200;
  TrackerConfig config;
  start(b, {}, 8 * kPerLane * 128);
  const Picoseconds from = b.in(100);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 0; i < kPerLane / 10; ++i) {
      b.report({.lane = lane,
                .channel = i % TrackerBench::kChannels,
                .address = kBase + 128 * 10 * lane,
                .bytes = 10 * 128,
                .when = from});
    }
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U));
  // The first edge after `from` takes the first update of each lane; latency at most 12 cycles.
  EXPECT_LE(b.commands[0].time, from + (kPerLane + 12) * b.period());
  EXPECT_EQ(b.read64(r::kStalls), 0U);
}

/// Lane l brings updates of slot l x `apart` alone.
void keepsItsRate(TrackerBench& b, std::uint32_t apart) {
  constexpr std::uint32_t kPerLane = 64;
  const Picoseconds from = b.in(100);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 0; i < kPerLane / 8; ++i) {
      b.report({.lane = lane,
                .workgroup = lane * apart,
                .address = kBase,
                .bytes = 8 * 128,
                .when = from});
    }
  }
  b.run();
  ASSERT_EQ(b.commands.size(), 8U);
  // Eight are done at once, and leave one by one, each after a look at its word.
  EXPECT_LE(b.commands[7].time, from + (kPerLane + 12 + 8 * 4) * b.period());
  EXPECT_EQ(b.read64(r::kStalls), 0U);
}

TEST_P(TrackerTest, EveryLaneKeepsItsRateWhenSlotsAreNeighbours) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 7}, 64 * 128);
  keepsItsRate(b, 1);
}

TEST_P(TrackerTest, EveryLaneKeepsItsRateWhenSlotsAreTheBanksApart) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 63}, 64 * 128);
  keepsItsRate(b, 8);
}

TEST_P(TrackerTest, ACommandComesWithinTwelveCyclesOfItsLastUpdateAndItsRowWithinEighteen) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 5, .firstRow = 10}, 128);
  for (std::uint32_t row = 10; row < 16; ++row) b.write(r::row(row), 1);
  std::vector<Picoseconds> when;
  for (std::uint32_t wg = 0; wg < 6; ++wg) {
    when.push_back(b.in(100 + 50 * wg) + 300);  // between two edges
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 128, .when = when.back()});
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U, 1U, 2U, 3U, 4U, 5U));
  ASSERT_THAT(rows(b.releases), ElementsAre(10U, 11U, 12U, 13U, 14U, 15U));
  for (std::size_t i = 0; i < when.size(); ++i) {
    const Picoseconds entered = (when[i] / b.period() + 1) * b.period();
    EXPECT_LE(b.commands[i].time, entered + 12 * b.period());
    EXPECT_LE(b.releases[i].time, entered + 18 * b.period());
    EXPECT_EQ(b.commands[i].time % b.period(), 0U);
  }
}

TEST_P(TrackerTest, AnUpdateIsSeenAtTheTimeThatItsDelayNames) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 5}, 1024);
  const Picoseconds from = b.in(10), ahead = 1000 * b.period();
  b.report({.workgroup = 4, .address = kBase, .bytes = 896, .when = from});
  b.report({.workgroup = 4, .address = kBase, .bytes = 128, .when = from, .ahead = ahead});
  // Another lane keeps the clock running meanwhile.
  for (std::uint32_t i = 0; i < 500; ++i) {
    b.report({.lane = 1, .workgroup = 5, .address = kBase, .bytes = 1, .when = b.in(20 + 2 * i)});
  }
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(4U));
  EXPECT_GE(b.commands[0].time, from + ahead);
  EXPECT_LE(b.commands[0].time, from + ahead + 20 * b.period());
}

// ---- back-pressure and order -------------------------------------------------------------------

TEST_P(TrackerTest, ABusyDmaEngineHoldsCommandsBackAndNothingElse) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kSlots = 60;  // no more than have a place in the queue
  b.write(r::kIrqEnable, r::kIrqStatusRegionDone);
  start(b, {.lastWorkgroup = kSlots - 1, .target = kSlots, .firstRow = 0, .blocksPerRow = 10}, 128);
  for (std::uint32_t row = 0; row < kSlots / 10; ++row) b.write(r::row(row), 10);
  b.dmaBusy = [] { return Picoseconds{5'000'000}; };
  std::vector<std::uint32_t> order(kSlots);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(test::seed(3));
  std::ranges::shuffle(order, random);
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    b.report({.lane = i % 8,
              .workgroup = order[i],
              .address = kBase,
              .bytes = 128,
              .when = b.in(100 + 20 * i)});
  }
  b.run(100 + 20 * kSlots + 100);
  // The engine has one; the tracker has counted everything.
  EXPECT_EQ(b.commands.size(), 1U);
  EXPECT_EQ(b.read64(r::kCompleted), kSlots);
  EXPECT_EQ(b.read64(r::kTriggers), kSlots);
  EXPECT_EQ(b.read64(r::kTaken), 1U);
  EXPECT_EQ(b.read(r::kStatus) & r::kStatusCommands, r::kStatusCommands);
  EXPECT_EQ(b.releases.size(), kSlots / 10);
  EXPECT_EQ(b.interrupts.size(), 1U);
  EXPECT_FALSE(b.tracker().idle());
  EXPECT_EQ(b.read(r::slot(order[0])), 0U) << "taken";
  EXPECT_EQ(b.read(r::slot(order[1])), 0U) << "shown";
  EXPECT_EQ(b.read(r::slot(order[2])), r::kSlotWaits);
  EXPECT_EQ(b.read(r::slot(order[kSlots - 1])), r::kSlotWaits);
  b.run();
  EXPECT_EQ(ids(b.commands), order) << "in the order of completion";
  for (std::size_t i = 1; i < b.commands.size(); ++i) {
    EXPECT_GE(b.commands[i].time, b.commands[i - 1].time + 5'000'000);
    EXPECT_LE(b.commands[i].time, b.commands[i - 1].time + 5'000'000 + 2 * b.period());
  }
}

TEST_P(TrackerTest, BeyondTheQueueEachCommandStillLeavesOnce) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kSlots = 1000;
  start(b, {.lastWorkgroup = kSlots - 1}, 128);
  b.dmaBusy = [] { return Picoseconds{20'000'000}; };
  std::vector<std::uint32_t> order(kSlots);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(test::seed(4));
  std::ranges::shuffle(order, random);
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    b.report({.lane = i % 8,
              .workgroup = order[i],
              .address = kBase,
              .bytes = 128,
              .when = b.in(100 + 16 * i)});
  }
  b.run(100 + 16 * kSlots + 100);
  EXPECT_EQ(b.commands.size(), 1U);
  EXPECT_EQ(b.read64(r::kTriggers), kSlots);
  b.dmaBusy = [] { return Picoseconds{0}; };
  b.run();
  const auto issued = ids(b.commands);
  ASSERT_EQ(issued.size(), kSlots);
  EXPECT_EQ(issued[0], order[0]);
  EXPECT_EQ(issued[1], order[1]) << "stood at the port";
  auto all = issued;
  std::ranges::sort(all);
  std::ranges::sort(order);
  EXPECT_EQ(all, order) << "each one once";
}

TEST_P(TrackerTest, ACommandThatWaitsIsForgottenWhenSoftwareTakesItBack) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 128);
  b.dmaBusy = [] { return Picoseconds{2'000'000}; };
  for (std::uint32_t wg = 0; wg < 10; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 128, .when = b.in(10 + 10 * wg)});
  }
  b.run(300);
  ASSERT_EQ(b.commands.size(), 1U);
  b.setState(0, TrackerBench::kStopped);
  for (const std::uint32_t slot : {1U, 3U, 7U}) b.write(r::slot(slot), 0);
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U, 1U, 2U, 4U, 5U, 6U, 8U, 9U))
      << "1 stood at the port";
}

// ---- rows -------------------------------------------------------------------------------------

TEST_P(TrackerTest, ARowIsReleasedOnceWhenItsLastBlockIsDone) {
  TrackerBench& b = bench();
  const Tiling tiling = edgeTiling();  // 3 rows of 4 tiles
  b.setWindow(0, kBase, kBase + tiling.outputBytes() - 1);
  b.programRegion(2, {.lastWorkgroup = 11, .trigger = false, .firstRow = 40, .blocksPerRow = 4},
                  tiling, 2);
  for (std::uint32_t row = 40; row < 43; ++row) b.write(r::row(row), 4);
  b.enable();
  const auto contribution = [&](std::uint32_t wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
  };
  for (std::uint32_t wg = 0; wg < 12; ++wg) contribution(wg);
  b.run();
  EXPECT_THAT(b.releases, IsEmpty());
  for (const std::uint32_t wg : {8U, 9U, 10U, 11U, 0U, 1U, 2U, 4U, 5U, 7U}) contribution(wg);
  b.run();
  EXPECT_THAT(rows(b.releases), ElementsAre(42U));
  EXPECT_EQ(b.read(r::row(40)), 1U);
  contribution(6);
  contribution(3);
  b.run();
  EXPECT_THAT(rows(b.releases), ElementsAre(42U, 41U, 40U));
  EXPECT_THAT(b.commands, IsEmpty());
  EXPECT_EQ(b.read64(r::kReleased), 3U);
}

TEST_P(TrackerTest, ARegionMayBeginInsideARow) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xffff);
  // Rows of five workgroups: 0 … 4, 5 … 9. One region has 0 … 6, the other 7 … 9.
  b.program(0, {.lastWorkgroup = 6, .trigger = false, .firstRow = 3, .blocksPerRow = 5});
  b.program(1, {.firstWorkgroup = 7,
                .lastWorkgroup = 9,
                .firstSlot = 100,
                .trigger = false,
                .firstRow = 4,
                .rowPhase = 2,
                .blocksPerRow = 5});
  for (const std::uint32_t index : {0U, 1U}) {
    b.setState(index, TrackerBench::kStopped);
    b.fill(index, 64);
    b.setState(index, TrackerBench::kOn);
  }
  b.write(r::row(3), 5);
  b.write(r::row(4), 5);
  b.enable();
  const auto update = [&b](std::uint32_t wg) {
    b.report({.lane = wg % 8, .workgroup = wg, .address = kBase, .bytes = 64});
    b.run();
  };
  for (const std::uint32_t wg : {9U, 8U, 7U, 6U}) update(wg);
  EXPECT_THAT(b.releases, IsEmpty());
  update(5);
  EXPECT_THAT(rows(b.releases), ElementsAre(4U));
  for (const std::uint32_t wg : {0U, 1U, 2U, 3U, 4U}) update(wg);
  EXPECT_THAT(rows(b.releases), ElementsAre(4U, 3U));
}

TEST_P(TrackerTest, TheRowIsExactForEveryBlock) {
  // Rows of lengths that divide badly, at the first and last blocks of the first and last rows.
  TrackerBench& b = bench();
  constexpr std::uint32_t kLast = 4095;
  b.setWindow(0, kBase, kBase + 0xfff);
  b.enable();
  for (const std::uint32_t length : {17U, 31U, 100U, 999U, 4095U, 4096U}) {
    b.releases.clear();
    b.program(0, {.lastWorkgroup = kLast, .trigger = false, .firstRow = 0, .blocksPerRow = length});
    b.setState(0, TrackerBench::kStopped);
    b.fill(0, 64);
    b.setState(0, TrackerBench::kOn);
    const std::uint32_t last = kLast / length;
    std::map<std::uint32_t, std::uint32_t> expected;
    for (const std::uint32_t wg :
         std::set{0U, length - 1, last * length - 1, last * length, kLast}) {
      if (wg > kLast) continue;
      ++expected[wg / length];
      b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(100)});
    }
    std::vector<std::uint32_t> wanted;
    for (const auto& [row, count] : expected) {
      b.write(r::row(row), count);
      wanted.push_back(row);
    }
    b.run();
    auto released = rows(b.releases);
    std::ranges::sort(released);
    EXPECT_EQ(released, wanted) << "rows of " << length;
    EXPECT_EQ(b.read(r::kErrors), 0U);
    b.setState(0, TrackerBench::kOff);
  }
}

TEST_P(TrackerTest, ABusyTargetHoldsRowsBackAndNothingElse) {
  TrackerBench& b = bench();
  constexpr std::uint32_t kRows = 100;  // 16 of them have a place in order
  start(b, {.lastWorkgroup = kRows - 1, .firstRow = 20}, 64);
  for (std::uint32_t row = 20; row < 20 + kRows; ++row) b.write(r::row(row), 1);
  b.releaseBusy = [] { return Picoseconds{5'000'000}; };
  for (std::uint32_t i = 0; i < kRows; ++i) {
    b.report({.lane = i % 8,
              .workgroup = kRows - 1 - i,
              .address = kBase,
              .bytes = 64,
              .when = b.in(100 + 20 * i)});
  }
  b.run(100 + 20 * kRows + 100);
  EXPECT_EQ(b.commands.size(), kRows);
  EXPECT_EQ(b.releases.size(), 1U);
  EXPECT_EQ(b.read64(r::kReleased), kRows);
  EXPECT_EQ(b.read(r::kStatus) & r::kStatusRows, r::kStatusRows);
  EXPECT_EQ(b.read(r::row(20 + kRows - 3)), r::kRowWaits);
  b.run();
  const auto released = rows(b.releases);
  ASSERT_EQ(released.size(), kRows);
  EXPECT_EQ(released[0], 20 + kRows - 1);
  EXPECT_EQ(released[1], 20 + kRows - 2) << "stood at the port";
  EXPECT_EQ(std::set(released.begin(), released.end()).size(), kRows) << "each one once";
}

// ---- lanes ------------------------------------------------------------------------------------

TEST_P(TrackerTest, AFullLaneQueueMakesChannelsWaitAndServesThemInOrder) {
  TrackerConfig config;
  config.lane_queue_updates = 4;
  TrackerBench& b = bench(config);
  start(b, {.lastWorkgroup = 1}, 0x10000);
  constexpr std::uint32_t kPieces = 60;
  std::vector<std::uint64_t> order;
  for (std::uint32_t i = 0; i < kPieces; ++i) {
    const std::uint64_t address = kBase + 128 * i;
    b.report({.lane = 5,
              .channel = i % 4,
              .workgroup = 1,
              .address = address,
              .bytes = 2,
              .when = b.in(1000) + i});
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
  start(b, {.lastWorkgroup = 1}, 1024);
  b.report({.lane = 3, .workgroup = 1, .address = kBase, .bytes = 1024});
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(1U));
}

TEST_P(TrackerTest, LanesThatMeetInABankAllGetTheirTurn) {
  TrackerBench& b = bench();
  // Slots 0, 9, 18, 27 … lie in one bank.
  std::vector<std::uint32_t> meeting;
  for (std::uint32_t slot = 0; meeting.size() < 8; ++slot) {
    if (((slot ^ slot >> 3 ^ slot >> 6) & 7) == 0) meeting.push_back(slot);
  }
  start(b, {.lastWorkgroup = meeting.back()}, 32 * 128);
  const Picoseconds from = b.in(100);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    b.report({.lane = lane,
              .workgroup = meeting[lane],
              .address = kBase,
              .bytes = 32 * 128,
              .when = from});
  }
  b.run();
  ASSERT_EQ(b.commands.size(), 8U);
  EXPECT_GE(b.commands[7].time, from + 8 * 32 * b.period()) << "one slot each cycle";
  EXPECT_LE(b.commands[7].time, from + (8 * 32 + 12 + 8 * 4) * b.period());
  EXPECT_GE(b.commands[0].time, from + 7 * 32 * b.period()) << "in turn";
  EXPECT_GT(b.read64(r::kStalls), 0U);
}

// ---- all together -----------------------------------------------------------------------------

struct RandomCase {
  const char* name;
  std::uint32_t tiles;  ///< down x 4
  std::uint32_t shift;
  bool slow;        ///< long pauses, and a DMA engine that is often busy
  double lost = 0;  ///< of the updates
  double doubled = 0;
};

class TrackerRandomTest : public testing::TestWithParam<std::tuple<TrackerKind, RandomCase>> {};

TEST_P(TrackerRandomTest, AgreesWithTheScoreboard) {
  const auto [kind, variant] = GetParam();
  std::mt19937_64 random(test::seed(20240607));
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto happens = [&](double share) {
    return static_cast<double>(below(1 << 20)) < share * (1 << 20);
  };
  const std::uint32_t down = variant.tiles / 4;
  const auto height = static_cast<std::uint32_t>(64 * down - 1 - below(63));
  const auto width = static_cast<std::uint32_t>(64 * 4 - 1 - below(63));
  const Tiling tiling({height, width, 2}, {64, 64, 8}, 1);

  TrackerConfig config;
  config.lane_queue_updates = static_cast<std::uint32_t>(1 + below(40));
  TrackerBench b("bench", config,
                 [kind = kind](const TrackerConfig& c) { return makeTracker("tracker", kind, c); });
  std::mt19937_64 timing(random());
  if (variant.slow) {
    b.dmaBusy = [&timing] { return timing() % 3 == 0 ? timing() % 2'000'000 : 0; };
    b.releaseBusy = [&timing] { return timing() % 3 == 0 ? timing() % 2'000'000 : 0; };
  }

  // Rows of four tiles: each is a row of blocks if a slot has no more than that.
  const std::uint32_t blocksPerRow = variant.shift <= 5 ? 32U >> variant.shift : 0;
  const auto contributions = static_cast<std::uint32_t>(1 + below(3));
  RegionSetup region{.lastWorkgroup = tiling.tiles() - 1,
                     .shift = variant.shift,
                     .firstSlot = static_cast<std::uint32_t>(below(2000))};
  if (blocksPerRow != 0) {
    region.firstRow = static_cast<std::uint32_t>(below(200));
    region.blocksPerRow = blocksPerRow;
  }
  const std::uint64_t last = kBase + tiling.outputBytes() - 1;
  b.setWindow(2, kBase, last);
  region.window = 2;
  b.programRegion(static_cast<std::uint32_t>(below(8)), region, tiling, contributions);
  Scoreboard expected(region, kBase, last);
  expected.arm(tiling, contributions);
  std::map<std::uint32_t, std::uint32_t> wanted;  // blocks of rows
  if (region.firstRow) {
    for (const auto& [slot, state] : expected.slots()) {
      if (state.armed == 0) continue;  // no element in it
      ++wanted[*region.firstRow + (slot - region.firstSlot) / blocksPerRow];
    }
  }
  for (const auto& [row, missing] : wanted) b.write(r::row(row), missing);
  b.enable();

  // All updates of all tiles, cut at random, in an order that mixes a moving window of tiles.
  std::vector<Report> reports;
  for (std::uint32_t contribution = 0; contribution < contributions; ++contribution) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) {
        const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
        for (std::uint32_t row = 0; row < area.rows; ++row) {
          std::uint64_t address = kBase + tiling.offset(area, row);
          const std::uint64_t end = address + 2 * area.columns;
          while (address < end) {
            const std::uint64_t bytes = std::min(end - address, 1 + below(160));
            const Report report{static_cast<std::uint32_t>(below(8)),
                                static_cast<std::uint32_t>(below(4)),
                                wg,
                                wf,
                                address,
                                static_cast<std::uint32_t>(bytes),
                                0};
            if (!happens(variant.lost)) reports.push_back(report);
            if (happens(variant.doubled)) reports.push_back(report);
            address += bytes;
          }
        }
      }
    }
  }
  const std::size_t window = 1 + below(4000);
  for (std::size_t i = 0; i + 1 < reports.size(); ++i) {
    std::swap(reports[i], reports[i + below(std::min(window, reports.size() - i))]);
  }

  Picoseconds when = 1000;
  for (Report& report : reports) {
    if (below(50) == 0) when += below(variant.slow ? 1'000'000 : 100'000);
    when += below(1200);
    report.when = when;
    expected.add(report);
    b.report(report);
  }
  b.run();
  expectJust(b, expected);
  EXPECT_EQ(b.reported, reports.size());
  EXPECT_FALSE(b.tracker().alert());
  if (variant.lost != 0 || variant.doubled != 0) return;
  EXPECT_EQ(rows(b.releases).size(), wanted.size());
  for (const auto& [row, time] : b.releases) {
    EXPECT_EQ(wanted.erase(row), 1U) << "row " << row << " unwanted or twice";
    for (const auto& [slot, state] : expected.slots()) {
      if (*region.firstRow + (slot - region.firstSlot) / blocksPerRow != row) continue;
      EXPECT_GT(time, state.last);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, TrackerTest, kAllKinds, kindNameOf);

INSTANTIATE_TEST_SUITE_P(
    , TrackerRandomTest,
    testing::Combine(kAllKinds,
                     testing::Values(RandomCase{"WavefrontTiles", 64, 0, false},
                                     RandomCase{"Workgroups", 64, 3, false},
                                     RandomCase{"Blocks", 96, 5, false},
                                     RandomCase{"BlocksOfRows", 96, 7, false},
                                     RandomCase{"Slow", 48, 1, true},
                                     RandomCase{"Lost", 48, 2, false, 0.0002},
                                     RandomCase{"Doubled", 48, 2, true, 0, 0.0002},
                                     RandomCase{"LostAndDoubled", 64, 3, false, 0.0002, 0.0002})),
    [](const auto& test) {
      return kindName(std::get<0>(test.param)) + std::get<1>(test.param).name;
    });

}  // namespace
}  // namespace t3::tracker_test
