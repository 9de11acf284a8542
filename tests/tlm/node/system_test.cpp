// SPDX-License-Identifier: Apache-2.0
// Method: small runs whose results say the same in several places; the places must agree. What runs
// compute is tested in tests/system.
#include "tlm/node/system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/tlm/collectives/algorithms.h"
#include "tests/tlm/node/small_ring.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/node/gpu_figures.h"

namespace t3::system_test {
namespace {

TEST(System, APhaseLastsToTheEndOfTheLastGpuInIt) {
  System system(test::smallRing(), Mode::T3, TrackerKind::Model);
  const RunResult result = system.run();
  ASSERT_EQ(result.error, "");
  const auto last = [&](Picoseconds GpuResult::*end) {
    return std::ranges::max(result.per_gpu, {}, end).*end;
  };
  ASSERT_EQ(result.phases.size(), 4U);
  EXPECT_EQ(result.phases[0].name, "zeroing");
  EXPECT_EQ(result.phases[0].end_ps, last(&GpuResult::zeroed_ps));
  EXPECT_EQ(result.phases[1].name, "gemm");
  EXPECT_EQ(result.phases[1].end_ps, last(&GpuResult::gemm_end_ps));
  EXPECT_EQ(result.phases[2].name, "reduce_scatter");
  EXPECT_EQ(result.phases[2].end_ps, last(&GpuResult::reduce_scatter_end_ps));
  EXPECT_EQ(result.phases[3].name, "all_gather");
  EXPECT_EQ(result.phases[3].end_ps, last(&GpuResult::all_gather_end_ps));
  EXPECT_EQ(result.phases[3].end_ps, result.time_ps);
}

TEST(System, TheExposedTimesOfTheBoundOfT3AgAddUpToItsTime) {
  System system(test::smallRing(), Mode::IdealAg, TrackerKind::Model);
  const RunResult result = system.run();
  ASSERT_EQ(result.error, "");
  const ByPhase<double> exposed = result.phaseNs();
  EXPECT_GT(exposed[Phase::Gemm], 0);
  EXPECT_GE(exposed[Phase::ReduceScatter], 0);
  EXPECT_GE(exposed[Phase::AllGather], 0);
  EXPECT_NEAR(exposed[Phase::Gemm] + exposed[Phase::ReduceScatter] + exposed[Phase::AllGather],
              static_cast<double>(result.time_ps) * 1e-3, 1e-3);
}

TEST(GpuFigures, SpanFromTheFirstGpuThatStartsToTheLastThatEnds) {
  std::vector<GpuFigures> gpus(3);
  const auto sublayer = [&](std::size_t gpu, Picoseconds start, Picoseconds end) {
    gpus[gpu].history.emplace_back().phases[Phase::Gemm] = {start, end};
  };
  sublayer(0, 10, 20);
  sublayer(1, 5, 30);
  sublayer(2, 7, 25);
  sublayer(1, 40, 50);  // the others have not come so far
  EXPECT_EQ(spanOf(gpus, 0, Phase::Gemm).start, 5U);
  EXPECT_EQ(spanOf(gpus, 0, Phase::Gemm).end, 30U);
  EXPECT_EQ(spanOf(gpus, 1, Phase::Gemm).start, 40U);
  EXPECT_EQ(spanOf(gpus, 1, Phase::Gemm).end, 50U);
}

TEST(GpuFigures, WhatNoGpuHasBegunHasNoSpan) {
  std::vector<GpuFigures> gpus(2);
  gpus[0].history.resize(2);
  gpus[1].history.resize(1);
  gpus[0].history[0].phases[Phase::ReduceScatter] = {10, 20};
  const TimeSpan one = spanOf(gpus, 0, Phase::ReduceScatter);
  EXPECT_EQ(one.start, 10U) << "the other GPU has not come so far";
  EXPECT_EQ(one.length(), 10U);
  EXPECT_FALSE(spanOf(gpus, 1, Phase::ReduceScatter).begun());
  EXPECT_EQ(spanOf(gpus, 1, Phase::ReduceScatter).length(), 0U);
}

TEST(System, OfARunThatFailsTheSublayersAreThoseThatHaveBegun) {
  SystemConfig config = test::smallRing();
  config.workload.repeat = 3;
  config.overrides.groups[1].link.lose_write = 300;
  System system(config, Mode::T3, TrackerKind::Model);
  const RunResult result = system.run();
  ASSERT_NE(result.error, "");
  ASSERT_EQ(result.sublayers.size(), 1U);
  EXPECT_LE(result.sublayers.front().start_ps, result.sublayers.front().end_ps);
  for (const PhaseSpan& phase : result.phases) EXPECT_LE(phase.start_ps, phase.end_ps);
}

TEST(GpuFigures, AreSteadyFromTheEndOfTheFirstSublayerOn) {
  std::vector<GpuFigures> gpus(2);
  for (GpuFigures& gpu : gpus) gpu.history.resize(3);
  gpus[1].history[2].waited = 8'000;
  RunResult result;
  result.sublayers = {{0, 100'000, {}}, {0, 150'000, {}}, {0, 200'000, {}}};
  result.time_ps = 200'000;
  addSteady(gpus, result);
  EXPECT_EQ(result.steady_ns, 50);
  EXPECT_EQ(result.setup.wait_ns, 2) << "mean of two GPUs, and two further sublayers";
  RunResult one;
  one.sublayers.resize(1);
  addSteady(gpus, one);
  EXPECT_EQ(one.steady_ns, std::nullopt);
}

/// Two GPUs that exchange halves, in so many loops.
RunResult exchanged(std::uint64_t loopBytes) {
  SystemConfig config;
  config.gpus = 2;
  config.data = DataMode::Checked;
  config.collective.bytes = 1 << 20;
  config.collective.loop_bytes = loopBytes;
  const Algorithm algorithm = test::exchange();
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  System system(config, meaning, Mode::Sequential, TrackerKind::Model);
  RunResult result = system.run();
  EXPECT_EQ(result.error, "");
  EXPECT_GT(result.verification.elements, 0U);
  EXPECT_EQ(result.verification.mismatches, 0U);
  return result;
}

TEST(SystemOfACollective, EachLoopRunsAllStepsAgainFromTheFirst) {
  const RunResult loops = exchanged(128 << 10);
  EXPECT_EQ(loops.link_bytes, 2U << 20) << "a half and a sum of each GPU";
}

TEST(SystemOfACollective, TheResultHasAnEntryForEachGpuInTheirOrder) {
  const RunResult result = exchanged(0);
  ASSERT_EQ(result.per_gpu.size(), 2U);
  for (std::uint32_t g = 0; g < 2; ++g) {
    EXPECT_EQ(result.per_gpu[g].gpu, g);
    EXPECT_EQ(result.per_gpu[g].link_bytes, 1U << 20);
  }
}

}  // namespace
}  // namespace t3::system_test
