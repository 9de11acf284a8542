// SPDX-License-Identifier: Apache-2.0
// Method: what docs/tracker.md, "Software", says, one sentence per test: arming, filling, what is
// refused under traffic, an abort, a clear, interrupts, the lock. The bench checks that each access
// is answered in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::software_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;
using TinyBench = Bench<kTinyUnit>;

constexpr std::uint32_t kOk = TrackTriggerBench::kOkay;
constexpr std::uint32_t kError = TrackTriggerBench::kSlvErr;
constexpr std::uint64_t kAddress = 0x4'5678;

/// A slot for each workgroup from `slotFirst` on.
TrackTriggerBench::Region workgroups(const TrackTriggerBench& bench, std::uint32_t count,
                                     std::uint32_t slotFirst = 0, std::uint32_t wgFirst = 0) {
  return {.wgFirst = wgFirst,
          .wgLast = wgFirst + count - 1,
          .shift = bench.size.wfWidth,
          .slotFirst = slotFirst};
}

void open(TrackTriggerBench& bench) {
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.enable();
}

void send(TrackTriggerBench& bench, std::uint32_t wg, std::uint32_t weight,
          std::uint32_t lane = 0) {
  bench.lanes[lane].push_back({wg, 0, kAddress, weight});
  ASSERT_TRUE(bench.settle());
}

// ---- arm ----------------------------------------------------------------------------------------

TEST(Software, ASlotIsReadAsItWasArmed) {
  DefaultBench bench;
  open(bench);
  for (const std::uint32_t flip : {0u, 0x3f'ffffu}) {
    for (std::uint32_t slot = 0; slot < 4096; slot += 37) {
      bench.set(r::slot(slot), 0);
      EXPECT_EQ(bench.read(r::slot(slot)), 0u);
    }
    bench.clear();
    for (std::uint32_t slot = 0; slot < 4096; slot += 37)
      bench.set(r::slot(slot), (slot * 1001 & 0x3f'ffff) ^ flip);
    for (std::uint32_t slot = 0; slot < 4096; slot += 37)
      ASSERT_EQ(bench.read(r::slot(slot)), (slot * 1001 & 0x3f'ffff) ^ flip) << slot;
    EXPECT_EQ(bench.read(r::slot(1)), 0u);
    bench.clear();
  }
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

template <const Unit& kUnit>
void aCountThatIsTooLargeIsRefused() {
  Bench<kUnit> bench;
  open(bench);
  const std::uint32_t most = bench.size.mostCount();
  bench.set(r::slot(3), 5);
  bench.program(0, workgroups(bench, 4, 2));
  bench.setState(0, State::Stopped);
  for (const std::uint32_t bytes : {most + 1, most | most >> 1, 0x7ff'ffffu}) {
    EXPECT_EQ(bench.write(r::slot(3), bytes), kError);
    EXPECT_EQ(bench.write(r::kFill, bytes), kError);
  }
  EXPECT_EQ(bench.read(r::kStatus), 0u) << "nothing is filled";
  EXPECT_EQ(bench.read(r::slot(3)), 5u);
  EXPECT_EQ(bench.read(r::slot(2)), 0u);
  bench.fill(0, most);
  for (std::uint32_t slot = 2; slot < 6; ++slot) EXPECT_EQ(bench.read(r::slot(slot)), most);
  EXPECT_EQ(bench.read(r::slot(1)), 0u);
  EXPECT_EQ(bench.read(r::slot(6)), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Software, ACountThatIsTooLargeIsRefused) { aCountThatIsTooLargeIsRefused<kDefaultUnit>(); }
TEST(Software, ACountThatIsTooLargeIsRefusedInTheSmallestUnit) {
  aCountThatIsTooLargeIsRefused<kSmallestUnit>();
}
TEST(Software, ACountThatIsTooLargeIsRefusedInAWideUnit) {
  aCountThatIsTooLargeIsRefused<kWideUnit>();
}

TEST(Software, FlagsOfASlotCannotBeWritten) {
  TinyBench bench;
  open(bench);
  bench.set(r::slot(9), r::kSlotWaits | r::kSlotSpoiled | 7u);
  EXPECT_EQ(bench.read(r::slot(9)), 7u);
  bench.set(r::row(9), r::kRowWaits | r::kRowSpoiled | 7u);
  EXPECT_EQ(bench.read(r::row(9)), 7u);
}

TEST(Software, ASlotThatCountsOrWaitsIsArmedOnlyWhileARegionThatHasItIsStopped) {
  TinyBench bench;
  bench.takesDone = false;
  open(bench);
  bench.start(2, workgroups(bench, 8, 8), 100);
  send(bench, 0, 100);  // stands at the port
  send(bench, 1, 100);  // waits
  send(bench, 2, 60);   // counts
  std::uint32_t refused = 0;
  // Idle, even if zero is written; counting; waiting.
  bench.set(r::slot(8), 0);
  for (const std::uint32_t slot : {9u, 10u, 11u}) {
    for (const std::uint32_t bytes : {0u, 1u, 1u << 22}) {
      const std::uint32_t before = bench.read(r::slot(slot));
      EXPECT_EQ(bench.write(r::slot(slot), bytes), kError);
      EXPECT_EQ(bench.read(r::slot(slot)), before) << "nothing is written";
      ++refused;
    }
  }
  bench.expectErrors(kArmedEarly, refused);
  bench.expectFirst(kArmedEarly, 0, 9);
  // Neither does a region that is off, or a stopped one beside it.
  bench.setState(2, State::Off);
  EXPECT_EQ(bench.write(r::slot(10), 1), kError);
  bench.program(3, workgroups(bench, 2, 11));
  bench.program(4, workgroups(bench, 2, 8));
  bench.setState(3, State::Stopped);
  bench.setState(4, State::Stopped);
  EXPECT_EQ(bench.write(r::slot(10), 1), kError);
  bench.set(r::slot(9), 5);   // the last of region 4
  bench.set(r::slot(11), 6);  // the first of region 3
  EXPECT_EQ(bench.read(r::slot(9)), 5u);
  EXPECT_EQ(bench.read(r::slot(11)), 6u);
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{8}) << "what waited is forgotten";
}

TEST(Software, AFillArmsAllSlotsOfItsRegionAndNoOther) {
  for (const std::uint32_t first : {0u, 1u, 7u, 8u, 4095u, 3000u, 13u}) {
    for (const std::uint32_t count : {1u, 2u, 8u, 9u, 1000u}) {
      if (first + count > 4096) continue;
      DefaultBench bench;
      open(bench);
      bench.program(7, {.wgLast = 0xffff, .slotFirst = first, .slotLast = first + count - 1});
      const std::uint64_t began = bench.cycle;
      bench.fill(7, 0x12345);
      EXPECT_LE(bench.cycle - began, count / 2 + 60u) << "every bank, every other cycle";
      for (std::uint32_t slot = 0; slot < 4096;
           slot += slot + 20 < first || slot > first + count + 20 ? 17 : 1) {
        const bool armed = slot >= first && slot < first + count;
        ASSERT_EQ(bench.read(r::slot(slot)), armed ? 0x12345u : 0u) << slot;
      }
      EXPECT_EQ(bench.read(r::kFill), 0u);
      EXPECT_EQ(bench.read(r::kErrors), 0u);
    }
  }
}

TEST(Software, AFillOfARegionThatIsOffLeavesWhatCountsOrWaitsAndReportsIt) {
  TinyBench bench;
  bench.takesDone = false;
  open(bench);
  bench.start(0, workgroups(bench, 16, 20), 100);
  send(bench, 0, 100);                                           // at the port: idle
  for (const std::uint32_t wg : {1u, 2u}) send(bench, wg, 100);  // wait
  send(bench, 2, 1);                                             // waits and spoiled
  send(bench, 3, 101);                                           // spoiled
  bench.forgetErrors();
  bench.setState(0, State::Off);
  const std::uint32_t early = bench.read(r::errorCount(kArmedEarly));
  bench.fill(0, 50);
  EXPECT_EQ(bench.read(r::slot(20)), 50u);
  EXPECT_EQ(bench.read(r::slot(21)), r::kSlotWaits);
  EXPECT_EQ(bench.read(r::slot(22)), r::kSlotWaits | r::kSlotSpoiled);
  EXPECT_EQ(bench.read(r::slot(23)), 50u) << "spoiled is armed";
  for (std::uint32_t slot = 24; slot < 36; ++slot) EXPECT_EQ(bench.read(r::slot(slot)), 100u);
  EXPECT_EQ(bench.read(r::errorCount(kArmedEarly)) - early, 14u);
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsArmedEarly);
  const std::uint32_t info = bench.read(r::kErrorInfo);
  EXPECT_TRUE(info == 21 || info == 22 || (info >= 24 && info < 36)) << info;
  // Of a stopped one, everything.
  bench.setState(0, State::Stopped);
  bench.fill(0, 60);
  for (std::uint32_t slot = 20; slot < 36; ++slot) EXPECT_EQ(bench.read(r::slot(slot)), 60u);
  EXPECT_EQ(bench.read(r::errorCount(kArmedEarly)) - early, 14u);
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{20});
}

/// While a fill is under way: STATUS says so, and SLOT, ROW, FILL are refused; they may be read.
TEST(Software, NothingIsArmedBesideAFillOrAClear) {
  for (const bool clear : {false, true}) {
    DefaultBench bench;
    open(bench);
    bench.set(r::slot(100), 77);
    bench.set(r::row(100), 55);
    bench.program(1, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 4095});
    bench.program(2, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 0});
    bench.setState(1, State::Stopped);
    if (clear) {
      bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    } else {
      bench.set(r::kFill, 1u << r::kFillRegionShift | 9u);
    }
    EXPECT_EQ(bench.write(r::slot(5), 1), kError);
    EXPECT_EQ(bench.write(r::row(5), 1), kError);
    EXPECT_EQ(bench.write(r::kFill, 2u << r::kFillRegionShift | 1u), kError);
    EXPECT_EQ(bench.read(r::kStatus) & r::kStatusFilling, clear ? 0u : r::kStatusFilling);
    EXPECT_NE(bench.read(r::kStatus) & r::kStatusBusy, 0u);
    EXPECT_EQ(bench.read(r::kCtrl) & r::kCtrlClear, clear ? r::kCtrlClear : 0u);
    // Whatever is there at the time; answered in time.
    bench.read(r::slot(4095));
    bench.read(r::row(255));
    bench.set(r::region(2) + r::kRegTarget, 5);
    bench.expectErrors(kInUse, 3);
    bench.expectFirst(kInUse, 0, r::slot(5));
    for (int i = 0; i < 400; ++i) {
      if ((bench.read(r::kCtrl) & r::kCtrlClear) == 0 &&
          (bench.read(r::kStatus) & r::kStatusFilling) == 0) {
        break;
      }
      bench.ticks(3);
    }
    EXPECT_EQ(bench.read(r::slot(5)), clear ? 0u : 9u);
    EXPECT_EQ(bench.read(r::slot(100)), clear ? 0u : 9u);
    EXPECT_EQ(bench.read(r::row(100)), clear ? 0u : 55u);
    EXPECT_EQ(bench.read(r::row(5)), 0u);
    bench.set(r::row(5), 1);
    bench.set(r::kFill, 2u << r::kFillRegionShift | 1u);
  }
}

TEST(Software, AFillOfARegionThatDoesNotExistIsRefused) {
  TinyBench bench;
  open(bench);
  for (std::uint32_t region = 8; region < 16; ++region)
    EXPECT_EQ(bench.write(r::kFill, region << r::kFillRegionShift | 1u), kError);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
  Bench<kNarrowUnit> narrow;
  open(narrow);
  EXPECT_EQ(narrow.write(r::kFill, 3u << r::kFillRegionShift), kError);
  Bench<kSmallestUnit> smallest;
  open(smallest);
  EXPECT_EQ(smallest.write(r::kFill, 1u << r::kFillRegionShift), kError);
  EXPECT_EQ(smallest.write(r::kFill, 2u << r::kFillRegionShift), kError);
  EXPECT_EQ(smallest.write(r::kFill, 0), kOk);
}

/// Full traffic to the banks that are filled: nothing of it is lost, and the fill ends.
TEST(Software, AFillGoesOnBesideFullTraffic) {
  DefaultBench bench;
  open(bench);
  bench.start(0, workgroups(bench, 64), 128 * 8 * 100);
  bench.program(1, {.wgFirst = 0x8000, .wgLast = 0xffff, .slotFirst = 64, .slotLast = 4095});
  for (std::uint32_t i = 0; i < 800 * 8; ++i)
    bench.lanes[i % 8].push_back({i % 64, 0, kAddress, 128});
  bench.ticks(20);
  const std::uint64_t began = bench.cycle;
  bench.fill(1, 0x3f'fffe);
  EXPECT_LE(bench.cycle - began, 2 * 512u + 100);
  EXPECT_FALSE(bench.lanesEmpty()) << "the traffic went on meanwhile";
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.done.size(), 0u);
  for (std::uint32_t slot = 0; slot < 64; ++slot)
    ASSERT_EQ(bench.read(r::slot(slot)), 128u * 700) << slot;
  for (std::uint32_t slot = 64; slot < 4096; ++slot)
    ASSERT_EQ(bench.read(r::slot(slot)), 0x3f'fffeu) << slot;
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

// ---- under traffic --------------------------------------------------------------------------

TEST(Software, SettingsOfARegionThatIsNotOffAreRefused) {
  DefaultBench bench;
  open(bench);
  bench.program(2, TrackTriggerBench::Window{0x1000, 0x2000});
  bench.program(3, TrackTriggerBench::Window{0x3000, 0x4000});
  bench.program(5, {.window = 2,
                    .wgFirst = 3,
                    .wgLast = 9,
                    .shift = 2,
                    .slotFirst = 50,
                    .firstRow = 7,
                    .rowPhase = 3,
                    .blocksPerRow = 9,
                    .target = 4});
  const std::uint32_t base = r::region(5);
  std::vector<std::uint32_t> before;
  for (std::uint32_t offset = r::kRegCtrl; offset <= r::kRegRowReciprocal; offset += 4)
    before.push_back(bench.read(base + offset));
  std::uint32_t refused = 0;
  for (const std::uint32_t state : {1u, 2u, 3u}) {
    bench.set(base + r::kRegState, state);
    EXPECT_EQ(bench.read(base + r::kRegState), state);
    for (std::uint32_t offset = r::kRegCtrl; offset <= r::kRegRowReciprocal; offset += 4) {
      EXPECT_EQ(bench.write(base + offset, 0), kError);
      EXPECT_EQ(bench.read(base + offset), before[offset / 4 - 1]);
      ++refused;
    }
    for (std::uint32_t offset = 0; offset <= r::kWindowPageHigh; offset += 4) {
      const std::uint32_t page = bench.read(r::window(2) + offset);
      EXPECT_EQ(bench.write(r::window(2) + offset, ~page), kError);
      EXPECT_EQ(bench.read(r::window(2) + offset), page);
      EXPECT_EQ(bench.write(r::window(3) + offset, 7), kOk) << "nobody refers to it";
      ++refused;
    }
    EXPECT_EQ(bench.write(r::kFill, 5u << r::kFillRegionShift), state == 1 ? kError : kOk);
    refused += state == 1;
    bench.ticks(10);
    bench.set(base + r::kRegTarget, state);
    bench.set(base + r::kRegDone, 1);
    EXPECT_EQ(bench.write(r::region(4) + r::kRegCtrl, r::kRegCtrlShift), kOk);
  }
  bench.expectErrors(kInUse, refused);
  bench.expectFirst(kInUse, 0, base + r::kRegCtrl);
  bench.set(base + r::kRegState, 0);
  bench.set(base + r::kRegCtrl, 0);
  bench.set(r::window(2), 5);
  EXPECT_EQ(bench.read(base + r::kRegCtrl), 0u);
  EXPECT_EQ(bench.read(r::window(2)), 5u);
}

/// Aborts region 1 while region 0 works at full rate.
TEST(Software, OneRegionIsAbortedWhileOthersRun) {
  DefaultBench bench;
  bench.takesDone = false;
  open(bench);
  bench.start(0, workgroups(bench, 8), 128 * 1000);
  auto region = workgroups(bench, 16, 100);
  region.wgFirst = 16;
  region.wgLast = 31;
  region.firstRow = 10;
  region.blocksPerRow = 4;
  bench.start(1, region, 128 * 4);
  for (std::uint32_t row = 10; row < 14; ++row) bench.set(r::row(row), 4);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane)
      bench.lanes[lane].push_back({lane == 7 && i < 30 ? 16 + i % 8 : lane, 0, kAddress, 128});
  }
  while (bench.read64(r::kTriggers) < 5) bench.tick();
  bench.setState(1, State::Stopped);
  const std::uint64_t began = bench.cycle;
  for (std::uint32_t slot = 100; slot < 116; ++slot) bench.set(r::slot(slot), 0);
  EXPECT_LE(bench.cycle - began, 16u * 17);
  for (std::uint32_t row = 10; row < 14; ++row) bench.set(r::row(row), 0);
  for (std::uint32_t i = 0; i < 20; ++i) bench.lanes[7].push_back({16 + i % 8, 0, kAddress, 128});
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.read64(r::kDropped), 20u);
  for (std::uint32_t slot = 100; slot < 116; ++slot) ASSERT_EQ(bench.read(r::slot(slot)), 0u);
  for (std::uint32_t row = 10; row < 14; ++row) ASSERT_EQ(bench.read(r::row(row)), 0u);
  bench.setState(1, State::Off);
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  // What stood at the port, and region 0's seven.
  std::size_t of1 = 0;
  for (const Done& done : bench.done) of1 += done.slot >= 100;
  EXPECT_EQ(of1, 1u);
  EXPECT_EQ(bench.done.size(), 8u);
  EXPECT_EQ(bench.read(r::slot(7)), 128u * 30);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

/// From the next cycle on no update of a stopped region counts, wherever it was: what was taken is
/// counted in its slot, or dropped; its bytes are in one of the two.
TEST(Software, AStopSeparatesWhatCountsFromWhatIsDropped) {
  std::uint64_t dropped = 0;
  for (std::uint64_t when = 0; when < 20; ++when) {
    TinyBench bench;
    open(bench);
    bench.start(0, workgroups(bench, 4), 4000);
    for (int i = 0; i < 12; ++i) bench.lanes[1].push_back({2, 0, kAddress, 100});
    bench.ticks(when);
    bench.setState(0, State::Stopped);
    const std::uint32_t counted = 4000 - bench.read(r::slot(2));
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(4000 - bench.read(r::slot(2)), counted) << "after the stop nothing counts";
    EXPECT_EQ(bench.read64(r::kUpdates) + bench.read64(r::kDropped), 12u);
    EXPECT_EQ(counted, bench.read64(r::kUpdates) * 100) << "what counts is what was counted";
    dropped += bench.read64(r::kDropped);
  }
  EXPECT_GT(dropped, 12u);
}

/// The same with all lanes, slots of many banks and joined updates, in a region that others follow.
TEST(Software, EveryUpdateIsCountedOnceAroundAStop) {
  for (std::uint64_t when = 0; when < 30; ++when) {
    DefaultBench bench;
    open(bench);
    bench.start(3, workgroups(bench, 64), 100'000);
    for (std::uint32_t i = 0; i < 400; ++i)
      bench.lanes[i % 8].push_back({i / 3 % 64, i % 8, kAddress, 1 + i % 5});
    // One of a wrong weight, too: it is an update of the region that is on.
    bench.lanes[0].push_front({5, 0, kAddress, 0});
    bench.lanes[7].push_front({5, 0, kAddress, 3});
    std::uint64_t bytes = 0;
    bench.ticks(when);
    bench.setState(3, State::Stopped);
    for (std::uint32_t slot = 0; slot < 64; ++slot) bytes += 100'000 - bench.read(r::slot(slot));
    ASSERT_TRUE(bench.drain());
    std::uint64_t counted = 0;
    for (std::uint32_t slot = 0; slot < 64; ++slot) counted += 100'000 - bench.read(r::slot(slot));
    EXPECT_EQ(counted, bytes) << "after the stop nothing counts";
    EXPECT_EQ(bench.read64(r::kUpdates) + bench.read64(r::kDropped), 402u) << when;
    EXPECT_EQ(bytes == 0, bench.read64(r::kUpdates) <= bench.read(r::errorCount(kWeight))) << when;
  }
}

/// And where all banks are behind, up to where each takes one of all lanes in the same cycle, 64
/// updates: slots are done faster than they are counted, a FILL takes every other cycle, and an
/// access shifts it.
TEST(Software, EveryUpdateIsCountedOnceAroundAStopWhereAllBanksAreBehind) {
  for (const bool stops : {false, true}) {
    for (std::uint64_t when = 27; when < 33; ++when) {
      DefaultBench bench;
      open(bench);
      auto region = workgroups(bench, 32);
      region.trigger = false;
      bench.start(0, region, 1);
      bench.start(1, workgroups(bench, 8, 32, 32), 1000);
      bench.program(2, {.wgFirst = 0x8000, .slotFirst = 1024, .slotLast = 4095});
      // Four slots of each bank are done by an update. Then all lanes update one slot, of the banks
      // in turn, against the order in which completions leave them.
      std::vector<std::vector<std::uint32_t>> ofBank(8);
      for (std::uint32_t slot = 0; slot < 40; ++slot) ofBank[bench.bankOf(slot)].push_back(slot);
      std::vector<std::deque<Update>> updates(8);
      for (std::uint32_t i = 0; i < 4; ++i)
        for (std::uint32_t lane = 0; lane < 8; ++lane)
          updates[lane].push_back({ofBank[lane][i], 0, kAddress, 1});
      for (std::uint32_t i = 0; i < 24; ++i)
        for (auto& lane : updates) lane.push_back({ofBank[(27 - i) % 8][4], 0, kAddress, 1});
      bench.set(r::kFill, 2u << r::kFillRegionShift | 7u);
      bench.lanes = std::move(updates);
      const std::uint64_t access = bench.cycle + when;
      bench.ticks(when - 3);
      if (stops) bench.setState(1, State::Stopped);
      while (bench.cycle < access) bench.tick();
      EXPECT_LE(bench.read(r::slot(ofBank[0][4])), 1000u);
      ASSERT_TRUE(bench.drain());
      std::uint64_t counted = bench.read64(r::kCompleted);
      EXPECT_EQ(counted, 32u);
      for (const auto& slots : ofBank) counted += 1000 - bench.read(r::slot(slots[4]));
      EXPECT_EQ(bench.read64(r::kUpdates), counted) << when;
      EXPECT_EQ(counted + bench.read64(r::kDropped), 32 + 24 * 8u) << when;
      EXPECT_EQ(stops, bench.read64(r::kDropped) != 0) << when;
      EXPECT_EQ(bench.read(r::kErrors), 0u);
    }
  }
}

/// A region is stopped, armed and turned on again while updates of before stand in lanes that are
/// behind: none of them counts for what was armed since.
TEST(Software, WhatWasTakenBeforeAStopNeverCountsForTheNextKernel) {
  std::uint64_t dropped = 0;
  for (std::uint64_t when = 0; when < 40; when += 2) {
    DefaultBench bench;
    open(bench);
    bench.start(0, workgroups(bench, 64), 100'000);
    // Slots of one bank, so that lanes wait for each other; as many as the lanes hold.
    std::vector<std::uint32_t> one;
    for (std::uint32_t slot = 0; slot < 64; ++slot) {
      if (bench.bankOf(slot) == 0) one.push_back(slot);
    }
    for (std::uint32_t i = 0; i < 8 * 7; ++i)
      bench.lanes[i % 8].push_back({one[i * 3 % one.size()], 0, kAddress, 1});
    while (!bench.lanesEmpty()) bench.tick();
    bench.ticks(when);
    bench.setState(0, State::Stopped);
    bench.set(r::slot(one[0]), 500);
    bench.setState(0, State::On);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::slot(one[0])), 500u) << when;
    EXPECT_EQ(bench.read64(r::kUpdates) + bench.read64(r::kDropped), 56u);
    dropped += bench.read64(r::kDropped);
    bench.lanes[0].push_back({one[0], 0, kAddress, 100});
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::slot(one[0])), 400u) << "the region is on";
  }
  EXPECT_GT(dropped, 100u);
}

/// Each region turned on beside full traffic of another one: the other loses nothing, and waits for
/// no more than what is inside.
TEST(Software, ARegionIsTurnedOnBesideTraffic) {
  DefaultBench bench;
  open(bench);
  bench.start(0, workgroups(bench, 64), 128 * 8 * 100);
  for (std::uint32_t region = 1; region < 8; ++region) {
    const std::uint32_t first = 100 * region;
    bench.program(region, {.wgFirst = first, .wgLast = first + 7, .shift = 3, .slotFirst = first});
  }
  for (std::uint32_t i = 0; i < 800 * 8; ++i)
    bench.lanes[i % 8].push_back({i % 64, 0, kAddress, 128});
  bench.ticks(20);
  const std::uint64_t before = bench.stalled;
  for (std::uint32_t region = 1; region < 8; ++region) {
    bench.setState(region, State::On);
    bench.setState(region, State::Stopped);
  }
  EXPECT_FALSE(bench.lanesEmpty());
  EXPECT_LE(bench.stalled - before, 7 * 8 * 40u);
  ASSERT_TRUE(bench.drain());
  for (std::uint32_t slot = 0; slot < 64; ++slot)
    ASSERT_EQ(bench.read(r::slot(slot)), 128u * 700) << slot;
  EXPECT_EQ(bench.read64(r::kUpdates), 6400u);
}

// ---- what running regions share -----------------------------------------------------------------

/// FILL of a region is under way: it cannot be turned on, nor one that shares slots with it; others
/// can.
TEST(Software, NoRegionIsTurnedOnWhileItsSlotsAreFilled) {
  DefaultBench bench;
  open(bench);
  bench.program(1, {.wgLast = 0xffff, .slotFirst = 8, .slotLast = 4095});
  bench.program(2, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 8});
  bench.program(3, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 7});
  bench.setState(1, State::Stopped);
  bench.set(r::kFill, 1u << r::kFillRegionShift | 200u);
  for (const std::uint32_t region : {1u, 2u}) {
    EXPECT_EQ(bench.write(r::region(region) + r::kRegState, 1), kError);
    EXPECT_EQ(bench.read(r::region(region) + r::kRegState), region == 1 ? 2u : 0u);
    bench.set(r::region(region) + r::kRegState, 3);  // stopping is always possible
    EXPECT_EQ(bench.write(r::region(region) + r::kRegState, 1), kError);
  }
  bench.set(r::region(3) + r::kRegState, 1);
  bench.expectErrors(kInUse, 4);
  bench.expectFirst(kInUse, 0, r::region(1) + r::kRegState);
  ASSERT_NE(bench.read(r::kStatus) & r::kStatusFilling, 0u);
  while ((bench.read(r::kStatus) & r::kStatusFilling) != 0) bench.ticks(3);
  bench.set(r::region(1) + r::kRegState, 1);
  bench.set(r::region(2) + r::kRegState, 1);
}

TEST(Software, AFillLeavesTheSlotsOfARunningRegionAlone) {
  TinyBench bench;
  open(bench);
  bench.start(0, workgroups(bench, 8, 8), 100);  // slots 8 … 15
  send(bench, 0, 36);
  std::uint32_t refused = 0;
  for (const auto& [first, last] :
       {std::pair{0u, 8u}, {15u, 20u}, {8u, 8u}, {0u, 63u}, {9u, 14u}}) {
    for (const State state : {State::Off, State::Stopped}) {
      bench.program(1, {.wgFirst = 50, .wgLast = 60, .slotFirst = first, .slotLast = last});
      bench.setState(1, state);
      EXPECT_EQ(bench.write(r::kFill, 1u << r::kFillRegionShift | 64u), kError) << first;
      ++refused;
    }
  }
  bench.expectErrors(kInUse, refused);
  bench.expectFirst(kInUse, 0, r::kFill);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
  bench.program(1, {.wgFirst = 50, .wgLast = 60, .slotFirst = 0, .slotLast = 7});
  bench.fill(1, 64);
  bench.program(1, {.wgFirst = 50, .wgLast = 60, .slotFirst = 16, .slotLast = 63});
  bench.fill(1, 64);
  EXPECT_EQ(bench.read(r::slot(8)), 64u) << "of 100, 36 have come";
  EXPECT_EQ(bench.read(r::slot(9)), 100u);
  // The running one is stopped: now its slots may be filled.
  bench.setState(0, State::Stopped);
  bench.program(1, {.wgFirst = 50, .wgLast = 60, .slotFirst = 8, .slotLast = 9});
  bench.setState(1, State::Stopped);
  bench.fill(1, 7);
  EXPECT_EQ(bench.read(r::slot(8)), 7u);
  EXPECT_EQ(bench.read(r::slot(10)), 100u);
}

TEST(Software, ASlotThatARunningRegionSharesIsArmedOnlyWhereItIsIdle) {
  TinyBench bench;
  open(bench);
  bench.start(0, workgroups(bench, 8), 100);
  bench.program(1, {.wgFirst = 50, .wgLast = 60, .slotFirst = 4, .slotLast = 12});
  bench.setState(1, State::Stopped);
  bench.set(r::slot(9), 5);
  EXPECT_EQ(bench.write(r::slot(4), 3), kError);
  EXPECT_EQ(bench.write(r::slot(7), 0), kError);
  bench.set(r::slot(8), 3);
  bench.set(r::slot(9), 6);
  bench.expectErrors(kArmedEarly, 2);
  bench.expectFirst(kArmedEarly, 0, 4);
  EXPECT_EQ(bench.read(r::slot(4)), 100u);
  bench.setState(0, State::Stopped);
  bench.set(r::slot(4), 3);
}

/// A stopped region opens its own rows, from its first to that of its last slot, and of these none
/// that a running region counts down.
TEST(Software, ARowIsWrittenOverOnlyThroughAStoppedRegionWhoseRowItIs) {
  for (const std::uint32_t phase : {0u, 3u}) {
    DefaultBench bench;
    open(bench);
    // Ten blocks, four a row: rows 20 to 22; with phase 3, to 23.
    auto region = workgroups(bench, 10);
    region.firstRow = 20;
    region.rowPhase = phase;
    region.blocksPerRow = 4;
    bench.program(0, region);
    auto other = workgroups(bench, 8, 100);
    other.wgFirst = 100;
    other.wgLast = 107;
    other.firstRow = 22;
    other.blocksPerRow = 8;
    bench.program(1, other);
    auto bare = workgroups(bench, 8, 200);  // counts no rows
    bare.wgFirst = 200;
    bare.wgLast = 207;
    bench.program(2, bare);
    for (std::uint32_t row = 0; row < 256; ++row) bench.set(r::row(row), 9);
    const std::uint32_t last = phase == 0 ? 22 : 23;
    const auto writable = [&bench](std::uint32_t row) {
      const bool ok = bench.write(r::row(row), 8) == kOk;
      EXPECT_EQ(bench.read(r::row(row)), ok ? 8u : 9u) << row;
      if (ok) bench.set(r::row(row), 9);
      return ok;
    };
    for (const State state : {State::Off, State::On}) {
      bench.setState(0, state);
      bench.setState(2, State::Stopped);
      for (const std::uint32_t row : {0u, 20u, 21u, 22u, 255u}) EXPECT_FALSE(writable(row));
    }
    bench.setState(0, State::Stopped);
    EXPECT_TRUE(writable(last)) << "at once";
    for (std::uint32_t row = 0; row < 256; ++row)
      EXPECT_EQ(writable(row), row >= 20 && row <= last) << row;
    bench.setState(1, State::On);
    for (std::uint32_t row = 18; row < 26; ++row)
      EXPECT_EQ(writable(row), row >= 20 && row <= last && row != 22) << row;
    bench.setState(1, State::Stopped);
    bench.setState(0, State::Off);
    for (std::uint32_t row = 18; row < 26; ++row) EXPECT_EQ(writable(row), row == 22) << row;
    // Rows beyond the last one end there.
    bench.program(0, {.wgLast = 63, .firstRow = 250, .blocksPerRow = 1});
    bench.setState(0, State::Stopped);
    for (std::uint32_t row = 245; row < 256; ++row) EXPECT_EQ(writable(row), row >= 250) << row;
    EXPECT_EQ(bench.read(r::kErrors), r::kErrorsRowArmedEarly);
  }
}

/// Slots are done faster than they are counted; then their region is turned off. Those that are
/// still inside are of the row that its settings said.
TEST(Software, SettingsStayWhileCompletionsOfTheRegionAreInside) {
  DefaultBench bench;
  open(bench);
  auto region = workgroups(bench, 160);
  region.trigger = false;
  region.firstRow = 10;
  region.blocksPerRow = 160;
  for (const std::uint32_t row : {10u, 200u}) bench.set(r::row(row), 1000);
  bench.start(0, region, 1);
  for (std::uint32_t wg = 0; wg < 160; ++wg) bench.lanes[wg % 8].push_back({wg, 0, kAddress, 1});
  bench.ticks(16);
  bench.setState(0, State::Off);
  EXPECT_EQ(bench.write(r::region(0) + r::kRegRowFirst, 200), kError);
  bench.expectErrors(kInUse, 1);
  ASSERT_TRUE(bench.settle());
  const std::uint64_t completed = bench.read64(r::kCompleted);
  EXPECT_GT(completed, 8u);
  EXPECT_LT(completed, 160u);
  EXPECT_EQ(bench.read(r::row(10)), 1000 - completed);
  EXPECT_EQ(bench.read(r::row(200)), 1000u);
  EXPECT_EQ(bench.write(r::region(0) + r::kRegRowFirst, 200), kOk);
}

// ---- order after an abort -----------------------------------------------------------------------

/// A region is turned on as soon as the fill that forgot its slots ends: in the very cycle in which
/// its last word is written, too.
TEST(Software, WhatAFillHasJustForgottenTakesNoPlaceInTheOrder) {
  for (std::uint32_t delay = 0; delay < 8; ++delay) {
    TinyBench bench;
    bench.takesDone = false;
    open(bench);
    bench.start(0, workgroups(bench, 12), 100);
    bench.start(1, workgroups(bench, 8, 40, 40), 100);
    for (const std::uint32_t wg : {0u, 11u}) send(bench, wg, 100);
    bench.setState(0, State::Stopped);
    bench.set(r::kFill, 100);
    bench.ticks(delay);
    while (bench.write(r::region(0), static_cast<std::uint32_t>(State::On)) != kOk) {
    }
    for (const std::uint32_t wg : {40u, 11u}) send(bench, wg, 100);
    bench.takesDone = true;
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.slotsDone(), (std::vector<std::uint32_t>{0, 40, 11})) << "delay " << delay;
  }
}

/// Sixteen slots wait, as many as the queue has places for, and are aborted. Others, of a region
/// that ran all the time or of the aborted one, leave in the order in which they are done.
TEST(Software, WhatWasAbortedTakesNoPlaceInTheOrder) {
  for (const bool same : {false, true}) {
    for (const bool single : {false, true}) {
      TinyBench bench;
      bench.takesDone = false;
      open(bench);
      bench.start(0, workgroups(bench, 40), 100);
      bench.start(1, workgroups(bench, 8, 40, 40), 100);
      for (std::uint32_t wg = 0; wg < 17; ++wg) send(bench, wg, 100);  // one stands at the port
      bench.setState(0, State::Stopped);
      if (single) {
        for (std::uint32_t slot = 16; slot > 0; --slot) bench.set(r::slot(slot), 0);
      } else {
        bench.fill(0, 100);
      }
      std::vector<std::uint32_t> order{0};
      if (same) {
        for (std::uint32_t slot = 1; slot < 17; ++slot) bench.set(r::slot(slot), 100);
        bench.setState(0, State::On);
        for (const std::uint32_t wg : {16u, 3u, 30u, 2u, 1u, 15u, 14u}) {
          send(bench, wg, 100);
          order.push_back(wg);
        }
      }
      for (const std::uint32_t wg : {47u, 41u, 45u, 40u, 43u}) {
        send(bench, wg, 100);
        order.push_back(wg);
      }
      bench.takesDone = true;
      ASSERT_TRUE(bench.drain());
      EXPECT_EQ(bench.slotsDone(), order);
      EXPECT_EQ(bench.read(r::kErrors), 0u);
    }
  }
}

/// The same of rows.
TEST(Software, ARowThatWasAbortedTakesNoPlaceInTheOrder) {
  for (const bool same : {false, true}) {
    TinyBench bench;
    bench.takesRows = false;
    open(bench);
    auto region = workgroups(bench, 20);
    region.trigger = false;
    region.firstRow = 0;
    bench.start(0, region, 100);
    auto second = workgroups(bench, 8, 24, 24);
    second.trigger = false;
    second.firstRow = 24;
    bench.start(1, second, 100);
    for (std::uint32_t row = 0; row < 32; ++row) bench.set(r::row(row), 1);
    for (std::uint32_t wg = 0; wg < 17; ++wg) send(bench, wg, 100);
    bench.setState(0, State::Stopped);
    for (std::uint32_t row = 0; row < 17; ++row) bench.set(r::row(row), 1);
    std::vector<std::uint32_t> order{0};
    if (same) {
      bench.fill(0, 100);
      bench.setState(0, State::On);
      for (const std::uint32_t wg : {16u, 3u, 19u, 2u, 1u}) {
        send(bench, wg, 100);
        order.push_back(wg);
      }
    }
    for (const std::uint32_t wg : {31u, 25u, 29u, 24u, 27u}) {
      send(bench, wg, 100);
      order.push_back(wg);
    }
    bench.takesRows = true;
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.rowsReleased(), order);
    EXPECT_EQ(bench.read(r::kErrors), 0u);
  }
}

// ---- clear ------------------------------------------------------------------------------------

TEST(Software, AClearForgetsEverythingButSettingsAndWhatStandsAtThePorts) {
  TinyBench bench;
  bench.takesDone = bench.takesRows = false;
  open(bench);
  auto region = workgroups(bench, 16);
  region.firstRow = 3;
  region.target = 2;
  bench.start(0, region, 100);
  for (std::uint32_t row = 3; row < 19; ++row) bench.set(r::row(row), 1);
  for (const std::uint32_t wg : {5u, 6u, 7u}) send(bench, wg, 100);
  send(bench, 8, 50);
  send(bench, 6, 1);
  send(bench, 9, 101);
  bench.set(r::kIrqEnable, 3);
  EXPECT_EQ(bench.read(r::kIrqStatus), 3u);
  const std::uint64_t began = bench.cycle;
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable | r::kCtrlClear);
  while ((bench.read(r::kCtrl) & r::kCtrlClear) != 0) bench.tick();
  EXPECT_LE(bench.cycle - began, 32u + 40);
  for (std::uint32_t slot = 0; slot < 64; ++slot) EXPECT_EQ(bench.read(r::slot(slot)), 0u);
  for (std::uint32_t row = 0; row < 32; ++row) EXPECT_EQ(bench.read(r::row(row)), 0u);
  for (std::uint32_t counter = r::kUpdates; counter <= r::kReleased; counter += 8)
    EXPECT_EQ(bench.read64(counter), 0u) << registerText(counter);
  bench.expectErrors(0, 0);
  EXPECT_EQ(bench.read(r::kErrorFirst), 0u);
  EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 0u);
  EXPECT_EQ(bench.read(r::kIrqStatus), 0u);
  EXPECT_FALSE(bench.model->irq_o);
  EXPECT_EQ(bench.read(r::kIrqEnable), 3u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegState), 1u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegTarget), 2u);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusCommands | r::kStatusRows);
  bench.takesDone = bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{5});
  ASSERT_EQ(bench.releases.size(), 1u);
  EXPECT_EQ(bench.releases[0].row, 8u);
  EXPECT_EQ(bench.read64(r::kTaken), 1u);
}

/// A clear in every cycle around an update: it is all there before the clear or comes all after it.
TEST(Software, AClearLetsWhatIsInsideFinish) {
  std::uint32_t before = 0, after = 0;
  for (std::uint64_t when = 0; when < 20; ++when) {
    TinyBench bench;
    open(bench);
    auto region = workgroups(bench, 16);
    region.firstRow = 0;
    bench.start(0, region, 100);
    bench.set(r::row(4), 1);
    bench.lanes[2].push_back({4, 0, kAddress, 100});
    bench.offer = [&bench, at = bench.cycle + when](std::uint32_t) { return bench.cycle >= at; };
    bench.clear();
    bench.offer = {};
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.done.size(), bench.releases.size());
    if (bench.done.empty()) {
      ++after;
      EXPECT_EQ(bench.read64(r::kUpdates), 1u);
      EXPECT_EQ(bench.read(r::kErrors), r::kErrorsStray);
    } else {
      ++before;
      EXPECT_EQ(bench.read64(r::kUpdates), 0u);
      EXPECT_EQ(bench.read(r::kErrors), 0u);
    }
  }
  EXPECT_GT(before, 0u);
  EXPECT_GT(after, 3u);
}

TEST(Software, AClearEndsThoughNobodyTakesAndSoftwareReadsAllTheTime) {
  DefaultBench bench;
  bench.takesDone = bench.takesRows = false;
  open(bench);
  bench.start(0, workgroups(bench, 512), 1);
  for (std::uint32_t i = 0; i < 512; ++i) bench.lanes[i % 8].push_back({i, 0, kAddress, 1});
  ASSERT_TRUE(bench.settle());
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  const std::uint64_t began = bench.cycle;
  std::uint64_t accesses = 0;
  while ((bench.read(r::kCtrl) & r::kCtrlClear) != 0) {
    bench.read(r::slot(17));
    bench.read(r::row(3));
    accesses += 3;
    ASSERT_LE(bench.cycle - began, 2000u);
  }
  EXPECT_LE(bench.cycle - began, 512u + accesses + 60);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusCommands);
  EXPECT_EQ(bench.read64(r::kTriggers), 0u);
}

/// A second clear in every cycle of the first, from the last work inside to the walk: the walk
/// takes as long, and leaves as little behind.
TEST(Software, AClearDuringAClearIsTheSameOne) {
  std::uint64_t alone = 0;
  for (std::uint64_t again = 0; again <= 24; ++again) {
    TinyBench bench;
    open(bench);
    bench.start(0, workgroups(bench, 16), 10'000);
    for (std::uint32_t i = 0; i < 40; ++i) bench.lanes[i % 4].push_back({i % 16, 0, kAddress, 1});
    bench.ticks(3);
    const std::uint64_t began = bench.cycle;
    bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    if (again > 0) {
      bench.ticks(again);
      bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    }
    for (auto& lane : bench.lanes) lane.resize(std::min<std::size_t>(lane.size(), 1));
    while (bench.cycle - began < 200 && (bench.model->lane_ready_o & 1u) == 0) bench.tick();
    if (again == 0) alone = bench.cycle - began;
    EXPECT_EQ(bench.cycle - began, alone) << again;
    ASSERT_TRUE(bench.drain());
    for (std::uint32_t slot = 0; slot < 64; ++slot) ASSERT_EQ(bench.read(r::slot(slot)), 0u);
  }
}

/// A clear in the middle of a fill ends it, and walks all memories, not only what the fill has
/// left.
TEST(Software, AClearDuringAFillIsAWholeOne) {
  for (const std::uint64_t when : {0u, 1u, 100u, 900u}) {
    DefaultBench bench;
    open(bench);
    bench.set(r::row(100), 55);
    bench.program(1, {.wgLast = 0xffff, .slotFirst = 0, .slotLast = 4095});
    bench.setState(1, State::Stopped);
    bench.set(r::kFill, 1u << r::kFillRegionShift | 9u);
    bench.ticks(when);
    ASSERT_NE(bench.read(r::kStatus) & r::kStatusFilling, 0u);
    bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    EXPECT_EQ(bench.read(r::kCtrl) & r::kCtrlClear, r::kCtrlClear);
    EXPECT_EQ(bench.read(r::kStatus) & r::kStatusFilling, 0u);
    EXPECT_EQ(bench.model->lane_ready_o, 0u) << "lanes are closed";
    bench.waitOpen();
    EXPECT_EQ(bench.read(r::row(100)), 0u);
    for (std::uint32_t slot = 0; slot < 4096; slot += 5) ASSERT_EQ(bench.read(r::slot(slot)), 0u);
  }
}

// ---- counts of regions, interrupts --------------------------------------------------------------

TEST(Software, ARegionIsDoneWhenItsTargetIsReached) {
  TinyBench bench;
  open(bench);
  for (std::uint32_t region = 0; region < 8; ++region) {
    bench.start(region,
                {.wgFirst = region * 8,
                 .wgLast = region * 8 + 7,
                 .shift = 2,
                 .slotFirst = region * 8,
                 .trigger = region % 2 == 0,
                 .target = region + 1},
                10);
  }
  bench.set(r::kIrqEnable, r::kIrqStatusRegionDone);
  for (std::uint32_t wg = 0; wg < 8; ++wg) {
    for (std::uint32_t region = 0; region < 8; ++region)
      bench.lanes[region % 4].push_back({region * 8 + wg, 0, kAddress, 10});
    ASSERT_TRUE(bench.drain());
    EXPECT_TRUE(bench.model->irq_o);
    EXPECT_EQ(bench.read(r::kRegionDone), 1u << wg);
    EXPECT_EQ(bench.read(r::kIrqStatus), r::kIrqStatusRegionDone);
    for (std::uint32_t region = 0; region < 8; ++region)
      EXPECT_EQ(bench.read(r::region(region) + r::kRegDone), wg + 1);
    bench.set(r::kRegionDone, 1u << wg);
    bench.set(r::kIrqStatus, r::kIrqStatusRegionDone);
    bench.ticks(2);
    EXPECT_FALSE(bench.model->irq_o);
    EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  }
  EXPECT_EQ(bench.read64(r::kCompleted), 64u);
  EXPECT_EQ(bench.read64(r::kTriggers), 32u);
}

TEST(Software, RegionDoneIsClearedByItsOwnBitOnly) {
  DefaultBench bench;
  open(bench);
  for (std::uint32_t region = 0; region < 8; ++region) {
    bench.start(region,
                {.wgFirst = region, .wgLast = region, .shift = 3, .slotFirst = region, .target = 1},
                10);
    bench.lanes[0].push_back({region, 0, kAddress, 10});
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kRegionDone), 0xffu);
  bench.set(r::kRegionDone, 0x5au);
  EXPECT_EQ(bench.read(r::kRegionDone), 0xa5u);
  bench.set(r::kRegionDone, 0);
  EXPECT_EQ(bench.read(r::kRegionDone), 0xa5u);
  bench.set(r::kRegionDone, 0xa5u);
  EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  for (std::uint32_t region = 0; region < 8; ++region)
    EXPECT_EQ(bench.read(r::region(region) + r::kRegDone), 1u);
}

/// A write to DONE in every cycle around a completion: 0, or 1 if it came then or after.
TEST(Software, ACompletionBesideAWriteToDoneIsNotLost) {
  std::set<std::uint32_t> found;
  for (std::uint64_t when = 0; when < 24; ++when) {
    TinyBench bench;
    open(bench);
    auto region = workgroups(bench, 8);
    region.target = 4;
    bench.start(0, region, 10);
    for (const std::uint32_t wg : {1u, 2u, 3u}) send(bench, wg, 10);
    bench.lanes[0].push_back({4, 0, kAddress, 10});
    bench.ticks(when);
    bench.set(r::region(0) + r::kRegDone, 0xffff);
    ASSERT_TRUE(bench.drain());
    const std::uint32_t done = bench.read(r::region(0) + r::kRegDone);
    EXPECT_LE(done, 1u);
    // Counted before the write: the target was reached.
    EXPECT_EQ(bench.read(r::kRegionDone), done == 0 ? 1u : 0u) << when;
    found.insert(done);
  }
  EXPECT_EQ(found.size(), 2u);
}

/// A region that is not off gets a TARGET that its DONE has reached, or passed: that is the event.
TEST(Software, ATargetThatHasBeenReachedSetsRegionDoneAtOnce) {
  TinyBench bench;
  open(bench);
  auto region = workgroups(bench, 8);
  region.target = 100;
  bench.start(2, region, 10);
  const std::uint32_t target = r::region(2) + r::kRegTarget;
  for (const std::uint32_t wg : {1u, 2u, 3u}) send(bench, wg, 10);
  const auto event = [&](std::uint32_t value) {
    bench.set(r::kRegionDone, 0xff);
    bench.set(r::kIrqStatus, 3);
    bench.set(target, value);
    bench.ticks(3);
    const bool done = bench.read(r::kRegionDone) == 4u;
    EXPECT_EQ(bench.read(r::kIrqStatus), done ? r::kIrqStatusRegionDone : 0u);
    return done;
  };
  for (const State state : {State::On, State::Stopped}) {
    bench.setState(2, state);
    EXPECT_TRUE(event(3));
    EXPECT_TRUE(event(2));
    EXPECT_TRUE(event(1));
    EXPECT_FALSE(event(0));
    EXPECT_FALSE(event(4));
    EXPECT_FALSE(event(0xffff));
  }
  // A setting of a region that is off: what its DONE counts is of the kernel before.
  bench.setState(2, State::Off);
  EXPECT_FALSE(event(3));
  bench.setState(2, State::On);
  bench.set(target, 4);
  send(bench, 4, 10);
  EXPECT_EQ(bench.read(r::kRegionDone), 4u);
}

/// TARGET is written in every cycle around the completion that reaches it: the event comes once it
/// is written and reached, whichever is first.
TEST(Software, ATargetWrittenBesideItsCompletionIsReached) {
  for (std::uint64_t when = 0; when < 24; ++when) {
    TinyBench bench;
    open(bench);
    auto region = workgroups(bench, 8);
    region.target = 9;
    bench.start(0, region, 10);
    send(bench, 1, 10);
    bench.lanes[0].push_back({2, 0, kAddress, 10});
    bench.ticks(when);
    bench.set(r::region(0) + r::kRegTarget, 2);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::kRegionDone), 1u) << when;
  }
}

/// The same around a completion of another region, whose count and target go on.
TEST(Software, AWriteToDoneLeavesOtherRegionsAlone) {
  for (std::uint64_t when = 0; when < 24; ++when) {
    TinyBench bench;
    open(bench);
    bench.start(0, workgroups(bench, 8), 10);
    bench.start(1, {.wgFirst = 8, .wgLast = 15, .shift = 2, .slotFirst = 8, .target = 2}, 10);
    for (const std::uint32_t wg : {1u, 2u, 9u}) send(bench, wg, 10);
    bench.lanes[0].push_back({10, 0, kAddress, 10});
    bench.ticks(when);
    bench.set(r::region(0) + r::kRegDone, 0xffff);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 0u) << when;
    EXPECT_EQ(bench.read(r::region(1) + r::kRegDone), 2u) << when;
    EXPECT_EQ(bench.read(r::kRegionDone), 2u) << when;
  }
}

TEST(Software, DoneCountsModulo65536) {
  DefaultBench bench;
  open(bench);
  auto region = workgroups(bench, 8);
  region.trigger = false;
  region.target = 0;
  bench.program(0, region);
  // 65,536 completions: 4,096 slots, sixteen times.
  region.wgLast = 511;
  region.shift = 0;
  bench.program(0, region);
  for (std::uint32_t round = 0; round < 16; ++round) {
    bench.setState(0, State::Stopped);
    bench.fill(0, 1);
    bench.setState(0, State::On);
    EXPECT_EQ(bench.read(r::kRegionDone), 0u);
    for (std::uint32_t i = 0; i < 4096; ++i)
      bench.lanes[i % 8].push_back({i / 8, i % 8, kAddress, 1});
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), (round + 1) * 4096 & 0xffffu);
  }
  EXPECT_EQ(bench.read(r::kRegionDone), 1u);
  EXPECT_EQ(bench.read64(r::kCompleted), 65536u);
}

TEST(Software, InterruptsAreMaskedTestedAndCleared) {
  DefaultBench bench;
  open(bench);
  auto& m = *bench.model;
  for (const std::uint32_t bit : {1u, 2u}) {
    bench.set(r::kIrqTest, bit);
    EXPECT_EQ(bench.read(r::kIrqTest), 0u);
    EXPECT_EQ(bench.read(r::kIrqStatus), bit);
    EXPECT_FALSE(m.irq_o);
    bench.set(r::kIrqEnable, 3 ^ bit);
    bench.ticks(2);
    EXPECT_FALSE(m.irq_o);
    bench.set(r::kIrqEnable, bit);
    bench.ticks(2);
    EXPECT_TRUE(m.irq_o);
    bench.set(r::kIrqStatus, 3 ^ bit);
    bench.ticks(2);
    EXPECT_TRUE(m.irq_o);
    bench.set(r::kIrqStatus, bit);
    bench.ticks(2);
    EXPECT_FALSE(m.irq_o);
    bench.set(r::kIrqEnable, 0);
  }
  bench.set(r::kIrqTest, ~0u);
  EXPECT_EQ(bench.read(r::kIrqStatus), 3u);
  EXPECT_EQ(bench.read(r::kErrors), 0u) << "a test is no error";
  EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  EXPECT_FALSE(m.alert_o);
}

/// An update under way that overruns slot 1, or makes region 0 done.
void beginEvent(TrackTriggerBench& bench, bool error) {
  open(bench);
  auto region = workgroups(bench, 8);
  region.target = 1;
  bench.start(0, region, 10);
  bench.lanes[0].push_back({1, 0, kAddress, error ? 11u : 10u});
}

/// Software clears IRQ_STATUS and REGION_DONE in every cycle around the event: the event is in what
/// it read before, or it is there afterwards.
TEST(Software, AnEventWinsOverAClearInTheSameCycle) {
  for (const bool error : {false, true}) {
    int kept = 0;
    for (std::uint64_t when = 0; when < 20; ++when) {
      TinyBench bench;
      beginEvent(bench, error);
      bench.ticks(when);
      const std::uint32_t sticky = error ? r::kErrors : r::kRegionDone;
      const std::uint32_t bit = 1;
      const std::uint32_t irq = error ? r::kIrqStatusError : r::kIrqStatusRegionDone;
      const bool seen = (bench.read(sticky) & bit) != 0;
      bench.set(sticky, bit);
      bench.set(r::kIrqStatus, irq);
      ASSERT_TRUE(bench.drain());
      const bool later = (bench.read(r::kIrqStatus) & irq) != 0;
      kept += later;
      if (!seen && !later) {
        // Between the read and the clear: nothing may be lost from the count.
        EXPECT_EQ(bench.read(error ? r::errorCount(kOverrun) : r::region(0) + r::kRegDone), 1u);
      }
      EXPECT_FALSE(seen && later) << "told twice";
    }
    EXPECT_GT(kept, 1);
  }
}

/// IRQ_TEST of one bit in every cycle around an event of the other.
TEST(Software, AnEventBesideAnInterruptTestIsNotLost) {
  for (const bool error : {false, true}) {
    for (std::uint64_t when = 0; when < 20; ++when) {
      TinyBench bench;
      beginEvent(bench, error);
      bench.ticks(when);
      bench.set(r::kIrqTest, error ? r::kIrqStatusRegionDone : r::kIrqStatusError);
      ASSERT_TRUE(bench.drain());
      EXPECT_EQ(bench.read(r::kIrqStatus), 3u) << when;
    }
  }
}

/// Software forgets errors in every cycle around one: ERRORS, ERROR_FIRST and IRQ_STATUS agree on
/// whether it came before.
TEST(Software, AnErrorIsKeptAsEarlierOnesAreForgotten) {
  int kept = 0;
  for (std::uint64_t when = 0; when < 20; ++when) {
    std::vector<bool> keeps;
    for (const std::uint32_t address : {r::kErrors, r::kErrorFirst, r::kIrqStatus}) {
      TinyBench bench;
      open(bench);
      bench.start(0, workgroups(bench, 8), 10);
      send(bench, 1, 0);
      bench.expectFirst(kWeight, 0, 1);
      bench.lanes[0].push_back({2, 0, kAddress, 11});
      bench.ticks(when);
      bench.set(address, ~0u);
      ASSERT_TRUE(bench.drain());
      keeps.push_back(bench.read(address) != 0);
      if (address == r::kErrorFirst && keeps.back()) bench.expectFirst(kOverrun, 0, 2);
      if (address == r::kErrors && keeps.back()) {
        EXPECT_EQ(bench.read(address), r::kErrorsOverrun);
      }
      EXPECT_EQ(bench.read(r::errorCount(kOverrun)), 1u);
    }
    EXPECT_EQ(keeps, std::vector<bool>(3, keeps[0])) << when;
    kept += keeps[0];
  }
  EXPECT_GT(kept, 1);
  EXPECT_LT(kept, 20);
}

// ---- lock -----------------------------------------------------------------------------------

TEST(Software, ALockedUnitKeepsItsConfigurationAndWorksOn) {
  DefaultBench bench;
  open(bench);
  bench.start(0, workgroups(bench, 8), 10);
  bench.set(r::row(5), 3);
  bench.set(r::kLock, r::kLockLocked);
  std::vector<std::uint32_t> frozen{r::kCtrl,   r::kFill,      r::window(0), r::window(3) + 8,
                                    r::slot(0), r::slot(4095), r::row(0),    r::row(255)};
  for (std::uint32_t offset = 0; offset <= r::kRegDone; offset += 4)
    frozen.push_back(r::region(7) + offset);
  std::uint32_t refused = 0;
  for (const std::uint32_t address : frozen) {
    const std::uint32_t before = bench.read(address);
    EXPECT_EQ(bench.write(address, 0x1000'0003), kError) << registerText(address);
    EXPECT_EQ(bench.writePrivileged(address, 0x1000'0003), kError);
    EXPECT_EQ(bench.read(address), before);
    refused += 2;
  }
  bench.expectErrors(kLocked, refused);
  bench.expectFirst(kLocked, 0, r::kCtrl);
  // What is not configuration may be written.
  bench.forgetErrors();
  bench.set(r::kIrqEnable, 1);
  bench.set(r::kIrqTest, 1);
  bench.set(r::kIrqStatus, 3);
  bench.set(r::kRegionDone, 0xff);
  send(bench, 2, 10);
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{2});
  bench.set(r::kLock, 0);
  EXPECT_EQ(bench.read(r::row(5)), 3u);
  bench.set(r::row(6), 3);
}

/// Everything else that can be written, too; who reads is not asked.
TEST(Software, APrivilegedLockKeepsOthersFromErrorsAndInterrupts) {
  TinyBench bench;
  open(bench);
  bench.set(r::kIrqEnable, 3);
  bench.start(0, {.wgLast = 1, .shift = 2, .target = 1}, 10);
  send(bench, 0, 10);
  send(bench, 1, 11);
  bench.set(r::kLock, r::kLockLocked | r::kLockPrivileged);
  const std::vector<std::uint32_t> open{r::kIrqStatus,  r::kIrqEnable, r::kIrqTest,
                                        r::kRegionDone, r::kErrors,    r::kErrorFirst};
  const auto read = [&] {
    std::vector<std::uint32_t> values;
    for (const std::uint32_t address : open) values.push_back(bench.read(address));
    return values;
  };
  const auto before = read();
  std::uint32_t refused = 0;
  // awprot: neither privileged nor secure, secure alone, non-secure though privileged.
  for (const std::uint32_t prot : {2u, 0u, 3u}) {
    for (const std::uint32_t address : open) {
      EXPECT_EQ(bench.write(address, 0x8000'0001 & (address == r::kErrorFirst ? ~0u : 3u), 0xf,
                            TinyBench::Order::Together, prot),
                kError);
      ++refused;
    }
    EXPECT_EQ(bench.write(r::kLock, 0, 0xf, TinyBench::Order::Together, prot), kError);
    ++refused;
  }
  auto after = read();
  after[4] &= ~r::kErrorsLocked;
  EXPECT_EQ(after, before);
  EXPECT_EQ(bench.read(r::errorCount(kLocked)), refused);
  for (const std::uint32_t address : open)
    EXPECT_EQ(bench.writePrivileged(address, address == r::kErrorFirst ? ~0u : 3u), kOk);
  EXPECT_EQ(bench.writePrivileged(r::kCtrl, 1), kError) << "frozen all the same";
  EXPECT_EQ(bench.writePrivileged(r::kLock, r::kLockPrivileged), kOk);
  bench.set(r::kErrors, ~0u);  // alone the bit does nothing
  bench.set(r::kLock, 0);
}

/// CTRL.look finds what waits though its hint was lost, as if it had been pushed into a full queue.
TEST(Software, ALookShowsEverythingThatWaits) {
  TinyBench bench;
  bench.takesDone = bench.takesRows = false;
  open(bench);
  auto region = workgroups(bench, 12);
  region.firstRow = 3;
  bench.start(0, region, 100);
  for (std::uint32_t row = 3; row < 15; ++row) bench.set(r::row(row), 1);
  for (const std::uint32_t wg : {7u, 2u, 9u, 5u}) send(bench, wg, 100);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable);
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlLook);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable);
  ASSERT_TRUE(bench.settle());
  bench.takesDone = bench.takesRows = true;
  ASSERT_TRUE(bench.drain());
  auto slots = bench.slotsDone();
  std::ranges::sort(slots);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{2, 5, 7, 9})) << "each once";
  EXPECT_EQ(bench.releases.size(), 4u);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlLook);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.done.size(), 4u);
}

TEST(Software, OnlyAPrivilegedWriteUndoesAPrivilegedLock) {
  TinyBench bench;
  open(bench);
  bench.set(r::kLock, r::kLockLocked | r::kLockPrivileged);
  for (const std::uint32_t value : {0u, 1u, 2u, 3u})
    EXPECT_EQ(bench.write(r::kLock, value), kError);
  EXPECT_EQ(bench.read(r::kLock), 3u);
  bench.expectErrors(kLocked, 4);
  bench.expectFirst(kLocked, 0, r::kLock);
  EXPECT_EQ(bench.writePrivileged(r::kLock, r::kLockLocked), kOk);
  EXPECT_EQ(bench.read(r::kLock), r::kLockLocked);
  EXPECT_EQ(bench.write(r::kLock, 0), kOk) << "without the bit, anyone";
  bench.set(r::kLock, 3);
  EXPECT_EQ(bench.writePrivileged(r::kLock, 0), kOk);
  bench.set(r::slot(1), 1);
  bench.set(r::kLock, 3);
  bench.reset();
  bench.waitOpen();
  EXPECT_EQ(bench.read(r::kLock), 0u) << "or reset";
  bench.set(r::slot(1), 1);
}

// ---- answers --------------------------------------------------------------------------------

/// Slots and rows are read and written in the midst of traffic that keeps all banks and the count
/// of completions busy, nobody takes what is done, and a fill runs. The bench measures each answer.
template <const Unit& kUnit>
void everyAccessIsAnsweredInTime(std::uint32_t worst) {
  Bench<kUnit> bench;
  bench.takesDone = bench.takesRows = false;
  open(bench);
  const std::uint32_t slots = bench.size.slots, waves = bench.size.wavefronts();
  bench.start(0,
              {.wgLast = slots / waves - 1,
               .shift = 0,
               .firstRow = 0,
               .blocksPerRow = slots / bench.size.rows},
              4);
  for (std::uint32_t row = 0; row < bench.size.rows; ++row)
    bench.set(r::row(row), slots / bench.size.rows);
  Random random(testSeed(91));
  for (int round = 0; round < 3; ++round) {
    // One of them is armed anew by a stop and a fill, in the midst of it.
    for (std::uint32_t i = 0; i < slots; ++i) {
      for (int k = 0; k < 4; ++k)
        bench.lanes[i % bench.size.lanes].push_back({i / waves, i % waves, kAddress, 1});
    }
    while (!bench.lanesEmpty()) {
      const std::uint32_t slot = random.below(slots), row = random.below(bench.size.rows);
      switch (random.below(6)) {
        case 0:
          bench.write(r::slot(slot), random.below(4));
          break;
        case 1:
          bench.write(r::row(row), random.below(4));
          break;
        case 2:
          bench.read(r::row(row));
          break;
        case 3:
          bench.read64(r::kUpdates);
          break;
        case 4:
          if (random.chance(3) && bench.write(r::region(0), 2) == kOk) {
            bench.write(r::kFill, 4);
            while (bench.write(r::region(0), 1) != kOk) bench.ticks(50);
          }
          break;
        default:
          bench.read(r::slot(slot));
      }
    }
    bench.write(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    for (int i = 0; i < 20; ++i) {
      bench.read(r::slot(random.below(slots)));
      bench.write(r::row(1), 1);
    }
  }
  EXPECT_LE(bench.slowestAnswer, worst);
  std::cout << "slowest answer: " << bench.slowestAnswer << " cycles\n";
}

TEST(Software, EveryAccessIsAnsweredInTime) { everyAccessIsAnsweredInTime<kDefaultUnit>(16); }
TEST(Software, EveryAccessIsAnsweredInTimeInATinyUnit) {
  everyAccessIsAnsweredInTime<kTinyUnit>(16);
}
TEST(Software, EveryAccessIsAnsweredInTimeInAWideUnit) {
  everyAccessIsAnsweredInTime<kWideUnit>(16);
}
TEST(Software, EveryAccessIsAnsweredInTimeUnderProtection) {
  everyAccessIsAnsweredInTime<kSecdedUnit>(16);
}

/// Reads and writes of slots and rows at once, with responses that nobody hurries to take.
TEST(Software, SlotsAndRowsAreReadAndWrittenAtOnce) {
  TinyBench bench;
  open(bench);
  bench.set(r::slot(7), 77);
  bench.set(r::row(7), 66);
  auto& m = *bench.model;
  for (const auto& [readAt, writeAt, want] :
       {std::tuple{r::slot(7), r::slot(8), 77u}, std::tuple{r::row(7), r::slot(9), 66u},
        std::tuple{r::slot(7), r::row(9), 77u}, std::tuple{r::row(7), r::row(8), 66u},
        std::tuple{r::row(7), r::region(1) + r::kRegState, 66u},
        std::tuple{r::slot(7), r::region(1) + r::kRegState, 77u}}) {
    std::uint32_t written = 0, seen = 0;
    std::uint64_t sinceWrite = 0, sinceRead = 0;
    for (int i = 0; i < 300; ++i) {
      m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
      m.s_axil_awaddr_i = writeAt;
      m.s_axil_wdata_i = 0;
      m.s_axil_wstrb_i = 0xf;
      m.s_axil_araddr_i = readAt;
      m.s_axil_bready_i = m.s_axil_rready_i = 1;
      sinceWrite = m.s_axil_bvalid_o ? 0 : sinceWrite + 1;
      sinceRead = m.s_axil_rvalid_o ? 0 : sinceRead + 1;
      ASSERT_LE(std::max(sinceWrite, sinceRead), 17u) << "one starves the other";
      written += m.s_axil_bvalid_o;
      if (m.s_axil_rvalid_o) {
        EXPECT_EQ(m.s_axil_rdata_o, want);
        ++seen;
      }
      bench.tick();
    }
    m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
    bench.ticks(40);
    m.s_axil_bready_i = m.s_axil_rready_i = 0;
    EXPECT_GT(written, 15u);
    EXPECT_GT(seen, 15u);
  }
}

}  // namespace
}  // namespace t3::rtl_test::software_test
