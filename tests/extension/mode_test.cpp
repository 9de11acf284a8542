// SPDX-License-Identifier: Apache-2.0
// Method: a mode of this file's own, whose collective is one that no other mode uses. What it says
// of itself must show in the run: the kernels, the bytes, the bound, what it changes in the
// configuration and in the result.
#include "tlm/node/mode.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/extension/checked_run.h"
#include "tlm/node/bounds.h"
#include "tlm/node/modes/blocks.h"

namespace t3::mode_test {
namespace {

/// The GEMM, then one kernel that reduces and gathers without a boundary in between.
Graph gemmThenAllReduce(const SystemConfig& /*config*/) {
  Graph graph;
  const NodeId gemm = addGemm(graph);
  graph.connect(gemm, Gate::After, addKernels(graph, kAllReduce));
  return graph;
}

constexpr ModeKind kGemmThenAllReduce{
    .name = "gemm-then-all-reduce",
    .takesNumber = true,
    .graph = gemmThenAllReduce,
    .bound = inTurn,
    .configure = [](SystemConfig& config,
                    std::uint32_t number) { config.gpu.kernel_launch_us = number; },
    .finish = [](RunResult& result) { result.dram_bursts = 0; }};

TEST(Extension, AModeOfOnesOwnRunsAndAnswersForItself) {
  const SystemConfig config = test::tinyTp4();
  const RunResult result = test::checkedRun(config, Mode{kGemmThenAllReduce, 3});

  ASSERT_EQ(result.phases.size(), 2U);
  EXPECT_EQ(result.phases[0].name, "gemm");
  EXPECT_EQ(result.phases[1].name, "all_reduce");
  EXPECT_GE(result.phases[1].start_ps, result.per_gpu.front().gemm_end_ps + 3'000'000)
      << "the launch that the mode has set";
  EXPECT_EQ(result.time_ps, result.phases[1].end_ps);

  const std::uint64_t output = test::outputBytes(config);
  EXPECT_EQ(result.link_bytes, 2 * (config.gpus - 1) * output);
  EXPECT_EQ(result.tracker_stats.updates, 0U);
  EXPECT_EQ(result.dram_bursts, 0U) << "the mode finishes the result";

  const PhaseFigures& figures = result.of(kAllReduce.phase);
  EXPECT_EQ(figures.name, "all_reduce");
  EXPECT_EQ(figures.dram_write, output + output / config.gpus * (config.gpus - 1))
      << "N-1 chunks received and one kept; N-1 chunks gathered";
  // 2 (N-1) chunks over one link, the last byte one latency later.
  EXPECT_DOUBLE_EQ(figures.bound_ns,
                   2.0 * (config.gpus - 1) * static_cast<double>(output) / config.gpus / 75 + 500);
  EXPECT_DOUBLE_EQ(result.bound_ns, result.of(Phase::Gemm).bound_ns + 3000 + figures.bound_ns);
  EXPECT_NEAR(result.of(Phase::Gemm).exposed_ns + figures.exposed_ns,
              static_cast<double>(result.time_ps) * 1e-3, 1e-3);
  EXPECT_GT(figures.exposed_ns, figures.bound_ns);
}

class OwnMode : public testing::TestWithParam<Topology> {};

TEST_P(OwnMode, ReducesAndGathersOnEveryFabric) {
  SystemConfig config = test::tinyTp4();
  config.fabric.topology = GetParam();
  config.fabric.gpus_per_node = 2;
  const RunResult result = test::checkedRun(config, Mode{kGemmThenAllReduce, 3});
  EXPECT_EQ(result.link_bytes, 2 * (config.gpus - 1) * test::outputBytes(config));
}

INSTANTIATE_TEST_SUITE_P(Extension, OwnMode,
                         testing::Values(Topology::BidirectionalRing, Topology::FullyConnected,
                                         Topology::Switch, Topology::TwoLevel));

TEST(Extension, AModeThatRunsOneSublayerIsNotGivenSeveral) {
  SystemConfig config = test::tinyTp4();
  config.workload.repeat = 2;
  EXPECT_THROW(System(config, Mode{kGemmThenAllReduce, 3}, TrackerKind::Model),
               std::invalid_argument);
}

/// A bound that no run keeps: a mode that says so has to fail.
constexpr ModeKind kTooFast = [] {
  ModeKind kind = kGemmThenAllReduce;
  kind.name = "too-fast";
  kind.bound = [](const BoundParts&) { return 1e9; };
  return kind;
}();

TEST(Extension, AModeThatIsFasterThanItsOwnBoundHasFailed) {
  SystemConfig config = test::tinyTp4();
  config.data = DataMode::Checked;
  const RunResult result = System(config, Mode{kTooFast, 1}, TrackerKind::Model).run();
  EXPECT_EQ(result.verification.mismatches, 0U);
  EXPECT_EQ(result.error, "faster than its closed form: " + std::to_string(result.time_ps) +
                              " ps < 1000000000000 ps");
}

}  // namespace
}  // namespace t3::mode_test
