// SPDX-License-Identifier: Apache-2.0
// Method: directed stimuli on the whole unit for promise 12 of docs/tracker.md: rows of tiles are
// counted whatever command a tile counts for, and are released once each. An update of all bytes of
// a wavefront tile completes it. Errors are compared as a whole, so none of another cause hides.
#include <algorithm>
#include <numeric>
#include <set>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

constexpr std::uint64_t kBase = 0x1'0000'0000;
constexpr std::uint32_t kBytes = 128;

/// A grid of `across` columns in geometry `index`, kBytes for every wavefront of every class.
void programGrid(TrackTriggerBench& bench, std::uint32_t across, std::uint32_t index = 0) {
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = across;
  geometry.tilesDown = 0xffff;
  for (auto& tileClass : geometry.expected) tileClass.fill(kBytes);
  bench.program(index, geometry);
}

/// One releasing region over all workgroups that neither triggers nor notifies. Its command slots
/// are left at zero, so every completion is a stray: rows do not depend on commands.
void programPlain(TrackTriggerBench& bench, std::uint32_t across, std::uint32_t firstRow) {
  bench.waitOpen();
  programGrid(bench, across);
  bench.program(0, {.trigger = false, .firstRow = firstRow});
  bench.enable();
}

void complete(TrackTriggerBench& bench, std::uint32_t wg, std::uint32_t wf = 0,
              std::uint64_t base = kBase) {
  bench.lanes[wg % bench.size.lanes].push_back({wg, wf, base, kBytes});
}

std::vector<std::uint32_t> rows(const TrackTriggerBench& bench) {
  std::vector<std::uint32_t> result;
  for (const Release& release : bench.releases) result.push_back(release.row);
  return result;
}
using Rows = std::vector<std::uint32_t>;

constexpr std::uint32_t kStrays = r::kErrorsStray;

void expectFirst(TrackTriggerBench& bench, std::uint32_t cause, std::uint32_t region,
                 std::uint32_t wg, std::uint32_t wf, std::uint64_t address) {
  EXPECT_EQ(bench.read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                            region << r::kErrorFirstRegionShift |
                                            wf << r::kErrorFirstWfShift | wg);
  EXPECT_EQ(bench.read(r::kErrorAddressLo), static_cast<std::uint32_t>(address));
  EXPECT_EQ(bench.read(r::kErrorAddressHi), address >> 32);
}
constexpr std::uint32_t kStrayRow = 10;
constexpr std::uint32_t kRowArmedEarly = 11;

// ---- rows -------------------------------------------------------------------------------------

TEST(Release, ARowIsReleasedFifteenCyclesAfterTheUpdateThatCompletesIt) {
  DefaultBench bench;
  bench.waitOpen();
  programGrid(bench, 64);
  bench.program(0, {.notify = true, .firstRow = 100});
  bench.enable();
  bench.set(r::command(130), 1);
  bench.set(r::row(102), 1);
  bench.lanes[3].push_back({130, 2, kBase, kBytes});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), Rows{102});
  EXPECT_EQ(bench.releaseSeen.at(0) - bench.lastAccept[3], 15u);
  EXPECT_EQ(bench.commandSeen.at(0) - bench.lastAccept[3], 12u) << "as without releases";
  EXPECT_EQ(bench.notifications.at(0).cycle, bench.commandSeen[0]);
  EXPECT_EQ(bench.read64(r::kReleases), 1u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, ARowWaitsForItsLastWavefrontTile) {
  DefaultBench bench;
  programPlain(bench, 3, 7);
  bench.set(r::row(8), 24);
  std::vector<std::uint32_t> order(24);
  std::iota(order.begin(), order.end(), 0u);
  Random random(testSeed(71));
  for (std::uint32_t i = 24; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::uint32_t i = 0; i < 24; ++i) {
    EXPECT_TRUE(bench.releases.empty());
    EXPECT_EQ(bench.read(r::row(8)), 24 - i);
    complete(bench, 3 + order[i] / 8, order[i] % 8);
    ASSERT_TRUE(bench.drain());
  }
  EXPECT_EQ(rows(bench), Rows{8});
  EXPECT_EQ(bench.read(r::row(8)), 0u);
  EXPECT_EQ(bench.read(r::kErrors), kStrays);
}

TEST(Release, PartsOfARowInSeveralRegionsAreOneRow) {
  DefaultBench bench;
  bench.waitOpen();
  programGrid(bench, 10, 0);
  programGrid(bench, 10, 1);
  // Row 1 is workgroups 10 to 19: the own chunk ends within it, and arrivals of another geometry
  // begin there.
  bench.program(0, {.wgFirst = 4, .wgLast = 13, .blockLog2 = 2, .trigger = false, .firstRow = 40});
  bench.program(5, {.geometry = 1,
                    .wgFirst = 14,
                    .wgLast = 25,
                    .blockLog2 = 1,
                    .cmdBase = 100,
                    .trigger = false,
                    .notify = true,
                    .firstRow = 40});
  bench.enable();
  for (std::uint32_t slot = 0; slot < 3; ++slot) bench.set(r::command(slot), 4);
  for (std::uint32_t slot = 100; slot < 106; ++slot) bench.set(r::command(slot), 2);
  bench.set(r::row(40), 6);
  bench.set(r::row(41), 10);
  bench.set(r::row(42), 6);
  for (std::uint32_t wg = 10; wg < 20; ++wg) {
    EXPECT_TRUE(bench.releases.empty()) << wg;
    complete(bench, wg);
    ASSERT_TRUE(bench.drain());
  }
  EXPECT_EQ(rows(bench), Rows{41});
  for (std::uint32_t wg = 20; wg < 26; ++wg) complete(bench, wg);
  for (std::uint32_t wg = 4; wg < 9; ++wg) complete(bench, wg);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), (Rows{41, 42})) << "row 0 lacks a tile";
  complete(bench, 9);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), (Rows{41, 42, 40}));
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, RowSlotsAreTakenModuloTheirNumber) {
  const auto wraps = [](TrackTriggerBench& bench) {
    const std::uint32_t last = bench.size.rows - 1;
    programPlain(bench, 2, last);
    bench.set(r::row(last), 2);
    bench.set(r::row(0), 2);
    bench.set(r::row(1), 1);
    for (const std::uint32_t wg : {4u, 0u, 1u, 2u, 3u}) {
      complete(bench, wg);
      ASSERT_TRUE(bench.drain());
    }
    EXPECT_EQ(rows(bench), (Rows{1, last, 0}));
    // So is a row beyond all slots, and the base itself has no more bits than that.
    const std::uint32_t far = 2 * (bench.size.rows + 3);
    if (far < 1u << bench.size.wgWidth) {
      bench.set(r::row(2), 1);
      complete(bench, far);
      ASSERT_TRUE(bench.drain());
      EXPECT_EQ(rows(bench).back(), 2u);
    }
    bench.set(r::region(0) + r::kRegRelease, r::kRegReleaseEnable | 0xffff);
    EXPECT_EQ(bench.read(r::region(0) + r::kRegRelease), r::kRegReleaseEnable | last);
    EXPECT_EQ(bench.read(r::kErrors), kStrays);
  };
  DefaultBench bench;
  wraps(bench);
  Bench<kSmallestUnit> smallest;
  wraps(smallest);
  Bench<kNarrowUnit> narrow;
  wraps(narrow);
}

TEST(Release, TheRowOfEveryWorkgroupIsItsQuotient) {
  DefaultBench bench;
  programPlain(bench, 1, 0);
  Random random(testSeed(72));
  std::vector<std::uint32_t> widths = {1, 2, 3, 7, 127, 128, 641, 0x7fff, 0xffff};
  for (int i = 0; i < 40; ++i) widths.push_back(random.between(1, 2000));
  for (const std::uint32_t across : widths) {
    programGrid(bench, across);
    std::vector<std::uint32_t> ids = {0, across - 1, across, 0xffff, 0xffff / across * across};
    for (int i = 0; i < 8; ++i) ids.push_back(random.below(0x10000));
    for (std::uint32_t wg : ids) {
      wg &= 0xffff;
      const std::uint32_t slot = wg / across % 256;
      bench.set(r::row(slot), 1);
      complete(bench, wg, wg % 8);
      ASSERT_TRUE(bench.drain());
      ASSERT_EQ(rows(bench).back(), slot) << "workgroup " << wg << ", " << across << " columns";
    }
  }
  EXPECT_EQ(bench.read(r::kErrors), kStrays);
}

TEST(Release, ASlotCountsOneAndTheMostThatFits) {
  DefaultBench bench;
  programPlain(bench, 64, 255);
  constexpr std::uint32_t kMost = 65535;
  bench.set(r::row(255), kMost);
  bench.set(r::row(0), 1);
  for (std::uint32_t i = 0; i < kMost; ++i) {
    EXPECT_TRUE(bench.releases.empty());
    bench.lanes[i % 8].push_back({i % 64, i % 8, kBase, kBytes});
  }
  ASSERT_TRUE(bench.drain(200'000));
  EXPECT_EQ(rows(bench), Rows{255});
  EXPECT_EQ(bench.read64(r::kCompleted), kMost);
  complete(bench, 64);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), (Rows{255, 0}));
  EXPECT_EQ(bench.read(r::kErrors), kStrays);
}

TEST(Release, ARegionThatDoesNotReleaseCountsForNoRow) {
  DefaultBench bench;
  bench.waitOpen();
  programGrid(bench, 4);
  bench.program(0, {.wgLast = 7, .trigger = false});
  bench.program(1, {.wgFirst = 8, .trigger = false, .firstRow = 0});
  // The slot without the bit says nothing.
  bench.set(r::region(0) + r::kRegRelease, 5);
  bench.enable();
  for (std::uint32_t slot = 0; slot < 8; ++slot) bench.set(r::row(slot), 2);
  for (std::uint32_t wg = 0; wg < 8; ++wg) complete(bench, wg);
  complete(bench, 8);
  ASSERT_TRUE(bench.drain());
  for (std::uint32_t slot = 0; slot < 8; ++slot)
    EXPECT_EQ(bench.read(r::row(slot)), slot == 2 ? 1u : 2u) << slot;
  EXPECT_EQ(bench.read(r::kErrors), kStrays);
}

TEST(Release, ATileThatOverranCountsForNoRow) {
  DefaultBench bench;
  programPlain(bench, 4, 0);
  bench.set(r::row(0), 2);
  bench.lanes[0].push_back({1, 0, kBase, 100});
  bench.lanes[0].push_back({1, 0, kBase, 100});
  complete(bench, 2);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::row(0)), 1u);
  EXPECT_EQ(bench.read(r::kErrors), kStrays | r::kErrorsOverrun);
}

// ---- back-pressure ----------------------------------------------------------------------------

template <const Unit& kUnit>
void everyRowWaitsAtOnce() {
  Bench<kUnit> bench;
  const std::uint32_t slots = bench.size.rows;
  bool ready = false;
  bench.releaseReady = [&ready] { return ready; };
  bench.waitOpen();
  programGrid(bench, 1);
  bench.program(0, {.firstRow = 3 % slots});
  bench.enable();
  Rows order(slots);
  std::iota(order.begin(), order.end(), 0u);
  Random random(testSeed(73));
  for (std::uint32_t i = slots; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const std::uint32_t ids = std::min(slots, 1u << bench.size.wgWidth);
  for (std::uint32_t slot = 0; slot < slots; ++slot) bench.set(r::row(slot), 1);
  for (std::uint32_t slot = 0; slot < std::min(bench.size.commands, ids); ++slot)
    bench.set(r::command(slot), 1);
  Rows want;
  for (const std::uint32_t wg : order) {
    bench.lanes[0].push_back({wg, 0, 0x1000, kBytes});
    want.push_back((wg + 3) % slots);
  }
  for (int i = 0; i < 5000 && !bench.lanesEmpty(); ++i) bench.tick();
  bench.ticks(40);
  EXPECT_TRUE(bench.releases.empty());
  EXPECT_EQ(bench.read(r::kReleasesQueued), slots);
  EXPECT_EQ(bench.read64(r::kReleases), slots);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusReleases) << "nothing is inside but these";
  EXPECT_FALSE(bench.model->busy_o) << "the clock may stop while they wait";
  EXPECT_EQ(bench.commands.size(), std::min(slots, bench.size.commands)) << "nothing else waits";
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    ASSERT_EQ(bench.read(r::row(slot)), r::kRowWaits) << slot;
  ready = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), want) << "in the order of completion";
  for (std::size_t i = 1; i < bench.releases.size(); ++i)
    EXPECT_EQ(bench.releases[i].cycle, bench.releases[i - 1].cycle + 1);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 0u);
  EXPECT_EQ(bench.read(r::kStatus), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Release, AllRowsMayWaitAtOnceAndKeepTheirOrder) { everyRowWaitsAtOnce<kDefaultUnit>(); }
TEST(Release, AllRowsMayWaitAtOnceInTheSmallestUnit) { everyRowWaitsAtOnce<kSmallestUnit>(); }

TEST(Release, ARowThatWaitsCannotBeArmedUntilItIsTaken) {
  DefaultBench bench;
  bool ready = false;
  bench.releaseReady = [&ready] { return ready; };
  programPlain(bench, 1, 20);
  for (const std::uint32_t slot : {21u, 22u}) bench.set(r::row(slot), 1);
  for (const std::uint32_t wg : {1u, 2u}) {
    complete(bench, wg);
    bench.ticks(40);
  }
  bench.set(r::kErrors, ~0u);
  bench.set(r::kErrorFirst, r::kErrorFirstValid);
  for (const std::uint32_t slot : {22u, 21u}) {
    EXPECT_EQ(bench.read(r::row(slot)), r::kRowWaits);
    EXPECT_EQ(bench.write(r::row(slot), 3), DefaultBench::kSlvErr);
    EXPECT_EQ(bench.read(r::row(slot)), r::kRowWaits) << "nothing is written";
    EXPECT_EQ(bench.write(r::row(slot), 0x10000), DefaultBench::kOkay) << "zero arms nothing";
  }
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsRowArmedEarly);
  EXPECT_EQ(bench.read(r::errorCount(kRowArmedEarly)), 2u);
  expectFirst(bench, kRowArmedEarly, 0, 0, 0, 22 * 32);
  ready = true;
  ASSERT_TRUE(bench.drain());
  ready = false;
  EXPECT_EQ(rows(bench), (Rows{21, 22}));
  // Again, and again with a count that waits in between.
  for (int round = 0; round < 3; ++round) {
    bench.set(r::row(21), 2);
    EXPECT_EQ(bench.read(r::row(21)), 2u);
    complete(bench, 1);
    complete(bench, 1, 1);
    bench.ticks(40);
    EXPECT_EQ(bench.read(r::row(21)), r::kRowWaits);
    ready = true;
    ASSERT_TRUE(bench.drain());
    ready = false;
  }
  EXPECT_EQ(rows(bench), (Rows{21, 22, 21, 21, 21}));
}

/// In every cycle around the one in which the release is taken: either the write is refused, or the
/// row is released once more.
TEST(Release, ASlotThatIsArmedAsItsReleaseLeavesIsArmedOrRefused) {
  int refused = 0, armed = 0;
  for (std::uint64_t when = 0; when < 24; ++when) {
    DefaultBench bench;
    std::uint64_t opens = ~std::uint64_t{0};
    bench.releaseReady = [&] { return bench.cycle >= opens; };
    programPlain(bench, 1, 0);
    bench.set(r::row(9), 1);
    complete(bench, 9);
    bench.ticks(40);
    opens = bench.cycle + when;
    const bool ok = bench.write(r::row(9), 1) == DefaultBench::kOkay;
    ++(ok ? armed : refused);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::row(9)), ok ? 1u : 0u);
    complete(bench, 9);
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(rows(bench), ok ? (Rows{9, 9}) : Rows{9});
    EXPECT_EQ(bench.read(r::errorCount(kStrayRow)), ok ? 0u : 1u);
    EXPECT_EQ(bench.read(r::errorCount(kRowArmedEarly)), ok ? 0u : 1u);
  }
  EXPECT_GT(refused, 3);
  EXPECT_GT(armed, 3);
}

// ---- errors, clear, lock ----------------------------------------------------------------------

TEST(Release, ACompletionForARowOfZeroIsAStrayRow) {
  DefaultBench bench;
  bench.waitOpen();
  programGrid(bench, 16);
  for (const std::uint32_t region : {0u, 6u}) {
    bench.program(region, {.wgFirst = region * 100,
                           .wgLast = region * 100 + 99,
                           .cmdBase = region * 100,
                           .firstRow = 100});
  }
  bench.enable();
  for (const std::uint32_t wg : {640u, 645u, 650u, 3u}) bench.set(r::command(wg), 2);
  bench.set(r::row(140), 1);
  complete(bench, 640, 1);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  complete(bench, 645, 5);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsStrayRow);
  EXPECT_EQ(bench.read(r::kIrqStatus), r::kIrqStatusError);
  complete(bench, 3, 2);
  complete(bench, 650);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::errorCount(kStrayRow)), 3u);
  expectFirst(bench, kStrayRow, 6, 645, 5, 140 * 32);
  EXPECT_EQ(bench.read64(r::kStray), 0u) << "that counts commands";
  EXPECT_EQ(rows(bench), Rows{140});
  EXPECT_EQ(bench.read(r::row(140)), 0u);
  EXPECT_EQ(bench.read64(r::kReleases), 1u);
}

TEST(Release, AClearZeroesRowSlotsAndLeavesReleasesIssued) {
  DefaultBench bench;
  bool ready = false;
  bench.releaseReady = [&ready] { return ready; };
  programPlain(bench, 1, 0);
  for (std::uint32_t slot = 0; slot < 256; ++slot) bench.set(r::row(slot), slot < 4 ? 1 : slot);
  for (std::uint32_t wg = 0; wg < 4; ++wg) complete(bench, wg);
  bench.ticks(60);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 4u);
  bench.set(r::kCtrl, r::kCtrlClear | r::kCtrlEnable);
  bench.waitOpen();
  EXPECT_EQ(bench.read64(r::kReleases), 0u);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 4u);
  for (std::uint32_t slot = 0; slot < 256; ++slot)
    ASSERT_EQ(bench.read(r::row(slot)), slot < 4 ? r::kRowWaits : 0u) << slot;
  EXPECT_EQ(bench.write(r::row(2), 1), DefaultBench::kSlvErr) << "it still waits";
  EXPECT_EQ(bench.read(r::region(0) + r::kRegRelease), r::kRegReleaseEnable);
  ready = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), (Rows{0, 1, 2, 3}));
  bench.set(r::row(2), 1);
  complete(bench, 2);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench).back(), 2u);
  EXPECT_EQ(bench.read64(r::kReleases), 1u);
}

/// A clear drains what is inside, so the last tile's row is released before the slots are zeroed.
TEST(Release, AClearWaitsForTheRowsInside) {
  for (std::uint64_t when = 0; when < 24; ++when) {
    DefaultBench bench;
    programPlain(bench, 1, 0);
    bench.set(r::row(5), 1);
    complete(bench, 5);
    bench.ticks(when);
    const bool taken = bench.lanesEmpty();
    bench.set(r::kCtrl, r::kCtrlClear | r::kCtrlEnable);
    const bool takenNow = bench.lanesEmpty();
    bench.waitOpen();
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::row(5)), 0u);
    if (taken || takenNow) {
      EXPECT_EQ(rows(bench), Rows{5}) << "cleared after " << when << " cycles";
    }
  }
}

TEST(Release, LockKeepsRowSlotsAndReleaseRegisters) {
  DefaultBench bench;
  programPlain(bench, 1, 17);
  bench.set(r::row(18), 9);
  bench.set(r::kLock, r::kLockLocked);
  EXPECT_EQ(bench.write(r::row(18), 1), DefaultBench::kSlvErr);
  EXPECT_EQ(bench.write(r::row(255), 1), DefaultBench::kSlvErr);
  EXPECT_EQ(bench.write(r::region(0) + r::kRegRelease, 0), DefaultBench::kSlvErr);
  EXPECT_EQ(bench.read(r::errorCount(9)), 3u);
  EXPECT_EQ(bench.read(r::row(18)), 9u) << "reading is not writing";
  EXPECT_EQ(bench.read(r::region(0) + r::kRegRelease), r::kRegReleaseEnable | 17);
  complete(bench, 1);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::row(18)), 8u) << "the unit counts on";
  bench.set(r::kLock, 0);
  bench.set(r::row(18), 1);
}

TEST(Release, ResetForgetsReleasesThatWait) {
  DefaultBench bench;
  bool ready = false;
  bench.releaseReady = [&ready] { return ready; };
  programPlain(bench, 1, 0);
  bench.set(r::row(5), 1);
  complete(bench, 5);
  bench.ticks(40);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 1u);
  bench.reset();
  ready = true;
  programPlain(bench, 1, 0);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 0u);
  EXPECT_EQ(bench.read(r::row(5)), 0u);
  bench.set(r::row(5), 1);
  complete(bench, 5);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), Rows{5});
}

TEST(Release, AResetForgetsACompletionInEveryStage) {
  for (std::uint64_t when = 4; when < 20; ++when) {
    DefaultBench bench;
    programPlain(bench, 1, 0);
    bench.set(r::row(5), 2);
    complete(bench, 5);
    bench.ticks(when);
    bench.reset();
    bench.ticks(10);
    EXPECT_FALSE(bench.model->rel_valid_o);
    programPlain(bench, 1, 0);
    EXPECT_EQ(bench.read(r::row(5)), 0u);
    EXPECT_EQ(bench.read(r::kErrors), 0u) << "reset after " << when << " cycles";
    EXPECT_TRUE(bench.releases.empty());
  }
}

// ---- software beside completions --------------------------------------------------------------

TEST(Release, EveryRowSlotKeepsItsOwnCount) {
  DefaultBench bench;
  bench.waitOpen();
  for (const std::uint32_t flip : {0u, 0xffffu}) {
    for (std::uint32_t row = 0; row < 256; ++row) bench.set(r::row(row), (row * 128 + 5) ^ flip);
    for (std::uint32_t row = 0; row < 256; ++row)
      ASSERT_EQ(bench.read(r::row(row)), (row * 128 + 5) ^ flip);
  }
  EXPECT_EQ(bench.write(r::row(256), 1), DefaultBench::kSlvErr);
  EXPECT_EQ(bench.tryRead(r::row(256)).response, DefaultBench::kSlvErr);
}

/// A completion in every cycle, and software that reads and writes row slots all the time.
TEST(Release, SoftwareGetsItsTurnWhileATileCompletesInEveryCycle) {
  DefaultBench bench;
  programPlain(bench, 64, 0);
  constexpr std::uint32_t kTiles = 8000;
  bench.set(r::row(0), kTiles);
  const auto feed = [&bench] {
    for (std::uint32_t i = 0; i < kTiles; ++i)
      bench.lanes[i % 8].push_back({i % 8, i / 8 % 8, kBase, kBytes});
  };
  feed();
  std::uint64_t slowest = 0;
  std::uint32_t last = kTiles, accesses = 0;
  while (!bench.lanesEmpty()) {
    const std::uint64_t began = bench.cycle;
    const std::uint32_t slot = 100 + accesses % 100;
    if (accesses % 2 == 0) {
      bench.set(r::row(slot), accesses + 1);
    } else {
      EXPECT_EQ(bench.read(r::row(slot - 1)), accesses);
    }
    slowest = std::max(slowest, bench.cycle - began);
    const std::uint32_t left = bench.read(r::row(0)) & 0xffff;
    EXPECT_LE(left, last);
    last = left;
    ++accesses;
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_GT(accesses, 100u);
  EXPECT_LE(slowest, 12u);
  EXPECT_EQ(rows(bench), Rows{0});
  EXPECT_EQ(bench.read(r::row(0)), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), kTiles);
}

TEST(Release, SoftwareMayReadAndWriteRowsAtOnce) {
  DefaultBench bench;
  bench.waitOpen();
  bench.set(r::row(7), 77);
  auto& m = *bench.model;
  std::uint32_t written = 0, seen = 0;
  for (int i = 0; i < 200; ++i) {
    m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 1;
    m.s_axil_awaddr_i = r::row(8);
    m.s_axil_wdata_i = 1000;
    m.s_axil_wstrb_i = 0xf;
    m.s_axil_araddr_i = r::row(7);
    m.s_axil_bready_i = m.s_axil_rready_i = 1;
    written += m.s_axil_bvalid_o;
    if (m.s_axil_rvalid_o) {
      EXPECT_EQ(m.s_axil_rdata_o, 77u);
      ++seen;
    }
    bench.tick();
  }
  m.s_axil_awvalid_i = m.s_axil_wvalid_i = m.s_axil_arvalid_i = 0;
  EXPECT_GT(written, 10u);
  EXPECT_GT(seen, 10u);
  bench.ticks(20);
  m.s_axil_bready_i = m.s_axil_rready_i = 0;
  EXPECT_EQ(bench.read(r::row(8)), 1000u);
}

TEST(Release, AnAccessDuringAClearWaitsForItsEnd) {
  DefaultBench bench;
  bench.waitOpen();
  bench.set(r::row(3), 9);
  bench.set(r::kCtrl, r::kCtrlClear);
  const std::uint64_t began = bench.cycle;
  bench.set(r::row(200), 6);
  EXPECT_GT(bench.cycle - began, 4000u) << "the walk";
  EXPECT_EQ(bench.read(r::row(200)), 6u) << "written after it";
  EXPECT_EQ(bench.read(r::row(3)), 0u);
}

/// A read in every cycle around a release: the count before it, or that it waits.
TEST(Release, SoftwareSeesARowArmedOrWaiting) {
  int armed = 0, waiting = 0;
  for (std::uint64_t when = 0; when < 24; ++when) {
    DefaultBench bench;
    bench.releaseReady = [] { return false; };
    programPlain(bench, 1, 0);
    bench.set(r::row(9), 1);
    complete(bench, 9);
    bench.ticks(when);
    const std::uint32_t word = bench.read(r::row(9));
    if (word == 1) ++armed;
    if (word == r::kRowWaits) ++waiting;
  }
  EXPECT_EQ(armed + waiting, 24);
  EXPECT_GT(armed, 3);
  EXPECT_GT(waiting, 3);
}

TEST(Release, ARowThatGetsOneTileTooManyAtOnceIsReleasedAndOneTileStray) {
  DefaultBench bench;
  programPlain(bench, 8, 0);
  bench.set(r::row(0), 7);
  for (std::uint32_t lane = 0; lane < 8; ++lane)
    bench.lanes[lane].push_back({lane, 0, kBase, kBytes});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(rows(bench), Rows{0});
  EXPECT_EQ(bench.read(r::errorCount(kStrayRow)), 1u);
  EXPECT_EQ(bench.read(r::row(0)), 0u);
}

/// A write between completions of the same slot, in every distance: it counts from the new value.
TEST(Release, ASlotThatIsWrittenBetweenCompletionsCountsFromThere) {
  for (std::uint64_t when = 0; when < 20; ++when) {
    DefaultBench bench;
    programPlain(bench, 64, 30);
    bench.set(r::row(30), 1000);
    for (std::uint32_t i = 0; i < 8; ++i) bench.lanes[i].push_back({i, i, kBase, kBytes});
    bench.ticks(when);
    bench.set(r::row(30), 500);
    ASSERT_TRUE(bench.drain());
    const std::uint32_t left = bench.read(r::row(30));
    EXPECT_GE(left, 492u);
    EXPECT_LE(left, 500u);
    EXPECT_TRUE(bench.releases.empty());
    EXPECT_EQ(bench.read64(r::kCompleted), 8u);
  }
}

}  // namespace
}  // namespace t3::rtl_test
