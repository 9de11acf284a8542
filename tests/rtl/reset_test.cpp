// SPDX-License-Identifier: Apache-2.0
// Method: a unit full of work is reset in the middle of it, then does what a fresh unit does beside
// it; both must show the same in every cycle and in every register.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::reset_test {
namespace {

namespace r = registers;

constexpr std::uint64_t kPage = 0x1'0000;

/// Region 0: slots of 256 bytes that trigger, with rows. Region 1: slots of one update, without
/// `trigger`. Both have some row slots in common.
void program(TrackTriggerBench& bench) {
  bench.waitOpen();
  for (const std::uint32_t region : {0u, 1u}) bench.setState(region, State::Off);
  bench.set(r::kCtrl, r::kCtrlClear);
  bench.waitOpen();
  bench.program(0, TrackTriggerBench::Window{.pageLast = 0xf'ffff});
  bench.start(
      0, {.wgLast = 31, .shift = bench.size.wfWidth, .firstRow = 0, .blocksPerRow = 4, .target = 7},
      256);
  bench.start(1,
              {.wgFirst = 32,
               .wgLast = 47,
               .shift = bench.size.wfWidth,
               .slotFirst = 32,
               .trigger = false,
               .firstRow = 2,
               .blocksPerRow = 5},
              128);
  for (std::uint32_t row = 0; row < 8; ++row) bench.set(r::row(row), 1 + row % 3);
  bench.set(r::kIrqEnable, 3);
  bench.enable();
}

/// Sound and unsound updates, some of no region.
void feed(TrackTriggerBench& bench, std::uint64_t seed, std::uint32_t updates) {
  Random random(seed);
  for (std::uint32_t i = 0; i < updates; ++i) {
    const std::uint32_t wg = random.chance(10) ? 48 + random.below(100) : random.below(48);
    bench.lanes[random.below(bench.size.lanes)].push_back(
        {wg, random.below(bench.size.wavefronts()), kPage + random.below(4096) * 32ull,
         random.chance(70) ? 128u : random.below(140)});
  }
}

/// In one cycle all lanes want one bank (round robin of the lanes), or complete a slot each in
/// banks of their own (round robin of the completions).
void allAtOnce(TrackTriggerBench& bench, bool oneBank) {
  std::uint32_t slot = 32;
  for (std::uint32_t lane = 0; lane < bench.size.lanes && slot < 48; ++lane, ++slot) {
    while (oneBank && slot < 47 && bench.bankOf(slot) != 1) ++slot;
    bench.lanes[lane].push_back({slot, 0, kPage, 128});
  }
}

/// Every output, payloads only where they are valid: data registers are not reset.
std::string visible(const TrackTriggerBench& bench) {
  const auto& m = *bench.model;
  std::string text;
  const auto put = [&text](const auto&... values) {
    ((text += std::to_string(static_cast<std::uint64_t>(values)) + ' '), ...);
  };
  put(m.lane_ready_o, m.done_valid_o, m.rel_valid_o, m.s_axil_awready_o, m.s_axil_wready_o,
      m.s_axil_bvalid_o, m.s_axil_arready_o, m.s_axil_rvalid_o, m.irq_o, m.alert_o, m.busy_o);
  if (m.done_valid_o) put(m.done_slot_o, m.done_spoiled_o);
  if (m.rel_valid_o) put(m.rel_row_o, m.rel_spoiled_o);
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
  bench.doneReady = [chance] { return chance(1, 10); };
  bench.releaseReady = [chance] { return chance(60, 10); };
  bench.offer = [chance](std::uint32_t lane) { return chance(4 + lane, 60); };
}

void aResetUnitBehavesLikeAFreshOne(const Unit& unit, std::uint64_t seed) {
  Random random(seed);
  TrackTriggerBench used(unit);
  for (int round = 0; round < 8; ++round) {
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
      used.model->s_axil_araddr_i = r::kUpdates;
      used.ticks(3);
    }
    if (round >= 3) {
      // Software's access to a slot or a row, a fill or a clear is on its way, a cycle further
      // each.
      const bool clears = round == 7;
      used.model->s_axil_awvalid_i = used.model->s_axil_wvalid_i = 1;
      used.model->s_axil_awaddr_i = clears ? r::kCtrl : round % 2 == 0 ? r::row(7) : r::slot(50);
      used.model->s_axil_wdata_i = clears ? 3 : 0x55;
      used.model->s_axil_wstrb_i = 0xf;
      used.ticks(static_cast<std::uint64_t>(round) - 1);
    }
    if (round == 1) {
      used.write(r::region(0), 2);
      used.write(r::kFill, 100);
    }
    used.reset();
    const auto& m = *used.model;
    EXPECT_FALSE(m.lane_ready_o || m.done_valid_o || m.rel_valid_o || m.s_axil_bvalid_o ||
                 m.s_axil_rvalid_o || m.irq_o || m.alert_o);

    TrackTriggerBench fresh(unit);
    const auto both = [&](const auto& act) {
      act(used);
      act(fresh);
    };
    const auto open = [](TrackTriggerBench& bench) {
      bench.offer = {};
      bench.doneReady = bench.releaseReady = {};
    };
    both(open);
    // Every register first: nothing of the configuration or of the counters is left, nor does the
    // walk over the memories have to end for that.
    for (std::uint32_t address = 0; address < 0x100; address += 4)
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << registerText(address);
    used.waitOpen();
    fresh.waitOpen();
    for (std::uint32_t address = 0; address < 0x1000; address += 4)
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << registerText(address);
    for (std::uint32_t slot = 0; slot < unit.size.slots; slot += 7)
      ASSERT_EQ(used.read(r::slot(slot)), 0u) << slot;
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
      ASSERT_EQ(used.tryRead(address).data, fresh.tryRead(address).data) << registerText(address);
    for (std::uint32_t row = 0; row < 16; ++row)
      ASSERT_EQ(used.read(r::row(row)), fresh.read(r::row(row))) << row;
    for (std::uint32_t slot = 0; slot < 64; ++slot)
      ASSERT_EQ(used.read(r::slot(slot)), fresh.read(r::slot(slot))) << slot;
    EXPECT_GT(fresh.done.size(), 5u);
    EXPECT_GT(fresh.releases.size(), 2u);
  }
}

TEST(Reset, AUnitResetInTheMiddleOfItsWorkBehavesLikeAFreshOneAtTheDefaultSize) {
  aResetUnitBehavesLikeAFreshOne(kDefaultUnit, testSeed(71));
}
TEST(Reset, AUnitResetInTheMiddleOfItsWorkBehavesLikeAFreshOneInATinyUnit) {
  aResetUnitBehavesLikeAFreshOne(kTinyUnit, testSeed(72));
}
TEST(Reset, AUnitResetInTheMiddleOfItsWorkBehavesLikeAFreshOneUnderProtection) {
  aResetUnitBehavesLikeAFreshOne(kSecdedUnit, testSeed(73));
}

/// Nothing is counted or wrong in a unit whose memories are still walked.
void nothingHasHappened(TrackTriggerBench& bench) {
  bench.set(r::kIrqEnable, 3);
  EXPECT_EQ(bench.read(r::kIrqStatus), 0u);
  EXPECT_EQ(bench.read(r::kRegionDone), 0u);
  EXPECT_EQ(bench.read(r::kErrors), 0u);
  EXPECT_EQ(bench.read(r::kErrorFirst), 0u);
  for (std::uint32_t cause = 0; cause < kCauses; ++cause)
    EXPECT_EQ(bench.read(r::errorCount(cause)), 0u) << cause;
  for (std::uint32_t region = 0; region < bench.size.regions; ++region)
    EXPECT_EQ(bench.read(r::region(region) + r::kRegDone), 0u) << region;
  for (std::uint32_t counter = r::kUpdates; counter <= r::kCorrected; counter += 8)
    EXPECT_EQ(bench.read64(counter), 0u) << registerText(counter);
  EXPECT_EQ(bench.read(r::kCtrl), r::kCtrlClear) << "the walk is not over";
  EXPECT_FALSE(bench.model->irq_o || bench.model->alert_o);
}

TEST(Reset, NothingHasHappenedYet) {
  TrackTriggerBench bench(kDefaultUnit);
  nothingHasHappened(bench);
}

/// A reset in every cycle around an update that completes its slot and row, or is wrong.
TEST(Reset, NothingIsLeftOfAnUpdateThatWasUnderWay) {
  for (const std::uint32_t weight : {1u, 2u}) {
    for (std::uint64_t when = 0; when < 24; ++when) {
      SCOPED_TRACE(std::to_string(when) + " cycles after an update of " + std::to_string(weight));
      TrackTriggerBench bench(kDefaultUnit);
      bench.waitOpen();
      bench.program(0, TrackTriggerBench::Window{});
      bench.start(0, {.firstRow = 0, .target = 1}, 1);
      bench.set(r::row(0), 1);
      bench.enable();
      bench.lanes[0].push_back({0, 0, kPage, weight});
      bench.ticks(when);
      bench.reset();
      nothingHasHappened(bench);
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace t3::rtl_test::reset_test
