// SPDX-License-Identifier: Apache-2.0
// Method: a unit full of work is reset in the middle of it, then does what a fresh unit does beside
// it; both must show the same in every cycle and in every register.
#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kBase = 0x1'0000;
constexpr std::uint32_t kSingles = 48;  ///< first workgroup of region 1

/// Region 0: tiles of two updates that park, trigger and notify. Region 1: tiles of one update of
/// the last sixteen commands. Both release rows, which have some slots in common.
void program(TrackTriggerBench& bench) {
  bench.waitOpen();
  TrackTriggerBench::Geometry geometry;
  geometry.tilesAcross = 5;
  geometry.tilesDown = 9;
  for (auto& tileClass : geometry.expected) tileClass.fill(256);
  bench.program(0, geometry);
  for (auto& tileClass : geometry.expected) tileClass.fill(128);
  bench.program(1, geometry);
  TrackTriggerBench::Region region;
  region.geometry = 1;
  region.wgFirst = kSingles;
  region.wgLast = kSingles + 15;
  region.cmdBase = kSingles;
  region.firstRow = bench.size.rows - 3;
  bench.program(1, region);
  for (std::uint32_t cmd = kSingles; cmd < kSingles + 16; ++cmd) bench.set(r::command(cmd), 1);
  region = {};
  region.wgLast = kSingles - 1;
  region.updatesPerElement = 2;
  region.notify = true;
  region.park = true;
  region.firstRow = 1;
  bench.program(0, region);
  for (std::uint32_t cmd = 0; cmd < 40; ++cmd) bench.set(r::command(cmd), 1 + cmd % 2);
  for (std::uint32_t row = 0; row < 16; ++row) bench.set(r::row(row), 1 + row % 3);
  bench.set(r::kIrqEnable, 0x1f);
  bench.enable();
}

/// Tiles with and without their last update, more of one set than it has ways, some of no region.
void feed(TrackTriggerBench& bench, std::uint64_t seed, std::uint32_t updates) {
  Random random(seed);
  for (std::uint32_t i = 0; i < updates; ++i) {
    const std::uint32_t wg = random.chance(10)   ? kSingles + 16 + random.below(100)  // untracked
                             : random.chance(50) ? random.below(44)
                                                 : random.below(10) * 4;
    bench.lanes[random.below(bench.size.lanes)].push_back(
        {wg, random.below(1u << bench.size.wfWidth), kBase + random.below(4096) * 32ull,
         random.chance(70) ? 128u : random.between(1, 127)});
  }
}

/// In one cycle all lanes want the same bank (round robin of the lanes), or complete a tile each in
/// banks of their own (round robin of the completions).
void allAtOnce(TrackTriggerBench& bench, bool oneBank) {
  for (std::uint32_t lane = 0; lane < bench.size.lanes; ++lane) {
    const std::uint32_t wg = kSingles + lane + (oneBank ? 0 : 8);
    bench.lanes[lane].push_back({wg, oneBank ? wg % (1u << bench.size.wfWidth) : 0, kBase, 128});
  }
}

/// In one cycle all lanes evict a tile (round robin of the record port); in a table of one way.
void evictAtOnce(TrackTriggerBench& bench) {
  for (std::uint32_t lane = 0; lane < bench.size.lanes; ++lane) {
    for (std::uint32_t wg : {lane, lane + 8}) bench.lanes[lane].push_back({wg, 0, kBase, 64});
  }
}

/// Every output, payloads only where they are valid: data registers are not reset.
std::string visible(const TrackTriggerBench& bench) {
  const auto& m = *bench.model;
  std::string text;
  const auto put = [&text](const auto&... values) {
    ((text += std::to_string(static_cast<std::uint64_t>(values)) + ' '), ...);
  };
  put(m.lane_ready_o, m.dma_valid_o, m.rel_valid_o, m.ntf_valid_o, m.mem_valid_o, m.mem_rready_o,
      m.s_axil_awready_o, m.s_axil_wready_o, m.s_axil_bvalid_o, m.s_axil_arready_o,
      m.s_axil_rvalid_o, m.irq_o, m.busy_o);
  if (m.dma_valid_o) put(m.dma_cmd_o, m.dma_region_o, m.dma_wg_o);
  if (m.rel_valid_o) put(m.rel_row_o);
  if (m.ntf_valid_o) put(m.ntf_cmd_o, m.ntf_region_o, m.ntf_wg_o, m.ntf_wf_o, m.ntf_addr_o);
  if (m.mem_valid_o) put(m.mem_write_o, m.mem_addr_o, m.mem_id_o);
  if (m.s_axil_bvalid_o) put(m.s_axil_bresp_o);
  if (m.s_axil_rvalid_o) put(m.s_axil_rdata_o, m.s_axil_rresp_o);
  return text;
}

/// Back-pressure on every interface, the same for both units.
void holdBack(TrackTriggerBench& bench, std::uint64_t seed, std::uint64_t start) {
  const auto chance = [&bench, seed, start](std::uint64_t salt, std::uint32_t percent) {
    std::uint64_t x = ((bench.cycle - start) * 64 + salt + seed) * 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return (x >> 33) % 100 < percent;
  };
  bench.dmaReady = [chance] { return chance(1, 30); };
  bench.memReady = [chance] { return chance(2, 40); };
  bench.releaseReady = [chance] { return chance(60, 20); };
  bench.memLatency = [chance] { return chance(3, 50) ? 2u : 17u; };
  bench.offer = [chance](std::uint32_t lane) { return chance(4 + lane, 60); };
}

void aResetUnitBehavesLikeAFreshOne(const Unit& unit, std::uint64_t seed) {
  Random random(seed);
  TrackTriggerBench used(unit);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    program(used);
    holdBack(used, seed, used.cycle);
    feed(used, seed + static_cast<std::uint64_t>(round), 3000);
    used.ticks(random.between(40, 400));
    if (round == 2) {
      // Address and data of a write, and the address of a read, are in when the reset comes.
      used.model->s_axil_awvalid_i = used.model->s_axil_arvalid_i = 1;
      used.model->s_axil_wvalid_i = 1;
      used.model->s_axil_awaddr_i = r::kIrqEnable;
      used.model->s_axil_araddr_i = r::kPeak;
      used.ticks(3);
    }
    if (round >= 3) {
      // Software's access to a row slot is in the release unit's first, second or third stage.
      used.model->s_axil_awvalid_i = used.model->s_axil_wvalid_i = 1;
      used.model->s_axil_awaddr_i = r::row(4);
      used.model->s_axil_wdata_i = 0x55;
      used.model->s_axil_wstrb_i = 0xf;
      used.ticks(static_cast<std::uint64_t>(round) - 1);
    }
    used.reset();
    const auto& m = *used.model;
    EXPECT_FALSE(m.lane_ready_o || m.dma_valid_o || m.rel_valid_o || m.ntf_valid_o ||
                 m.mem_valid_o);
    EXPECT_FALSE(m.s_axil_bvalid_o || m.s_axil_rvalid_o || m.irq_o);

    TrackTriggerBench fresh(unit);
    const auto both = [&](const auto& act) {
      act(used);
      act(fresh);
    };
    const auto open = [](TrackTriggerBench& bench) {
      bench.offer = {};
      bench.dmaReady = bench.memReady = bench.releaseReady = {};
    };
    both(open);
    // Every register first: nothing of the configuration or of the counters is left, nor does the
    // walk over the memories have to end for that.
    for (std::uint32_t address = 0; address < 0x100; address += 4)
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << std::hex << address;
    used.waitOpen();
    fresh.waitOpen();
    for (std::uint32_t address = 0; address < 0x1000; address += 4)
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << std::hex << address;
    for (std::uint32_t cmd = 0; cmd < unit.size.commands; cmd += 7)
      ASSERT_EQ(used.read(r::command(cmd)), 0u) << cmd;
    for (std::uint32_t row = 0; row < unit.size.rows; ++row)
      ASSERT_EQ(used.read(r::row(row)), 0u) << row;
    both([](TrackTriggerBench& bench) { program(bench); });
    const auto compare = [&](int cycles) {
      for (int i = 0; i < cycles; ++i) {
        ASSERT_EQ(visible(used), visible(fresh)) << "cycle " << i << " of " << cycles;
        used.tick();
        fresh.tick();
      }
    };
    both([round](TrackTriggerBench& bench) { allAtOnce(bench, round % 2 == 0); });
    compare(60);
    both([round](TrackTriggerBench& bench) { allAtOnce(bench, round % 2 != 0); });
    compare(61);
    both([](TrackTriggerBench& bench) { evictAtOnce(bench); });
    compare(62);
    both([seed](TrackTriggerBench& bench) {
      holdBack(bench, seed, bench.cycle);
      feed(bench, seed + 100, 1500);
    });
    compare(3000);
    if (testing::Test::HasFailure()) return;
    both(open);
    ASSERT_TRUE(used.drain());
    ASSERT_TRUE(fresh.drain());
    for (std::uint32_t address = 0; address < 0x1000; address += 4)
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << std::hex << address;
    for (std::uint32_t row = 0; row < 16; ++row)
      ASSERT_EQ(used.read(r::row(row)), fresh.read(r::row(row))) << row;
    EXPECT_GT(fresh.commands.size(), 5u);
    EXPECT_GT(fresh.releases.size(), 5u);
  }
}

TEST(Reset, AUnitResetInTheMiddleOfItsWorkBehavesLikeAFreshOneAtTheDefaultSize) {
  aResetUnitBehavesLikeAFreshOne(kDefaultUnit, testSeed(71));
}
TEST(Reset, AUnitResetInTheMiddleOfItsWorkBehavesLikeAFreshOneInATinyUnit) {
  aResetUnitBehavesLikeAFreshOne(kTinyUnit, testSeed(72));
}

}  // namespace
}  // namespace t3::rtl_test
