// SPDX-License-Identifier: Apache-2.0
// Method: directed stimuli on the whole unit, one promise of docs/tracker.md per test. Cycles are
// counted from the cycle in which a lane's valid and ready meet to the first cycle of done_valid_o.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/leaving.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::track_trigger_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

constexpr std::uint64_t kBase = 0x1'0000'0000;

/// One window over all pages, one region of `workgroups` with a slot for each block of 2^shift
/// wavefront ids, from slot 0 on.
TrackTriggerBench::Region plain(std::uint32_t workgroups, std::uint32_t shift = 3) {
  return {.wgLast = workgroups - 1, .shift = shift};
}

void startPlain(TrackTriggerBench& bench, const TrackTriggerBench::Region& region,
                std::uint32_t bytes) {
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(0, region, bytes);
  bench.enable();
}

// ---- count ------------------------------------------------------------------------------------

TEST(TrackTrigger, ASlotIsDoneAtMostTwelveCyclesAfterItsLastUpdate) {
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    DefaultBench bench;
    startPlain(bench, plain(16), 256);
    bench.lanes[lane].push_back({5, 2, kBase + 256, 128});
    ASSERT_TRUE(bench.drain());
    EXPECT_TRUE(bench.done.empty());
    EXPECT_EQ(bench.read(r::slot(5)), 128u);
    bench.lanes[lane].push_back({5, 7, kBase, 128});
    ASSERT_TRUE(bench.drain());
    ASSERT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{5});
    EXPECT_FALSE(bench.done[0].spoiled);
    EXPECT_LE(bench.doneSeen[0] - bench.lastAccept[lane], 12u);
    EXPECT_EQ(bench.read(r::slot(5)), 0u);
    EXPECT_EQ(bench.read64(r::kUpdates), 2u);
    EXPECT_EQ(bench.read64(r::kCompleted), 1u);
    EXPECT_EQ(bench.read64(r::kTriggers), 1u);
    EXPECT_EQ(bench.read64(r::kTaken), 1u);
    EXPECT_EQ(bench.read64(r::kReleased), 0u);
    EXPECT_EQ(bench.read64(r::kCorrected), 0u);
    EXPECT_EQ(bench.read(r::kErrors), 0u);
  }
}

TEST(TrackTrigger, EveryByteCountsAndTheLastOneCompletes) {
  DefaultBench bench;
  startPlain(bench, plain(16), 1);
  constexpr std::uint32_t kBytes = 4097;
  bench.set(r::region(0) + r::kRegState, 2);
  bench.set(r::slot(3), kBytes);
  bench.set(r::region(0) + r::kRegState, 1);
  std::uint32_t left = kBytes;
  for (std::uint32_t weight = 1; left > 1; weight = weight % 128 + 1) {
    const std::uint32_t take = std::min(weight, left - 1);
    bench.lanes[weight % 8].push_back({3, weight % 8, kBase, take});
    left -= take;
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::slot(3)), 1u);
  EXPECT_TRUE(bench.done.empty());
  bench.lanes[0].push_back({3, 0, kBase, 1});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{3});
}

template <const Unit& kUnit>
void aSlotCountsToItsMost() {
  Bench<kUnit> bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  TrackTriggerBench::Region region{.wgLast = 1, .shift = bench.size.wfWidth};
  bench.program(0, region);
  bench.setState(0, State::On);
  bench.enable();
  const std::uint32_t most = bench.size.mostCount(), weight = bench.size.mostWeight();
  bench.set(r::slot(0), most);
  bench.set(r::slot(1), most - 1);
  EXPECT_EQ(bench.read(r::slot(0)), most);
  EXPECT_EQ(bench.read(r::slot(1)), most - 1);
  const std::uint32_t updates = most / weight;
  const auto send = [&](std::uint32_t wg, std::uint32_t count, std::uint32_t of) {
    for (std::uint32_t i = 0; i < count; ++i)
      bench.lanes[i % bench.size.lanes].push_back({wg, 0, 0x1000, of});
    ASSERT_TRUE(bench.drain());
  };
  send(0, 1, 1);
  EXPECT_EQ(bench.read(r::slot(0)), most - 1);
  send(0, updates - 1, weight);
  EXPECT_EQ(bench.read(r::slot(0)), weight - 1);
  send(1, updates - 1, weight);
  EXPECT_EQ(bench.read(r::slot(1)), weight - 1);
  EXPECT_TRUE(bench.done.empty());
  for (const std::uint32_t wg : {0u, 1u}) send(wg, 1, weight - 1);
  EXPECT_EQ(bench.slotsDone(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(TrackTrigger, ASlotCountsToItsMost) { aSlotCountsToItsMost<kDefaultUnit>(); }
TEST(TrackTrigger, ASlotCountsToItsMostInTheSmallestUnit) { aSlotCountsToItsMost<kSmallestUnit>(); }
TEST(TrackTrigger, ASlotCountsToItsMostInAWideUnit) { aSlotCountsToItsMost<kWideUnit>(); }
TEST(TrackTrigger, ASlotCountsToItsMostInANarrowUnit) { aSlotCountsToItsMost<kNarrowUnit>(); }

TEST(TrackTrigger, AllLanesUpdateOneSlotEveryCycleWithoutABubble) {
  DefaultBench bench;
  constexpr std::uint32_t kCycles = 200;  // 25 of each bank
  startPlain(bench, plain(16), 128 * 8 * kCycles / 8);
  for (std::uint32_t i = 0; i < kCycles; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane)
      bench.lanes[lane].push_back({8 + i / 25, (lane + i) % 8, kBase + i * 32, 128});
  }
  const std::uint64_t start = bench.cycle;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.stalled, 0u);
  EXPECT_EQ(*std::max_element(bench.lastAccept.begin(), bench.lastAccept.end()),
            start + kCycles - 1);
  ASSERT_EQ(bench.slotsDone(), (std::vector<std::uint32_t>{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_LE(bench.doneSeen.back() - bench.lastAccept[0], 12u);
  EXPECT_EQ(bench.read64(r::kUpdates), 8u * kCycles);
}

TEST(TrackTrigger, LanesOfDifferentBanksNeverStall) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128 * 100);
  // Wavefront = lane of one workgroup: eight slots in a row, in eight banks. Then slots that lie a
  // multiple of the banks apart.
  for (const bool far : {false, true}) {
    std::set<std::uint32_t> banks;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const std::uint32_t slot = far ? lane * 8 + 3 : 17 * 8 + lane;
      banks.insert(bench.bankOf(slot));
      for (std::uint32_t i = 0; i < 100; ++i)
        bench.lanes[lane].push_back({slot / 8, slot % 8, kBase + i * 128, 128});
    }
    ASSERT_EQ(banks.size(), 8u);
    ASSERT_TRUE(bench.drain());
  }
  EXPECT_EQ(bench.stalled, 0u);
  EXPECT_EQ(bench.read64(r::kStalls), 0u);
  EXPECT_EQ(bench.done.size(), 16u);
}

TEST(TrackTrigger, ABankTakesAnUpdateInEveryCycle) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128 * 60);
  // One lane, one bank, four slots in turn: no bubble between updates of one slot or of several.
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slots.size() < 4; ++slot)
    if (bench.bankOf(slot) == 2) slots.push_back(slot);
  for (const std::uint32_t apart : {1u, 2u, 3u, 4u}) {
    bench.setState(0, State::Stopped);
    bench.fill(0, 128 * 60 / apart * 1);
    bench.setState(0, State::On);
    const std::uint64_t start = bench.cycle;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t slot = slots[i % apart];
      bench.lanes[5].push_back({slot / 8, slot % 8, kBase + i * 128, 128});
    }
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.lastAccept[5], start + 60 - 1);
    EXPECT_EQ(bench.done.size(), apart);
    bench.done.clear();
  }
  EXPECT_EQ(bench.stalled, 0u);
}

TEST(TrackTrigger, LanesThatFightForOneBankShareItFairly) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128 * 64);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slots.size() < 8; ++slot)
    if (bench.bankOf(slot) == 5) slots.push_back(slot);
  const std::uint64_t start = bench.cycle;
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    const std::uint32_t slot = slots[lane];
    for (std::uint32_t i = 0; i < 64; ++i)
      bench.lanes[lane].push_back({slot / 8, slot % 8, kBase, 128});
  }
  ASSERT_TRUE(bench.drain());
  const auto [first, last] = std::minmax_element(bench.lastAccept.begin(), bench.lastAccept.end());
  EXPECT_LE(*last - *first, 8u);
  EXPECT_LE(*last - start, 8u * 64) << "an update in every cycle";
  EXPECT_EQ(bench.done.size(), 8u);
  EXPECT_GT(bench.stalled, 0u);
  EXPECT_EQ(bench.read64(r::kStalls), bench.stalled);
}

/// Lanes that nobody places well: heads of lanes wait for banks.
TEST(TrackTrigger, RandomSlotsPassFourAndAHalfUpdatesACycle) {
  DefaultBench bench;
  startPlain(bench, plain(512, 0), bench.size.mostCount());
  Random random(testSeed(61));
  for (auto& lane : bench.lanes) {
    for (int i = 0; i < 2000; ++i) lane.push_back({random.below(512), random.below(8), kBase, 128});
  }
  const std::uint64_t start = bench.cycle;
  while (std::ranges::none_of(bench.lanes, [](const auto& lane) { return lane.empty(); }))
    bench.tick();
  EXPECT_GT(2 * bench.accepted, 9 * (bench.cycle - start));
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kUpdates), 16000u);
}

/// A lane alone at a bank, beside seven that are joined there in every cycle.
TEST(TrackTrigger, ALaneIsNotStarvedByOthersThatAreJoined) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128 * 1000);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slots.size() < 2; ++slot)
    if (bench.bankOf(slot) == 1) slots.push_back(slot);
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const std::uint32_t slot = slots[lane == 3];
      bench.lanes[lane].push_back({slot / 8, slot % 8, kBase, 128});
    }
  }
  const std::uint64_t start = bench.cycle;
  ASSERT_TRUE(bench.drain());
  EXPECT_LE(bench.lastAccept[3] - start, 8u * 100);
  EXPECT_EQ(bench.read(r::slot(slots[0])), 128u * 300);
  EXPECT_EQ(bench.read(r::slot(slots[1])), 128u * 900);
}

/// Updates of two regions that have one slot, at once: joined or not, each byte counts.
TEST(TrackTrigger, TwoRegionsMayShareASlot) {
  DefaultBench bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(0, {.wgFirst = 0, .wgLast = 0, .shift = 3, .slotFirst = 7, .target = 1}, 128 * 80);
  bench.program(1, {.wgFirst = 1, .wgLast = 1, .shift = 3, .slotFirst = 7, .target = 1});
  bench.setState(1, State::On);
  bench.enable();
  for (std::uint32_t i = 0; i < 10; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane)
      bench.lanes[lane].push_back({lane % 2, 0, kBase, 128});
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{7});
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone) + bench.read(r::region(1) + r::kRegDone), 1u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

// ---- match and slot ---------------------------------------------------------------------------

TEST(TrackTrigger, TheLowestMatchingRegionWinsAndTheRestIsUntracked) {
  DefaultBench bench;
  bench.waitOpen();
  // Above 2^32 pages: uses PAGE_HIGH.
  bench.program(2, TrackTriggerBench::Window{0x1'0000'0000, 0x1'0000'0003});
  bench.start(5, {.window = 2, .wgFirst = 10, .wgLast = 20, .shift = 3, .slotFirst = 100}, 128);
  bench.start(3, {.window = 2, .wgFirst = 0, .wgLast = 15, .shift = 3, .slotFirst = 200}, 128);
  bench.enable();
  const std::uint64_t first = 0x1'0000'0000ull * 4096;
  const std::uint64_t last = 0x1'0000'0004ull * 4096 - 1;
  bench.lanes[0].push_back({15, 0, first, 128});      // both: region 3, slot 200 + 15
  bench.lanes[0].push_back({20, 0, last, 128});       // region 5 only, slot 100 + 10
  bench.lanes[0].push_back({0, 0, first, 128});       // region 3, slot 200
  bench.lanes[0].push_back({21, 0, first, 128});      // workgroup above
  bench.lanes[0].push_back({15, 1, first - 1, 128});  // page below
  bench.lanes[0].push_back({15, 1, last + 1, 128});   // page above
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), (std::vector<std::uint32_t>{215, 110, 200}));
  EXPECT_EQ(bench.read64(r::kUntracked), 3u);
  EXPECT_EQ(bench.read64(r::kUpdates), 3u);
  EXPECT_EQ(bench.read64(r::kDropped), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

/// A window of one page and a region of one workgroup: an update that differs in any bit matches
/// not.
template <const Unit& kUnit>
void everyBitDecidesTheMatch() {
  Bench<kUnit> bench;
  bench.waitOpen();
  bench.enable();
  const std::uint32_t last = bench.size.regions - 1, window = bench.size.windows - 1;
  for (const std::uint32_t i : {0u, 1u, 2u, 3u}) {
    const bool high = i % 2 != 0;
    const std::uint32_t region = i < 2 ? last : 0;
    std::uint64_t untracked = 0, tracked = 0;
    const std::uint64_t pages = (std::uint64_t{1} << (bench.size.addrWidth - 12)) - 1;
    const std::uint64_t page = (high ? 0x5'5555'5555u : 0xa'aaaa'aaaau) & pages;
    const std::uint32_t wg = (high ? 0x5555u : 0xaaaau) & (bench.size.workgroups() - 1);
    bench.program(window, TrackTriggerBench::Window{page, page});
    bench.start(region,
                {.window = window,
                 .wgFirst = wg,
                 .wgLast = wg,
                 .shift = bench.size.wfWidth,
                 .rowPhase = wg & (bench.size.slots - 1),
                 .target = wg | 1u},
                1000);
    const auto send = [&](std::uint32_t id, std::uint64_t at) {
      bench.lanes[at % bench.size.lanes].push_back({id, 0, at * 4096 + 0xfff, 1});
    };
    send(wg, page);
    ++tracked;
    for (std::uint32_t bit = 0; bit < bench.size.addrWidth - 12; ++bit, ++untracked)
      send(wg, page ^ std::uint64_t{1} << bit);
    for (std::uint32_t bit = 0; bit < bench.size.wgWidth; ++bit, ++untracked)
      send(wg ^ 1u << bit, page);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read64(r::kUntracked), untracked);
    EXPECT_EQ(bench.read64(r::kUpdates), tracked);
    EXPECT_EQ(bench.read(r::slot(0)), 999u);
    bench.setState(region, State::Off);
    bench.clear();
  }
}

TEST(TrackTrigger, EveryBitOfPageAndWorkgroupDecidesTheMatch) {
  everyBitDecidesTheMatch<kDefaultUnit>();
}
TEST(TrackTrigger, EveryBitOfPageAndWorkgroupDecidesTheMatchInANarrowUnit) {
  everyBitDecidesTheMatch<kNarrowUnit>();
}
TEST(TrackTrigger, EveryBitOfPageAndWorkgroupDecidesTheMatchInTheSmallestUnit) {
  everyBitDecidesTheMatch<kSmallestUnit>();
}
TEST(TrackTrigger, EveryBitOfPageAndWorkgroupDecidesTheMatchInTheLargestUnit) {
  everyBitDecidesTheMatch<kLargestUnit>();
}

/// Three windows, or one: the number of a window has room for one more.
template <const Unit& kUnit>
void aMissingWindowMatchesNothing() {
  Bench<kUnit> bench;
  bench.waitOpen();
  const std::uint32_t windows = bench.size.windows;
  for (std::uint32_t w = 0; w < windows; ++w)
    bench.program(w, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.start(0, {.window = windows, .wgLast = 3, .shift = bench.size.wfWidth}, 1);
  bench.enable();
  for (const std::uint64_t address : {0u, 0x1000u, 0xffff'ffffu})
    bench.lanes[0].push_back({1, 0, address, 1});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kUntracked), 3u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegCtrl) >> r::kRegCtrlWindowShift, windows);
}

TEST(TrackTrigger, ARegionWhoseWindowDoesNotExistMatchesNothing) {
  aMissingWindowMatchesNothing<kNarrowUnit>();
}
TEST(TrackTrigger, ARegionWhoseWindowDoesNotExistMatchesNothingInTheSmallestUnit) {
  aMissingWindowMatchesNothing<kSmallestUnit>();
}

TEST(TrackTrigger, UpdatesOfAStoppedRegionAreDroppedAndDoNotFallThrough) {
  DefaultBench bench;
  startPlain(bench, plain(16), 128);
  bench.start(1, {.wgLast = 15, .shift = 3, .slotFirst = 100}, 128);
  for (const std::uint32_t stopped : {2u, 3u}) {
    bench.set(r::region(0) + r::kRegState, stopped);
    EXPECT_EQ(bench.read(r::region(0) + r::kRegState) / 2, 1u);
    for (std::uint32_t lane = 0; lane < 8; ++lane)
      bench.lanes[lane].push_back({4, lane, kBase, lane % 2 == 0 ? 128u : 0u});
    ASSERT_TRUE(bench.drain());
  }
  EXPECT_TRUE(bench.done.empty());
  EXPECT_EQ(bench.read64(r::kDropped), 16u);
  EXPECT_EQ(bench.read64(r::kUpdates), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u) << "what is dropped is not looked at";
  EXPECT_EQ(bench.read(r::slot(4)), 128u);
  EXPECT_EQ(bench.read(r::slot(104)), 128u);
  bench.setState(0, State::Off);
  bench.lanes[0].push_back({4, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{104});
}

TEST(TrackTrigger, ADisabledUnitCountsEverythingAsUntracked) {
  DefaultBench bench;
  startPlain(bench, plain(16), 128);
  bench.start(1, {.wgFirst = 8, .wgLast = 15, .shift = 3, .slotFirst = 100}, 128);
  bench.setState(0, State::Stopped);
  bench.set(r::kCtrl, 0);
  for (std::uint32_t lane = 0; lane < 8; ++lane)
    bench.lanes[lane].push_back({lane + 4, 0, kBase, lane == 2 ? 0u : 128u});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kUntracked), 8u);
  EXPECT_EQ(bench.read64(r::kDropped), 0u);
  EXPECT_EQ(bench.read64(r::kUpdates), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  bench.enable();
  bench.lanes[0].push_back({4, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kDropped), 1u);
}

/// All shifts: the first and the last identity of each of some blocks lie in it, and one beyond the
/// last block is outside.
template <const Unit& kUnit>
void blocksOfAnySize() {
  Bench<kUnit> bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.enable();
  const std::uint32_t wavefronts = bench.size.wavefronts();
  std::uint32_t outside = 0;
  for (std::uint32_t shift = 0; shift <= 15; ++shift) {
    SCOPED_TRACE("shift " + std::to_string(shift));
    const std::uint32_t ids = (bench.size.workgroups() - 5) * wavefronts;
    const std::uint32_t all = (ids + (1u << shift) - 1) >> shift;
    const std::uint32_t blocks = std::min({all, bench.size.slots - 3, 9u});
    TrackTriggerBench::Region region{.wgFirst = 5,
                                     .wgLast = bench.size.workgroups() - 1,
                                     .shift = shift,
                                     .slotFirst = bench.size.slots - blocks,
                                     .slotLast = bench.size.slots - 1};
    bench.start(0, region, 3);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::uint32_t first = block << shift;
      const std::uint32_t last = std::min(((block + 1) << shift) - 1, ids - 1);
      for (const std::uint32_t id : {first, last, (first + last) / 2}) {
        bench.lanes[id % bench.size.lanes].push_back(
            {5 + id / wavefronts, id % wavefronts, 0x2000, 1});
      }
      ASSERT_TRUE(bench.drain());
      ASSERT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{region.slotFirst + block});
      bench.done.clear();
    }
    if (const std::uint32_t beyond = blocks << shift; beyond < ids) {
      bench.lanes[0].push_back({5 + beyond / wavefronts, beyond % wavefronts, 0x2000, 1});
      bench.lanes[0].push_back({5 + (ids - 1) / wavefronts, (ids - 1) % wavefronts, 0x2000, 1});
      ASSERT_TRUE(bench.drain());
      outside += 2;
    }
    EXPECT_EQ(bench.read(r::errorCount(kOutside)), outside);
    EXPECT_EQ(bench.read(r::kErrors) & ~r::kErrorsOutside, 0u);
  }
}

TEST(TrackTrigger, BlocksMayHaveAnySize) { blocksOfAnySize<kDefaultUnit>(); }
TEST(TrackTrigger, BlocksMayHaveAnySizeInATinyUnit) { blocksOfAnySize<kTinyUnit>(); }
TEST(TrackTrigger, BlocksMayHaveAnySizeInTheSmallestUnit) { blocksOfAnySize<kSmallestUnit>(); }
TEST(TrackTrigger, BlocksMayHaveAnySizeInTheLargestUnit) { blocksOfAnySize<kLargestUnit>(); }

/// Nothing is taken modulo: neither the workgroup's distance nor the slot.
TEST(TrackTrigger, ASlotBeyondTheMemoryIsOutside) {
  DefaultBench bench;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(0, {.wgLast = 0xffff, .shift = 0, .slotFirst = 4000, .slotLast = 4095}, 1);
  bench.enable();
  // 4096 slots further on, and all identities whose distance has a bit above the slots.
  for (std::uint32_t bit = 7; bit < 19; ++bit)
    bench.lanes[bit % 8].push_back({1u << bit >> 3, 0, kBase, 1});
  bench.lanes[0].push_back({12, 0, kBase, 1});
  bench.lanes[0].push_back({11, 7, kBase, 1});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), std::vector<std::uint32_t>{4095});
  EXPECT_EQ(bench.read(r::errorCount(kOutside)), 13u);
}

// ---- done -------------------------------------------------------------------------------------

TEST(TrackTrigger, ARegionThatDoesNotTriggerCountsOnly) {
  DefaultBench bench;
  auto region = plain(16);
  region.trigger = false;
  region.target = 2;
  startPlain(bench, region, 128);
  bench.takesDone = false;
  for (const std::uint32_t wg : {3u, 9u, 3u}) {
    bench.lanes[wg % 8].push_back({wg, 0, kBase, 128});
    ASSERT_TRUE(bench.settle());
    EXPECT_FALSE(bench.model->done_valid_o);
    EXPECT_EQ(bench.read(r::slot(wg)), 0u);
    EXPECT_EQ(bench.read(r::kRegionDone), wg == 9 ? 1u : 0u);
    bench.set(r::kRegionDone, 1);
    bench.set(r::slot(wg), 128);
  }
  EXPECT_EQ(bench.read64(r::kCompleted), 3u);
  EXPECT_EQ(bench.read64(r::kTriggers), 0u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 3u);
}

TEST(TrackTrigger, SlotsDoneInOneCycleAreShownOneAfterTheOtherEachOnce) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128);
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.lanes[lane].push_back({2, lane, kBase, 128});
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.done.size(), 8u);
  std::set<std::uint32_t> slots;
  for (std::size_t i = 0; i < 8; ++i) {
    slots.insert(bench.done[i].slot);
    EXPECT_LE(bench.done[i].cycle, bench.done[0].cycle + 5 * i);
  }
  EXPECT_EQ(slots, (std::set<std::uint32_t>{16, 17, 18, 19, 20, 21, 22, 23}));
}

/// Completions in every cycle for a long time: one is counted in every cycle, whatever the pace at
/// which they are shown; nothing is lost.
TEST(TrackTrigger, ACompletionIsCountedInEveryCycle) {
  DefaultBench bench;
  startPlain(bench, plain(512, 0), 8);
  const std::uint64_t start = bench.cycle;
  for (std::uint32_t slot = 0; slot < 4096; ++slot)
    bench.lanes[slot % 8].push_back({slot / 8, slot % 8, kBase, 8});
  while (!bench.lanesEmpty() && bench.cycle - start < 10000) bench.tick();
  // The bank of a slot that is shown takes no update in that cycle.
  EXPECT_LE(bench.cycle - start, 4096u + 4096 / 8);
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.done.size(), 4096u);
  EXPECT_LE(bench.done.back().cycle - start, 5 * 4096u);
  std::set<std::uint32_t> slots;
  for (const Done& done : bench.done) slots.insert(done.slot);
  EXPECT_EQ(slots.size(), 4096u);
  EXPECT_EQ(bench.read64(r::kCompleted), 4096u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 4096u);
}

/// Slots that are completed with some cycles between them are so in a known order.
void complete(TrackTriggerBench& bench, std::uint32_t slot, std::uint32_t weight = 8) {
  const std::uint32_t waves = bench.size.wavefronts();
  bench.lanes[0].push_back({slot / waves, slot % waves, 0x3000, weight});
}

template <const Unit& kUnit>
void slotsLeaveInOrderOfCompletion() {
  Bench<kUnit> bench;
  bench.takesDone = false;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  const std::uint32_t waves = bench.size.wavefronts();
  const std::uint32_t slots = std::min(bench.size.slots, bench.size.workgroups() * waves);
  bench.start(0, {.wgLast = slots / waves - 1, .shift = 0}, 8);
  bench.enable();
  std::vector<std::uint32_t> want;
  // One stands at the port; QueueDepth wait. Fewer where there are not so many slots.
  const std::uint32_t count = std::min(bench.size.queueDepth, slots - 1) + 1;
  for (std::uint32_t i = 0; i < count; ++i) want.push_back((i * 5 + 3) % slots);
  for (const std::uint32_t slot : want) {
    complete(bench, slot);
    bench.ticks(6);
  }
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.read64(r::kTriggers), count);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusCommands);
  EXPECT_EQ(bench.read(r::slot(want[0])), 0u) << "it is shown";
  for (std::uint32_t i = 1; i < count; ++i)
    ASSERT_EQ(bench.read(r::slot(want[i])), r::kSlotWaits) << i;
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), want);
  for (const std::uint32_t slot : want) ASSERT_EQ(bench.read(r::slot(slot)), 0u);
  EXPECT_EQ(bench.read64(r::kTaken), count);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(TrackTrigger, AsManySlotsAsTheQueueHoldsLeaveInOrderOfCompletion) {
  slotsLeaveInOrderOfCompletion<kDefaultUnit>();
}
TEST(TrackTrigger, SlotsLeaveInOrderOfCompletionInATinyUnit) {
  slotsLeaveInOrderOfCompletion<kTinyUnit>();
}
TEST(TrackTrigger, SlotsLeaveInOrderOfCompletionInTheSmallestUnit) {
  slotsLeaveInOrderOfCompletion<kSmallestUnit>();
}
TEST(TrackTrigger, SlotsLeaveInOrderOfCompletionInTheLargestUnit) {
  slotsLeaveInOrderOfCompletion<kLargestUnit>();
}

/// More wait than the queue has places: those that have one leave in order, in turn with those that
/// a look through all slots finds, in order of their number. Each once; lanes never close.
template <const Unit& kUnit>
void allSlotsMayWaitAtOnce() {
  Bench<kUnit> bench;
  bench.takesDone = false;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  const std::uint32_t slots = bench.size.slots, waves = bench.size.wavefronts();
  bench.start(0, {.wgLast = slots / waves - 1, .shift = 0, .target = slots & 0xffff}, 8);
  bench.enable();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < slots; ++i) order.push_back((i * 13 + 5) % slots);
  for (const std::uint32_t slot : order) {
    complete(bench, slot);
    bench.ticks(6);
  }
  for (int i = 0; i < 20000 && !bench.lanesEmpty(); ++i) bench.tick();
  ASSERT_TRUE(bench.lanesEmpty()) << "lanes do not depend on done_ready_i";
  ASSERT_TRUE(bench.settle()) << "the clock may stop while they wait";
  EXPECT_EQ(bench.read64(r::kCompleted), slots);
  EXPECT_EQ(bench.read(r::kRegionDone), 1u) << "counts do not wait for done_ready_i";
  EXPECT_EQ(bench.read(r::slot(order[0])), 0u);
  for (std::size_t i = 1; i < slots; ++i)
    ASSERT_EQ(bench.read(r::slot(order[i])), r::kSlotWaits) << order[i];
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  const auto left = bench.slotsDone();
  ASSERT_EQ(left.size(), slots);
  // Two more places are between the queue and the port.
  EXPECT_EQ(outOfTurn(left, order, bench.size.queueDepth + 3), 0u);
  EXPECT_EQ(std::set<std::uint32_t>(left.begin(), left.end()).size(), slots);
  EXPECT_EQ(bench.read64(r::kTaken), slots);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  for (std::uint32_t slot = 0; slot < slots; ++slot) ASSERT_EQ(bench.read(r::slot(slot)), 0u);
}

TEST(TrackTrigger, AllSlotsMayWaitAtOnce) { allSlotsMayWaitAtOnce<kDefaultUnit>(); }
TEST(TrackTrigger, AllSlotsMayWaitAtOnceInATinyUnit) { allSlotsMayWaitAtOnce<kTinyUnit>(); }

/// One more than the queue has places, and the port opens while the next ones come.
TEST(TrackTrigger, AQueueThatOverflowedTakesNewSlotsInOrderAgainOnceItIsEmpty) {
  Bench<kTinyUnit> bench;
  bench.takesDone = false;
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(0, {.wgLast = 15, .shift = 0}, 8);
  bench.enable();
  std::multiset<std::uint32_t> want;
  for (int round = 0; round < 4; ++round) {
    for (std::uint32_t slot = 63; slot > 40; --slot) {
      complete(bench, slot);
      want.insert(slot);
    }
    ASSERT_TRUE(bench.settle());
    bench.takesDone = true;
    // These come while the others leave.
    for (std::uint32_t slot = 0; slot < 30; ++slot) {
      complete(bench, slot);
      want.insert(slot);
    }
    ASSERT_TRUE(bench.drain());
    const auto left = bench.slotsDone();
    EXPECT_EQ(std::multiset<std::uint32_t>(left.begin(), left.end()), want);
    bench.done.clear();
    want.clear();
    bench.takesDone = false;
    const std::vector<std::uint32_t> some{39, 35, 36, 31, 38};
    for (const std::uint32_t slot : some) {
      complete(bench, slot);
      bench.ticks(6);
    }
    ASSERT_TRUE(bench.settle());
    bench.takesDone = true;
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.slotsDone(), some);
    bench.done.clear();
    bench.takesDone = false;
    bench.setState(0, State::Stopped);
    bench.fill(0, 8);
    bench.setState(0, State::On);
  }
}

/// One look at a slot of those that the queue lost, one slot of the queue: the 4,000 idle slots
/// before the ones that wait hold nobody up.
TEST(TrackTrigger, SlotsOfTheQueueLeaveWhileOthersAreLookedFor) {
  DefaultBench bench;
  bench.takesDone = false;
  startPlain(bench, plain(512, 0), 8);
  for (std::uint32_t slot = 4000; slot < 4080; ++slot) complete(bench, slot);
  while (!bench.lanesEmpty()) bench.tick();
  bench.takesDone = true;
  const std::uint64_t opened = bench.cycle;
  while (bench.done.size() < 60 && bench.cycle - opened < 10000) bench.tick();
  EXPECT_LE(bench.cycle - opened, 60u * 4);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.done.size(), 80u);
}

TEST(TrackTrigger, ASlotThatIsShownMayBeArmedAndCountsAnew) {
  DefaultBench bench;
  bench.takesDone = false;
  startPlain(bench, plain(16), 128);
  bench.lanes[0].push_back({5, 0, kBase, 128});
  ASSERT_TRUE(bench.settle());
  EXPECT_TRUE(bench.model->done_valid_o);
  EXPECT_EQ(bench.read(r::slot(5)), 0u);
  bench.set(r::slot(5), 256);
  bench.lanes[3].push_back({5, 0, kBase, 128});
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.read(r::slot(5)), 128u);
  bench.lanes[3].push_back({5, 0, kBase, 128});
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.read(r::slot(5)), r::kSlotWaits) << "behind itself";
  EXPECT_EQ(bench.read64(r::kTaken), 0u);
  bench.takesDone = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.slotsDone(), (std::vector<std::uint32_t>{5, 5}));
}

/// The same traffic with neighbours that always take and with those that never do: lanes take it no
/// later, and everything is counted.
TEST(TrackTrigger, LanesDoNotDependOnWhoTakesSlotsOrRows) {
  std::uint64_t took[2] = {};
  for (const bool ready : {true, false}) {
    Bench<kTinyUnit> bench;
    bench.takesDone = bench.takesRows = ready;
    bench.waitOpen();
    bench.program(0, TrackTriggerBench::Window{});
    bench.start(0, {.wgLast = 15, .shift = 0, .firstRow = 0, .blocksPerRow = 2}, 128 * 20);
    for (std::uint32_t row = 0; row < 32; ++row) bench.set(r::row(row), 2);
    const std::uint64_t start = bench.cycle;
    bench.enable();
    // Each lane has a bank of its own.
    for (std::uint32_t slot = 0; slot < 64; ++slot) {
      for (std::uint32_t i = 0; i < 20; ++i)
        bench.lanes[bench.bankOf(slot)].push_back({slot / 4, slot % 4, kBase, 128});
    }
    while (!bench.lanesEmpty() && bench.cycle - start < 5000) bench.tick();
    took[ready] = bench.cycle - start;
    // What is shown, and rows that software or rel_* look at, take some of the banks' cycles.
    EXPECT_LE(took[ready], 16 * 20 + 2 * 64u);
    ASSERT_TRUE(bench.settle());
    EXPECT_EQ(bench.read64(r::kCompleted), 64u);
    EXPECT_EQ(bench.read64(r::kReleased), 32u);
    EXPECT_EQ(bench.read(r::kStatus), ready ? 0u : r::kStatusCommands | r::kStatusRows);
  }
  EXPECT_LE(took[false], took[true] + 4);
}

TEST(TrackTrigger, StatusTellsThatALaneWaits) {
  DefaultBench bench;
  startPlain(bench, plain(64, 0), 128 * 1000);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slots.size() < 8; ++slot)
    if (bench.bankOf(slot) == 5) slots.push_back(slot);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 0; i < 60; ++i)
      bench.lanes[lane].push_back({slots[lane] / 8, slots[lane] % 8, kBase, 128});
  }
  bench.ticks(100);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusBusy | r::kStatusWaiting);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kStatus), 0u);
}

/// After reset, and while a clear walks: lanes are closed, and that is counted.
TEST(TrackTrigger, LanesAreClosedWhileTheMemoriesAreWalked) {
  DefaultBench bench;
  for (auto& lane : bench.lanes) lane.push_back({5, 2, kBase, 128});
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlClear);
  bench.ticks(100);
  EXPECT_EQ(bench.accepted, 0u);
  EXPECT_NE(bench.read(r::kStatus) & r::kStatusWaiting, 0u);
  EXPECT_GT(bench.read64(r::kStalls), 0u);
  bench.waitOpen();
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.accepted, 8u);
  EXPECT_EQ(bench.read64(r::kUntracked), 8u);
  EXPECT_LE(bench.read64(r::kStalls), 16u) << "zero at the end of the walk";
}

}  // namespace
}  // namespace t3::rtl_test::track_trigger_test
