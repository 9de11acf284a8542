// SPDX-License-Identifier: Apache-2.0
// Closed forms. Method: machines whose figures make every part a round number, computed by hand;
// then one GPU after the other is made to differ, and the sum must follow the reason that the
// header gives.
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "tlm/node/bounds.h"

namespace t3::bounds_test {
namespace {

/// Four GPUs in a ring; 16 tiles of 64 x 64, 4 in each chunk of 32 KiB.
SystemConfig fourGpus() {
  SystemConfig config;
  config.gpus = 4;
  config.workload = {.rows = 256, .columns = 256, .depth = 100, .data_type = DataType::Fp16};
  config.gpu.clock_mhz = 1000;
  config.gpu.compute_units = 8;
  config.gpu.kernel_launch_us = 1;
  config.gpu.gemm.tile_rows = config.gpu.gemm.tile_columns = 64;
  config.gpu.gemm.macs_per_cu_per_cycle = 512;
  config.gpu.gemm.issue_efficiency = 0.5;
  config.gpu.gemm.k_step = 64;
  config.gpu.gemm.step_sync_cycles = 50;
  config.link.bandwidth_gb_s = 64;
  config.link.latency_ns = 100;
  return config;
}

/// Two tiles in turn, of two steps each, 1 ns a cycle.
constexpr double kGemm = 2 * (64.0 * 64 * 100 / 256 + 2 * 50);
constexpr double kWire = 3 * 32768.0 / 64;  // N-1 chunks
constexpr double kCollective = kWire + 100;

BoundParts partsOf(const SystemConfig& config, bool tracked = false) {
  const auto route = config.makeRoute();
  return boundParts(config, *route, config.makeTiling(*route), kReduceScatterAndAllGather, tracked);
}

TEST(Bounds, ArePartsOneAfterTheOtherOrOverlapped) {
  const BoundParts parts = partsOf(fourGpus());
  EXPECT_DOUBLE_EQ(inTurn(parts), kGemm + 2 * (1000 + kCollective));
  EXPECT_GT(kGemm, kCollective);
  EXPECT_DOUBLE_EQ(firstOverlapped(parts), kGemm + 1000 + kCollective);
  SystemConfig slowLinks = fourGpus();
  slowLinks.link.bandwidth_gb_s = 16;
  EXPECT_DOUBLE_EQ(firstOverlapped(partsOf(slowLinks)), 1000 + 2 * (4 * kWire + 100));
}

TEST(Bounds, CountTheMemoryWhereItIsSlowerThanTheMath) {
  SystemConfig config = fourGpus();
  config.gpu.gemm.macs_per_cu_per_cycle = 1 << 20;
  config.hbm.channels = 1;
  config.hbm.clock_mhz = 850;  // 1176 ps, not 1176.47
  const double operands = 2.0 * 100 * (256 + 256);
  const double output = 2.0 * 256 * 256;
  const double perByte = 1.176 / (config.hbm.peakBytesPerNs() * 1e3 / 850);
  EXPECT_NEAR(partsOf(config).gpus[0].gemm, (operands + output) * perByte, 1e-6);
  // A tracked GPU stores one of the four chunks in its neighbour's memory.
  EXPECT_NEAR(partsOf(config, true).gpus[0].gemm, (operands + 0.75 * output) * perByte, 1e-6);
}

TEST(Bounds, CountTheMemoryTrafficOfTheOutputAndOfCollectivesThatATrackerDrives) {
  const SystemConfig config = fourGpus();
  const GpuBound gpu = partsOf(config, true).gpus[0];
  const double chunk = 32768 / config.hbm.peakBytesPerNs();
  EXPECT_DOUBLE_EQ(gpu.stores, 3 * chunk) << "the GEMM stores one of four in the neighbour's";
  EXPECT_DOUBLE_EQ(gpu.memory.of(kReduceScatter), 5 * chunk) << "two are read, three arrive";
  EXPECT_DOUBLE_EQ(gpu.memory.of(kAllGather), 6 * chunk);
}

TEST(Bounds, TheSlowestGpuIsFollowedByTheFastestCollective) {
  SystemConfig config = fourGpus();
  config.overrides.groups[1].clock_mhz = 500;
  config.overrides.groups[1].launch_delay_us = 5;
  EXPECT_DOUBLE_EQ(inTurn(partsOf(config)), 5000 + 2 * kGemm + 2 * (1000 + kCollective));
  config.overrides.groups[2].link.bandwidth_gb_s = 32;
  EXPECT_DOUBLE_EQ(inTurn(partsOf(config)), 5000 + 2 * kGemm + 2 * (1000 + kCollective))
      << "the slow link's GPU may be done with the reduction when the late one begins";
  config.overrides.groups[2].link.bandwidth_gb_s = 1;
  EXPECT_DOUBLE_EQ(inTurn(partsOf(config)), kGemm + 1000 + 2 * 64 * kWire + 100)
      << "one link carries both collectives";
  EXPECT_DOUBLE_EQ(firstOverlapped(partsOf(config)), 2 * 64 * kWire + 100);
}

TEST(Bounds, NobodyWaitsForContributionsThatAreLeftOut) {
  constexpr double kRounded = 1e-3;  // a third of the bandwidth is whole bytes a second
  SystemConfig config = fourGpus();
  config.fabric.topology = Topology::FullyConnected;
  config.overrides.groups[1].launch_delay_us = 5;
  config.overrides.groups[2].link.bandwidth_gb_s = 1;
  config.workload.contributions = 4;
  EXPECT_DOUBLE_EQ(partsOf(config).awaited, 1);
  const double slow = 64 * kWire;
  EXPECT_NEAR(allOverlapped(partsOf(config)), 2 * slow + 100, kRounded);
  config.workload.contributions = 3;
  EXPECT_DOUBLE_EQ(partsOf(config).awaited, 2.0 / 3);
  EXPECT_DOUBLE_EQ(allOverlapped(partsOf(config)), 5000 + kGemm) << "the late GPU computes";
  EXPECT_NEAR(firstOverlapped(partsOf(config)), 5000 + kGemm + 1000 + kCollective, kRounded);
  config.overrides.groups[1].launch_delay_us = 0;
  for (std::uint32_t g = 0; g < 4; ++g) config.overrides.groups[g].link.bandwidth_gb_s = 1;
  EXPECT_NEAR(allOverlapped(partsOf(config)), slow + 100, kRounded) << "all chunks are gathered";
  EXPECT_NEAR(firstOverlapped(partsOf(config)), (slow + 100) * 2 / 3 + 1000 + slow + 100, kRounded);
}

TEST(Bounds, WhatMayBeDroppedIsNoTrafficOfTheMemory) {
  SystemConfig config = fourGpus();
  config.fabric.topology = Topology::FullyConnected;
  config.workload.contributions = 3;
  config.gpu.gemm.macs_per_cu_per_cycle = 1 << 20;
  config.hbm.channels = 1;
  const double operands = 2.0 * 100 * (256 + 256);
  EXPECT_NEAR(partsOf(config, true).gpus[0].gemm, operands / config.hbm.peakBytesPerNs(), 1e-6);
}

TEST(Bounds, HeadersAreOnTheWireAndDecideNoPolicy) {
  SystemConfig config = fourGpus();
  config.link.header_bytes = 32;
  config.link.packet_bytes = 128;
  const GpuBound gpu = partsOf(config).gpus[0];
  EXPECT_DOUBLE_EQ(gpu.collectives.of(kReduceScatter), 1.25 * kWire + 100);
  EXPECT_DOUBLE_EQ(gpu.links, 2 * 1.25 * kWire + 100);
  EXPECT_DOUBLE_EQ(gpu.memory.of(kAllGather), partsOf(fourGpus()).gpus[0].memory.of(kAllGather));
  EXPECT_DOUBLE_EQ(partsOf(withoutHeaders(config)).gpus[0].links, 2 * kWire + 100);
}

TEST(Bounds, ASwitchIsTwoLatencies) {
  SystemConfig config = fourGpus();
  config.fabric.topology = Topology::Switch;
  config.overrides.groups[3].link.latency_ns = 700;
  const BoundParts parts = partsOf(config);
  EXPECT_DOUBLE_EQ(parts.gpus[0].collectives.of(kAllGather), kWire + 200) << "to the nearest";
  EXPECT_DOUBLE_EQ(parts.gpus[3].collectives.of(kAllGather), kWire + 800);
}

TEST(Bounds, ASwitchThatAddsAndCopiesCarriesTheOutputOnceEachWay) {
  SystemConfig config = fourGpus();
  config.fabric.topology = Topology::Switch;
  config.switched.merge = SwitchMerge::Model;
  const auto route = config.makeRoute();
  const auto parts = [&](bool tracked, bool gathers) {
    return boundParts(config, *route, config.makeTiling(*route), kReduceScatterAndAllGather,
                      tracked, gathers)
        .gpus[0];
  };
  // One of both directions is as full as without, whichever collective is alone.
  EXPECT_DOUBLE_EQ(parts(true, true).collectives.of(kReduceScatter), kWire + 200);
  EXPECT_DOUBLE_EQ(parts(true, true).collectives.of(kAllGather), kWire + 200);
  EXPECT_DOUBLE_EQ(parts(true, true).links, 4 * 32768.0 / 64 + 200);
  EXPECT_DOUBLE_EQ(parts(true, false).links, 2 * kWire + 200);
  EXPECT_DOUBLE_EQ(parts(false, false).links, 2 * kWire + 200);
  // The memory: what the GEMM keeps is no traffic of collectives; a sum comes in, all others'
  // chunks come in, and the own one is read once.
  const double chunk = 32768 / config.hbm.peakBytesPerNs();
  EXPECT_DOUBLE_EQ(parts(true, true).memory.of(kReduceScatter), chunk);
  EXPECT_DOUBLE_EQ(parts(true, true).memory.of(kAllGather), 4 * chunk);
}

TEST(Bounds, ADelayedLaunchCountsOnceAndEveryGpuComputesAllItsGemms) {
  SystemConfig config = fourGpus();
  const auto total = [&config] {
    RunResult result;
    addBounds(config, Mode::Sequential, result);
    return result.bound_ns;
  };
  const double one = total();
  EXPECT_DOUBLE_EQ(one, kGemm + 2 * (1000 + kCollective));
  config.workload.repeat = 3;
  EXPECT_DOUBLE_EQ(total(), 3 * one);
  config.overrides.groups[1].launch_delay_us = 5;
  EXPECT_DOUBLE_EQ(total(), 5000 + one + 2 * kGemm) << "others may be ahead by then";
  config.overrides.groups[1].launch_delay_us = 0.001;
  config.overrides.groups[1].clock_mhz = 10;
  const double slow = kGemm * 100;
  EXPECT_DOUBLE_EQ(total(), 1 + 3 * slow) << "the slowest GPU's GEMMs";
}

TEST(Bounds, ACollectiveCountsInEverySublayer) {
  SystemConfig config = fourGpus();
  config.fabric.topology = Topology::Switch;
  config.switched.merge = SwitchMerge::Model;
  const auto bound = [&config] {
    RunResult result;
    addBounds(config, Mode{kNvls}, result);
    return result.of(extraPhase(0)).bound_ns;
  };
  const double one = bound();
  EXPECT_GT(one, 0);
  config.workload.repeat = 3;
  EXPECT_DOUBLE_EQ(bound(), 3 * one);
}

TEST(Bounds, ARunAtItsClosedFormHoldsAndOneBelowDoesNot) {
  RunResult result;
  result.bound_ns = 100.0004;  // between two picoseconds
  for (const Picoseconds time : {100'000, 99'999}) {
    result.time_ps = time;
    EXPECT_EQ(belowClosedForm(result), "") << time;
  }
  result.time_ps = 99'998;
  EXPECT_EQ(belowClosedForm(result), "faster than its closed form: 99998 ps < 100000 ps");
  result.bound_ns = 100.0016;
  EXPECT_EQ(belowClosedForm(result), "faster than its closed form: 99998 ps < 100002 ps");
}

std::uint64_t limitOf(double gemm, double ring, const SystemConfig& config = {}) {
  GpuBound bound;
  bound.gemm = gemm;
  static constexpr std::array<const Collective*, 2> kBoth{&kReduceScatter, &kAllGather};
  bound.collectives = PerCollective<double>(kBoth);
  bound.collectives.begin()->value = ring;
  return lagLimit(config, bound, false);
}

TEST(LagLimit, IsLowerWhereTheRingIsLongerThanTheGemm) {
  const SystemConfig config;  // 80 compute units with a workgroup each
  EXPECT_EQ(limitOf(1000, 1100, config), 240U) << "three stages, up to long_ring_ratio";
  EXPECT_EQ(limitOf(1000, 1101, config), 40U) << "half a stage";
}

TEST(LagLimit, CountsAllCollectivesWhereTheTrackerDrivesThemAll) {
  GpuBound bound;
  static constexpr std::array<const Collective*, 2> kBoth{&kReduceScatter, &kAllGather};
  bound.collectives = PerCollective<double>(kBoth);
  bound.gemm = 100;
  bound.collectives.begin()->value = 60;
  bound.links = 111;
  EXPECT_EQ(lagLimit({}, bound, false), 240U) << "the all-gather comes after the GEMM";
  EXPECT_EQ(lagLimit({}, bound, true), 40U);
  bound.links = 110;
  EXPECT_EQ(lagLimit({}, bound, true), 240U);
}

TEST(LagLimit, CountsAllWorkgroupsOfAStageAndRoundsUp) {
  SystemConfig config;
  config.gpu.compute_units = 5;
  config.gpu.gemm.workgroups_per_cu = 3;
  config.hbm.mca.lag_stages = 0.5;
  EXPECT_EQ(limitOf(2, 1, config), 8U);
}

TEST(LagLimit, OfZeroStagesIsNone) {
  SystemConfig config;
  config.hbm.mca.lag_stages = 0;
  EXPECT_EQ(limitOf(2, 1, config), 0U);
  EXPECT_EQ(limitOf(1, 2, config), 40U) << "the other one holds";
}

TEST(LagLimit, OfASublayerWithoutACollectiveIsThatOfAShortRing) {
  GpuBound bound;
  bound.gemm = 1;
  EXPECT_EQ(lagLimit({}, bound, false), 240U);
}

TEST(ExpectedTraffic, IsWhatTheMemoryGivesToStoresAndCollectivesWhileTheGemmComputes) {
  GpuBound bound;
  static constexpr std::array<const Collective*, 2> kBoth{&kReduceScatter, &kAllGather};
  bound.memory = PerCollective<double>(kBoth);
  bound.gemm = 100;
  bound.stores = 10;
  bound.memory.of(kReduceScatter) = 20;
  bound.memory.of(kAllGather) = 45;
  EXPECT_EQ(expectedTraffic(bound, false), 0.3) << "the all-gather comes after the GEMM";
  EXPECT_EQ(expectedTraffic(bound, true), 0.75);
}

}  // namespace

}  // namespace t3::bounds_test
