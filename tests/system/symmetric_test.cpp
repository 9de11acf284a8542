// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim simulates a scenario once with all GPUs and once with one that stands for
// all; the reports must agree. Where one GPU cannot stand for all, the program must say so.
#include "tests/system/symmetric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/testbench/refused.h"

namespace t3::symmetric_test {
namespace {

namespace json = boost::json;
using test::expectRefused;
using test::number;
using test::Words;

constexpr std::size_t kModes = 7;
const Words kElided = "--preset tiny-tp4 --data elided";

TEST(Symmetric, AgreesWithExplicitOnChunksOfWholeRowsOfTiles) {
  // Four times the columns. GPUs begin with different chunks, so with different banks, and the
  // slowest of four ends its GEMM 0.3 us after the one that stands for all: 1.1 % of 26 us.
  test::expectSymmetricAgrees("--preset tiny-tp4 --set workload.columns=2048", kModes);
}

TEST(Symmetric, AgreesOnTwoAndOnEightGpus) {
  const Words large = {
      "--preset tiny-tp4 --tracker model --set workload.rows=1024 --set workload.columns=1024"};
  for (const char* gpus : {"gpus=2", "gpus=8"}) {
    SCOPED_TRACE(gpus);
    test::expectSymmetricAgrees(large + "--set" + gpus, kModes);
  }
}

TEST(Symmetric, AgreesWithCutTilesAndABackedUpLink) {
  test::expectSymmetricAgrees(
      {"--preset tiny-tp4 --tracker model --set gpus=8 --set workload.rows=1024 --set "
       "workload.columns=336 --set link.buffer_bytes=2048"},
      kModes);
}

TEST(Symmetric, MovesEveryByteWhereAChunkIsAPartOfARowOfTiles) {
  // 1.5 rows of tiles per chunk: a gathered run of one chunk is several runs of the chunk before.
  // GPUs differ in the shape of their runs, so time is not promised to the percent: in a run of 40
  // us it depends on whose turn it is in a memory (t3: 5.7 %).
  const Words words = {
      "compare --preset tiny-tp4 --data elided --tracker model --set gpus=16 --set "
      "workload.rows=1536 --set workload.columns=256"};
  const auto all = test::runs(words);
  const auto one = test::runs(words + "--gpus symmetric");
  ASSERT_EQ(all.size(), kModes);
  ASSERT_EQ(one.size(), kModes);
  for (const auto& [mode, expected] : all) {
    EXPECT_EQ(number(one.at(mode), "link_bytes"), number(expected, "link_bytes")) << mode;
    EXPECT_EQ(json::serialize(one.at(mode).at("dram_bytes")),
              json::serialize(expected.at("dram_bytes")))
        << mode;
    EXPECT_EQ(test::tracker(one.at(mode), "updates"), test::tracker(expected, "updates")) << mode;
    const auto time = static_cast<double>(number(expected, "time_ps"));
    EXPECT_NEAR(static_cast<double>(number(one.at(mode), "time_ps")), time, 0.08 * time) << mode;
  }
}

TEST(Symmetric, RunsWithEveryTracker) {
  const auto twin = test::runOf("run --gpus symmetric --mode t3 --tracker model" + kElided);
  for (const char* tracker : {"rtl", "lockstep"}) {
    const auto run =
        test::runOf(Words{"run --gpus symmetric --mode t3 --tracker", tracker} + kElided);
    ASSERT_FALSE(run.empty()) << tracker;
    EXPECT_EQ(test::tracker(run, "triggers"), test::tracker(twin, "triggers")) << tracker;
  }
}

TEST(Symmetric, TotalsAreThoseOfAllGpusAndTheScenarioRepeatsTheRun) {
  const test::TemporaryDirectory directory;
  const json::object first = test::reportOf("run --gpus symmetric --mode t3" + kElided);
  ASSERT_FALSE(first.empty());
  const json::value& run = first.at("runs").at(0);
  ASSERT_EQ(run.at("per_gpu").as_array().size(), 1U);
  EXPECT_EQ(run.at("link_bytes").to_number<std::uint64_t>(),
            4 * run.at("per_gpu").at(0).at("link_bytes").to_number<std::uint64_t>());
  EXPECT_EQ(json::serialize(run.at("dram_bytes")),
            json::serialize(run.at("per_gpu").at(0).at("dram_bytes")));

  const std::string scenario =
      directory.write("scenario.json", json::serialize(first.at("scenario")));
  const auto second = test::runOf({"run --mode t3 --config", scenario});
  EXPECT_EQ(number(second, "time_ps"), run.at("time_ps").to_number<std::uint64_t>());
  EXPECT_EQ(second.at("per_gpu").as_array().size(), 1U);
}

TEST(Symmetric, IsRefusedWhereOneGpuCannotStandForAll) {
  expectRefused("run --preset tiny-tp4 --gpus symmetric", {"data: expected elided"});
  expectRefused("run --gpus symmetric --data checked", {"data: expected elided"});
  expectRefused("run --preset tiny-edge-tp4 --data elided --gpus symmetric",
                {"simulated_gpus: expected explicit"});
}

TEST(Symmetric, ARingMayHave1024Gpus) {
  const auto run = test::runOf(
      "run --preset tiny-tp4 --mode t3 --tracker model --data elided --gpus symmetric "
      "--set gpus=1024 --set workload.rows=2048 --set workload.columns=2048 --set "
      "workload.depth=64 --set tracker.block_log2=0");
  // Each GPU sums all chunks but the first, which it stores in the next one.
  EXPECT_EQ(test::tracker(run, "triggers"), 1023U * 1024);
}

}  // namespace
}  // namespace t3::symmetric_test
