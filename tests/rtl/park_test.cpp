// SPDX-License-Identifier: Apache-2.0
// Method: tiles of parking regions, one contribution after the other and mixed, with LIVE read in
// between: what is parked is in no entry. Then everything that must not be parked or must not be
// taken for parked.
#include <algorithm>

#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kBase = 0x1'0000'0000;

/// All tiles have `bytes` bytes; region 0 covers workgroups below 1024, each with its own command.
void program(TrackTriggerBench& bench, std::uint32_t bytes, std::uint32_t updates,
             std::uint32_t geometry = 0, bool park = true) {
  bench.waitOpen();
  TrackTriggerBench::Geometry grid;
  grid.tilesAcross = 8;
  grid.tilesDown = 128;
  for (auto& tileClass : grid.expected) tileClass.fill(bytes);
  bench.program(geometry, grid);
  TrackTriggerBench::Region region;
  region.geometry = geometry;
  region.updatesPerElement = updates;
  region.notify = true;
  region.park = park;
  bench.program(0, region);
  bench.enable();
}

/// Updates of one tile on one lane, `count` of `bytes` each, at ascending addresses.
void send(TrackTriggerBench& bench, std::uint32_t wg, std::uint64_t address, std::uint32_t count,
          std::uint32_t bytes = 128, std::uint32_t lane = 0) {
  for (std::uint32_t i = 0; i < count; ++i) {
    bench.lanes[lane].push_back({wg, 0, address + i * 128ull, bytes});
  }
}

std::uint32_t live(TrackTriggerBench& bench) {
  EXPECT_TRUE(bench.drain());
  return bench.read(r::kLive);
}

TEST(Park, ATileIsInTheTableOnlyWhileAContributionArrives) {
  Bench<kDefaultUnit> bench;
  program(bench, 512, 3);
  bench.set(r::command(5), 1);
  for (std::uint32_t contribution = 0; contribution < 3; ++contribution) {
    EXPECT_TRUE(bench.commands.empty());
    send(bench, 5, kBase + contribution * 4096, 3);
    EXPECT_EQ(live(bench), 1u);
    send(bench, 5, kBase + contribution * 4096 + 384, 1);
    EXPECT_EQ(live(bench), 0u);
  }
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.commands[0].wg, 5u);
  EXPECT_EQ(bench.notifications.at(0).address, kBase + 2 * 4096)
      << "the lowest since it was last parked";
  EXPECT_EQ(bench.read64(r::kCompleted), 1u);
  EXPECT_EQ(bench.read(r::kPeak), 1u);
}

TEST(Park, WithoutTheBitATileStaysFromItsFirstByteToItsLast) {
  Bench<kDefaultUnit> bench;
  program(bench, 512, 2, 0, false);
  bench.set(r::command(5), 1);
  send(bench, 5, kBase, 4);
  EXPECT_EQ(live(bench), 1u);
  send(bench, 5, kBase + 4096, 4);
  EXPECT_EQ(live(bench), 0u);
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.notifications.at(0).address, kBase);
}

TEST(Park, MixedContributionsCountLikeSeparateOnes) {
  Bench<kDefaultUnit> bench;
  program(bench, 512, 2);
  bench.set(r::command(9), 1);
  // Two and two pass 512 bytes exactly, with half of each contribution.
  send(bench, 9, kBase, 2, 128, 0);
  send(bench, 9, kBase + 4096, 2, 128, 3);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_TRUE(bench.commands.empty());
  send(bench, 9, kBase + 256, 2, 128, 0);
  send(bench, 9, kBase + 4096 + 256, 2, 128, 3);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(Park, ACountThatStepsOverAContributionStaysInTheTable) {
  Bench<kDefaultUnit> bench;
  program(bench, 256, 2);
  bench.set(r::command(9), 1);
  send(bench, 9, kBase, 3, 96);
  EXPECT_EQ(live(bench), 1u);
  send(bench, 9, kBase + 4096, 2, 96);
  EXPECT_EQ(live(bench), 1u);
  send(bench, 9, kBase + 8192, 1, 32);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

// Every update is a whole contribution: the entry leaves and comes back in every cycle, through
// the forwarded word, on one lane and on all at once.
TEST(Park, ContributionsOfOneTileInSuccessiveCyclesAreAllCounted) {
  for (const std::uint32_t lanes : {1u, 8u}) {
    Bench<kDefaultUnit> bench;
    program(bench, 128, 3);
    for (std::uint32_t wg = 0; wg < 1024; ++wg) bench.set(r::command(wg), 1);
    for (std::uint32_t wg = 0; wg < 1024; ++wg) {
      for (std::uint32_t i = 0; i < 3; ++i) send(bench, wg, kBase, 1, 128, (wg + i) % lanes);
    }
    EXPECT_EQ(live(bench), 0u);
    EXPECT_EQ(bench.commands.size(), 1024u);
    EXPECT_EQ(bench.read64(r::kOverrun), 0u);
    EXPECT_EQ(bench.read64(r::kEvictions), 0u);
    if (lanes == 1) {
      EXPECT_EQ(bench.stalled, 0u);
    }
  }
}

TEST(Park, MoreBytesThanExpectedAreAnOverrunAfterParkingToo) {
  Bench<kDefaultUnit> bench;
  program(bench, 128, 2);
  bench.set(r::command(8), 1);
  send(bench, 8, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  send(bench, 8, kBase, 1, 64);
  send(bench, 8, kBase, 1, 96);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.read64(r::kOverrun), 1u);
  // At once: two lanes in one cycle.
  send(bench, 8, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  send(bench, 8, kBase, 1, 128, 0);
  send(bench, 8, kBase, 1, 128, 1);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.read64(r::kOverrun), 2u);
  send(bench, 8, kBase, 1);
  send(bench, 8, kBase, 1);
  EXPECT_EQ(live(bench), 0u) << "the place is free again";
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(Park, OnlyGeometryZeroParks) {
  Bench<kDefaultUnit> bench;
  program(bench, 128, 2, 1);
  send(bench, 7, kBase, 1);
  EXPECT_EQ(live(bench), 1u);
}

TEST(Park, OnlyTheFirstWorkgroupsPark) {
  Bench<kWideUnit> bench;  // 64 of them, and one contribution at most
  program(bench, 128, 3);
  for (std::uint32_t wg : {63u, 64u}) bench.set(r::command(wg), 1);
  send(bench, 63, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  send(bench, 64, kBase, 1);
  EXPECT_EQ(live(bench), 1u);
  send(bench, 63, kBase, 1);
  EXPECT_EQ(live(bench), 2u) << "two contributions do not fit in one bit";
  send(bench, 63, kBase, 1);
  send(bench, 64, kBase, 2);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.read(r::kConfig2),
            1u | 4u << r::kConfig2WaysShift | 64u << r::kConfig2ParkedWorkgroupsShift);
}

TEST(Park, TheWavefrontsOfABankHavePlacesOfTheirOwn) {
  Bench<kWideUnit> bench;  // two banks for eight wavefronts
  program(bench, 128, 2);
  bench.set(r::command(3), 8);
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    bench.lanes[0].push_back({3, wf, kBase, 128});
    EXPECT_EQ(live(bench), 0u);
  }
  for (std::uint32_t wf = 0; wf < 7; ++wf) bench.lanes[0].push_back({3, wf, kBase, 128});
  EXPECT_EQ(live(bench), 0u);
  EXPECT_TRUE(bench.commands.empty());
  bench.lanes[0].push_back({3, 7, kBase, 128});
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

TEST(Park, AParkedCountIsNotSeenByAnotherGeometrysTile) {
  Bench<kDefaultUnit> bench;
  program(bench, 256, 2);
  TrackTriggerBench::Geometry grid;
  grid.tilesAcross = 8;
  grid.tilesDown = 128;
  for (auto& tileClass : grid.expected) tileClass.fill(128);
  bench.program(1, grid);
  TrackTriggerBench::Region region;
  region.pageLast = kBase / 4096 + 15;
  region.updatesPerElement = 2;
  region.park = true;
  bench.program(0, region);
  region.pageFirst = kBase / 4096 + 16;
  region.pageLast = kBase / 4096 + 31;
  region.geometry = 1;
  region.updatesPerElement = 1;
  region.cmdBase = 2048;
  bench.program(1, region);
  for (std::uint32_t cmd : {7u, 2048u + 7u}) bench.set(r::command(cmd), 1);
  send(bench, 7, kBase, 2);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_TRUE(bench.commands.empty());
  // In successive cycles: neither may see what the other's update forwards.
  send(bench, 7, kBase + 0x10000, 1);
  send(bench, 7, kBase, 2);
  EXPECT_EQ(live(bench), 0u);
  ASSERT_EQ(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].region, 1u);
  EXPECT_EQ(bench.commands[1].region, 0u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(Park, ClearForgetsWhatIsParked) {
  Bench<kDefaultUnit> bench;
  program(bench, 128, 2);
  send(bench, 7, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  bench.waitOpen();
  bench.set(r::command(7), 1);
  send(bench, 7, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_TRUE(bench.commands.empty());
  send(bench, 7, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
}

// Workgroups 4, 8, 12, … with wavefront 0 share bank 0 and set 0 of the tiny table.
TEST(Park, AParkedTileLeavesItsSetToOthersAndReadsNoRecord) {
  Bench<kTinyUnit> bench;
  program(bench, 256, 2);
  for (std::uint32_t wg : {4u, 8u, 12u}) bench.set(r::command(wg), 1);
  send(bench, 4, kBase, 2);
  EXPECT_EQ(live(bench), 0u);
  send(bench, 8, kBase, 1);
  EXPECT_EQ(live(bench), 1u);
  EXPECT_TRUE(bench.spills.empty()) << "nobody had to leave";
  send(bench, 12, kBase, 1);  // evicts 8
  EXPECT_EQ(live(bench), 1u);
  EXPECT_EQ(bench.spills.size(), 1u);
  send(bench, 4, kBase, 1);  // evicts 12; is known to be in no record
  EXPECT_EQ(live(bench), 1u);
  ASSERT_EQ(bench.spills.size(), 2u);
  EXPECT_TRUE(bench.spills[1].write);
  send(bench, 4, kBase, 1);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 1u);
  for (std::uint32_t wg : {8u, 12u}) send(bench, wg, kBase, 1);
  for (std::uint32_t wg : {8u, 12u}) send(bench, wg, kBase, 2);
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.commands.size(), 3u);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(Park, ATileThatCameBackFromItsRecordIsParkedAndTheOldRecordForgotten) {
  Bench<kTinyUnit> bench;
  program(bench, 256, 2);
  for (std::uint32_t wg : {4u, 8u, 12u}) bench.set(r::command(wg), 1);
  send(bench, 4, kBase, 1);
  send(bench, 8, kBase, 1);   // evicts 4
  send(bench, 12, kBase, 1);  // evicts 8: two records are out
  EXPECT_EQ(live(bench), 1u);
  send(bench, 4, kBase + 128, 1);  // evicts 12, reads its record, and has a whole contribution
  EXPECT_EQ(live(bench), 0u);
  const std::size_t before = bench.spills.size();
  send(bench, 4, kBase, 2);  // its record still says 128 bytes
  EXPECT_EQ(live(bench), 0u);
  EXPECT_EQ(bench.spills.size(), before);
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.commands[0].wg, 4u);
}

}  // namespace
}  // namespace t3::rtl_test
