// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim on a GEMM whose gathered output a second GEMM reads, with and without a
// norm between them. Data is checked, so the run itself compares what every GPU gathers, and its
// second GEMM's output, with values computed without the models: a workgroup that began before its
// rows were there would have read NaNs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/system/symmetric.h"
#include "tests/testbench/refused.h"

namespace t3::pair_test {
namespace {

using test::dram;
using test::number;
using test::Words;

const Words kPair = "--preset tiny-pair-tp4";
/// A smaller second GEMM behind a smaller first one, where only values matter.
const Words kSmallPair = kPair + "--set workload.consumer.columns=128" + test::kShallow;
const Words kNoNorm = "--set workload.between=none";
const Words kModel = "--tracker model";

struct Span {
  std::uint64_t begin = 0, end = 0;  ///< ps
};

/// From the first to the last access of a phase on any GPU.
Span spanOf(const boost::json::object& run, const std::string& phase) {
  for (const boost::json::value& span : run.at("phases").as_array()) {
    if (span.at("name").as_string() != phase) continue;
    return {span.at("start_ps").to_number<std::uint64_t>(),
            span.at("end_ps").to_number<std::uint64_t>()};
  }
  ADD_FAILURE() << "no phase " << phase;
  return {};
}

Words inMode(const char* mode) { return {"run --mode", mode}; }

constexpr std::uint64_t kOutput = 512 * 512 * 2, kConsumed = 512 * 384 * 2;

TEST(Pair, EveryModeEndsWithTheSameValuesAndTheSameTraffic) {
  for (const char* mode : {"sequential", "cu-split:4", "t3", "t3-mca", "t3-ag"}) {
    SCOPED_TRACE(mode);
    const auto run = test::exactRun(inMode(mode) + kPair + kModel);
    EXPECT_EQ(number(run, "link_bytes"), 2 * 3 * kOutput);
    EXPECT_EQ(dram(run, "norm_read"), 2 * kOutput / 4) << "own sums and residual";
    EXPECT_EQ(dram(run, "norm_write"), 2 * kOutput / 4);
    EXPECT_EQ(dram(run, "consumer_write"), kConsumed);
    EXPECT_GE(dram(run, "consumer_read"), kOutput + 384 * 512 * 2);
    EXPECT_EQ(run.at("verification").at("elements").to_number<std::uint64_t>(),
              4 * (kOutput + kConsumed) / 2);
    const auto& phases = run.at("phase_ns").as_object();
    double sum = 0;
    for (const auto& [name, ns] : phases) sum += ns.to_number<double>();
    EXPECT_NEAR(sum, run.at("time_ps").to_number<double>() / 1e3, 0.01);
    EXPECT_GT(phases.at("consumer").to_number<double>(), 0);
  }
}

TEST(Pair, NormAndConsumerBeginBeforeTheRowsOfOthersAreThereOnlyInModesThatReleaseRows) {
  for (const auto& [mode, normOverlaps, consumerOverlaps] :
       {std::tuple{"sequential", false, false}, std::tuple{"cu-split:4", false, false},
        std::tuple{"t3", false, false}, std::tuple{"t3-mca", false, false},
        std::tuple{"ag-split:4", false, true}, std::tuple{"t3-ag", true, true}}) {
    SCOPED_TRACE(mode);
    const auto run = test::runOf(inMode(mode) + kPair + kModel);
    ASSERT_FALSE(run.empty());
    EXPECT_EQ(spanOf(run, "norm").begin < spanOf(run, "reduce_scatter").end, normOverlaps);
    EXPECT_EQ(spanOf(run, "consumer").begin < spanOf(run, "all_gather").end, consumerOverlaps);
    // 8 rows of tiles for the consumer of each GPU, 2 of them its own: these first for the norm.
    EXPECT_EQ(test::tracker(run, "releases"), mode == std::string("t3-ag") ? 4 * (8 + 2) : 0);
  }
}

TEST(Pair, AWriteThatIsLostIsLookedForAtTheTrackerThatHoldsRowsBack) {
  const auto outcome = test::expectFails(
      inMode("t3-ag") + kPair + kModel + "--quiet --set link.lose_write=3", {"deadlock at "});
  EXPECT_THAT(outcome.error,
              testing::ContainsRegex("gpu0.norm waits for gpu0.tracker: .*, . rows of tiles may "
                                     "not begin yet"));
  EXPECT_THAT(outcome.error, testing::ContainsRegex("gpu0.consumer waits for gpu0.tracker: .*, . "
                                                    "rows of tiles may not begin yet"));
}

TEST(Pair, RowsAreReleasedByTheTrackersRtl) {
  for (const Words& between : {Words{}, kNoNorm}) {
    test::exactRun(inMode("t3-ag") + kSmallPair + "--tracker rtl" + between);
  }
}

TEST(Pair, RtlAndTwinReleaseTheSameRowsInTheSameClocks) {
  test::exactRun(inMode("t3-ag") + kPair + "--tracker lockstep");
  // Chunks that begin in the middle of a row of tiles, and cut tiles: a row has parts of two
  // owners.
  test::exactRun(inMode("t3-ag") +
                 "--preset tiny-edge-tp4 --tracker lockstep --set workload.consumer.columns=80");
}

TEST(Pair, IsExactOnEveryFabric) {
  for (const char* topology : {"bidirectional-ring", "fully-connected", "switch", "two-level"}) {
    SCOPED_TRACE(topology);
    const Words fabric = test::onFabric(topology);
    for (const char* mode : {"sequential", "t3-mca", "t3-ag"}) {
      SCOPED_TRACE(mode);
      test::exactRun(inMode(mode) + kSmallPair + kNoNorm + kModel + fabric);
    }
  }
  for (const char* gpus : {"gpus=2", "gpus=8"}) {
    SCOPED_TRACE(gpus);
    test::exactRun(inMode("t3-ag") + kSmallPair + "--tracker lockstep --set" + gpus);
  }
  test::exactRun(inMode("t3-ag") + kSmallPair +
                 "--tracker lockstep --set fabric.topology=bidirectional-ring");
}

TEST(Pair, TheNormRunsOnDirectFabricsToo) {
  for (const char* topology : {"fully-connected", "switch", "two-level"}) {
    SCOPED_TRACE(topology);
    const auto run =
        test::exactRun(inMode("t3-ag") + kPair + "--tracker lockstep" + test::onFabric(topology));
    EXPECT_EQ(dram(run, "norm_write"), 2 * kOutput / 4);
  }
}

TEST(Pair, LateSlowAndSmallGpusAndLinksStopNobody) {
  for (const Words& setting :
       {Words{"--set gpu1.launch_delay_us=50"}, Words{"--set gpu2.clock_mhz=300"},
        Words{"--set gpu3.compute_units=1"}, Words{"--set gpu0.link.bandwidth_gb_s=2"},
        Words{"--set link.buffer_bytes=2048"}, Words{"--set gpu.compute_units=1"},
        Words{"--set gpu.gemm.workgroups_per_cu=1"},
        Words{"--set gpu.norm.rows_per_workgroup=1024"},
        Words{"--set hbm.initial_value=zero-over-bus"},
        Words{"--set tracker.lane_queue_updates=4"}}) {
    SCOPED_TRACE(setting[1]);
    test::exactRun(inMode("t3-ag") + kSmallPair + kModel + setting);
  }
}

TEST(Pair, IsExactWithSeveralChunksOfARingSideBySide) {
  for (const char* chunks : {"2", "3", "4"}) {  // of 4: groups of 2 and 2, of 3 and 1, of 4
    SCOPED_TRACE(chunks);
    const Words setting = {std::string("--set gpu.gemm.chunks_side_by_side=") + chunks};
    for (const char* mode : {"t3-mca", "t3-ag"}) {
      test::exactRun(inMode(mode) + kSmallPair + "--tracker lockstep" + setting);
    }
  }
  test::exactRun(inMode("t3") + kSmallPair + kModel +
                 "--set gpu.gemm.chunks_side_by_side=4 --set fabric.topology=bidirectional-ring");
}

TEST(Pair, SoftwareReleasesRowsThatArriveBeforeAGpuIsThere) {
  for (const char* setting : {"gpu1.launch_delay_us=50", "gpu2.clock_mhz=300", "gpus=2"}) {
    SCOPED_TRACE(setting);
    test::exactRun(inMode("ag-split:4") + kSmallPair + kModel + "--set" + setting);
  }
}

TEST(Pair, AgreesWithOneGpuThatStandsForAll) {
  const Words large = {
      "--preset tiny-pair-tp4 --tracker model --set gpus=8 --set workload.rows=1024 --set "
      "workload.columns=1024"};
  test::expectSymmetricAgrees("--modes sequential,t3-mca" + large, 2, 0.02);
  // All GPUs drift apart, one does not: 3.0 % here, -1.7 % with twice the rows.
  test::expectSymmetricAgrees("--modes t3-ag" + large, 1, 0.035);
}

TEST(Pair, NoModeIsFasterThanItsIdealAndTheyAllFollowTheConsumer) {
  const auto runs =
      test::runs("compare --modes sequential,t3-mca,t3-ag,ideal-overlap,ideal-rs-nmc,ideal-ag" +
                 kPair + kModel);
  ASSERT_EQ(runs.size(), 6U);
  const auto time = [&](const char* mode) { return number(runs.at(mode), "time_ps"); };
  EXPECT_LE(time("ideal-overlap"), time("sequential"));
  EXPECT_LE(time("ideal-rs-nmc"), time("t3-mca"));
  EXPECT_LE(time("ideal-ag"), time("t3-ag"));
  EXPECT_LT(time("t3-ag"), time("t3-mca"));
  for (const auto& [mode, run] : runs) {
    EXPECT_EQ(dram(run, "consumer_write"), kConsumed) << mode;
  }
}

TEST(Pair, WhatCannotBeIsRefused) {
  const Words run = "run --preset tiny-pair-tp4 --tracker model";
  const auto with = [&](const Words& words) { return run + words; };
  test::expectRefused(with("--set workload.repeat=2"), {"workload.repeat", "norm"});
  test::expectRefused(with("--set tracker.rows=16 --set workload.rows=1024 --mode t3-ag"),
                      {"tracker.rows", "20", "16"});
  test::expectRefused(with("--set tracker.rows=0 --mode t3-ag"),
                      {"tracker.rows of at least 10", "got 0"});
  // Rows are 7 tiles, so a block has one tile.
  test::expectRefused(with("--set tracker.slots=64 --set workload.columns=448 --set "
                           "workload.rows=512 --mode t3-ag"),
                      {"tracker.slots", "t3-ag", "rows of 7", "64"});
  test::expectRefused(with("--set tracker.block_log2=1 --set workload.columns=448 --set "
                           "workload.rows=512 --mode t3-ag"),
                      {"tracker.block_log2", "rows of 7", "2"});
}

}  // namespace
}  // namespace t3::pair_test
