// SPDX-License-Identifier: Apache-2.0
// Method: (1) in every cycle in which the page says the clock may stop, the complete saved state of
// the model is compared before and after a clock edge; (2) the same random run with and without
// the idle clocks gives the same outputs in every cycle; (3) so does t3_tracker, whose gate lets
// exactly the other clocks through.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "rtl_test/random.h"
#include "tests/rtl/units.h"

namespace t3::rtl_test::idle_test {
namespace {

namespace r = registers;

/// Register accesses, bursts of updates with pauses, fills, clears, errors, refusals everywhere.
class Scenario {
 public:
  Scenario(const Unit& unit, std::uint64_t seed) : bench(unit), random_(seed) {
    bench.waitOpen();
    bench.program(0, TrackTriggerBench::Window{.pageLast = 0xffff});
    bench.start(
        0,
        {.wgLast = 31, .shift = bench.size.wfWidth, .firstRow = 3, .blocksPerRow = 4, .target = 20},
        256);
    bench.start(1,
                {.wgFirst = 32,
                 .wgLast = 62,
                 .shift = bench.size.wfWidth,
                 .slotFirst = 32,
                 .slotLast = 60,
                 .trigger = false},
                256);
    for (std::uint32_t row = 3; row < 12; ++row) bench.set(r::row(row), 1 + row % 4);
    bench.set(r::kIrqEnable, 3);
    bench.enable();
    // Decided per cycle in advance, so that a run's outside does not depend on what it clocks.
    bench.doneReady = [this] { return hash(1) % 10 < 3; };
    bench.releaseReady = [this] { return hash(40) % 10 < 2; };
    bench.offer = [this](std::uint32_t lane) { return hash(4 + lane) % 10 < 5; };
  }

  void step() {
    if (bench.cycle % 97 == 0) {
      const std::uint32_t count = random_.below(40);
      for (std::uint32_t i = 0; i < count; ++i) {
        bench.lanes[random_.below(bench.size.lanes)].push_back(
            {random_.below(64), random_.below(bench.size.wavefronts()), random_.below(1u << 28),
             random_.chance(98) ? 128u : 0u});
      }
    }
    if (bench.cycle % 53 == 0) {
      bench.write(random_.chance(70) ? r::slot(random_.below(60)) : r::row(3 + random_.below(9)),
                  random_.between(1, 3) * 128 % 300);
    } else if (bench.cycle % 211 == 0) {
      bench.write(random_.chance(50) ? r::kIrqStatus : r::kErrors, random_.below(16));
    } else if (bench.cycle % 223 == 0) {
      bench.tryRead(random_.chance(50) ? r::row(5) : random_.chance(50) ? r::slot(3) : r::kUpdates);
    } else if (bench.cycle % 701 == 0) {
      bench.write(r::region(0), 2);
      bench.write(r::kFill, 256);
      while (bench.write(r::region(0), 1) != TrackTriggerBench::kOkay) bench.ticks(20);
    } else if (bench.cycle % 5003 == 0) {
      bench.write(r::kCtrl, 3);
    } else {
      bench.tick();
    }
  }

  TrackTriggerBench bench;

 private:
  std::uint32_t hash(std::uint64_t salt) const {
    std::uint64_t x = (bench.cycle * 64 + salt) * 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return static_cast<std::uint32_t>(x >> 33);
  }
  Random random_;
};

/// Compares the first two cycles of each idle period, and of the others one of `every`.
void nothingChangesInAnIdleCycle(const Unit& unit, std::uint64_t seed, std::uint32_t every) {
  Scenario scenario(unit, seed);
  auto& bench = scenario.bench;
  auto& model = *bench.model;
  // Inputs of the last idle cycle are still applied after a tick that could have been skipped, so
  // one more edge with the same inputs must change nothing either.
  bench.skipIdleClocks = true;
  std::uint64_t idle = 0;
  std::uint32_t since = 0;
  for (int i = 0; i < 20000; ++i) {
    scenario.step();
    since = bench.mayStop ? since + 1 : 0;
    if (since == 0 || (since > 2 && since % every != 0)) continue;
    ++idle;
    model.eval();  // the inputs of this cycle, which the skipped tick did not evaluate
    const std::string before = model.state();
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
    ASSERT_EQ(before, model.state()) << "a register moved in idle cycle " << bench.cycle - 1;
  }
  EXPECT_GT(idle, 1000u);
  EXPECT_GT(bench.done.size(), 10u);
  EXPECT_GT(bench.releases.size(), 5u);
}

void skippingChangesNoOutput(const Unit& unit, std::uint64_t seed) {
  std::vector<std::string> traces[2];
  std::uint64_t clocked[2];
  for (int skip = 0; skip < 2; ++skip) {
    Scenario scenario(unit, seed);
    scenario.bench.skipIdleClocks = skip != 0;
    scenario.bench.trace = &traces[skip];
    while (scenario.bench.cycle < 60000) scenario.step();
    clocked[skip] = scenario.bench.clockedCycles;
  }
  EXPECT_LT(clocked[1], clocked[0]);
  ASSERT_EQ(traces[0].size(), traces[1].size());
  for (std::size_t i = 0; i < traces[0].size(); ++i)
    ASSERT_EQ(traces[0][i], traces[1][i]) << "in cycle " << i;
  std::cout << clocked[1] << " of " << clocked[0] << " cycles clocked\n";
}

// A state of the default size is large: fewer are compared here, all in the long test.
TEST(Idle, NoRegisterChangesWhileTheClockMayStopAtTheDefaultSize) {
  nothingChangesInAnIdleCycle(kDefaultUnit, testSeed(21), 16);
}
TEST(IdleLong, NoRegisterChangesWhileTheClockMayStopAtTheDefaultSize) {
  nothingChangesInAnIdleCycle(kDefaultUnit, testSeed(21), 1);
}
TEST(Idle, NoRegisterChangesWhileTheClockMayStopInATinyUnit) {
  nothingChangesInAnIdleCycle(kTinyUnit, testSeed(22), 1);
}
TEST(Idle, SkippingIdleClocksChangesNoOutputAtTheDefaultSize) {
  skippingChangesNoOutput(kDefaultUnit, testSeed(23));
}
TEST(Idle, SkippingIdleClocksChangesNoOutputInATinyUnit) {
  skippingChangesNoOutput(kTinyUnit, testSeed(24));
}

TEST(Idle, AGatedUnitHasTheSameOutputsWithTheClocksThatMayNotStopAlone) {
  std::vector<std::string> traces[2];
  const std::uint64_t seed = testSeed(25);
  Scenario scenario(kTinyUnit, seed), gated(kGatedUnit, seed);
  scenario.bench.skipIdleClocks = true;
  scenario.bench.trace = &traces[0];
  gated.bench.trace = &traces[1];
  // How often the unit's clock has risen.
  const Memory counter = gated.bench.model->registerNamed("pulses_q");
  const auto pulses = [&] {
    std::uint32_t value = 0;
    std::memcpy(&value, counter.data, sizeof value);
    return value;
  };
  const std::uint64_t before = pulses(), clocked = scenario.bench.clockedCycles;
  while (scenario.bench.cycle < 60000) {
    scenario.step();
    gated.step();
    ASSERT_EQ(traces[0], traces[1]) << "in cycle " << scenario.bench.cycle;
    traces[0].clear();
    traces[1].clear();
  }
  EXPECT_EQ(pulses() - before, scenario.bench.clockedCycles - clocked);
  EXPECT_LT(scenario.bench.clockedCycles, scenario.bench.cycle);
  EXPECT_GT(gated.bench.done.size(), 10u);
  EXPECT_GT(gated.bench.releases.size(), 5u);
}

TEST(Idle, AnIdleUnitNeedsNoClock) {
  Bench<kDefaultUnit> bench;
  bench.waitOpen();
  bench.ticks(20);
  EXPECT_FALSE(bench.model->busy_o);
  // A slot or row that nobody takes does not keep the clock running, nor does one that counts.
  bench.program(0, TrackTriggerBench::Window{});
  bench.start(0, {.wgLast = 8, .shift = 3, .firstRow = 0, .blocksPerRow = 3}, 128);
  for (std::uint32_t row = 0; row < 3; ++row) bench.set(r::row(row), 3);
  bench.enable();
  bench.takesDone = bench.takesRows = false;
  for (std::uint32_t wg = 0; wg < 8; ++wg) bench.lanes[0].push_back({wg, 0, 4096, 128});
  bench.ticks(60);
  EXPECT_TRUE(bench.model->done_valid_o);
  EXPECT_TRUE(bench.model->rel_valid_o);
  EXPECT_FALSE(bench.model->busy_o);
  EXPECT_EQ(bench.read(r::kStatus), r::kStatusCommands | r::kStatusRows);
}

}  // namespace
}  // namespace t3::rtl_test::idle_test
