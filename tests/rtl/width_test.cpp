// SPDX-License-Identifier: Apache-2.0
// Method: the default size with values that use every bit of every field, through the whole unit:
// lanes, banks, records, commands. What must arrive is computed beside it.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tests/rtl/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;
using DefaultBench = Bench<kDefaultUnit>;

constexpr std::uint32_t kRegions = 8;
constexpr std::uint32_t kWorkgroups = 0x10000 / kRegions;  ///< of a region
constexpr std::uint32_t kSlots = 4096;

/// Eight regions over all workgroups and pages, in two geometries, with bases of their own.
struct Map {
  std::uint32_t cmdBase[kRegions];
  DefaultBench::Geometry geometry[2];

  Map(DefaultBench& bench, Random& random) {
    for (auto& grid : geometry) grid.tilesAcross = grid.tilesDown = 256;
    place(random);
    for (std::uint32_t i = 0; i < kRegions; ++i) {
      cmdBase[i] = random.below(kSlots);
      DefaultBench::Region region;
      region.geometry = i % 2;
      region.wgFirst = i * kWorkgroups;
      region.wgLast = region.wgFirst + kWorkgroups - 1;
      region.cmdBase = cmdBase[i];
      region.notify = true;
      bench.program(i, region);
    }
  }
  /// New places of the record tables, and new epochs; the next expect() programs them.
  void place(Random& random) {
    const std::uint64_t base = std::uint64_t{random.below(1u << 24)} << 24;
    const std::uint32_t epoch = random.below(0x10000);
    geometry[0].spillBase = base;
    geometry[1].spillBase = base ^ 0xffff'ff00'0000;
    geometry[0].epoch = epoch;
    geometry[1].epoch = epoch ^ 0xffff;
  }
  void expect(DefaultBench& bench, std::uint32_t bytes) {
    for (std::uint32_t g = 0; g < 2; ++g) {
      for (auto& tileClass : geometry[g].expected) tileClass.fill(bytes);
      bench.program(g, geometry[g]);
    }
  }
  std::uint32_t slot(std::uint32_t wg) const {
    return (cmdBase[wg / kWorkgroups] + wg % kWorkgroups) % kSlots;
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
    result.insert({cmd, region, region * kWorkgroups + wg % kSlots});
  return result;
}

TEST(Width, EveryBitOfAnUpdateArrivesInItsCommandAndNotification) {
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(81));
  Map map(bench, random);
  map.expect(bench, 128);
  bench.enable();
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
      want.insert({map.slot(wg), wg / kWorkgroups, wg, wf, address & ~31ull});
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
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(85));
  Map map(bench, random);
  map.expect(bench, 128);
  bench.enable();
  for (const std::uint32_t blockLog2 : {0u, 4u}) {
    DefaultBench::Region region;  // all of them; without blocks, slots are numbered modulo 4,096
    region.blockLog2 = blockLog2;
    bench.program(0, region);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      bench.set(r::command(slot), 1);
      const std::uint32_t wg =
          blockLog2 == 0 ? slot + random.below(16) * kSlots : slot * 16 + random.below(16);
      bench.lanes[slot % 8].push_back({wg, random.below(8), 0, 128});
    }
    ASSERT_TRUE(bench.drain());
    ASSERT_EQ(bench.commands.size(), kSlots);
    std::set<std::uint32_t> slots;
    for (const Command& command : bench.commands) {
      EXPECT_EQ(command.wg, command.cmd << blockLog2);
      slots.insert(command.cmd);
    }
    EXPECT_EQ(slots.size(), kSlots);
    bench.commands.clear();
  }
}

TEST(Width, ATileOfAnyIdentityAndAnySizeComesBackFromItsRecord) {
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(82));
  Map map(bench, random);
  bench.enable();
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
        tiles.push_back({wg, bytes, std::uint64_t{random.below(1u << 28)} << 20});
    }
    for (const Tile& tile : tiles) bench.set(r::command(map.slot(tile.wg)), 1);
    // First nearly all of each, then the rest.
    for (const std::uint32_t keep : {kKept, 0u}) {
      for (Tile& tile : tiles) {
        for (std::uint32_t lane = 0; tile.left > keep; lane = (lane + 1) % 8) {
          const std::uint32_t count =
              std::min(tile.left - keep, random.chance(90) ? 128u : random.between(1, 128));
          const std::uint64_t address = tile.base + random.below(1u << 20);
          bench.lanes[lane].push_back({tile.wg, wf, address, count});
          tile.left -= count;
          tile.lowest = std::min<std::uint64_t>(tile.lowest, address & ~31ull);
        }
        ASSERT_TRUE(bench.drain());
      }
    }
    Told want;
    for (const Tile& tile : tiles)
      want.insert({map.slot(tile.wg), tile.wg / kWorkgroups, tile.wg, wf, tile.lowest});
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
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(83));
  Map map(bench, random);
  map.expect(bench, 256);
  bench.enable();
  for (std::uint32_t bit = 63; bit < 128; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    const auto touch = [&](std::uint32_t wg) {
      bench.lanes[bit % 8].push_back({wg, 0, bit * 4096ull, 128});
      ASSERT_TRUE(bench.drain());
    };
    // Five tiles of one set: the first leaves for the fifth.
    const std::uint32_t set = bit % 64;
    const std::uint32_t high = bit < 127 ? random.below(8) : 9;  // 63 and 127 share a set
    const auto wg = [&](std::uint32_t i) { return (high * 8 + i) << 6 | set; };
    bench.spills.clear();
    for (std::uint32_t i = 0; i < 5; ++i) touch(wg(i));
    const auto gone = std::find_if(bench.spills.begin(), bench.spills.end(),
                                   [](const SpillRequest& request) { return request.write; });
    ASSERT_NE(gone, bench.spills.end());
    const auto tile = static_cast<std::uint32_t>(
        (gone->address - map.geometry[wg(0) / kWorkgroups % 2].spillBase) / 32);
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
  DefaultBench bench;
  bench.waitOpen();
  Random random(testSeed(84));
  Map map(bench, random);
  map.expect(bench, 256);
  bench.enable();
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
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) bench.set(r::command(slot), 0xffff);
  touch(1024, 1024 + 256);
  touch(512, 512 + 1);
  EXPECT_EQ(bench.read(r::kLive), 0u);
  EXPECT_EQ(bench.read64(r::kCompleted), 257u * 8);
}

}  // namespace
}  // namespace t3::rtl_test
