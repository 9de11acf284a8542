// SPDX-License-Identifier: Apache-2.0
// Method: the unit with two sets per bank, driven into each path of eviction and fill with a slow
// memory; requests at the spill port and records in memory are checked bit by bit.
#include <algorithm>

#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using TinyBench = Bench<kTinyUnit>;

constexpr std::uint64_t kBase = 0x1'0000'0000;
constexpr std::uint64_t kSpill = 0x7000'0000'0000;
constexpr std::uint32_t kWaves = 4;

void programPlain(TinyBench& bench, std::uint32_t bytes) {
  bench.waitOpen();
  TinyBench::Geometry geometry;
  geometry.tilesAcross = 8;
  geometry.tilesDown = 32;
  geometry.spillBase = kSpill;
  geometry.epoch = 0xabcd;
  for (auto& tileClass : geometry.expected) tileClass.fill(bytes);
  bench.program(0, geometry);
  TinyBench::Region region;
  region.notify = true;
  bench.program(2, region);
  bench.enable();
}

std::uint64_t recordOf(std::uint32_t wg, std::uint32_t wf) {
  return kSpill + (wg * kWaves + wf) * 32;
}

std::uint64_t field(const Record& record, std::uint32_t lsb, std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    value |= std::uint64_t{record[(lsb + i) / 32] >> ((lsb + i) % 32) & 1u} << i;
  }
  return value;
}

/// Workgroups 0, 4, 8, … with wavefront 0 share bank 0 and set 0.
void touch(TinyBench& bench, std::uint32_t wg, std::uint32_t bytes = 128) {
  bench.lanes[wg % 4].push_back({wg, 0, kBase + wg * 4096, bytes});
  ASSERT_TRUE(bench.drain());
}

TEST(Spill, EvictionWritesTheRecordOfThePage) {
  TinyBench bench;
  programPlain(bench, 256);
  touch(bench, 4, 96);
  EXPECT_TRUE(bench.spills.empty());
  touch(bench, 8);
  ASSERT_EQ(bench.spills.size(), 1u) << "no record can be in memory: nothing to read";
  EXPECT_TRUE(bench.spills[0].write);
  EXPECT_EQ(bench.spills[0].address, recordOf(4, 0));
  const Record& record = bench.memory.at(recordOf(4, 0));
  EXPECT_EQ(field(record, 0, 43), (kBase + 4 * 4096) / 32);
  EXPECT_EQ(field(record, 43, 20), 96u);
  EXPECT_EQ(field(record, 63, 16), 0xabcdu);
  EXPECT_EQ(field(record, 79, 4), 2u);
  EXPECT_EQ(field(record, 83, 1), 1u);
  EXPECT_EQ(field(record, 84, 16), 4u);
  EXPECT_EQ(field(record, 100, 4), 0u);
  EXPECT_EQ(field(record, 104, 24), 0u);
  EXPECT_EQ(bench.read64(r::kEvictions), 1u);
  EXPECT_EQ(bench.read64(r::kFills), 0u);
  EXPECT_EQ(bench.read(r::kIrqStatus), r::kIrqStatusSpill);
  EXPECT_EQ(bench.read(r::kLive), 1u);
  EXPECT_EQ(bench.read(r::kPeak), 1u);
}

TEST(Spill, AnEvictedTileGoesOnFromItsRecord) {
  TinyBench bench;
  programPlain(bench, 256);
  for (std::uint32_t wg : {4u, 8u}) bench.set(r::command(wg), 1);
  bench.memLatency = [] { return 50u; };
  bench.lanes[0].push_back({4, 0, kBase, 128});
  bench.lanes[0].push_back({8, 0, kBase + 4096, 128});
  bench.lanes[0].push_back({4, 0, kBase + 128, 128});         // evicts 8, reads 4, completes it
  bench.lanes[0].push_back({8, 0, kBase + 4096 + 128, 128});  // slot is free: reads 8, completes
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].cmd, 4u);
  ASSERT_EQ(bench.notifications.size(), 2u);
  EXPECT_EQ(bench.notifications[0].address, kBase) << "the lowest address is in the record";
  EXPECT_EQ(bench.commands[1].cmd, 8u);
  EXPECT_EQ(bench.notifications[1].address, kBase + 4096);
  EXPECT_EQ(bench.read64(r::kEvictions), 2u);
  EXPECT_EQ(bench.read64(r::kFills), 2u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  // Write before read, per bank.
  ASSERT_EQ(bench.spills.size(), 4u);
  EXPECT_TRUE(bench.spills[0].write && bench.spills[1].write);
  EXPECT_FALSE(bench.spills[2].write || bench.spills[3].write);
  EXPECT_EQ(bench.spills[2].address, recordOf(4, 0));
  // The count is back at zero: a new tile in the set reads nothing.
  touch(bench, 12);
  EXPECT_EQ(bench.read64(r::kFills), 2u);
}

/// docs/tracker.md, promise 9: what becomes of a record that is read.
TEST(Spill, ARecordIsMarkedAsTakenAndCanBeWrittenAgain) {
  TinyBench bench;
  programPlain(bench, 256);
  bench.set(r::command(4), 1);
  touch(bench, 4, 96);
  touch(bench, 8, 1);
  const Record live = bench.memory.at(recordOf(4, 0));
  touch(bench, 4, 32);
  Record taken = bench.memory.at(recordOf(4, 0));
  EXPECT_EQ(field(taken, 83, 1), 0u);
  EXPECT_EQ(field(taken, 104, 1), 1u);
  taken[83 / 32] ^= 1u << (83 % 32);
  taken[104 / 32] ^= 1u << (104 % 32);
  EXPECT_EQ(taken, live) << "the rest of it stays";
  ASSERT_EQ(bench.marks.size(), 1u);
  EXPECT_EQ(bench.marks[0].address, recordOf(4, 0));
  touch(bench, 8, 1);
  EXPECT_EQ(field(bench.memory.at(recordOf(4, 0)), 83, 1), 1u);
  EXPECT_EQ(field(bench.memory.at(recordOf(4, 0)), 43, 20), 128u);
  EXPECT_EQ(field(bench.memory.at(recordOf(4, 0)), 104, 1), 0u);
  touch(bench, 4, 128);
  EXPECT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
}

TEST(Spill, ASurplusUpdateAfterASpillIsAnOverrunAndHarmsNoOtherTile) {
  Bench<kTinyWaysUnit> bench;
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = 1;
  geometry.tilesDown = 256;
  geometry.spillBase = kSpill;
  for (auto& tileClass : geometry.expected) tileClass.fill(100);
  bench.program(0, geometry);
  bench.program(0, {.trigger = false, .notify = true});
  bench.enable();
  const auto update = [&bench](std::uint32_t wg) {
    bench.lanes[0].push_back({wg, 0, kBase + wg * 4096, 50});
    ASSERT_TRUE(bench.drain());
  };
  // One set of two ways.
  const std::array<std::uint32_t, 4> tiles = {0, 8, 16, 24};
  for (const std::uint32_t wg : tiles) bench.set(r::command(wg), 1);
  for (const std::uint32_t wg : tiles) update(wg);
  update(0);  // comes back and completes
  ASSERT_EQ(bench.notifications.size(), 1u);
  update(0);  // surplus
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  EXPECT_EQ(bench.read(r::kErrors), r::kErrorsOverrun);
  for (std::size_t i = 1; i < tiles.size(); ++i) update(tiles[i]);
  EXPECT_EQ(bench.notifications.size(), 4u);
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  EXPECT_EQ(bench.read64(r::kStray), 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), 4u);
}

/// Every tile gets more than its bytes, again and again, through evictions of all others.
TEST(Spill, SurplusUpdatesOfEveryTileSpoilNobodysBytes) {
  TinyBench bench;
  programPlain(bench, 256);
  for (std::uint32_t wg = 0; wg < 20; wg += 4) {
    bench.set(r::command(wg), 1);
    touch(bench, wg);
  }
  for (std::uint32_t wg = 0; wg < 20; wg += 4) {
    touch(bench, wg);
    ASSERT_EQ(bench.commands.size(), wg / 4 + 1);
    // While another tile's record is out, the surplus reads its own.
    if (wg < 12) touch(bench, wg, 8);
    if (wg == 0) touch(bench, wg, 256 - 128);
  }
  EXPECT_EQ(bench.commands.size(), 5u);
  EXPECT_EQ(bench.read64(r::kOverrun), 4u);
  EXPECT_EQ(bench.read(r::errorCount(0)), 4u);
  EXPECT_EQ(bench.read(r::kErrorFirst) & r::kErrorFirstWg, 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  const std::uint64_t fills = bench.read64(r::kFills);
  touch(bench, 40);
  EXPECT_EQ(bench.read64(r::kFills), fills) << "the set's count is zero again";
}

TEST(Spill, MoreBytesThanExpectedAreAnOverrunWithThoseOfTheRecord) {
  TinyBench bench;
  programPlain(bench, 256);
  bench.set(r::command(4), 1);
  touch(bench, 4, 128);
  touch(bench, 4, 96);
  touch(bench, 8);  // evicts 4 with 224 bytes
  touch(bench, 4, 64);
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  EXPECT_EQ(bench.read(r::kLive), 0u) << "8 was evicted, and 4 is gone";
  EXPECT_TRUE(bench.commands.empty());
}

TEST(Spill, ATileIsReadBackRightAfterItWasWritten) {
  TinyBench bench;
  programPlain(bench, 512);
  bench.set(r::command(4), 1);
  bench.set(r::command(8), 1);
  bench.memReady = [&bench] { return bench.cycle % 7 == 0; };
  bench.memLatency = [] { return 20u; };
  for (std::uint32_t i = 0; i < 4; ++i) {
    bench.lanes[i].push_back({4, 0, kBase, 128});
    bench.lanes[i].push_back({8, 0, kBase, 128});
  }
  // One lane at a time: the two tiles throw each other out again and again.
  bench.offer = [&bench](std::uint32_t lane) { return bench.cycle / 60 % 4 == lane; };
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(Spill, RecordsOfAnotherEpochRegionOrTileAreIgnored) {
  TinyBench bench;
  programPlain(bench, 256);
  bench.set(r::command(12), 1);
  touch(bench, 4);
  touch(bench, 8);  // a record is out: from here every miss in the set reads
  const Record live = bench.memory.at(recordOf(4, 0));
  const auto corrupt = [&](std::uint32_t bit) {
    Record record = live;
    // Make it the record of workgroup 12, then flip one identity bit.
    record[84 / 32] ^= (4u ^ 12u) << (84 % 32);
    record[bit / 32] ^= 1u << (bit % 32);
    bench.memory[recordOf(12, 0)] = record;
  };
  std::uint64_t overruns = 0;
  for (std::uint32_t bit : {63u, 78u, 79u, 83u, 84u, 99u, 100u, 102u}) {
    corrupt(bit);
    bench.set(r::command(12), 1);
    const std::size_t before = bench.commands.size();
    const std::uint64_t fills = bench.read64(r::kFills);
    touch(bench, 12);
    EXPECT_EQ(bench.read64(r::kFills), fills + 1);
    EXPECT_EQ(bench.commands.size(), before)
        << "bit " << bit << ": took bytes from a foreign record";
    touch(bench, 12);
    EXPECT_EQ(bench.commands.size(), before + 1) << "bit " << bit;
    overruns = bench.read64(r::kOverrun);
    // Put another tile back into the slot so that the next round evicts and reads again.
    touch(bench, 8, 1);
  }
  EXPECT_EQ(overruns, 0u);
}

TEST(Spill, ANewEpochForgetsTheOldRecords) {
  TinyBench bench;
  programPlain(bench, 256);
  touch(bench, 4);
  touch(bench, 8);
  bench.set(r::geometry(0) + r::kGeoEpoch, 7);
  bench.set(r::command(4), 1);
  touch(bench, 4);
  EXPECT_TRUE(bench.commands.empty()) << "128 old bytes counted";
  touch(bench, 4);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(Spill, TheSpilledCountSaturatesAndStays) {
  TinyBench bench;
  programPlain(bench, 256);
  // Ten tiles of one set: nine records out, the count stops at seven.
  for (std::uint32_t i = 0; i < 10; ++i) {
    bench.set(r::command(i * 4), 1);
    touch(bench, i * 4);
  }
  EXPECT_EQ(bench.read64(r::kEvictions), 9u);
  for (std::uint32_t i = 0; i < 10; ++i) touch(bench, i * 4);
  EXPECT_EQ(bench.commands.size(), 10u) << "every tile found its record";
  const std::uint64_t fills = bench.read64(r::kFills);
  // Nothing is out any more, but a saturated count cannot know: it still reads.
  touch(bench, 40);
  EXPECT_EQ(bench.read64(r::kFills), fills + 1);
  EXPECT_EQ(bench.read(r::kLive), 1u);
  // Clear makes the set forget.
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  bench.waitOpen();
  touch(bench, 44);
  EXPECT_EQ(bench.read64(r::kFills), 0u);
  EXPECT_EQ(bench.read64(r::kEvictions), 0u);
}

TEST(Spill, ASmallCountComesDownAgain) {
  TinyBench bench;
  programPlain(bench, 256);
  // Six records out (six below the maximum), then all tiles complete.
  for (std::uint32_t i = 0; i < 7; ++i) {
    bench.set(r::command(i * 4), 1);
    touch(bench, i * 4);
  }
  // Tile 6 is in the table: complete it there, then the others each read their record.
  for (std::uint32_t i = 7; i-- > 0;) touch(bench, i * 4);
  EXPECT_EQ(bench.commands.size(), 7u);
  EXPECT_EQ(bench.read64(r::kEvictions), 6u);
  // Five new tiles looked in vain, six found their record.
  EXPECT_EQ(bench.read64(r::kFills), 11u);
  touch(bench, 40);
  EXPECT_EQ(bench.read64(r::kFills), 11u) << "no record is out: no read";
}

TEST(Spill, TwoRequestsWaitForTheMemoryAndTheThirdInItsBank) {
  TinyBench bench;
  programPlain(bench, 256);
  // A tile in each of three banks, then another one of the same set.
  for (std::uint32_t wg = 0; wg < 3; ++wg) touch(bench, wg);
  bench.memReady = [] { return false; };
  for (std::uint32_t wg = 4; wg < 7; ++wg)
    bench.lanes[wg % 4].push_back({wg, 0, kBase + wg * 4096, 128});
  bench.ticks(60);
  EXPECT_EQ(bench.read64(r::kEvictions), 2u);
  bench.memReady = nullptr;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kEvictions), 3u);
  ASSERT_EQ(bench.spills.size(), 3u);
  for (std::uint32_t wg = 0; wg < 3; ++wg) EXPECT_EQ(bench.spills[wg].address, recordOf(wg, 0));
}

TEST(Spill, AFullSetTakesTheCyclesThatTheGuideDraws) {
  TinyBench bench;
  programPlain(bench, 256);
  bench.set(r::command(4), 1);
  touch(bench, 4);
  touch(bench, 8);
  bench.spills.clear();
  bench.memLatency = [] { return 2u; };
  touch(bench, 4);
  const std::uint64_t taken = bench.lastAccept[0];
  ASSERT_EQ(bench.spills.size(), 2u);
  EXPECT_TRUE(bench.spills[0].write);
  EXPECT_EQ(bench.spills[0].cycle, taken + 9);
  EXPECT_EQ(bench.spills[1].cycle, taken + 10);
  ASSERT_EQ(bench.commandSeen.size(), 1u);
  ASSERT_EQ(bench.marks.size(), 1u);
  EXPECT_EQ(bench.marks[0].cycle, bench.spills[1].cycle + 3 + 3) << "three after the answer";
  EXPECT_EQ(bench.commandSeen[0], bench.spills[1].cycle + 3 + 8) << "eight after the answer";
}

TEST(Spill, OnlyTheBankConcernedWaits) {
  TinyBench bench;
  programPlain(bench, 128);
  touch(bench, 4, 64);
  bench.memReady = [] { return false; };
  // Bank 0 evicts and waits for ever; lane 0 may fill up behind it, the others must not.
  bench.lanes[0].push_back({8, 0, kBase, 64});
  for (std::uint32_t i = 0; i < 50; ++i) {
    bench.lanes[1].push_back({1 + i % 8 * 4, 0, kBase, 128});
    bench.set(r::command(1 + i % 8 * 4), 1);
  }
  for (int i = 0; i < 400 && !bench.lanesEmpty(); ++i) bench.tick();
  EXPECT_TRUE(bench.lanesEmpty());
  bench.ticks(20);
  EXPECT_EQ(bench.read64(r::kCompleted), 50u);
  EXPECT_TRUE(bench.read(r::kStatus) & r::kStatusBusy);
  EXPECT_FALSE(bench.model->busy_o) << "a unit that only waits needs no clock";
  bench.memReady = {};
  ASSERT_TRUE(bench.drain());
  EXPECT_FALSE(bench.read(r::kStatus) & r::kStatusBusy);
}

TEST(Spill, LanesOpenAgainAsSoonAsTheMemoryServes) {
  TinyBench bench;
  programPlain(bench, 128);
  bench.memReady = [&bench] { return bench.cycle % 1000 > 900; };
  // Far more than fits inside, all into one set of one bank, from every lane.
  for (std::uint32_t i = 0; i < 64; ++i) {
    bench.set(r::command(i % 32 * 4 % 64), 1);
    bench.lanes[i % 4].push_back({i % 32 * 4, 0, kBase, 64});
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_GT(bench.stalled, 0u);
  EXPECT_GT(bench.read64(r::kStallsSpill), bench.stalled / 2);
  EXPECT_LE(bench.read64(r::kStallsSpill), bench.read64(r::kStalls));
  EXPECT_EQ(bench.read64(r::kUpdates), 64u);
  EXPECT_EQ(bench.read64(r::kCompleted), 32u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

TEST(Spill, TilesKeepTheirWavefrontBitsThroughAnEvictionWhenBanksAreFew) {
  // 16 lanes, 2 banks, 8 wavefronts: the tag carries two wavefront bits. Four ways, so two
  // workgroups of one set are twice what it holds.
  Bench<kWideUnit> bench;
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = geometry.tilesDown = 16;
  geometry.spillBase = 0x400'0000'0000;
  for (auto& tileClass : geometry.expected) tileClass.fill(256);
  bench.program(1, geometry);
  TrackTriggerBench::Region region;
  region.geometry = 1;
  region.pageLast = 0xffff'ffff;
  bench.program(15, region);
  bench.enable();
  for (const std::uint32_t wg : {9u, 13u}) bench.set(r::command(wg), 8);
  for (int round = 0; round < 2; ++round) {
    for (const std::uint32_t wg : {9u, 13u}) {
      for (std::uint32_t wf = 0; wf < 8; ++wf)
        bench.lanes[wf * 2].push_back({wg, wf, kBase + wf * 256, 128});
    }
    ASSERT_TRUE(bench.drain());
  }
  EXPECT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.read64(r::kCompleted), 16u);
  EXPECT_GT(bench.read64(r::kEvictions), 0u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

}  // namespace
}  // namespace t3::rtl_test
