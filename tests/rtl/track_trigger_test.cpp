// SPDX-License-Identifier: Apache-2.0
// Method: directed stimuli on the whole unit, one promise of docs/tracker.md per test. Cycles are
// counted from the cycle in which a lane's valid and ready meet to the first cycle of dma_valid.
#include <algorithm>
#include <set>

#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

constexpr std::uint64_t kBase = 0x1'0000'0000;

/// One geometry of 64 x 16 tiles, `bytes` for every wavefront of every class, one region over all.
void programPlain(DefaultBench& bench, std::uint32_t bytes, std::uint32_t updates = 1,
                  std::uint32_t blockLog2 = 0, bool notify = false) {
  bench.waitOpen();
  DefaultBench::Geometry geometry;
  geometry.tilesAcross = 64;
  geometry.tilesDown = 16;
  for (auto& tileClass : geometry.expected) tileClass.fill(bytes);
  bench.program(0, geometry);
  DefaultBench::Region region;
  region.updatesPerElement = updates;
  region.blockLog2 = blockLog2;
  region.notify = notify;
  bench.program(0, region);
  bench.enable();
}

TEST(TrackTrigger, CommandAppearsTwelveCyclesAfterTheUpdateThatCompletesIt) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 0, true);
  bench.set(r::command(5), 1);
  bench.lanes[3].push_back({5, 2, kBase + 256, 128});
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commandSeen.size(), 1u);
  EXPECT_LE(bench.commandSeen[0] - bench.lastAccept[3], 12u);
  const Command& command = bench.commands.at(0);
  EXPECT_EQ(command.cmd, 5u);
  EXPECT_EQ(command.region, 0u);
  EXPECT_EQ(command.wg, 5u);
  const Notification& notification = bench.notifications.at(0);
  EXPECT_EQ(notification.cycle, command.cycle);
  EXPECT_EQ(notification.wf, 2u);
  EXPECT_EQ(notification.address, kBase + 256);
}

TEST(TrackTrigger, AllLanesUpdateOneTileEveryCycleWithoutABubble) {
  DefaultBench bench;
  constexpr std::uint32_t kCycles = 200;
  programPlain(bench, 128 * 8 * kCycles, 1, 0, true);
  bench.set(r::command(9), 1);
  for (std::uint32_t i = 0; i < kCycles; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      bench.lanes[lane].push_back({9, 1, kBase + 0x10000 - (i * 8 + lane) * 32, 128});
    }
  }
  const std::uint64_t start = bench.cycle;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.stalled, 0u);
  EXPECT_EQ(*std::max_element(bench.lastAccept.begin(), bench.lastAccept.end()),
            start + kCycles - 1);
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.notifications.at(0).address, kBase + 0x10000 - (kCycles * 8 - 1) * 32);
  EXPECT_LE(bench.commandSeen[0] - bench.lastAccept[0], 12u);
}

TEST(TrackTrigger, LanesOfDifferentTilesInDifferentBanksNeverStall) {
  DefaultBench bench;
  programPlain(bench, 128 * 100);
  // Wavefront = lane of one workgroup: eight banks.
  bench.set(r::command(17), 8);
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      bench.lanes[lane].push_back({17, lane, kBase + i * 128, 128});
    }
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.stalled, 0u);
  EXPECT_EQ(bench.read64(r::kStalls), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(TrackTrigger, LanesThatFightForOneBankShareItFairly) {
  DefaultBench bench;
  programPlain(bench, 128 * 64);
  // Eight workgroups, all in bank 0: wg ^ wf = multiple of 8.
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.set(r::command(lane), 1);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 0; i < 64; ++i) bench.lanes[lane].push_back({lane, lane, kBase, 128});
  }
  ASSERT_TRUE(bench.drain());
  const auto [first, last] = std::minmax_element(bench.lastAccept.begin(), bench.lastAccept.end());
  EXPECT_LE(*last - *first, 8u);
  EXPECT_EQ(bench.commands.size(), 8u);
  EXPECT_EQ(bench.read64(r::kStalls), bench.stalled);
  EXPECT_GT(bench.stalled, 0u);
  EXPECT_EQ(bench.read64(r::kStallsSpill), 0u);
  EXPECT_EQ(bench.read64(r::kStallsClosed), 0u);
}

TEST(TrackTrigger, StallsAtClosedLanesAreCountedAsSuch) {
  // Counters become zero at the end of the walk: what is lost in it shows until then.
  DefaultBench fresh;
  for (auto& lane : fresh.lanes) lane.push_back({5, 2, kBase, 128});
  fresh.offer = [&fresh](std::uint32_t lane) { return lane != 0 || fresh.cycle >= 50; };
  fresh.ticks(100);
  // The lanes go on waiting while they are read.
  const std::uint64_t closed = fresh.read64(r::kStallsClosed);
  EXPECT_GE(closed, 7u * 50 + 8 * 49);
  EXPECT_GE(fresh.read64(r::kStalls), closed);
  EXPECT_GE(fresh.read64(r::kStallsClosed), fresh.stalled - 8 * 16);
  EXPECT_EQ(fresh.read64(r::kStallsSpill), 0u);
  fresh.waitOpen();
  EXPECT_LE(fresh.read64(r::kStallsClosed), 8u) << "those of the last cycle";
}

TEST(TrackTrigger, EveryLaneUpdatesAnEntryOfItsOwnBackToBackWithOthersOfTheSet) {
  DefaultBench bench;
  programPlain(bench, 128 * 60);
  // Four workgroups of one set take turns in one bank: four ways, no bubble, nothing evicted.
  for (std::uint32_t way = 0; way < 4; ++way) bench.set(r::command(1 + way * 64), 1);
  for (std::uint32_t i = 0; i < 60; ++i) {
    for (std::uint32_t way = 0; way < 4; ++way)
      bench.lanes[5].push_back({1 + way * 64, 0, kBase + i * 128, 128});
  }
  const std::uint64_t start = bench.cycle;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.stalled, 0u);
  EXPECT_EQ(bench.lastAccept[5], start + 4 * 60 - 1);
  EXPECT_EQ(bench.commands.size(), 4u);
  EXPECT_EQ(bench.read(r::kPeak), 4u);
  EXPECT_EQ(bench.read64(r::kEvictions), 0u);
}

TEST(TrackTrigger, CountsBothUpdatesOfEachElement) {
  DefaultBench bench;
  programPlain(bench, 256, 2);
  bench.set(r::command(3), 1);
  for (std::uint32_t i = 0; i < 3; ++i) bench.lanes[0].push_back({3, 0, kBase + i % 2 * 128, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.read(r::kLive), 1u);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusLive);
  bench.lanes[7].push_back({3, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read(r::kPeak), 1u);
}

TEST(TrackTrigger, EveryClassOfTileHasItsOwnSize) {
  DefaultBench bench;
  bench.waitOpen();
  // 5 x 3 tiles; bytes differ by class and wavefront; wavefront 7 is empty at the right edge.
  DefaultBench::Geometry geometry;
  geometry.tilesAcross = 5;
  geometry.tilesDown = 3;
  for (std::uint32_t c = 0; c < 4; ++c) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) geometry.expected[c][wf] = 32 * (1 + c * 8 + wf);
  }
  geometry.expected[1][7] = geometry.expected[3][7] = 0;
  bench.program(0, geometry);
  bench.program(0, DefaultBench::Region{});
  bench.enable();
  for (std::uint32_t wg = 0; wg < 15; ++wg) {
    const bool right = wg % 5 == 4;
    const bool lower = wg / 5 == 2;
    const std::uint32_t tileClass = (lower ? 2u : 0u) + (right ? 1u : 0u);
    bench.set(r::command(wg), right ? 7 : 8);
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      for (std::uint32_t left = geometry.expected[tileClass][wf]; left > 0;) {
        const std::uint32_t bytes = std::min(left, 128u);
        bench.lanes[wf].push_back({wg, wf, kBase + wg * 4096, bytes});
        left -= bytes;
      }
    }
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 15u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  EXPECT_EQ(bench.read64(r::kStray), 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

TEST(TrackTrigger, ACommandOfABlockWaitsForTheLastTileOfTheBlock) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 2, true);
  // Block 2 holds workgroups 8 … 11, two wavefronts each here.
  bench.set(r::command(2), 8);
  for (std::uint32_t wg = 8; wg < 12; ++wg) {
    for (std::uint32_t wf = 0; wf < 2; ++wf) {
      if (wg == 9 && wf == 1) continue;
      bench.lanes[wf].push_back({wg, wf, kBase + wg * 4096, 128});
    }
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.read(r::command(2)), 1u);
  bench.lanes[0].push_back({9, 1, kBase + 0x5000, 128});
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.commands[0].cmd, 2u);
  EXPECT_EQ(bench.commands[0].wg, 8u) << "the first workgroup of the block";
  ASSERT_EQ(bench.notifications.size(), 1u);
  EXPECT_EQ(bench.notifications[0].wg, 9u) << "the tile that was the last";
  EXPECT_EQ(bench.notifications[0].wf, 1u);
}

TEST(TrackTrigger, ACommandAtThePortStaysAsItIsWhileItsRegionIsProgrammed) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 2);
  bench.dmaReady = [] { return false; };
  for (std::uint32_t cmd : {2u, 5u}) {
    bench.set(r::command(cmd), 1);
    bench.lanes[0].push_back({cmd * 4 + 3, 0, kBase, 128});
  }
  while (!bench.lanesEmpty()) bench.tick();
  bench.ticks(40);
  bench.set(r::region(0) + r::kRegWgFirst, 16);
  bench.set(r::region(0) + r::kRegCmdBase, 1);
  bench.dmaReady = {};
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].cmd, 2u);
  EXPECT_EQ(bench.commands[0].wg, 8u) << "as it was when it got to the port";
  EXPECT_EQ(bench.commands[1].cmd, 5u);
  EXPECT_EQ(bench.commands[1].wg, 16u + (5 - 1) * 4) << "looked up behind the one before it";
}

TEST(TrackTrigger, CompletionsOfOneCommandInSuccessiveCyclesAllCount) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 10);
  // 64 tiles complete as fast as they can, from all banks, all of command 0.
  bench.set(r::command(0), 64);
  for (std::uint32_t i = 0; i < 64; ++i) bench.lanes[i % 8].push_back({i / 8, i % 8, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.read(r::command(0)), 0u);
  EXPECT_EQ(bench.read64(r::kStray), 0u);
}

TEST(TrackTrigger, MoreBytesThanExpectedIsAnOverrunAndTriggersNothing) {
  DefaultBench bench;
  programPlain(bench, 192);
  bench.set(r::kIrqEnable, r::kIrqStatusOverrun);
  bench.set(r::command(1), 1);
  bench.lanes[0].push_back({1, 0, kBase, 128});
  bench.lanes[0].push_back({1, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  EXPECT_EQ(bench.read(r::kIrqStatus), r::kIrqStatusOverrun | r::kIrqStatusError);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_TRUE(bench.model->irq_o);
  bench.set(r::kIrqStatus, r::kIrqStatusOverrun);
  bench.ticks(2);
  EXPECT_FALSE(bench.model->irq_o);
  // The freed entry starts anew.
  bench.lanes[0].push_back({1, 0, kBase, 128});
  bench.lanes[0].push_back({1, 0, kBase, 64});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(TrackTrigger, AnUpdateOfAnEmptyWavefrontIsAnOverrun) {
  DefaultBench bench;
  programPlain(bench, 0);
  for (std::uint32_t wg : {1u, 8u}) {
    bench.set(r::command(wg), 1);
    bench.lanes[0].push_back({wg, 0, kBase, 1});
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.read64(r::kOverrun), 2u);
}

TEST(TrackTrigger, ACountThatNoLongerFitsIsAnOverrunAtOnce) {
  Bench<kNarrowUnit> bench;  // 14 bits
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = geometry.tilesDown = 8;
  for (auto& tileClass : geometry.expected) tileClass.fill(16'000);
  bench.program(0, geometry);
  TrackTriggerBench::Region region;
  region.updatesPerElement = 2;
  bench.program(0, region);
  bench.enable();
  for (int i = 0; i < 127; ++i) bench.lanes[0].push_back({16, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  EXPECT_EQ(bench.read(r::kLive), 1u);
  bench.lanes[0].push_back({16, 0, kBase, 128});  // 2^14 bytes, of 32,000 expected
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

TEST(TrackTrigger, TheCompletionAfterTheLastIsAStrayInTheNextCycleToo) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 10);
  bench.set(r::command(0), 2);
  // One lane, one bank after the other: completions in successive cycles.
  for (std::uint32_t wf = 0; wf < 5; ++wf) bench.lanes[0].push_back({3, wf, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.read64(r::kStray), 3u);
  EXPECT_EQ(bench.read64(r::kCompleted), 5u);
  EXPECT_EQ(bench.read(r::command(0)), 0u);
}

TEST(TrackTrigger, ACompletionWithoutAWaitingCommandIsAStray) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.set(r::kIrqEnable, r::kIrqStatusStray);
  bench.lanes[0].push_back({1, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.read64(r::kStray), 1u);
  EXPECT_EQ(bench.read64(r::kCompleted), 1u);
  EXPECT_EQ(bench.read(r::kIrqStatus), r::kIrqStatusStray | r::kIrqStatusError);
  EXPECT_EQ(bench.read(r::command(1)), 0u);
  EXPECT_TRUE(bench.model->irq_o);
}

TEST(TrackTrigger, TheLowestMatchingRegionWinsAndTheRestIsUntracked) {
  DefaultBench bench;
  bench.waitOpen();
  DefaultBench::Geometry geometry;
  geometry.tilesAcross = geometry.tilesDown = 100;
  for (auto& tileClass : geometry.expected) tileClass.fill(128);
  bench.program(0, geometry);
  DefaultBench::Region region;
  region.wgFirst = 10;
  region.wgLast = 20;
  region.pageFirst = 0x1'0000'0000;  // above 2^32: uses PAGE_HIGH
  region.pageLast = 0x1'0000'0003;
  region.cmdBase = 100;
  bench.program(5, region);
  region.wgFirst = 0;
  region.wgLast = 15;
  region.cmdBase = 200;
  bench.program(3, region);
  bench.enable();
  for (std::uint32_t cmd : {105u, 215u, 110u, 200u}) bench.set(r::command(cmd), 1);
  const std::uint64_t first = 0x1'0000'0000ull * 4096;
  const std::uint64_t last = 0x1'0000'0004ull * 4096 - 32;
  bench.lanes[0].push_back({15, 0, first, 128});       // both: region 3, command 200 + 15
  bench.lanes[0].push_back({20, 0, last, 128});        // region 5 only, command 100 + 10
  bench.lanes[0].push_back({0, 0, first, 128});        // region 3, command 200
  bench.lanes[0].push_back({21, 0, first, 128});       // workgroup above
  bench.lanes[0].push_back({15, 1, first - 32, 128});  // page below
  bench.lanes[0].push_back({15, 1, last + 32, 128});   // page above
  ASSERT_TRUE(bench.drain());
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const Command& command : bench.commands) seen.insert({command.cmd, command.region});
  EXPECT_EQ(seen, (std::multiset<std::pair<std::uint32_t, std::uint32_t>>{
                      {215u, 3u}, {110u, 5u}, {200u, 3u}}));
  EXPECT_EQ(bench.read64(r::kUntracked), 3u);
  EXPECT_EQ(bench.read64(r::kUpdates), 3u);
}

TEST(TrackTrigger, ADisabledUnitCountsEverythingAsUntracked) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.set(r::kCtrl, 0);
  for (std::uint32_t lane = 0; lane < 8; ++lane) bench.lanes[lane].push_back({lane, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kUntracked), 8u);
  EXPECT_EQ(bench.read64(r::kUpdates), 0u);
}

TEST(TrackTrigger, ARegionMayNotifyInsteadOfTriggeringOrDoBoth) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 0, true);
  bench.set(r::command(1), 1);
  bench.lanes[0].push_back({1, 3, kBase + 64, 128});
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 1u);
  ASSERT_EQ(bench.notifications.size(), 1u);
  EXPECT_EQ(bench.notifications[0].cycle, bench.commandSeen[0]);
  EXPECT_EQ(bench.notifications[0].cmd, 1u);
  EXPECT_EQ(bench.notifications[0].wf, 3u);
  EXPECT_EQ(bench.notifications[0].address, kBase + 64);

  DefaultBench::Region quiet;
  quiet.trigger = false;
  quiet.notify = true;
  quiet.target = 1;
  bench.program(0, quiet);
  bench.set(r::command(2), 1);
  bench.lanes[0].push_back({2, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.notifications.size(), 2u);
  EXPECT_EQ(bench.read64(r::kTriggers), 1u);
  EXPECT_EQ(bench.read64(r::kNotifications), 2u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 1u);
}

TEST(TrackTrigger, RegionDoneIsSetExactlyAtTheTarget) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.set(r::region(0) + r::kRegTarget, 3);
  bench.set(r::kIrqEnable, r::kIrqStatusRegionDone);
  for (std::uint32_t wg = 0; wg < 4; ++wg) {
    bench.set(r::command(wg), 1);
    bench.lanes[0].push_back({wg, 0, kBase, 128});
    ASSERT_TRUE(bench.drain());
    EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), wg + 1);
    EXPECT_EQ(bench.read(r::kRegionDone), wg >= 2 ? 1u : 0u);
    EXPECT_EQ(bench.model->irq_o != 0, wg == 2) << wg;
    if (wg == 2) {
      bench.set(r::kIrqStatus, 0xf);
      bench.ticks(2);
    }
  }
  bench.set(r::kRegionDone, 1);
  EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  // Writing REG_CTRL starts a new count.
  bench.set(r::region(0) + r::kRegCtrl, 0x103);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 0u);
}

TEST(TrackTrigger, LanesNeverWaitForTheDmaEngine) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.dmaReady = [] { return false; };
  constexpr std::uint32_t kTiles = 1000;
  for (std::uint32_t wg = 0; wg < kTiles; ++wg) bench.set(r::command(wg), 1);
  // One completion per cycle, what the trigger unit takes.
  for (std::uint32_t wg = 0; wg < kTiles; ++wg) bench.lanes[0].push_back({wg, 0, kBase, 128});
  const std::uint64_t start = bench.cycle;
  while (!bench.lanesEmpty()) bench.tick();
  EXPECT_EQ(bench.cycle - start, kTiles);
  EXPECT_EQ(bench.stalled, 0u);
  bench.ticks(40);
  EXPECT_EQ(bench.read64(r::kTriggers), kTiles);
  EXPECT_TRUE(bench.commands.empty());
  // They leave in the order of completion, one per cycle.
  bench.dmaReady = {};
  const std::uint64_t open = bench.cycle;
  bench.ticks(kTiles);
  ASSERT_EQ(bench.commands.size(), kTiles);
  for (std::uint32_t i = 0; i < kTiles; ++i) {
    EXPECT_EQ(bench.commands[i].cmd, i);
    EXPECT_EQ(bench.commands[i].cycle, open + i);
  }
}

TEST(TrackTrigger, TheReadyQueueHoldsEverySlotAtOnce) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.dmaReady = [] { return false; };
  for (std::uint32_t wg = 0; wg < 4096; ++wg) {
    bench.set(r::command(wg), 1);
    bench.lanes[wg % 8].push_back({wg, wg % 8, kBase + wg * 128ull, 128});
  }
  while (!bench.lanesEmpty()) bench.tick();
  bench.ticks(100);
  EXPECT_EQ(bench.read64(r::kTriggers), 4096u);
  bench.dmaReady = {};
  ASSERT_TRUE(bench.drain());
  std::set<std::uint32_t> seen;
  for (const Command& command : bench.commands) {
    seen.insert(command.cmd);
    EXPECT_EQ(command.wg, command.cmd);
  }
  EXPECT_EQ(bench.commands.size(), 4096u);
  EXPECT_EQ(seen.size(), 4096u);
}

TEST(TrackTrigger, CompletionsOfAllBanksAtOnceAreTakenOnePerCycle) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 10);
  constexpr std::uint32_t kTiles = 8 * 60;
  bench.set(r::command(0), kTiles);
  for (std::uint32_t i = 0; i < kTiles; ++i)
    bench.lanes[i % 8].push_back({i / 8, i % 8, kBase, 128});
  const std::uint64_t start = bench.cycle;
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_LE(bench.commandSeen[0] - start, kTiles + 16);
  const auto [first, last] = std::minmax_element(bench.lastAccept.begin(), bench.lastAccept.end());
  EXPECT_LE(*last - *first, 16u) << "every bank has its turn";
  EXPECT_GT(bench.stalled, 0u) << "they wait, and their lanes behind them";
  EXPECT_EQ(bench.read64(r::kStalls), bench.stalled);
  EXPECT_EQ(bench.read64(r::kStallsSpill), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), kTiles);
}

TEST(TrackTrigger, ATileFromItsRecordWaitsForItsTurnToComplete) {
  DefaultBench bench;
  bench.waitOpen();
  // Wavefront 0 has tiles of two updates, the others of one.
  DefaultBench::Geometry geometry;
  geometry.tilesAcross = 64;
  geometry.tilesDown = 16;
  for (auto& tileClass : geometry.expected) {
    tileClass.fill(128);
    tileClass[0] = 256;
  }
  bench.program(0, geometry);
  DefaultBench::Region region;
  region.blockLog2 = 15;
  bench.program(0, region);
  bench.enable();
  // Six tiles of set 0 of bank 0: two leave for memory.
  for (std::uint32_t i = 0; i < 6; ++i) bench.lanes[0].push_back({i * 64, 0, kBase, 128});
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kEvictions), 2u);
  // All banks complete more than the trigger unit takes; in the middle of that they come back.
  std::uint32_t completions = 6;
  for (std::uint32_t i = 0; i < 60; ++i) {
    for (std::uint32_t bank = 0; bank < 8; ++bank) {
      bench.lanes[bank].push_back({(1 + i) * 8 + (bank ^ 1u), 1, kBase, 128});
      ++completions;
    }
    if (i % 10 == 5) bench.lanes[0].push_back({(5 - i / 10) * 64, 0, kBase + 128, 128});
  }
  bench.set(r::command(0), completions);
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read64(r::kCompleted), completions);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(TrackTrigger, RegionsOfTwoGeometriesMayShareWorkgroupIds) {
  DefaultBench bench;
  bench.waitOpen();
  for (std::uint32_t g = 0; g < 2; ++g) {
    DefaultBench::Geometry geometry;
    geometry.tilesAcross = geometry.tilesDown = 10;
    geometry.spillBase = (g + 1ull) << 36;
    for (auto& tileClass : geometry.expected) tileClass.fill(128 + g * 128);
    bench.program(g, geometry);
    DefaultBench::Region region;
    region.geometry = g;
    region.pageFirst = 0x1000 * (g + 1);
    region.pageLast = region.pageFirst + 0xff;
    region.cmdBase = g * 100;
    bench.program(g, region);
  }
  bench.enable();
  bench.set(r::command(7), 1);
  bench.set(r::command(107), 1);
  bench.lanes[1].push_back({7, 4, 0x2000 * 4096ull, 128});
  bench.lanes[0].push_back({7, 4, 0x1000 * 4096ull, 128});
  bench.lanes[1].push_back({7, 4, 0x2000 * 4096ull + 128, 128});
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].cmd + bench.commands[1].cmd, 114u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(TrackTrigger, ClearEmptiesTheTableTheCountersAndTheSlots) {
  DefaultBench bench;
  programPlain(bench, 256);
  bench.dmaReady = [] { return false; };
  for (std::uint32_t wg = 0; wg < 20; ++wg) {
    bench.set(r::command(wg), 2);
    bench.lanes[wg % 8].push_back({wg, wg % 8, kBase, 128});
  }
  bench.set(r::command(30), 1);
  bench.lanes[0].push_back({30, 0, kBase, 128});
  bench.lanes[0].push_back({30, 0, kBase, 128});
  while (!bench.lanesEmpty()) bench.tick();
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable | r::kCtrlClear);
  EXPECT_TRUE(bench.read(r::kStatus) & r::kStatusBusy);
  EXPECT_FALSE(bench.model->lane_ready_o);
  // A slot written meanwhile waits for the clear and survives it.
  bench.set(r::command(0), 1);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusQueued) << "what was issued stays issued";
  EXPECT_EQ(bench.read64(r::kUpdates), 0u);
  EXPECT_EQ(bench.read64(r::kTriggers), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), 0u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read(r::kPeak), 0u);
  EXPECT_EQ(bench.read(r::command(1)), 0u);
  EXPECT_EQ(bench.read(r::command(0)), 1u);
  EXPECT_EQ(bench.read(r::region(0) + r::kRegDone), 0u);
  // Tile 0 starts from nothing; the command issued before the clear is still there, and first.
  bench.lanes[0].push_back({0, 0, kBase, 128});
  bench.lanes[0].push_back({0, 0, kBase, 128});
  bench.ticks(40);
  bench.dmaReady = {};
  ASSERT_TRUE(bench.drain());
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].cmd, 30u);
  EXPECT_EQ(bench.commands[1].cmd, 0u);
}

TEST(TrackTrigger, ClearFinishesWhatIsInside) {
  DefaultBench bench;
  programPlain(bench, 128);
  bench.set(r::command(1), 1);
  // The clear request and the update arrive together: the tile completes before the walk.
  bench.lanes[0].push_back({1, 0, kBase, 128});
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  bench.waitOpen();
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(TrackTrigger, ResetWalksTheMemoriesBeforeTheLanesOpen) {
  DefaultBench bench;
  EXPECT_FALSE(bench.model->lane_ready_o);
  EXPECT_TRUE(bench.model->busy_o);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlClear);
  bench.waitOpen();
  EXPECT_LE(bench.cycle, 4096u + 16);
  EXPECT_EQ(bench.read(r::kCtrl), 0u);
  EXPECT_EQ(bench.read(r::command(4095)), 0u);
}

TEST(TrackTrigger, SoftwareAccessesAndCompletionsOfOneSlotHappenInOneOrder) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 15);
  // Completions of command 0 stream in while software reads it: it only ever counts down.
  bench.set(r::command(0), 2000);
  for (std::uint32_t i = 0; i < 2000; ++i) bench.lanes[i % 8].push_back({i / 8, i % 8, kBase, 128});
  std::uint32_t last = 2000;
  while (!bench.lanesEmpty()) {
    const std::uint32_t now = bench.read(r::command(0));
    EXPECT_LE(now, last);
    last = now;
  }
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.read(r::command(0)), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(TrackTrigger, ASlotThatIsWrittenAsItsTileCompletesCountsFromOneOfTheTwo) {
  DefaultBench bench;
  programPlain(bench, 128, 1, 15);
  std::set<std::uint32_t> seen;
  for (std::uint32_t delay = 0; delay < 20; ++delay) {
    bench.set(r::command(0), 50);
    const std::uint64_t start = bench.cycle + delay;
    bench.offer = [&bench, start](std::uint32_t) { return bench.cycle >= start; };
    for (std::uint32_t wf = 0; wf < 3; ++wf) bench.lanes[0].push_back({delay, wf, kBase, 128});
    bench.ticks(16);
    bench.set(r::command(0), 20);
    ASSERT_TRUE(bench.drain());
    const std::uint32_t left = bench.read(r::command(0));
    EXPECT_GE(left, 17u);
    EXPECT_LE(left, 20u);
    seen.insert(left);
  }
  EXPECT_EQ(seen, (std::set<std::uint32_t>{17, 18, 19, 20}));
  EXPECT_EQ(bench.read64(r::kCompleted), 60u);
}

TEST(TrackTrigger, AClearAskedForDuringAClearIsTheSameClear) {
  DefaultBench bench;
  programPlain(bench, 128);
  const std::uint64_t start = bench.cycle;
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  bench.ticks(2000);
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlEnable | r::kCtrlClear);
  bench.waitOpen();
  EXPECT_LE(bench.cycle - start, 4096u + 16);
}

}  // namespace
}  // namespace t3::rtl_test
