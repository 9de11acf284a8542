// SPDX-License-Identifier: Apache-2.0
// Method: the limit of a GPU whose GEMM and whose ring take so long, by hand. The scenarios are the
// two sides of the paper's evaluation: a GEMM that is longer than its ring, and the other way
// round.
#include "tlm/node/lag_limit.h"

#include <gtest/gtest.h>

#include <array>

namespace t3 {
namespace {

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
}  // namespace t3
