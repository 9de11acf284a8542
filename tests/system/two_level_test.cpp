// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on nodes: a ring inside each, rails between them, all modes. Data is
// checked against the reference; bytes must be those of the definition, written here; times follow
// from what the rails carry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/system/symmetric.h"
#include "tests/testbench/refused.h"

namespace t3::two_level_test {
namespace {

using test::dram;
using test::number;
using test::Words;

const Words kModes = {
    "--modes sequential,cu-split:4,t3,t3-mca,t3-ag,ideal-overlap,ideal-rs-nmc,ideal-ag"};
constexpr std::size_t kModeCount = 8;

std::string text(std::uint64_t value) { return std::to_string(value); }

/// tiny-tp4 with other numbers of GPUs: two tiles of 64 x 64 to a chunk.
struct Nodes {
  std::uint64_t nodes, places;

  std::uint64_t gpus() const { return nodes * places; }
  std::uint64_t chunkBytes() const { return 64 * 128 * 2; }
  Words words(const Words& more = {}) const {
    return Words{"--preset tiny-tp4 --set gpus=" + text(gpus()),
                 "--set workload.rows=" + text(64 * gpus()),
                 "--set workload.columns=128 --set fabric.topology=two-level --set "
                 "fabric.gpus_per_node=" +
                     text(places)} +
           more;
  }
};

void expectExactWithTheTrafficOfTheDefinition(const Nodes& nodes, const Words& more) {
  const auto runs = test::runs("compare" + kModes + nodes.words(more + test::kShallow));
  ASSERT_EQ(runs.size(), kModeCount);
  const std::uint64_t chunk = nodes.chunkBytes(), gpus = nodes.gpus();
  // Each GPU sends M (L-1) chunks into its node's ring and M-1 by its rail.
  const std::uint64_t sent = nodes.nodes * (nodes.places - 1) + nodes.nodes - 1;
  for (const auto& [mode, run] : runs) {
    SCOPED_TRACE(mode);
    test::expectExact(run);
    EXPECT_EQ(number(run, "link_bytes"), 2 * gpus * sent * chunk);
    EXPECT_EQ(
        dram(run, "rs_write"),
        (mode.starts_with("t3") || mode.starts_with("ideal-rs") || mode == "ideal-ag" ? sent
                                                                                      : gpus) *
            chunk);
    EXPECT_EQ(dram(run, "ag_write"), (gpus - 1) * chunk);
    if (mode == "sequential" || mode.starts_with("cu-split")) {
      EXPECT_EQ(dram(run, "rs_read"), (2 * gpus - 1) * chunk) << "own copies and what arrived";
    }
    if (!mode.starts_with("t3")) continue;
    // What is stored straight into the next GPU is neither written here nor read: M chunks.
    EXPECT_EQ(dram(run, "gemm_write"), (gpus - nodes.nodes) * chunk);
    EXPECT_EQ(dram(run, "rs_read"), (sent - nodes.nodes) * chunk);
    const std::uint64_t passed = gpus - nodes.nodes - 1;
    // What is gathered: all but the chunks of the place behind, which end here. Else the own chunk
    // stays.
    const std::uint64_t final = mode == "t3-ag" ? gpus - nodes.nodes : 1;
    EXPECT_EQ(test::tracker(run, "triggers"), gpus * (passed + final) * 2) << "blocks of a tile";
  }
}

TEST(TwoLevel, SumsAreExactOnTheTrackersRtl) {
  expectExactWithTheTrafficOfTheDefinition({2, 2}, "--tracker rtl");
}

TEST(TwoLevel, SumsAreExactOnNodesOfSeveralShapes) {
  expectExactWithTheTrafficOfTheDefinition({2, 4}, "--tracker lockstep");
  expectExactWithTheTrafficOfTheDefinition({3, 2}, "--tracker model");
  expectExactWithTheTrafficOfTheDefinition({3, 3}, "--tracker model");
  expectExactWithTheTrafficOfTheDefinition({4, 4}, "--tracker model");
}

TEST(TwoLevel, SumsAreExactWhereChunksBreakRowsAndTilesAreCut) {
  test::exactRuns(
      {"compare --modes sequential,t3,t3-ag,ideal-rs-nmc --preset tiny-edge-tp4 --tracker lockstep "
       "--set fabric.topology=two-level --set fabric.gpus_per_node=2"},
      4U);
}

TEST(TwoLevel, SumsAreExactHoweverTheZerosGetThere) {
  for (const char* mode : {"t3", "t3-ag"}) {
    SCOPED_TRACE(mode);
    test::exactRun(
        Words{"run --mode", mode, "--tracker model --set hbm.initial_value=zero-over-bus"} +
        Nodes{2, 3}.words());
  }
}

TEST(TwoLevel, SumsAreExactWhereGpusAreLateAndLinksAreSlow) {
  // So the ring's part of a sum comes before the rail's at some GPUs, and after it at others.
  const Words unequal = Nodes{2, 4}.words(
      "--tracker lockstep --set gpu1.launch_delay_us=50 --set "
      "gpu6.link.bandwidth_gb_s=5 --set gpu3.clock_mhz=700");
  test::exactRuns("compare --modes sequential,t3,t3-ag" + unequal, 3U);
  test::exactRun("run --mode t3-ag --set workload.repeat=3" + unequal);
}

TEST(TwoLevel, LongRailsPayTheirLatencyOnce) {
  // The all-gather of t3-ag follows the sums on the rails, so no bound may count two latencies.
  const auto runs = test::runs(
      "compare --modes t3,t3-mca,t3-ag,ideal-rs-nmc,ideal-ag" +
      Nodes{4, 2}.words("--data elided --tracker model --set workload.columns=1024 --set "
                        "fabric.rail_bandwidth_gb_s=4 --set fabric.rail_latency_ns=20000"));
  EXPECT_EQ(runs.size(), 5U) << "none is faster than its bound";
}

TEST(TwoLevel, OneGpuStandsForAll) {
  // Runs of 30 us, in which GPUs start with chunks in different banks: the kernels of `sequential`
  // differ by 4 %.
  test::expectSymmetricAgrees(kModes + Nodes{2, 4}.words("--tracker model"), kModeCount, 0.05);
  test::expectSymmetricAgrees("--modes t3,t3-ag" + Nodes{4, 2}.words("--tracker model"), 2, 0.01);
}

TEST(TwoLevel, AThousandGpusRunSymmetric) {
  const auto run = test::runOf(
      Words("run --mode t3-mca --gpus symmetric --data elided --tracker model") +
      "--preset tiny-tp4 --set gpus=1024 --set workload.rows=4096 --set workload.columns=1024 "
      "--set workload.depth=16 --set fabric.topology=two-level --set fabric.gpus_per_node=8");
  EXPECT_EQ(number(run, "link_bytes"), 2ULL * 1023 * 4096 * 1024 * 2);
}

/// T3 with a GEMM that takes about as long as the rails.
const Words kBalanced = Nodes{4, 2}.words(
    "--data elided --tracker model --mode t3 --set gpu.compute_units=2 --set "
    "fabric.rail_latency_ns=500");

double exposed(const boost::json::object& run) {
  return run.at("phase_ns").at("reduce_scatter").to_number<double>();
}

TEST(TwoLevel, RailsWorkBesideTheGemm) {
  const auto run = test::runOf("run --set fabric.rail_bandwidth_gb_s=6" + kBalanced);
  const double rails = 3.0 * 64 * 128 * 2 / 6;  // three chunks, ns
  const double gemm = run.at("phase_ns").at("gemm").to_number<double>();
  ASSERT_GT(gemm, 0.8 * rails);
  EXPECT_LT(exposed(run), 0.6 * rails) << "the last of three chunks, and its way there";
}

TEST(TwoLevel, SlowRailsTakeTheTimeOfTheirBytes) {
  const auto run = test::runOf("run --set fabric.rail_bandwidth_gb_s=0.5" + kBalanced);
  const double rails = 3.0 * 64 * 128 * 2 / 0.5;
  EXPECT_GT(number(run, "time_ps"), 2e3 * rails) << "reduce-scatter and all-gather";
  EXPECT_LT(number(run, "time_ps"), 2.3e3 * rails);
}

TEST(TwoLevel, SlowRailsDoNotHoldBackTheRingsOfTheGather) {
  // The own chunk and what the rails bring leave by rail and ring at once.
  const Words slow = {
      "--data elided --gpus symmetric --tracker model --set workload.columns=2048 --set "
      "link.bandwidth_gb_s=20 --set fabric.rail_bandwidth_gb_s=4"};
  const auto runs = test::runs("compare --modes t3-ag,ideal-ag" + Nodes{2, 8}.words(slow));
  EXPECT_LT(static_cast<double>(number(runs.at("t3-ag"), "time_ps")),
            1.15 * static_cast<double>(number(runs.at("ideal-ag"), "time_ps")));
}

TEST(TwoLevel, AFollowedTileCrossesItsNodeAndThenTheRails) {
  const auto outcome =
      test::mustRun("follow --mode t3 --gpu 1 --wg 0" + Nodes{2, 4}.words("--tracker model"));
  EXPECT_THAT(outcome.output, testing::HasSubstr("on its way gpu1 -> gpu2 -> gpu3 -> gpu0, where"));
  EXPECT_THAT(outcome.output, testing::HasSubstr("the part of gpu4"));
  const auto across =
      test::t3sim("follow --mode t3 --gpu 5 --wg 0" + Nodes{2, 4}.words("--tracker model"));
  EXPECT_THAT(across.output,
              testing::HasSubstr("on its way gpu5 -> gpu6 -> gpu7 -> gpu4 -> gpu0, where"));
}

TEST(TwoLevel, NodesHaveToBeWhole) {
  test::expectRefused("run --preset tiny-tp4 --set fabric.topology=two-level",
                      {"fabric.gpus_per_node: expected at least 2 whole nodes of the 4 GPUs, got "
                       "nodes of 4"});
}

}  // namespace
}  // namespace t3::two_level_test
