// SPDX-License-Identifier: Apache-2.0
// Method: directed stimuli on the whole unit for promise 8, rows: which row a block counts for,
// when a row is shown, what happens with row slots that do not count, and what software sees of
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/leaving.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::release_test {
namespace {

namespace r = registers;
using Rows = std::vector<std::uint32_t>;
using DefaultBench = Bench<kDefaultUnit>;

constexpr std::uint64_t kPage = 0x1000;

/// A region of `blocks` slots, one for each wavefront id, whose rows have `blocksPerRow` of them.
struct Grid {
  std::uint32_t blocks = 1;
  std::uint32_t blocksPerRow = 1;
  std::uint32_t firstRow = 0;
  std::uint32_t rowPhase = 0;
  std::uint32_t slotFirst = 0;
  bool trigger = false;
};

void open(TrackTriggerBench& bench) {
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.enable();
}

void start(TrackTriggerBench& bench, const Grid& grid, std::uint32_t index = 0) {
  const std::uint32_t waves = bench.size.wavefronts();
  bench.start(index,
              {.wgLast = (grid.blocks - 1) / waves,
               .shift = 0,
               .slotFirst = grid.slotFirst,
               .slotLast = grid.slotFirst + grid.blocks - 1,
               .trigger = grid.trigger,
               .firstRow = grid.firstRow,
               .rowPhase = grid.rowPhase,
               .blocksPerRow = grid.blocksPerRow},
              1);
}

/// Completes a block of the region that begins at workgroup 0.
void complete(TrackTriggerBench& bench, std::uint32_t block, std::uint32_t lane = 0) {
  const std::uint32_t waves = bench.size.wavefronts();
  bench.lanes[lane].push_back({block / waves, block % waves, kPage, 1});
}

// ---- which row ----------------------------------------------------------------------------------

TEST(Release, ARowIsShownAtMostEighteenCyclesAfterItsLastUpdate) {
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    DefaultBench bench;
    open(bench);
    start(bench, {.blocks = 16, .blocksPerRow = 4, .firstRow = 7});
    bench.set(r::row(9), 4);
    for (std::uint32_t block = 8; block < 11; ++block) complete(bench, block, lane);
    ASSERT_TRUE(bench.drain());
    EXPECT_TRUE(bench.releases.empty());
    EXPECT_EQ(bench.read(r::row(9)), 1u);
    complete(bench, 11, lane);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.rowsReleased(), Rows{9});
    EXPECT_LE(bench.releaseSeen.at(0) - bench.lastAccept[lane], 18u);
    EXPECT_EQ(bench.read(r::row(9)), 0u);
    EXPECT_EQ(bench.read64(r::kReleased), 1u);
    EXPECT_EQ(bench.read64(r::kCompleted), 4u);
    EXPECT_EQ(bench.read(r::kErrors), 0u);
  }
}

TEST(Release, ARegionWithoutRowsCountsNone) {
  DefaultBench bench;
  open(bench);
  bench.start(0, {.wgLast = 3, .shift = 3}, 1);
  bench.set(r::row(0), 1);
  bench.lanes[0].push_back({0, 0, kPage, 1});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.read(r::row(0)), 1u);
  EXPECT_TRUE(bench.releases.empty());
}

/// The division by reciprocal is exact: the first and the last block of many rows, for lengths of a
/// row from one to the most, with phases.
TEST(Release, EveryBlockCountsForItsRow) {
  Bench<kLargestUnit> bench;
  open(bench);
  Random random(testSeed(97));
  std::vector<std::uint32_t> lengths{1,   2,   3,   5,    7,    9,    11,   13,  64,
                                     100, 127, 129, 1000, 4095, 4097, 8191, 8192};
  for (int i = 0; i < 15; ++i) lengths.push_back(random.between(1, 8192));
  for (const std::uint32_t length : lengths) {
    for (const std::uint32_t phase : {0u, length / 2, length - 1}) {
      SCOPED_TRACE(std::to_string(length) + " blocks per row, phase " + std::to_string(phase));
      // n stays below 2^13.
      const std::uint32_t last = 8191 - phase;
      start(bench, {.blocks = last + 1, .blocksPerRow = length, .rowPhase = phase});
      std::map<std::uint32_t, std::uint32_t> want;
      std::set<std::uint32_t> blocks{0, last};
      for (std::uint32_t k = 0; k < 40; ++k) {
        const std::uint32_t row = random.below(8191 / length + 1);
        const std::uint32_t begin = row * length < phase ? 0 : row * length - phase;
        blocks.insert(begin);
        if (begin > 0) blocks.insert(begin - 1);
      }
      for (const std::uint32_t block : blocks) {
        const std::uint32_t row = (block + phase) / length;
        ++want[std::min(row, 4096u)];
      }
      const std::uint32_t outside = want[4096];
      want.erase(4096);
      for (const auto& [row, count] : want) bench.set(r::row(row), count + 1);
      for (const std::uint32_t block : blocks) complete(bench, block, block % 16);
      ASSERT_TRUE(bench.drain());
      for (const auto& [row, count] : want) {
        ASSERT_EQ(bench.read(r::row(row)), 1u) << "row " << row << " of " << count << " blocks";
      }
      EXPECT_EQ(bench.read(r::errorCount(kRowOutside)), std::min(outside, 255u));
      EXPECT_EQ(bench.read(r::errorCount(kRowStray)), 0u);
      bench.clear();
    }
  }
}

/// Two regions of one row: the second one begins in the middle of it.
TEST(Release, ARowMayLieInSeveralRegions) {
  DefaultBench bench;
  open(bench);
  bench.start(0,
              {.wgLast = 4,
               .shift = 3,
               .slotFirst = 0,
               .trigger = false,
               .firstRow = 20,
               .rowPhase = 0,
               .blocksPerRow = 8},
              1);
  bench.start(1,
              {.wgFirst = 5,
               .wgLast = 15,
               .shift = 3,
               .slotFirst = 1000,
               .trigger = true,
               .firstRow = 20,
               .rowPhase = 5,
               .blocksPerRow = 8},
              1);
  for (const std::uint32_t row : {20u, 21u}) bench.set(r::row(row), 8);
  for (std::uint32_t wg = 0; wg < 16; ++wg) {
    bench.lanes[wg % 8].push_back({wg, 0, kPage, 1});
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.releases.size(), (wg + 1) / 8);
  }
  EXPECT_EQ(bench.rowsReleased(), (Rows{20, 21}));
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, ARowSlotCountsToItsMost) {
  DefaultBench bench;
  open(bench);
  start(bench, {.blocks = 4096, .blocksPerRow = 8192, .firstRow = 255, .rowPhase = 4000});
  for (const std::uint32_t most : {0x3fffu, 0x2000u, 4096u}) {
    bench.set(r::row(255), most);
    EXPECT_EQ(bench.read(r::row(255)), most);
    for (std::uint32_t block = 0; block < 4096; ++block) complete(bench, block, block % 8);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::row(255)), most - 4096);
    bench.setState(0, State::Stopped);
    bench.fill(0, 1);
    bench.set(r::row(255), 0);
    bench.setState(0, State::On);
  }
  EXPECT_EQ(bench.rowsReleased(), Rows{255});
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, CompletionsOfOneRowInSuccessiveCyclesAllCount) {
  DefaultBench bench;
  open(bench);
  start(bench, {.blocks = 512, .blocksPerRow = 64, .firstRow = 3});
  for (std::uint32_t row = 3; row < 11; ++row) bench.set(r::row(row), 64);
  for (std::uint32_t block = 0; block < 512; ++block) complete(bench, block, block % 8);
  ASSERT_TRUE(bench.drain());
  std::set<std::uint32_t> seen;
  for (const std::uint32_t row : bench.rowsReleased()) EXPECT_TRUE(seen.insert(row).second);
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(bench.read64(r::kReleased), 8u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

// ---- errors -------------------------------------------------------------------------------------

TEST(Release, ACompletionForARowThatDoesNotCountIsARowStray) {
  DefaultBench bench;
  open(bench);
  bench.takesRows = false;
  start(bench, {.blocks = 64, .blocksPerRow = 8, .firstRow = 100, .trigger = true}, 6);
  bench.set(r::row(101), 1);
  bench.set(r::row(102), 1);
  complete(bench, 3);  // row 100 is idle
  ASSERT_TRUE(bench.settle());
  bench.expectErrors(kRowStray, 1);
  bench.expectFirst(kRowStray, 6, 100);
  EXPECT_EQ(bench.read(r::row(100)), 0u);
  EXPECT_EQ(bench.done.size(), 1u) << "the block is done all the same";
  complete(bench, 8);
  ASSERT_TRUE(bench.settle());  // row 101 stands at the port
  complete(bench, 16);
  ASSERT_TRUE(bench.settle());  // row 102 waits
  EXPECT_EQ(bench.read(r::row(102)), r::kRowWaits);
  complete(bench, 17);
  ASSERT_TRUE(bench.settle());
  bench.expectErrors(kRowStray, 2);
  EXPECT_EQ(bench.read(r::row(102)), r::kRowWaits | r::kRowSpoiled);
  complete(bench, 18);
  ASSERT_TRUE(bench.settle());
  bench.expectErrors(kRowStray, 2);
  complete(bench, 9);  // row 101 is shown, and idle
  ASSERT_TRUE(bench.settle());
  bench.expectErrors(kRowStray, 3);
  bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.rowsReleased(), (Rows{101, 102}));
  EXPECT_EQ(bench.read(r::row(102)), r::kRowSpoiled);
  complete(bench, 19);
  ASSERT_TRUE(bench.drain());
  bench.expectErrors(kRowStray, 3);
  EXPECT_EQ(bench.read64(r::kReleased), 2u);
  bench.set(r::row(102), 2);
  EXPECT_EQ(bench.read(r::row(102)), 2u);
}

/// Blocks that complete in every cycle stand neither in each other's way nor in that of a row,
/// which is asked for in three cycles.
TEST(Release, ABlockCountsInEveryCycleAndRowsAreShownMeanwhile) {
  DefaultBench bench;
  open(bench);
  constexpr std::uint32_t kBlocks = 1024, kBlocksPerRow = 32;
  start(bench, {.blocks = kBlocks, .blocksPerRow = kBlocksPerRow});
  for (std::uint32_t row = 0; row < kBlocks / kBlocksPerRow; ++row)
    bench.set(r::row(row), kBlocksPerRow);
  for (std::uint32_t block = 0; block < kBlocks; ++block) complete(bench, block, block % 8);
  const std::uint64_t began = bench.cycle;
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.releaseSeen.size(), kBlocks / kBlocksPerRow);
  for (std::uint32_t row = 0; row < bench.releaseSeen.size(); ++row) {
    EXPECT_EQ(bench.releases[row].row, row);
    EXPECT_LE(bench.releaseSeen[row] - began, (row + 1) * (kBlocksPerRow + 3) + 18) << row;
  }
}

template <const Unit& kUnit>
void aRowBeyondTheLastIsOutside() {
  Bench<kUnit> bench;
  open(bench);
  const std::uint32_t slots = bench.size.slots, last = bench.size.rows - 1;
  start(bench, {.blocks = slots - 1, .blocksPerRow = 2, .firstRow = last, .slotFirst = 1});
  bench.set(r::row(last), 3);
  bench.set(r::row(0), 1);
  for (const std::uint32_t block : {0u, 1u, 2u, slots / 2, slots - 2}) complete(bench, block);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::row(last)), 1u);
  EXPECT_EQ(bench.read(r::row(0)), 1u) << "nothing is taken modulo";
  bench.expectErrors(kRowOutside, 3);
  bench.expectFirst(kRowOutside, 0, 3);  // the slot of block 2
  EXPECT_EQ(bench.read64(r::kCompleted), 5u);
}

TEST(Release, ARowBeyondTheLastIsOutside) { aRowBeyondTheLastIsOutside<kDefaultUnit>(); }
TEST(Release, ARowBeyondTheLastIsOutsideInTheSmallestUnit) {
  aRowBeyondTheLastIsOutside<kSmallestUnit>();
}
TEST(Release, ARowBeyondTheLastIsOutsideInTheLargestUnit) {
  aRowBeyondTheLastIsOutside<kLargestUnit>();
}

/// Of the last slot, with the largest phase, reciprocal and first row.
template <const Unit& kUnit>
void theLargestRowIsOutside() {
  Bench<kUnit> bench;
  open(bench);
  const std::uint32_t slots = bench.size.slots, rows = bench.size.rows;
  const TrackTriggerBench::Region region{.wgLast = slots / bench.size.wavefronts() - 1,
                                         .trigger = false,
                                         .firstRow = rows - 1,
                                         .rowPhase = slots - 1};
  bench.program(0, region);
  bench.set(r::region(0) + r::kRegRowReciprocal, 0x7ff'ffff);
  bench.setState(0, State::Stopped);
  bench.fill(0, 1);
  bench.setState(0, State::On);
  const std::uint32_t row = 4 * (slots - 1) - 1 + rows - 1;
  bench.set(r::row(row % (4 * slots)), 2);
  complete(bench, slots - 1);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::row(row % (4 * slots))), 2u) << "nothing is taken modulo";
  bench.expectErrors(kRowOutside, 1);
}

TEST(Release, TheLargestRowIsOutside) { theLargestRowIsOutside<kDefaultUnit>(); }
TEST(Release, TheLargestRowIsOutsideInTheSmallestUnit) { theLargestRowIsOutside<kSmallestUnit>(); }
TEST(Release, TheLargestRowIsOutsideInTheLargestUnit) { theLargestRowIsOutside<kLargestUnit>(); }

TEST(Release, ARowThatCountsOrWaitsCannotBeArmed) {
  DefaultBench bench;
  open(bench);
  bench.takesRows = false;
  start(bench, {.blocks = 16, .blocksPerRow = 2, .firstRow = 20});
  for (const std::uint32_t row : {20u, 21u}) bench.set(r::row(row), 1);
  bench.set(r::row(22), 2);
  for (const std::uint32_t block : {0u, 2u}) {
    complete(bench, block);
    ASSERT_TRUE(bench.settle());
  }
  EXPECT_EQ(bench.read(r::row(20)), 0u) << "it is shown";
  EXPECT_EQ(bench.read(r::row(21)), r::kRowWaits);
  for (const std::uint32_t count : {3u, 0u, 0x3fffu}) {
    EXPECT_EQ(bench.write(r::row(21), count), DefaultBench::kSlvErr);
    EXPECT_EQ(bench.write(r::row(22), count), DefaultBench::kSlvErr);
  }
  EXPECT_EQ(bench.read(r::row(21)), r::kRowWaits) << "nothing is written";
  EXPECT_EQ(bench.read(r::row(22)), 2u);
  bench.expectErrors(kRowArmedEarly, 6);
  bench.expectFirst(kRowArmedEarly, 0, 21);
  bench.set(r::row(20), 1);
  complete(bench, 1);
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.read(r::row(20)), r::kRowWaits) << "behind itself";
  bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.rowsReleased(), (Rows{20, 21, 20}));
}

// ---- back-pressure ----------------------------------------------------------------------------

/// All wait at once: as many as the queue of 16 holds in order, then the others by number; each
/// once.
template <const Unit& kUnit>
void everyRowWaitsAtOnce() {
  Bench<kUnit> bench;
  open(bench);
  const std::uint32_t count = std::min(bench.size.rows, bench.size.slots);
  bench.takesRows = false;
  start(bench, {.blocks = count});
  Rows order(count);
  std::iota(order.begin(), order.end(), 0u);
  Random random(testSeed(73));
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::uint32_t row = 0; row < count; ++row) bench.set(r::row(row), 1);
  for (const std::uint32_t block : order) {
    complete(bench, block);
    bench.ticks(8);  // so that the order of completion is known
  }
  ASSERT_TRUE(bench.settle()) << "the clock may stop while they wait";
  EXPECT_TRUE(bench.releases.empty());
  EXPECT_EQ(bench.read64(r::kReleased), count) << "counted whether taken or not";
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusRows);
  for (std::uint32_t i = 1; i < count; ++i)
    ASSERT_EQ(bench.read(r::row(order[i])), r::kRowWaits) << order[i];
  bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  const Rows left = bench.rowsReleased();
  ASSERT_EQ(left.size(), count);
  EXPECT_EQ(std::set<std::uint32_t>(left.begin(), left.end()).size(), count);
  EXPECT_EQ(outOfTurn(left, order, 16 + 3), 0u);
  for (std::uint32_t row = 0; row < count; ++row) ASSERT_EQ(bench.read(r::row(row)), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, AllRowsMayWaitAtOnce) { everyRowWaitsAtOnce<kDefaultUnit>(); }
TEST(Release, AllRowsMayWaitAtOnceInATinyUnit) { everyRowWaitsAtOnce<kTinyUnit>(); }
TEST(Release, AllRowsMayWaitAtOnceInTheSmallestUnit) { everyRowWaitsAtOnce<kSmallestUnit>(); }
TEST(Release, AllRowsMayWaitAtOnceInTheLargestUnit) { everyRowWaitsAtOnce<kLargestUnit>(); }

TEST(Release, AsManyRowsAsTheQueueHoldsLeaveInOrderOfCompletion) {
  DefaultBench bench;
  open(bench);
  bench.takesRows = false;
  start(bench, {.blocks = 64});
  Rows want;
  for (std::uint32_t i = 0; i < 17; ++i) want.push_back((i * 29 + 11) % 64);
  for (const std::uint32_t row : want) bench.set(r::row(row), 1);
  // Apart, so that the order of completion is known.
  for (const std::uint32_t row : want) {
    complete(bench, row);
    bench.ticks(8);
  }
  ASSERT_TRUE(bench.settle());
  bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.rowsReleased(), want);
}

/// Rows come after their last block has been counted, and neither stream holds up the other.
TEST(Release, NeitherStreamWaitsForTheOther) {
  for (const bool rowsWait : {false, true}) {
    Bench<kTinyUnit> bench;
    open(bench);
    if (rowsWait) {
      bench.takesRows = false;
    } else {
      bench.takesDone = false;
    }
    start(bench, {.blocks = 64, .blocksPerRow = 2, .trigger = true});
    for (std::uint32_t row = 0; row < 32; ++row) bench.set(r::row(row), 2);
    for (std::uint32_t block = 0; block < 64; ++block) complete(bench, block, block % 4);
    ASSERT_TRUE(bench.settle());
    EXPECT_EQ(bench.done.size(), rowsWait ? 64u : 0u);
    EXPECT_EQ(bench.releases.size(), rowsWait ? 0u : 32u);
  }
}

// ---- software beside completions ----------------------------------------------------------------

TEST(Release, EveryRowSlotKeepsItsOwnCount) {
  DefaultBench bench;
  open(bench);
  for (const std::uint32_t flip : {0u, 0x3fffu}) {
    for (std::uint32_t row = 0; row < 256; ++row)
      bench.set(r::row(row), ((row * 61 + 5) ^ flip) & 0x3fff);
    for (std::uint32_t row = 0; row < 256; ++row)
      ASSERT_EQ(bench.read(r::row(row)), ((row * 61 + 5) ^ flip) & 0x3fff);
    bench.clear();
  }
  EXPECT_EQ(bench.write(r::row(256), 1), DefaultBench::kSlvErr);
  EXPECT_EQ(bench.tryRead(r::row(256)).response, DefaultBench::kSlvErr);
}

/// Blocks complete in every cycle, and software reads and writes row slots all the time.
TEST(Release, SoftwareGetsItsTurnWhileABlockCompletesInEveryCycle) {
  DefaultBench bench;
  open(bench);
  start(bench, {.blocks = 4096, .blocksPerRow = 8192});
  bench.set(r::row(0), 4096);
  for (std::uint32_t block = 0; block < 4096; ++block) complete(bench, block, block % 8);
  std::uint32_t last = 4096, accesses = 0;
  while (!bench.lanesEmpty()) {
    const std::uint32_t row = 100 + accesses % 100;
    bench.set(r::row(row), 0);
    EXPECT_EQ(bench.read(r::row(row)), 0u);
    const std::uint32_t left = bench.read(r::row(0));
    EXPECT_LE(left, last);
    last = left;
    ++accesses;
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_GT(accesses, 20u);
  EXPECT_EQ(bench.rowsReleased(), Rows{0});
  EXPECT_EQ(bench.read64(r::kCompleted), 4096u);
  std::cout << "slowest answer: " << bench.slowestAnswer << " cycles\n";
}

/// In every cycle around the one in which the row is shown: the write is refused, or it counts
/// anew.
TEST(Release, ARowThatIsArmedAsItIsShownIsArmedOrRefused) {
  int refused = 0, armed = 0;
  for (std::uint64_t when = 0; when < 30; ++when) {
    DefaultBench bench;
    std::uint64_t opens = ~std::uint64_t{0};
    open(bench);
    bench.releaseReady = [&] { return bench.cycle >= opens; };
    start(bench, {.blocks = 16, .blocksPerRow = 2});
    bench.set(r::row(1), 1);
    bench.set(r::row(5), 1);
    complete(bench, 2);
    complete(bench, 10);
    ASSERT_TRUE(bench.settle());
    opens = bench.cycle + 12;
    bench.ticks(when);
    const bool ok = bench.write(r::row(5), 1) == DefaultBench::kOkay;
    ++(ok ? armed : refused);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::row(5)), ok ? 1u : 0u);
    complete(bench, 11);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.rowsReleased(), ok ? (Rows{1, 5, 5}) : (Rows{1, 5}));
    EXPECT_EQ(bench.read(r::errorCount(kRowStray)), ok ? 0u : 1u);
    EXPECT_EQ(bench.read(r::errorCount(kRowArmedEarly)), ok ? 0u : 1u);
  }
  EXPECT_GT(refused, 3);
  EXPECT_GT(armed, 3);
}

TEST(Release, AResetForgetsACompletionInEveryStage) {
  for (std::uint64_t when = 2; when < 24; ++when) {
    Bench<kTinyUnit> bench;
    open(bench);
    start(bench, {.blocks = 16, .trigger = true});
    bench.set(r::row(5), 1);
    complete(bench, 5);
    bench.ticks(when);
    bench.reset();
    EXPECT_FALSE(bench.model->rel_valid_o || bench.model->done_valid_o);
    open(bench);
    ASSERT_TRUE(bench.drain());
    EXPECT_TRUE(bench.releases.empty() && bench.done.empty()) << "reset after " << when;
    EXPECT_EQ(bench.read(r::row(5)), 0u);
    EXPECT_EQ(bench.read(r::kErrors), 0u);
    EXPECT_EQ(bench.read64(r::kReleased), 0u);
  }
}

}  // namespace
}  // namespace t3::rtl_test::release_test
