// SPDX-License-Identifier: Apache-2.0
// Method: the default size with values that use every bit of every field, through the whole unit:
// lanes, banks, records, commands, errors. What must arrive is computed beside it.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"
#include "tests/rtl/wide_map.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

/// A unit that counts updates of any identity; of each wavefront tile so many bytes, if it is said.
struct Wide {
  DefaultBench bench;
  Random random;
  WideMap map;

  explicit Wide(std::uint64_t seed, std::uint32_t bytes = 0)
      : random(testSeed(seed)), map((bench.waitOpen(), bench), random) {
    if (bytes != 0) map.expect(bench, bytes);
    bench.enable();
  }
};

using Told = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                 std::uint64_t>>;  ///< command, region, wg, wf, address

Told told(const std::vector<Notification>& stream) {
  Told result;
  for (const Notification& n : stream) result.insert({n.cmd, n.region, n.wg, n.wf, n.address});
  return result;
}

/// A region here has no blocks, but twice as many workgroups as there are slots: a command names
/// the lower one of two.
using Issued = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;

Issued issued(const std::vector<Command>& stream) {
  Issued result;
  for (const Command& c : stream) result.insert({c.cmd, c.region, c.wg});
  return result;
}

Issued issued(const Told& notifications) {
  Issued result;
  for (const auto& [cmd, region, wg, wf, address] : notifications)
    result.insert({cmd, region, region * WideMap::kWorkgroups + wg % WideMap::kSlots});
  return result;
}

TEST(Width, EveryBitOfAnUpdateArrivesInItsCommandAndNotification) {
  Wide wide(81, 128);
  auto& [bench, random, map] = wide;
  bench.dmaReady = [&bench] { return bench.cycle % 128 < 16; };  // most of them wait in the RAM
  for (int round = 0; round < 150; ++round) {
    Told want;
    std::set<std::uint32_t> slots;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      const std::uint32_t wg = random.below(0x10000);
      const std::uint32_t wf = random.below(8);
      const std::uint64_t address = random.below(1ull << 32) * 0x10000ull + random.below(0x10000);
      if (!slots.insert(map.slot(wg)).second) continue;
      bench.set(r::command(map.slot(wg)), 1);
      bench.lanes[lane].push_back({wg, wf, address, 128});
      want.insert({map.slot(wg), wg / WideMap::kWorkgroups, wg, wf, address & ~31ull});
    }
    ASSERT_TRUE(bench.drain());
    ASSERT_EQ(issued(bench.commands), issued(want));
    ASSERT_EQ(told(bench.notifications), want);
    bench.commands.clear();
    bench.notifications.clear();
  }
  EXPECT_TRUE(bench.spills.empty());
}

TEST(Width, ARegionMayHoldAllWorkgroupsInBlocks) {
  Wide wide(85, 128);
  auto& [bench, random, map] = wide;
  for (const std::uint32_t blockLog2 : {0u, 4u}) {
    DefaultBench::Region region;  // all of them; without blocks, slots are numbered modulo 4,096
    region.blockLog2 = blockLog2;
    bench.program(0, region);
    for (std::uint32_t slot = 0; slot < WideMap::kSlots; ++slot) {
      bench.set(r::command(slot), 1);
      const std::uint32_t wg =
          blockLog2 == 0 ? slot + random.below(16) * WideMap::kSlots : slot * 16 + random.below(16);
      bench.lanes[slot % 8].push_back({wg, random.below(8), 0, 128});
    }
    ASSERT_TRUE(bench.drain());
    ASSERT_EQ(bench.commands.size(), WideMap::kSlots);
    std::set<std::uint32_t> slots;
    for (const Command& command : bench.commands) {
      EXPECT_EQ(command.wg, command.cmd << blockLog2);
      slots.insert(command.cmd);
    }
    EXPECT_EQ(slots.size(), WideMap::kSlots);
    bench.commands.clear();
  }
}

TEST(Width, ATileOfAnyIdentityAndAnySizeComesBackFromItsRecord) {
  Wide wide(82);
  auto& [bench, random, map] = wide;
  constexpr std::uint32_t kKept = 64;  // of each tile, for the end
  std::uint32_t lowBits[8] = {};
  std::uint32_t setBits[8] = {};
  for (std::uint32_t round = 0; round < 24; ++round) {
    // Each bank in turn; the second time with the other value of nearly every bit.
    const std::uint32_t bank = round % 8;
    lowBits[bank] = round / 8 == 1 ? 0x1ffff ^ lowBits[bank] : random.between(1, 0x1fe00);
    setBits[bank] = round / 8 == 1 ? 63 ^ setBits[bank] : random.below(64);
    const std::uint32_t bytes = (round < 8 ? 0x20000 : 0) + lowBits[bank] + kKept;
    const std::uint32_t set = setBits[bank];
    map.place(random);
    map.expect(bench, bytes);
    // Ten tiles of one set of one bank, for its four ways.
    struct Tile {
      std::uint32_t wg = 0;
      std::uint32_t left = 0;
      std::uint64_t base = 0;
      std::uint64_t lowest = ~std::uint64_t{0};
    };
    const std::uint32_t wf = (set ^ bank) % 8;
    std::vector<Tile> tiles;
    std::set<std::uint32_t> slots;
    while (tiles.size() < 10) {
      const std::uint32_t wg = random.below(1024) << 6 | set;
      if (slots.insert(map.slot(wg)).second)
        tiles.push_back(
            {wg, bytes, std::uint64_t{random.below(1u << 28)} << 20 | random.below(1u << 20)});
    }
    for (const Tile& tile : tiles) bench.set(r::command(map.slot(tile.wg)), 1);
    // First nearly all of each, then the rest.
    for (const std::uint32_t keep : {kKept, 0u}) {
      for (Tile& tile : tiles) {
        for (std::uint32_t lane = 0; tile.left > keep; lane = (lane + 1) % 8) {
          const std::uint32_t count =
              std::min(tile.left - keep, random.chance(90) ? 128u : random.between(1, 128));
          const std::uint64_t address = tile.base + random.below(1u << 12);
          bench.lanes[lane].push_back({tile.wg, wf, address, count});
          tile.left -= count;
          tile.lowest = std::min<std::uint64_t>(tile.lowest, address & ~31ull);
        }
        ASSERT_TRUE(bench.drain());
      }
    }
    Told want;
    for (const Tile& tile : tiles)
      want.insert({map.slot(tile.wg), tile.wg / WideMap::kWorkgroups, tile.wg, wf, tile.lowest});
    ASSERT_EQ(issued(bench.commands), issued(want)) << bytes << " bytes";
    ASSERT_EQ(told(bench.notifications), want) << bytes << " bytes";
    bench.commands.clear();
    bench.notifications.clear();
    EXPECT_EQ(bench.read(r::kLive), 0u);
  }
  EXPECT_GE(bench.read64(r::kEvictions), 24u * 6);
  EXPECT_EQ(bench.read64(r::kOverrun), 0u);
}

TEST(Width, ARecordWithAnyOtherBitOfIdentityIsIgnored) {
  Wide wide(83, 256);
  auto& [bench, random, map] = wide;
  for (std::uint32_t bit = 61; bit < 128;
       ++bit) {  // from the bits that a count of 18 bits leaves zero
    SCOPED_TRACE("bit " + std::to_string(bit));
    const auto touch = [&](std::uint32_t wg) {
      bench.lanes[bit % 8].push_back({wg, 0, bit * 4096ull, 128});
      ASSERT_TRUE(bench.drain());
    };
    // Five tiles of one set: the first leaves for the fifth.
    const std::uint32_t set = bit % 64;
    const std::uint32_t high =
        bit < 125 ? random.below(8) : 9;  // 61 and 125 share a set, and so on
    const auto wg = [&](std::uint32_t i) { return (high * 8 + i) << 6 | set; };
    bench.spills.clear();
    for (std::uint32_t i = 0; i < 5; ++i) touch(wg(i));
    const auto gone = std::find_if(bench.spills.begin(), bench.spills.end(),
                                   [](const SpillRequest& request) { return request.write; });
    ASSERT_NE(gone, bench.spills.end());
    const auto tile = static_cast<std::uint32_t>(
        (gone->address - map.geometry[wg(0) / WideMap::kWorkgroups % 2].spillBase) / 32);
    bench.memory.at(gone->address)[bit / 32] ^= 1u << (bit % 32);
    bench.set(r::command(map.slot(tile / 8)), 1);
    touch(tile / 8);
    EXPECT_TRUE(bench.commands.empty()) << "took bytes from a foreign record";
    touch(tile / 8);
    ASSERT_EQ(bench.commands.size(), 1u);
    EXPECT_EQ(bench.commands[0].wg, tile / 8);
    bench.commands.clear();
  }
}

TEST(Width, TheTableHoldsATileInEveryEntryBeforeItSpills) {
  Wide wide(84, 256);
  auto& [bench, random, map] = wide;
  const auto touch = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t wg = first; wg < last; ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) bench.lanes[wf].push_back({wg, wf, 0, 128});
    }
    ASSERT_TRUE(bench.drain());
  };
  touch(1024, 1024 + 256);
  EXPECT_EQ(bench.read(r::kLive), 2048u);
  EXPECT_EQ(bench.read64(r::kEvictions), 0u);
  touch(512, 512 + 1);
  EXPECT_EQ(bench.read(r::kLive), 2048u);
  EXPECT_EQ(bench.read(r::kPeak), 2048u);
  EXPECT_EQ(bench.read64(r::kEvictions), 8u);
  for (std::uint32_t slot = 0; slot < WideMap::kSlots; ++slot) bench.set(r::command(slot), 0xffff);
  touch(1024, 1024 + 256);
  touch(512, 512 + 1);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), 257u * 8);
}

// ---- errors -----------------------------------------------------------------------------------

/// Reads the first error and makes room for the next one.
void expectFirst(TrackTriggerBench& bench, std::uint32_t cause, std::uint32_t region,
                 std::uint32_t wg, std::uint32_t wf, std::uint64_t address) {
  EXPECT_EQ(bench.read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                            region << r::kErrorFirstRegionShift |
                                            wf << r::kErrorFirstWfShift | wg);
  EXPECT_EQ(bench.read(r::kErrorAddressLo), static_cast<std::uint32_t>(address));
  EXPECT_EQ(bench.read(r::kErrorAddressHi), address >> 32);
  EXPECT_EQ(bench.read(r::kErrors), 1u << cause);
  bench.set(r::kErrors, 1u << cause);
  bench.set(r::kErrorFirst, r::kErrorFirstValid);
}
enum Cause : std::uint32_t {
  kOverrun = 0,
  kBytes = 2,
  kArmedEarly = 4,
  kUnasked = 5,
  kWrapped = 7,
  kRestarted = 8,
  kRowArmedEarly = 11
};

TEST(Width, EveryBitOfAWrongUpdateIsReported) {
  Wide wide(86, 128);
  auto& [bench, random, map] = wide;
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t wg = random.below(0x10000), wf = random.below(8);
    const std::uint64_t address = random.below(1ull << 32) * 0x10000ull + random.below(0x10000);
    bench.lanes[random.below(8)].push_back({wg, wf, address, 0});
    ASSERT_TRUE(bench.drain());
    expectFirst(bench, kBytes, wg / WideMap::kWorkgroups, wg, wf, address & ~31ull);
  }
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

/// Of each bank: the tile had all its bytes when its record was taken.
TEST(Width, ASurplusUpdateOfAnyTileIsAnOverrunOfThatTile) {
  Wide wide(87, 256);
  auto& [bench, random, map] = wide;
  for (std::uint32_t bank = 0; bank < 8; ++bank) {
    const std::uint32_t set = random.below(64), wf = (set ^ bank) % 8;
    const auto wg = [&](std::uint32_t i) { return (bank * 5 + i) << 6 | set; };
    const auto touch = [&](std::uint32_t i) {
      bench.lanes[bank].push_back({wg(i), wf, 0x1000, 128});
      ASSERT_TRUE(bench.drain());
    };
    for (std::uint32_t i = 0; i < 5; ++i) {
      bench.set(r::command(map.slot(wg(i))), 1);
      touch(i);  // the fifth evicts the first
    }
    touch(0);
    ASSERT_EQ(bench.commands.size(), bank * 5u + 1);
    touch(0);
    expectFirst(bench, kOverrun, wg(0) / WideMap::kWorkgroups, wg(0), wf, 0x1000);
    for (std::uint32_t i = 1; i < 5; ++i) touch(i);
    ASSERT_EQ(bench.commands.size(), bank * 5u + 5);
  }
  EXPECT_EQ(bench.read64(r::kOverrun), 8u);
  EXPECT_EQ(bench.read(r::kLive), 0u);
}

TEST(Width, ASlotThatWaitsIsRefusedWhateverItsNumber) {
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(88));
  DefaultBench::Geometry grid;
  grid.tilesAcross = 16;
  grid.tilesDown = 0x1000;
  for (auto& tileClass : grid.expected) tileClass.fill(128);
  bench.program(0, grid);
  bench.program(0, {.firstRow = 0});
  bench.enable();
  bool ready = false;
  bench.dmaReady = bench.releaseReady = [&ready] { return ready; };
  std::set<std::uint32_t> commands, rows;
  while (commands.size() < 40) {
    const std::uint32_t wg = random.below(WideMap::kSlots);
    if (!rows.insert(wg / 16).second) continue;
    commands.insert(wg);
    bench.set(r::command(wg), 1);
    bench.set(r::row(wg / 16), 1);
    bench.lanes[wg % 8].push_back({wg, 0, 0x1000, 128});
  }
  bench.ticks(200);
  EXPECT_EQ(bench.read(r::kQueued), 40u);
  EXPECT_EQ(bench.read(r::kReleasesQueued), 40u);
  for (const std::uint32_t slot : commands) {
    EXPECT_EQ(bench.read(r::command(slot)), r::kCommandWaits);
    EXPECT_EQ(bench.write(r::command(slot), 1), TrackTriggerBench::kSlvErr);
    expectFirst(bench, kArmedEarly, 0, 0, 0, slot * 32ull);
    EXPECT_EQ(bench.read(r::row(slot / 16)), r::kRowWaits);
    EXPECT_EQ(bench.write(r::row(slot / 16), 1), TrackTriggerBench::kSlvErr);
    expectFirst(bench, kRowArmedEarly, 0, 0, 0, slot / 16 * 32ull);
  }
  ready = true;
  ASSERT_TRUE(bench.drain());
  EXPECT_EQ(bench.commands.size(), 40u);
  EXPECT_EQ(bench.releases.size(), 40u);
  for (const std::uint32_t slot : commands) EXPECT_EQ(bench.read(r::command(slot)), 0u);
}

TEST(Width, AnAnswerThatNoBankAskedForIsReportedWithItsBank) {
  DefaultBench bench;
  bench.waitOpen();
  bench.enable();
  for (std::uint32_t bank = 0; bank < 8; ++bank) {
    bench.unasked.emplace_back(bank, Record{~0u, ~0u, ~0u, ~0u});
    bench.ticks(4);
    expectFirst(bench, kUnasked, 0, 0, 0, bank * 32ull);
  }
}

/// The table of records begins a page before the end of the address space.
TEST(Width, ARecordBeyondTheAddressSpaceIsReportedWithItsTile) {
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(89));
  WideMap map(bench, random);
  for (auto& grid : map.geometry) grid.spillBase = 0xffff'ffff'f000;
  map.expect(bench, 256);
  bench.enable();
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t set = random.below(64), high = random.below(1024 - 8), wf = random.below(8);
    // Workgroup 16 is the first one beyond.
    const auto wg = [&](std::uint32_t i) { return (high + i) << 6 | set; };
    if (wg(0) < 16) continue;
    for (std::uint32_t i = 0; i < 5; ++i) {
      bench.lanes[i].push_back({wg(i), wf, 0x1000, 128});
      ASSERT_TRUE(bench.drain());
    }
    expectFirst(bench, kWrapped, wg(0) / WideMap::kWorkgroups, wg(0), wf, 0);
    // Without the tiles that stay.
    bench.set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
    bench.ticks(10);
    bench.waitOpen();
  }
  EXPECT_TRUE(bench.spills.empty());
}

TEST(Width, ARegionThatIsRestartedAsItIssuesIsReportedWithItsTile) {
  Wide wide(90, 128);
  auto& [bench, random, map] = wide;
  std::uint32_t restarted = 0;
  for (std::uint32_t round = 0; round < 64; ++round) {
    const std::uint32_t wg = random.below(0x10000), wf = random.below(8);
    const std::uint32_t region = wg / WideMap::kWorkgroups;
    const std::uint64_t address = random.below(1ull << 32) * 0x10000ull + random.below(0x10000);
    bench.set(r::command(map.slot(wg)), 1);
    const std::uint32_t ctrl = bench.read(r::region(region) + r::kRegCtrl);
    bench.lanes[round % 8].push_back({wg, wf, address, 128});
    bench.ticks(round % 16);
    bench.set(r::region(region) + r::kRegCtrl, ctrl);
    ASSERT_TRUE(bench.drain());
    if ((bench.read(r::kErrors) & r::kErrorsRestarted) == 0) continue;
    ++restarted;
    expectFirst(bench, kRestarted, region, wg, wf, address & ~31ull);
  }
  EXPECT_EQ(restarted, 4u) << "at one of the sixteen distances";
}

}  // namespace
}  // namespace t3::rtl_test
