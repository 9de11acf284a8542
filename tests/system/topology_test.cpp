// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on fabrics in which every GPU reaches every other, all modes. Data is
// checked against the reference; operands are such that every order of the additions gives the same
// sum. Traffic must be that of the direct collectives, written here from their definition; times
// follow from what the busiest link carries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/system/symmetric.h"

namespace t3::topology_test {
namespace {

using test::dram;
using test::number;
using test::Words;

const Words kModes = "--modes sequential,cu-split:4,t3,t3-mca,ideal-overlap,ideal-rs-nmc";
constexpr std::size_t kModeCount = 6;

Words fabric(const std::string& topology) { return {"--set fabric.topology=" + topology}; }

/// `output` in bytes.
void expectExactWithDirectTraffic(const Words& scenario, std::uint64_t gpus, std::uint64_t output) {
  const auto runs = test::runs("compare" + kModes + scenario + test::kShallow);
  ASSERT_EQ(runs.size(), kModeCount);
  const std::uint64_t chunk = output / gpus;
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(run.at("verification").at("elements").to_number<std::uint64_t>(), gpus * output / 2);
    EXPECT_EQ(run.at("verification").at("mismatches").to_number<std::uint64_t>(), 0U);
    EXPECT_EQ(number(run, "link_bytes"), 2 * (gpus - 1) * output);
    EXPECT_EQ(dram(run, "ag_read"), chunk) << "the own chunk, once for all";
    EXPECT_EQ(dram(run, "ag_write"), output - chunk);
    const bool tracked = mode.starts_with("t3") || mode == "ideal-rs-nmc";
    if (!tracked) {
      EXPECT_EQ(test::tracker(run, "triggers"), 0U);
    }
    if (mode.starts_with("t3")) {
      // N updates of each element of the own chunk, one of them by the own GEMM.
      EXPECT_EQ(dram(run, "rs_read"), 0U);
      EXPECT_EQ(dram(run, "rs_write"), output - chunk);
      EXPECT_EQ(dram(run, "gemm_write"), chunk);
    } else if (mode == "ideal-rs-nmc") {
      EXPECT_EQ(dram(run, "rs_read"), output - chunk);
      EXPECT_EQ(dram(run, "rs_write"), output - chunk);
      EXPECT_EQ(dram(run, "gemm_write"), chunk);
    } else {
      EXPECT_EQ(dram(run, "rs_read"), output - chunk + output) << "sent, and N copies added";
      EXPECT_EQ(dram(run, "rs_write"), output);
      EXPECT_EQ(dram(run, "gemm_write"), output);
    }
  }
}

class EveryTopology : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Direct, EveryTopology, testing::Values("fully-connected", "switch"),
                         test::withoutDashes);

TEST_P(EveryTopology, SumsAreExactOnTheTrackersRtl) {
  expectExactWithDirectTraffic("--preset tiny-tp4 --tracker rtl" + fabric(GetParam()), 4,
                               512 * 512 * 2);
}

TEST_P(EveryTopology, SumsAreExactWhereChunksBreakRowsAndTilesAreCut) {
  test::exactRuns(
      "compare --modes sequential,t3,ideal-rs-nmc --preset tiny-edge-tp4 --tracker lockstep" +
          fabric(GetParam()),
      3U);
}

TEST_P(EveryTopology, SumsAreExactOnTwoThreeAndSixteenGpus) {
  const auto sized = [&](const char* gpus, const char* rows) {
    return Words{std::string("--preset tiny-tp4 --tracker model --set gpus=") + gpus,
                 std::string("--set workload.rows=") + rows, "--set workload.columns=256"} +
           fabric(GetParam());
  };
  expectExactWithDirectTraffic(sized("2", "256"), 2, 256 * 256 * 2);
  expectExactWithDirectTraffic(sized("3", "192"), 3, 192 * 256 * 2);
  expectExactWithDirectTraffic(sized("16", "256"), 16, 256 * 256 * 2);
}

TEST_P(EveryTopology, SixtyFourGpusOfWholeTilesFillTheTrackersCounter) {
  // A wavefront tile of 16 x 128 fp16 elements gets 64 updates: 262,144 bytes. One GPU stands for
  // all, RTL and twin in lockstep.
  const Words words =
      "run --mode t3 --preset tiny-tp4 --data elided --gpus symmetric --tracker lockstep --set "
      "gpus=64 --set workload.rows=1024 --set workload.columns=1024 --set workload.depth=16 --set "
      "gpu.gemm.tile_rows=128 --set gpu.gemm.tile_columns=128" +
      fabric(GetParam());
  const auto run = test::runOf(words);
  ASSERT_FALSE(run.empty());
  EXPECT_EQ(test::tracker(run, "updates") * 128, 64U * 1024 * 1024 * 2);
}

TEST_P(EveryTopology, TakesWhatTheBusiestLinkTakes) {
  const auto runs = test::runs(
      "compare --preset tiny-tp4 --tracker model --data elided --set link.bandwidth_gb_s=2" +
      kModes + fabric(GetParam()));
  ASSERT_EQ(runs.size(), kModeCount);
  // 3/4 of 512 KiB out of each GPU, and twice that for the whole.
  const double wire = 0.75 * 524288 / 2e3;
  for (const auto& [mode, run] : runs) {
    const double us = static_cast<double>(number(run, "time_ps")) * 1e-6;
    EXPECT_GE(us, 2 * wire) << mode;
    EXPECT_NEAR(run.at("bound_ns").at("all_gather").to_number<double>() * 1e-3, wire, 1.1) << mode;
    if (mode == "sequential") {
      // A switch passes on whole requests: 8 KiB once more at the end, and 2 us of launch.
      const double more = 0.03 * wire + 8192 / 2e3;
      EXPECT_NEAR(run.at("phase_ns").at("reduce_scatter").to_number<double>() * 1e-3, wire, more);
      EXPECT_NEAR(run.at("phase_ns").at("all_gather").to_number<double>() * 1e-3, wire, more);
    }
  }
}

TEST_P(EveryTopology, AgreesWithOneGpuThatStandsForAll) {
  // 2 % as on two rings: tiny outputs.
  test::expectSymmetricAgrees(
      "--preset tiny-tp4 --tracker model --set gpus=8 --set workload.rows=1024 --set "
      "workload.columns=1024 --set workload.depth=512" +
          fabric(GetParam()) + test::kKernelsGather,
      5, 0.02);
}

TEST_P(EveryTopology, CopesWithALateGpuAndASlowLink) {
  for (const char* setting : {"gpu1.launch_delay_us=30", "gpu2.link.bandwidth_gb_s=5"}) {
    for (const char* mode : {"sequential", "t3"}) {
      SCOPED_TRACE(setting);
      const auto run = test::exactRun(
          Words{"run --preset tiny-tp4 --mode", mode, "--tracker model --set", setting} +
          fabric(GetParam()));
      EXPECT_GE(number(run, "time_ps"), 30'000'000U);
    }
  }
}

TEST(FullyConnected, LinksOfFullBandwidthTakeTheirShareOfTheTime) {
  const Words words =
      "run --preset tiny-tp4 --mode sequential --tracker model --data elided --set "
      "link.bandwidth_gb_s=2" +
      fabric("fully-connected");
  const auto shared = test::runOf(words);
  const auto each = test::runOf(words + "--set fabric.links_share_bandwidth=false");
  const auto gatherUs = [](const boost::json::object& run) {
    return run.at("phase_ns").at("all_gather").to_number<double>() * 1e-3;
  };
  EXPECT_NEAR(gatherUs(shared), 0.75 * 524288 / 2e3, 6);
  EXPECT_NEAR(gatherUs(each), 0.25 * 524288 / 2e3, 6);
}

TEST(SwitchFabric, CarriesARingAsWell) {
  const Words words = {
      "compare --modes sequential,cu-split:4,t3,t3-mca,ideal-rs-nmc --preset tiny-tp4"};
  const auto ring = test::runs(words);
  const auto over = test::exactRuns(words + fabric("switch") + "--set fabric.collective=ring", 5U);
  for (const auto& [mode, run] : over) {
    SCOPED_TRACE(mode);
    for (const char* kind : {"rs_read", "rs_write", "ag_read", "ag_write", "gemm_write"}) {
      EXPECT_EQ(dram(run, kind), dram(ring.at(mode), kind)) << kind;
    }
    // Two links of 500 ns instead of one, for each of the steps that a tiny chunk cannot hide.
    const std::uint64_t longer = number(run, "time_ps") - number(ring.at(mode), "time_ps");
    EXPECT_GT(longer, 500'000U);
    EXPECT_LT(longer, 2 * 3 * 600'000U);
  }
}

TEST(Topology, WhatCannotWorkEndsInOneLine) {
  test::expectRefused("run --preset tiny-tp4 --mode t3 --set fabric.collective=direct",
                      {"collective: expected auto or ring"});
  test::expectRefused(
      "run --preset tiny-tp4 --mode t3 --set fabric.topology=switch --set gpus=64 "
      "--set workload.rows=2048 --set workload.columns=2048 --set "
      "gpu.gemm.tile_rows=256 --set gpu.gemm.tile_columns=256",
      {"gpu.gemm.tile_rows: expected tiles of at most 65536 "
       "bytes, of which a slot of the tracker counts 64"});
}

}  // namespace
}  // namespace t3::topology_test
