// SPDX-License-Identifier: Apache-2.0
// Method: a bound simulates one sublayer and counts it as often as the run has sublayers. Every
// figure of a result is given a value of its own, so a figure that is forgotten, or counted where
// it must not be, shows by name.
#include "tlm/node/run_result.h"

#include <gtest/gtest.h>

#include "tests/support/made_phases.h"

namespace t3::run_result_test {
namespace {

RunResult oneSublayer() {
  RunResult result;
  result.time_ps = 1000;
  result.add({0, 1000, {{1, 2, 3}}});
  test::setDramBytes(result, test::madeBytes({11, 12, 13, 14, 15, 16}));
  result.link_bytes = 17;
  result.tracker_stats = {21, 22, 28, 24, 27};
  result.of(extraPhase(0)) = {"broadcast", 31, 32, 33, 34};
  result.nodes = {{"gemm", "gemm", 41, 42, 43, 44, 45, 46}};
  return result;
}

TEST(RunResult, TheTotalIsThatOfAllPhasesWhoeverAddedThem) {
  RunResult result;
  test::setDramBytes(result, test::madeBytes({1, 20, 300, 4'000, 50'000, 600'000}));
  result.of(Phase::Consumer).dram_write = 7'000'000;
  result.of(extraPhase(2)).dram_read = 80'000'000;
  EXPECT_EQ(result.totalBytes(), 87'654'321U);
}

TEST(RunResult, ASublayerCountedThreeTimesTakesThreeTimesTheTimeOneAfterAnother) {
  RunResult result = oneSublayer();
  countAgain(result, 3);
  EXPECT_EQ(result.time_ps, 3000U);
  EXPECT_EQ(result.of(Phase::Gemm).exposed_ns, 3);
  EXPECT_EQ(result.of(Phase::ReduceScatter).exposed_ns, 6);
  EXPECT_EQ(result.of(Phase::AllGather).exposed_ns, 9);
  EXPECT_EQ(result.steady_ns, 1.0);
  ASSERT_EQ(result.sublayers.size(), 3U);
  for (Picoseconds n = 0; n < 3; ++n) {
    EXPECT_EQ(result.sublayers[n].start_ps, n * 1000);
    EXPECT_EQ(result.sublayers[n].end_ps, (n + 1) * 1000);
    EXPECT_EQ(result.sublayers[n].phase_ns[Phase::AllGather], 3);
  }
}

TEST(RunResult, ASublayerCountedThreeTimesMovesThreeTimesTheBytes) {
  RunResult result = oneSublayer();
  countAgain(result, 3);
  EXPECT_EQ(result.of(Phase::Gemm).dram_read, 33U);
  EXPECT_EQ(result.of(Phase::Gemm).dram_write, 36U);
  EXPECT_EQ(result.of(Phase::ReduceScatter).dram_read, 39U);
  EXPECT_EQ(result.of(Phase::ReduceScatter).dram_write, 42U);
  EXPECT_EQ(result.of(Phase::AllGather).dram_read, 45U);
  EXPECT_EQ(result.of(Phase::AllGather).dram_write, 48U);
  EXPECT_EQ(result.link_bytes, 51U);
  const PhaseFigures& other = result.of(extraPhase(0));
  EXPECT_EQ(other.exposed_ns, 93);
  EXPECT_EQ(other.bound_ns, 32) << "bounds are made for all sublayers afterwards";
  EXPECT_EQ(other.dram_read, 99U);
  EXPECT_EQ(other.dram_write, 102U);
  const NodeFigures& node = result.nodes.front();
  EXPECT_EQ(node.start_ps, 41U) << "of the one that was simulated";
  EXPECT_EQ(node.end_ps, 42U);
  EXPECT_EQ(node.exposed_ns, 129);
  EXPECT_EQ(node.dram_read, 132U);
  EXPECT_EQ(node.dram_write, 135U);
  EXPECT_EQ(node.link_bytes, 138U);
}

TEST(RunResult, ASublayerCountedThreeTimesMakesThreeTimesTheUpdates) {
  RunResult result = oneSublayer();
  countAgain(result, 3);
  const TrackerTotals& tracker = result.tracker_stats;
  EXPECT_EQ(tracker.updates, 63U);
  EXPECT_EQ(tracker.triggers, 66U);
  EXPECT_EQ(tracker.releases, 84U);
  EXPECT_EQ(tracker.stall_cycles, 72U);
  EXPECT_EQ(tracker.rtl_cycles, 81U);
}

}  // namespace
}  // namespace t3::run_result_test
