// SPDX-License-Identifier: Apache-2.0
// Method: interrupts (t3_irq) and the counts of regions (t3_regions) by themselves, of sixteen
// regions, against models in the test. Events and clears of the same bit often meet in one cycle,
// which the whole unit's registers could not show: nobody outside knows in which cycle a write is
// at work. Counts that take many completions are loaded (poke.vlt).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>

#include "Virq.h"
#include "Vregions.h"
#include "Vregions___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::events_test {
namespace {

constexpr std::uint32_t kRegions = 16, kRegionBits = 4;

/// T3_WRITES_T, from its lowest bit on.
enum WritesLsb : std::uint32_t {
  kRegionDoneLsb = kRegionBits + 5 + 11 + 1 + 4 + 27 + 1,
  kRegionDoneWriteLsb = kRegionDoneLsb + kRegions,
  kIrqTestLsb,
  kIrqTestWriteLsb = kIrqTestLsb + 2,
  kIrqStatusLsb,
  kIrqStatusWriteLsb = kIrqStatusLsb + 2,
};

TEST(Events, OfAnEventAndAClearInOneCycleTheEventWins) {
  Random random(testSeed(81));
  Clocked<Virq> irq;
  auto& m = irq.model;
  std::uint32_t done = 0, status = 0, met = 0;
  bool level = false, damaged = false;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const auto bits = [&](std::uint32_t percent, std::uint32_t width) {
      return random.chance(percent) ? random.below(1u << width) : 0u;
    };
    const std::uint32_t reached = random.chance(20) ? 1u << random.below(kRegions) : 0;
    // Often of the very region that is done in this cycle.
    const std::uint32_t forget =
        random.chance(20) ? reached | bits(20, kRegions) : bits(10, kRegions);
    const std::uint32_t test = bits(5, 2), clear = bits(30, 2);
    const bool error = random.chance(10), all = random.chance(1);
    // Writes to other registers mean nothing here.
    setBits(m.writes_i, 0, 32, random.bits(32));
    setBits(m.writes_i, 32, kRegionDoneLsb - 32, random.bits(kRegionDoneLsb - 32));
    setBits(m.writes_i, kIrqStatusWriteLsb + 1, 3, random.bits(3));
    setBits(m.writes_i, kRegionDoneLsb, kRegions, forget);
    setBits(m.writes_i, kRegionDoneWriteLsb, 1, forget != 0);
    setBits(m.writes_i, kIrqTestLsb, 2, test);
    setBits(m.writes_i, kIrqTestWriteLsb, 1, test != 0);
    setBits(m.writes_i, kIrqStatusLsb, 2, clear);
    setBits(m.writes_i, kIrqStatusWriteLsb, 1, clear != 0);
    m.reached_i = static_cast<SData>(reached);
    m.error_i = error;
    m.clear_i = all;
    m.damaged_i = damaged = random.chance(3) ? !damaged : damaged;
    m.enable_i = static_cast<CData>(random.chance(2) ? random.below(4) : m.enable_i);
    m.eval();
    level = (status & m.enable_i) != 0;
    irq.edge();
    met += (reached & forget & done) != 0;
    done = all ? 0 : (done & ~forget) | reached;
    status = all ? 0 : (status & ~clear) | test | (reached != 0 ? 1u : 0u) | (error ? 2u : 0u);
    ASSERT_EQ(m.region_done_o, done) << "cycle " << cycle;
    ASSERT_EQ(m.status_o, status) << "cycle " << cycle;
    ASSERT_EQ(m.irq_o != 0, level) << "cycle " << cycle;
    ASSERT_EQ(m.alert_o != 0, damaged) << "cycle " << cycle;
  }
  EXPECT_GT(met, 50u) << "an event and a clear of a bit that was set met too seldom";
}

TEST(Events, EachCompletionCountsOnceInItsRegion) {
  constexpr std::uint32_t kSlotBits = 4;
  Random random(testSeed(82));
  Clocked<Vregions> regions;
  auto& m = regions.model;
  std::array<std::uint32_t, kRegions> done{}, target{};
  std::uint32_t reachedSeen = 0, met = 0;
  bool comes = false, triggers = false, retargeted = false;
  std::uint32_t region = 0, written = 0;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    if (random.chance(1)) {
      const std::uint32_t loaded = random.below(kRegions);
      done[loaded] = random.below(1u << 16);
      setBits(m.rootp->t3_regions__DOT__done_o, loaded * 16, 16, done[loaded]);
    }
    for (std::uint32_t r = 0; r < kRegions; ++r) {
      if (random.chance(1)) target[r] = (done[r] + random.below(6)) & 0xffffu;
      setBits(m.target_i, r * 16, 16, target[r]);
    }
    const bool nextComes = random.chance(70), nextTriggers = random.chance(50);
    const std::uint32_t nextRegion = random.below(kRegions);
    m.completed_i = nextComes;
    m.completion_i = static_cast<SData>((nextTriggers ? 1u : 0u) << (kRegionBits + kSlotBits) |
                                        nextRegion << kSlotBits | random.below(1u << kSlotBits));
    const std::uint32_t off = random.below(1u << kRegions);
    m.off_i = static_cast<SData>(off);
    const bool restart = !retargeted && random.chance(10), retarget = !restart && random.chance(10);
    m.retarget_i = retarget;
    const std::uint32_t restarted = random.chance(50) ? region : random.below(kRegions);
    m.restart_i = restart;
    m.restart_region_i = static_cast<CData>(restarted);
    m.clear_i = random.chance(1) && random.chance(10);
    m.eval();
    std::uint32_t reached = 0;
    ASSERT_EQ(m.counted_o != 0, comes) << "cycle " << cycle;
    ASSERT_EQ(m.triggered_o != 0, comes && triggers) << "cycle " << cycle;
    // A target that was written in the cycle before, and is there already.
    if (retargeted && (off >> written & 1u) == 0 && target[written] != 0 &&
        target[written] <= done[written])
      reached |= 1u << written;
    if (restart) done[restarted] = 0;
    met += restart && comes && restarted == region;
    if (comes) {
      done[region] = (done[region] + 1) & 0xffffu;
      if (done[region] == target[region]) reached |= 1u << region;
    }
    ASSERT_EQ(m.reached_o, reached) << "cycle " << cycle;
    reachedSeen += reached != 0;
    if (m.clear_i) done.fill(0);
    regions.edge();
    for (std::uint32_t r = 0; r < kRegions; ++r)
      ASSERT_EQ(bitsOf(m.done_o, r * 16, 16), done[r]) << "region " << r << ", cycle " << cycle;
    retargeted = retarget;
    written = restarted;
    comes = nextComes;
    triggers = nextTriggers;
    region = nextRegion;
  }
  EXPECT_GT(reachedSeen, 100u);
  EXPECT_GT(met, 100u);
}

}  // namespace
}  // namespace t3::rtl_test::events_test
