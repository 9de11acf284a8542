// SPDX-License-Identifier: Apache-2.0
// Method: random regions, geometries, tiles and updates on every size of the unit, with random
// back-pressure on every interface and random memory latency. An untimed scoreboard knows which
// bytes belong to which tile and which tiles to which command; at the end every command must have
// been issued exactly once, by one of its tiles, with that tile's lowest address (some address of
// it, where tiles are parked), every row released exactly once, and nothing may be left over. The
// scoreboard shares no code with the behavioural twin.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;

struct Plan {
  std::uint32_t tiles = 0;    ///< workgroups per region, at most
  std::uint32_t window = 16;  ///< workgroups in flight
  std::uint32_t offerPercent = 100;
  std::uint32_t dmaPercent = 100;
  std::uint32_t memPercent = 100;
  std::uint32_t releasePercent = 50;
  std::uint32_t latency = 0;      ///< largest memory latency
  std::uint32_t maxBytes = 1024;  ///< per wavefront tile
  bool disturb = false;           ///< inputs change and change back within every cycle
};

class RandomRun {
 public:
  RandomRun(const Unit& unit, std::uint64_t seed, Plan plan)
      : random_(seed), plan_(plan), size_(unit.size), bench_(unit) {}

  void run() {
    bench_.dmaReady = [this] { return random_.chance(plan_.dmaPercent); };
    bench_.releaseReady = [this] { return random_.chance(plan_.releasePercent); };
    bench_.memReady = [this] { return random_.chance(plan_.memPercent); };
    bench_.memLatency = [this] { return random_.below(plan_.latency + 1ull); };
    bench_.offer = [this](std::uint32_t) { return random_.chance(plan_.offerPercent); };
    bench_.waitOpen();
    program();
    feed();
    if (plan_.disturb) {
      // Responses that wait, too.
      bench_.disturb = [this] { return random_.below(std::uint64_t{1} << 32); };
      bench_.axiDelay = [this] { return random_.below(4); };
      while (!bench_.lanesEmpty()) bench_.set(r::kIrqEnable, bench_.read(r::kIrqEnable) ^ 1u);
    }
    ASSERT_TRUE(bench_.drain(2'000'000)) << "the unit did not come to rest";
    check();
  }

 private:
  using Geometry = TrackTriggerBench::Geometry;
  using Region = TrackTriggerBench::Region;

  struct Tile {
    std::uint32_t region = 0;
    std::uint32_t wg = 0;
    std::uint32_t wf = 0;
    std::uint32_t left = 0;
    std::uint32_t contribution = 0;
    std::uint64_t lowest = ~std::uint64_t{0};
    std::set<std::uint64_t> addresses{};
  };

  void program() {
    for (std::uint32_t g = 0; g < size_.geometries; ++g) {
      Geometry geometry;
      geometry.tilesAcross = random_.between(1, 9);
      geometry.tilesDown = random_.between(1, (1u << size_.wgWidth) / geometry.tilesAcross / 2);
      geometry.tilesDown = std::min(geometry.tilesDown, 40u);
      geometry.spillBase = (1ull << (size_.addrWidth - 1)) + (std::uint64_t{g} << 28);
      geometry.epoch = random_.below(0x10000);
      for (auto& tileClass : geometry.expected) {
        for (auto& bytes : tileClass)
          bytes = random_.chance(15) ? 0 : random_.between(1, plan_.maxBytes);
      }
      bench_.program(g, geometry);
      geometries_.push_back(geometry);
    }
    std::uint32_t command = 0;
    for (std::uint32_t i = 0; i < size_.regions; ++i) {
      Region region;
      region.geometry = i % size_.geometries;
      const Geometry& geometry = geometries_[region.geometry];
      // Regions of one geometry take separate parts of its grid; geometries overlap in workgroups.
      const std::uint32_t parts = (size_.regions + size_.geometries - 1) / size_.geometries;
      const std::uint32_t all = geometry.tilesAcross * geometry.tilesDown;
      const std::uint32_t part = i / size_.geometries;
      region.wgFirst = all * part / parts;
      region.wgLast = all * (part + 1) / parts;
      if (region.wgFirst == region.wgLast) continue;
      region.wgLast = std::min(region.wgLast - 1, region.wgFirst + plan_.tiles - 1);
      region.pageFirst = 0x100 + i * 0x100ull;
      region.pageLast = region.pageFirst + 0xff;
      region.updatesPerElement = random_.between(1, 3);
      region.blockLog2 = random_.below(3);
      region.trigger = random_.chance(80);
      region.notify = random_.chance(70) || (i == 0 && !region.trigger);
      region.park = random_.chance(70);
      if (random_.chance(70)) region.firstRow = random_.below(size_.rows);
      const std::uint32_t blocks = ((region.wgLast - region.wgFirst) >> region.blockLog2) + 1;
      if (command + blocks > size_.commands) break;
      region.cmdBase = command;
      command += blocks;
      std::map<std::uint32_t, std::uint32_t> missing;
      for (std::uint32_t wg = region.wgFirst; wg <= region.wgLast; ++wg) {
        for (std::uint32_t wf = 0; wf < waves_; ++wf) {
          const std::uint32_t bytes = geometry.expected[classOf(geometry, wg)][wf];
          if (bytes == 0) continue;
          ++missing[region.cmdBase + ((wg - region.wgFirst) >> region.blockLog2)];
          if (region.firstRow) ++rows_[(*region.firstRow + wg / geometry.tilesAcross) % size_.rows];
          tiles_.push_back({i, wg, wf, bytes * region.updatesPerElement, bytes});
        }
      }
      region.target = static_cast<std::uint32_t>(missing.size());
      bench_.program(i, region);
      for (const auto& [cmd, count] : missing) {
        bench_.set(r::command(cmd), count);
        commands_[cmd] = i;
      }
      regions_[i] = region;
    }
    // Rows of several grids may have a slot in common, which then waits for all of them.
    for (const auto& [row, count] : rows_) bench_.set(r::row(row), count);
    bench_.enable();
  }

  static std::uint32_t classOf(const Geometry& geometry, std::uint32_t wg) {
    const bool lastRow = wg / geometry.tilesAcross == geometry.tilesDown - 1;
    const bool lastColumn = wg % geometry.tilesAcross == geometry.tilesAcross - 1;
    return (lastRow ? 2u : 0u) | (lastColumn ? 1u : 0u);
  }

  /// Cuts tiles into updates at random, a window of tiles at a time, over random lanes.
  void feed() {
    std::vector<std::size_t> window;
    std::size_t next = 0;
    const std::size_t places = std::size_t{plan_.window} * waves_;
    while (next < tiles_.size() || !window.empty()) {
      while (window.size() < places && next < tiles_.size()) window.push_back(next++);
      const std::size_t slot = random_.below(window.size());
      Tile& tile = tiles_[window[slot]];
      const std::uint32_t lane = random_.below(size_.lanes);
      // Several updates in a row, as a store of a row gives, on neighbouring lanes.
      const std::uint32_t burst = random_.between(1, 6);
      for (std::uint32_t i = 0; i < burst && tile.left > 0; ++i) {
        // Most updates end with a contribution, as stores do; some run on into the next one.
        const std::uint32_t end =
            random_.chance(90) ? (tile.left - 1) % tile.contribution + 1 : tile.left;
        const std::uint32_t bytes =
            std::min(end, random_.chance(60) ? 128 : random_.between(1, 128));
        const Region& region = regions_.at(tile.region);
        const std::uint64_t address =
            region.pageFirst * 4096 +
            random_.below((region.pageLast - region.pageFirst + 1) * 4096 - bytes + 1);
        bench_.lanes[(lane + i) % size_.lanes].push_back({tile.wg, tile.wf, address, bytes});
        tile.left -= bytes;
        tile.lowest = std::min<std::uint64_t>(tile.lowest, address & ~31ull);
        tile.addresses.insert(address & ~31ull);
        ++updates_;
      }
      if (tile.left == 0) {
        window[slot] = window.back();
        window.pop_back();
      }
      if (random_.chance(3)) {
        bench_.lanes[lane].push_back({random_.below(1u << size_.wgWidth), 0, 0x40, 32});
        ++untracked_;
      }
    }
  }

  void check() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, const Tile*> tiles;
    for (const Tile& tile : tiles_) tiles[{tile.region, tile.wg, tile.wf}] = &tile;
    std::set<std::uint32_t> wantTriggers;
    std::set<std::uint32_t> wantNotifications;
    std::map<std::uint32_t, std::uint32_t> done;
    for (const auto& [cmd, index] : commands_) {
      if (regions_.at(index).trigger) wantTriggers.insert(cmd);
      if (regions_.at(index).notify) wantNotifications.insert(cmd);
      ++done[index];
    }
    checkStream(bench_.commands, wantTriggers, "dma");
    checkStream(bench_.notifications, wantNotifications, "ntf");
    std::set<std::uint32_t> wantRows;
    for (const auto& [row, count] : rows_) wantRows.insert(row);
    for (const Release& release : bench_.releases)
      EXPECT_EQ(wantRows.erase(release.row), 1u) << "row " << release.row << " unwanted or twice";
    EXPECT_TRUE(wantRows.empty()) << wantRows.size() << " rows were never released";
    for (const Command& command : bench_.commands) {
      const Region& region = regions_.at(command.region);
      EXPECT_EQ(command.wg, region.wgFirst + ((command.cmd - region.cmdBase) << region.blockLog2));
    }
    for (const Notification& notification : bench_.notifications) {
      const auto tile = tiles.find({notification.region, notification.wg, notification.wf});
      ASSERT_NE(tile, tiles.end()) << "no such tile";
      if (regions_.at(notification.region).park) {
        EXPECT_TRUE(tile->second->addresses.contains(notification.address));
      } else {
        EXPECT_EQ(notification.address, tile->second->lowest);
      }
    }

    EXPECT_EQ(bench_.read64(r::kUpdates), updates_);
    EXPECT_EQ(bench_.read64(r::kUntracked), untracked_);
    EXPECT_EQ(bench_.read64(r::kCompleted), tiles_.size());
    EXPECT_EQ(bench_.read64(r::kTriggers), wantTriggers.size());
    EXPECT_EQ(bench_.read64(r::kNotifications), wantNotifications.size());
    EXPECT_EQ(bench_.read64(r::kReleases), rows_.size());
    EXPECT_EQ(bench_.read(r::kReleasesQueued), 0u);
    EXPECT_EQ(bench_.read(r::kErrors), 0u);
    EXPECT_EQ(bench_.read64(r::kStalls), bench_.stalled);
    const std::uint64_t spillStalls = bench_.read64(r::kStallsSpill);
    const std::uint64_t closedStalls = bench_.read64(r::kStallsClosed);
    EXPECT_LE(spillStalls + closedStalls, bench_.stalled);
    if (bench_.spills.empty()) {
      EXPECT_EQ(spillStalls, 0u);
    }
    EXPECT_EQ(bench_.read64(r::kOverrun), 0u);
    EXPECT_EQ(bench_.read64(r::kStray), 0u);
    EXPECT_EQ(bench_.read(r::kLive), 0u);
    const auto writes = std::count_if(bench_.spills.begin(), bench_.spills.end(),
                                      [](const SpillRequest& request) { return request.write; });
    EXPECT_EQ(bench_.read64(r::kEvictions), static_cast<std::uint64_t>(writes));
    EXPECT_EQ(bench_.read64(r::kFills), bench_.spills.size() - static_cast<std::size_t>(writes));
    std::uint32_t doneBits = 0;
    for (const auto& [index, count] : done) {
      EXPECT_EQ(bench_.read(r::region(index) + r::kRegDone), count);
      doneBits |= 1u << index;
    }
    EXPECT_EQ(bench_.read(r::kRegionDone), doneBits);
    for (const auto& [cmd, index] : commands_) EXPECT_EQ(bench_.read(r::command(cmd)), 0u) << cmd;
    EXPECT_GT(bench_.commands.size() + bench_.notifications.size(), 0u);
    std::cout << updates_ << " updates, " << tiles_.size() << " tiles, " << writes << " evictions, "
              << bench_.cycle << " cycles\n";
  }

  template <class Stream>
  void checkStream(const Stream& stream, std::set<std::uint32_t> want, const char* name) {
    for (const auto& command : stream) {
      EXPECT_EQ(want.erase(command.cmd), 1u)
          << name << " command " << command.cmd << " unwanted or twice";
      const auto index = commands_.find(command.cmd);
      ASSERT_NE(index, commands_.end());
      EXPECT_EQ(command.region, index->second);
      const Region& region = regions_.at(command.region);
      EXPECT_EQ(region.cmdBase + ((command.wg - region.wgFirst) >> region.blockLog2), command.cmd);
    }
    EXPECT_TRUE(want.empty()) << want.size() << " commands never appeared on " << name;
  }

  Random random_;
  Plan plan_;
  const UnitSize size_;
  const std::uint32_t waves_ = 1u << size_.wfWidth;
  TrackTriggerBench bench_;
  std::vector<Geometry> geometries_;
  std::map<std::uint32_t, Region> regions_;
  std::map<std::uint32_t, std::uint32_t> commands_;  ///< command -> region
  std::map<std::uint32_t, std::uint32_t> rows_;      ///< row slot -> wavefront tiles
  std::vector<Tile> tiles_;
  std::uint64_t updates_ = 0;
  std::uint64_t untracked_ = 0;
};

void runRounds(const Unit& unit, std::uint64_t seed, std::uint64_t rounds, const Plan& plan) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    SCOPED_TRACE("alone: T3_TEST_ROUNDS=1 T3_TEST_SEED=" + std::to_string(seed + i));
    RandomRun(unit, seed + i, plan).run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomTraffic, DefaultSizeAtFullRate) {
  RandomRun(kDefaultUnit, testSeed(1), {.tiles = 400}).run();
}

/// Lanes, DMA engine and memory are slow.
constexpr Plan backPressure(std::uint32_t tiles) {
  return {.tiles = tiles,
          .window = 400,
          .offerPercent = 60,
          .dmaPercent = 10,
          .memPercent = 40,
          .latency = 60};
}

TEST(RandomTraffic, DefaultSizeWithBackPressureEverywhere) {
  RandomRun(kDefaultUnit, testSeed(2), backPressure(300)).run();
}

TEST(RandomTraffic, SecdedAtTheDefaultSize) {
  RandomRun(kDefaultSecdedUnit, testSeed(11), backPressure(200)).run();
}

TEST(RandomTraffic, TinyTableThatSpillsAllTheTime) {
  runRounds(kTinyUnit, testSeed(3), testRounds(20),
            {.tiles = 12, .window = 40, .dmaPercent = 30, .memPercent = 70, .latency = 20});
}

TEST(RandomTraffic, TinyTableWithFastMemory) {
  runRounds(kTinyUnit, testSeed(4), testRounds(20), {.tiles = 12, .window = 3, .maxBytes = 400});
}

TEST(RandomTraffic, TinyTableOfTwoWays) {
  runRounds(kTinyWaysUnit, testSeed(8), testRounds(20),
            {.tiles = 12, .window = 40, .dmaPercent = 30, .memPercent = 70, .latency = 20});
}

/// A checker that fires fails the test, like any assertion of the RTL.
TEST(RandomTraffic, TinyTableWithTheCheckersOfItsPorts) {
  const Plan plan{.tiles = 12,
                  .window = 40,
                  .offerPercent = 80,
                  .dmaPercent = 30,
                  .memPercent = 70,
                  .latency = 20};
  runRounds(kCheckedUnit, testSeed(12), 10, plan);
}

TEST(RandomTraffic, OneLaneSixteenBanks) {
  runRounds(kNarrowUnit, testSeed(5), testRounds(8),
            {.tiles = 60,
             .window = 20,
             .offerPercent = 90,
             .dmaPercent = 50,
             .memPercent = 50,
             .latency = 9});
}

TEST(RandomTraffic, SixteenLanesTwoBanks) {
  runRounds(kWideUnit, testSeed(6), testRounds(8),
            {.tiles = 20, .window = 30, .dmaPercent = 50, .memPercent = 60, .latency = 30});
}

TEST(RandomTraffic, kSmallestUnit) {
  runRounds(kSmallestUnit, testSeed(9), testRounds(20),
            {.tiles = 15, .window = 12, .dmaPercent = 40, .memPercent = 60, .latency = 12});
}

/// Registers, full-rate paths and waiting responses alike: `*_ready_o` and `busy_o` are functions
/// of registers, every other output is one.
TEST(RandomTraffic, NoOutputFollowsAnInputWithinACycle) {
  const Plan plan{.tiles = 12,
                  .window = 40,
                  .offerPercent = 80,
                  .dmaPercent = 20,
                  .memPercent = 50,
                  .latency = 20,
                  .disturb = true};
  runRounds(kTinyUnit, testSeed(10), 3, plan);
  runRounds(kWideUnit, testSeed(10), 1, plan);
  runRounds(kDefaultUnit, testSeed(10), 1, plan);
}

TEST(RandomTraffic, SmallTilesThatCompleteEveryFewCycles) {
  RandomRun(kDefaultUnit, testSeed(7),
            {.tiles = 400, .window = 80, .dmaPercent = 3, .maxBytes = 128})
      .run();
}

}  // namespace
}  // namespace t3::rtl_test
