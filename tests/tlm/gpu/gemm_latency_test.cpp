// SPDX-License-Identifier: Apache-2.0
// Method: one workgroup on one compute unit, every K step a miss of its own. Then the end of each
// step has a closed form, the recurrence in `expectedMathEnd`, which is written down here from the
// description in docs/gpu.md ("What waiting costs"). Tests of occupancy and of many compute units
// compare whole kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/tlm/gpu/gemm_bench.h"

namespace t3::test::gemm_latency_test {
namespace {

constexpr Picoseconds kUs = 1'000'000;

/// One compute unit; a K step is one fetch of each row of 128 rows of A and of B.
GpuConfig oneUnit() {
  GpuConfig config;
  config.compute_units = 1;
  config.gemm.k_step = 128;
  config.gemm.outstanding_load_bytes_per_cu = 1 << 24;
  config.l2.outstanding_fetches_per_bank = 4096;
  return config;
}
constexpr std::uint32_t kSteps = 12;
constexpr Shape kTile{128, 128, 128 * kSteps};

Speed latency(Picoseconds time) { return {time, 1e6, 1 << 20}; }
Picoseconds cycles(const GpuConfig& config, std::uint64_t count) {
  return Clock(config.clock_mhz).cycles(count);
}
Picoseconds mathTime(const GpuConfig& config) {
  return cycles(config, static_cast<std::uint64_t>(
                            std::ceil(128.0 * 128 * 128 / (512 * config.gemm.issue_efficiency))));
}
Picoseconds syncTime(const GpuConfig& config) {
  return cycles(config, config.gemm.step_sync_cycles);
}
/// Math and what stands in front of it.
Picoseconds stepTime(const GpuConfig& config) { return syncTime(config) + mathTime(config); }

/// When the last of `kSteps` steps is done. The operands of step s are requested when step
/// s - stages is done, the first ones at 0; they come `latency` and the L2's hit latency later, A
/// and B one after the other on the fill path of 64 B per cycle.
Picoseconds expectedMathEnd(const GpuConfig& config, Picoseconds memoryLatency) {
  const Picoseconds slab = cycles(config, 128 * 256 / 64);
  const Picoseconds hit = picosecondsFromNs(config.l2.hit_latency_ns);
  std::vector<Picoseconds> done;
  Picoseconds fillPathFree = 0;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    const Picoseconds requested =
        step < config.gemm.load_stages ? 0 : done[step - config.gemm.load_stages];
    for (int operand = 0; operand < 2; ++operand) {
      fillPathFree = std::max(requested + memoryLatency + hit, fillPathFree + slab);
    }
    const Picoseconds before = step == 0 ? 0 : done[step - 1];
    done.push_back(std::max(before, fillPathFree) + stepTime(config));
  }
  return done.back();
}

void launchUpdates(GemmBench& bench) {
  OutputMap map;
  map.dmaMap({0, bench.tiling.tiles()});
  bench.launch(std::move(map));
}
/// Of a single tile that has been stored; the memory takes its bands as they come.
Picoseconds mathEnd(const GemmBench& bench) {
  const GemmStatistics& s = bench.kernel.statistics();
  return s.stageEnds.back() - s.epilogueTime;
}

/// The times of `statistics` in which a workgroup holds its slot.
Picoseconds slotTime(const GemmStatistics& s) {
  return s.prologueTime + s.lateTime + s.syncTime + s.matrixWait + s.mathTime + s.epilogueTime;
}

TEST(GemmLatency, OperandsThatComeWithinAStepCostNothingButThePrologue) {
  const GpuConfig config = oneUnit();
  GemmBench bench("gemm", config, kTile, latency(kUs));
  bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(mathEnd(bench), expectedMathEnd(config, kUs));
  const GemmStatistics& s = bench.kernel.statistics();
  EXPECT_EQ(s.lateTime, 0U);
  EXPECT_EQ(s.prologueTime, expectedMathEnd(config, kUs) - kSteps * stepTime(config));
  EXPECT_EQ(s.mathTime, kSteps * mathTime(config));
  EXPECT_EQ(s.syncTime, kSteps * syncTime(config));
  EXPECT_EQ(s.epilogueTime, cycles(config, 128 * 128 * 2 / 32));
}

TEST(GemmLatency, OperandsLaterThanAStepCostTheirExcessEverySecondStep) {
  // Two stages: of two steps in a row, the second has its operands by the time the first is done.
  const GpuConfig config = oneUnit();
  constexpr Picoseconds kSlow = 10 * kUs;
  GemmBench bench("gemm", config, kTile, latency(kSlow));
  bench.run(&OutputMap::dmaMap);
  EXPECT_EQ(mathEnd(bench), expectedMathEnd(config, kSlow));
  const Picoseconds arrival =
      kSlow + picosecondsFromNs(config.l2.hit_latency_ns) + cycles(config, 128 * 256 / 64);
  EXPECT_EQ(bench.kernel.statistics().lateTime, (kSteps / 2 - 1) * (arrival - stepTime(config)));
}

TEST(GemmLatency, EachStageMoreHidesAStepMore) {
  constexpr Picoseconds kSlow = 7 * kUs;  // between two and three steps
  std::vector<std::unique_ptr<GemmBench>> benches;
  for (const std::uint32_t stages : {1U, 2U, 3U, 4U}) {
    GpuConfig config = oneUnit();
    config.gemm.load_stages = stages;
    benches.push_back(std::make_unique<GemmBench>("gemm" + std::to_string(stages), config, kTile,
                                                  latency(kSlow)));
    launchUpdates(*benches.back());
  }
  sc_core::sc_start();
  Picoseconds fewerStages = ~Picoseconds{0};
  for (const auto& bench : benches) {
    EXPECT_EQ(mathEnd(*bench), expectedMathEnd(bench->config, kSlow));
    EXPECT_LT(mathEnd(*bench), fewerStages);
    fewerStages = mathEnd(*bench);
    EXPECT_EQ(bench->kernel.statistics().lateTime == 0, bench->config.gemm.load_stages == 4);
  }
}

TEST(GemmLatency, AnotherWorkgroupOfTheUnitWorksWhileOneWaits) {
  // Four tiles of a unit, one after the other or two at a time. Alone each step waits; of two, one
  // multiplies while the other waits.
  constexpr Shape kFourTiles{512, 128, 128 * kSteps};
  constexpr Picoseconds kSlow = 5 * kUs;
  GpuConfig config = oneUnit();
  GemmBench alone("alone", config, kFourTiles, latency(kSlow));
  config.gemm.workgroups_per_cu = 2;
  GemmBench shared("shared", config, kFourTiles, latency(kSlow));
  launchUpdates(alone);
  launchUpdates(shared);
  sc_core::sc_start();
  const double math = 4.0 * kSteps * static_cast<double>(mathTime(config));
  EXPECT_GT(static_cast<double>(alone.kernel.statistics().end), 1.3 * math);
  EXPECT_LT(static_cast<double>(shared.kernel.statistics().end), 1.15 * math);
  EXPECT_GT(shared.kernel.statistics().matrixWait, 0U);
  EXPECT_EQ(alone.kernel.statistics().matrixWait, 0U);
}

TEST(GemmLatency, AMemoryWithLittleBandwidthMakesTheSameOperandsLate) {
  // 64 KiB a step in the 3.1 us of its math and synchronisation: 21 B/ns are needed.
  const GpuConfig config = oneUnit();
  GemmBench fast("fast", config, kTile, {kUs, 40, 1 << 20});
  GemmBench slow("slow", config, kTile, {kUs, 10, 1 << 20});
  OutputMap map;
  map.discard({0, 1});
  fast.launch(map);
  slow.launch(map);
  sc_core::sc_start();
  const GemmStatistics& s = slow.kernel.statistics();
  EXPECT_EQ(fast.kernel.statistics().lateTime, 0U);
  EXPECT_NEAR(static_cast<double>(s.end), kSteps * 65536.0 / 10 * 1000, 0.08 * 79e6);
  EXPECT_GT(s.lateTime, s.mathTime / 2);
}

TEST(GemmLatency, TheTimesOfTheSlotsAreAllThereIs) {
  // Edges everywhere; a memory that is late and narrow. The one unit is never without a workgroup.
  GemmBench one("one", oneUnit(), {350, 128, 1000}, {3 * kUs, 5, 8});
  GpuConfig config = smallGpu();  // 4 units
  config.gemm.workgroups_per_cu = 2;
  GemmBench eight("eight", config, {128, 60, 200}, {3 * kUs, 5, 8});  // one tile in each slot
  launchUpdates(one);
  launchUpdates(eight);
  sc_core::sc_start();
  EXPECT_EQ(slotTime(one.kernel.statistics()), one.kernel.statistics().stageEnds.back());
  EXPECT_GT(slotTime(eight.kernel.statistics()), eight.kernel.statistics().stageEnds.back());
  EXPECT_LE(slotTime(eight.kernel.statistics()), 8 * eight.kernel.statistics().stageEnds.back());
}

}  // namespace
}  // namespace t3::test::gemm_latency_test
