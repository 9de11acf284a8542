// SPDX-License-Identifier: Apache-2.0
// Method: shipped traces run on one machine, as `t3sim run --graph TRACE`. Data is checked; the
// graph that `t3sim graph` writes has to run in the same picoseconds; and the walk over times of
// parts, which shares the trace and no executor, has to come out close where nothing overlaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/system/runs.h"

namespace t3::trace_graph_test {
namespace {

using test::t3sim;
using test::TemporaryDirectory;
using test::Words;
using testing::HasSubstr;

boost::json::object modelReport(const Words& words) {
  const TemporaryDirectory directory;
  const std::string report = directory.path("report.json");
  const auto outcome = test::mustRun(words + "--tracker model --quiet --json" + report);
  EXPECT_EQ(outcome.error, "") << "names with points are no reason for a warning";
  return test::readJson(report).as_object();
}

boost::json::object modelRun(const Words& words) {
  return modelReport("run" + words).at("runs").at(0).as_object();
}

const Words kTrace = "--graph tiny-transformer-tp4";

class OnOneMachine : public testing::TestWithParam<const char*> {};

TEST_P(OnOneMachine, IsExactAndCloseToTheWalkWhereNothingOverlaps) {
  const Words mode = {"--mode", GetParam()};
  const boost::json::object run = modelRun(kTrace + mode);
  const auto& verification = run.at("verification").as_object();
  EXPECT_EQ(verification.at("mismatches").to_number<int>(), 0);
  EXPECT_GT(verification.at("elements").to_number<int>(), 0);
  const boost::json::object walk =
      modelReport("run --workload tiny-transformer-tp4 --data elided" + mode);
  const double parts = walk.at("runs").at(0).at("time_ns").to_number<double>();
  EXPECT_NEAR(run.at("time_ns").to_number<double>(), parts, 0.02 * parts);
}

TEST_P(OnOneMachine, IsTheGraphThatIsWritten) {
  const TemporaryDirectory directory;
  const std::string file = directory.path("graph.json");
  const Words mode = {"--mode", GetParam(),
                      "--set trace.overlap=streams --workload-layers 1 --data elided"};
  test::mustRun(Words{"graph --write", file} + kTrace + mode);
  const boost::json::object trace = modelRun(kTrace + mode);
  const boost::json::object read =
      modelRun({"--preset tiny-tp4 --mode", GetParam(), "--data elided --graph", file});
  for (const char* key :
       {"time_ps", "link_bytes", "phases", "per_gpu", "memory", "tracker_stats", "bound_ns"}) {
    EXPECT_EQ(trace.at(key), read.at(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(TraceGraph, OnOneMachine, testing::Values("sequential", "t3", "t3-ag"),
                         [](const auto& test) {
                           return std::string(test.param) == "t3-ag" ? "t3ag" : test.param;
                         });

TEST(TraceGraph, CollectivesThatFollowNoGemmAreExactToo) {
  const boost::json::object run =
      modelRun("--graph tiny-transformer-sp-tp4 --workload-layers 1 --mode t3");
  EXPECT_EQ(run.at("verification").at("mismatches").to_number<int>(), 0);
  std::vector<std::string> names;
  for (const auto& phase : run.at("phases").as_array()) {
    names.emplace_back(phase.at("name").as_string());
  }
  EXPECT_THAT(names, testing::Contains("layer0.norm1.gather"));
  EXPECT_THAT(names, testing::Not(testing::Contains(HasSubstr("layer1"))));
}

TEST(TraceGraph, TrackersTurnBehindTheLastTriggerOfTheRtl) {
  test::mustRun(
      "run --graph tiny-transformer-tp4 --mode t3 --workload-layers 1 --data elided "
      "--tracker rtl --quiet");
}

TEST(TraceGraph, AFileIsTheSameAsItsName) {
  const Words rest = "--mode t3 --data elided --workload-layers 1";
  EXPECT_EQ(
      modelRun(Words("--preset tiny-tp4 --graph " T3_WORKLOADS "/tiny-transformer-tp4.0.et") + rest)
          .at("time_ps"),
      modelRun(kTrace + rest).at("time_ps"));
}

TEST(TraceGraph, IsComparedAndSweptInProcesses) {
  const Words rest = "--graph tiny-transformer-tp4 --workload-layers 1 --data elided";
  const auto compared = modelReport("compare --modes sequential,t3" + rest).at("runs").as_array();
  std::vector<std::string> modes;
  for (const auto& run : compared) modes.emplace_back(run.at("mode").as_string());
  EXPECT_THAT(modes, testing::ElementsAre("sequential", "t3"));
  const auto swept =
      modelReport("sweep --sweep trace.overlap=none,streams --modes sequential" + rest)
          .at("points")
          .as_array();
  ASSERT_EQ(swept.size(), 2U);
  const auto time = [](const boost::json::value& point) {
    return point.at("runs").at(0).at("time_ps").to_number<double>();
  };
  EXPECT_EQ(time(swept[0]), compared[0].at("time_ps").to_number<double>());
  EXPECT_LT(time(swept[1]), time(swept[0]));
}

TEST(TraceGraph, WhatCannotBeIsOneLine) {
  const auto error = [](const Words& words) {
    const test::Outcome outcome = t3sim(words);
    EXPECT_EQ(outcome.code, 2) << outcome.error;
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
    return outcome.error;
  };
  const Words run = "run --quiet --tracker model" + kTrace;
  EXPECT_THAT(error(run + "--mode cu-split:4"),
              HasSubstr("--mode: expected sequential, t3, t3-mca or t3-ag with a trace, got "
                        "'cu-split:4'"));
  EXPECT_THAT(error(run + "--set gpus=8"),
              HasSubstr("--set: gpus: expected 4, the files of tiny-transformer-tp4, got 8"));
  EXPECT_THAT(error(run + "--set trace.launch=false"),
              HasSubstr("trace.launch: expected true, or gpu.kernel_launch_us = 0"));
  EXPECT_THAT(
      error("run --quiet --graph t-nlg-layer-tp8 --mode sequential --set hbm.capacity_gib=1"),
      HasSubstr("--workload-layers N takes the first layers"));
  EXPECT_THAT(error("run --preset tiny-tp4 --workload-layers 1"),
              HasSubstr("--workload-layers: expected a trace or a model with it"));
  EXPECT_THAT(error("run --preset t-nlg-fc2-tp8 --set workload.graph=tiny-transformer-tp4"),
              HasSubstr("tiny-transformer-tp4: gpus: expected 4, those of the trace, got 8"));
}

}  // namespace
}  // namespace t3::trace_graph_test
