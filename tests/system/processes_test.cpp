// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim under mpirun, in one to four processes, against t3sim alone. All that the
// reports say of the simulation must be the same to the last digit: nobody may see how it was cut.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "tests/system/mpirun.h"
#include "tests/system/runs.h"

namespace t3::processes_test {
namespace {

using test::Words;

struct Result {
  int code = 0;
  std::string json, csv, error;
};

Result runIn(int processes, Words words) {
  const test::TemporaryDirectory directory;
  if (words.front() == "run") {
    words = words + "--quiet --json" + directory.path("report.json") + "--csv" +
            directory.path("report.csv");
  }
  const test::Outcome outcome = test::launch(processes, words);
  Result result{outcome.code, "", "", outcome.error};
  for (const std::string& name : directory.names()) {
    if (name == "report.csv")
      result.csv = test::csvWithoutHost(test::readFile(directory.path(name)));
    if (name != "report.json") continue;
    auto report = test::readJson(directory.path(name)).as_object();
    for (boost::json::value& run : report.at("runs").as_array()) run.as_object().erase("host");
    result.json = boost::json::serialize(report);
  }
  return result;
}

void expectTheSameIn(std::initializer_list<int> processes, const Words& words) {
  const Result alone = runIn(0, words);
  ASSERT_EQ(alone.code, 0) << alone.error;
  ASSERT_NE(alone.csv.find("time_ps"), std::string::npos);
  for (const int count : processes) {
    const Result cut = runIn(count, words);
    EXPECT_EQ(cut.code, 0) << cut.error;
    EXPECT_EQ(cut.json, alone.json) << count << " processes";
    EXPECT_EQ(cut.csv, alone.csv) << count << " processes";
  }
}

Words tiny(const std::string& mode, const Words& more = {}) {
  return Words{"run --preset tiny-tp4 --tracker model --mode", mode} + more;
}

TEST(Processes, OneToFourGiveTheReportOfOne) { expectTheSameIn({1, 2, 3, 4}, tiny("t3-mca")); }

TEST(Processes, GiveTheReportOfOneInEveryMode) {
  for (const char* mode :
       {"sequential", "cu-split:4", "t3", "t3-ag", "ideal-overlap", "ideal-rs-nmc", "ideal-ag"}) {
    expectTheSameIn({3}, tiny(mode, "--data elided"));
  }
}

TEST(Processes, GiveTheReportOfOneOnEveryTopology) {
  for (const char* topology : {"bidirectional-ring", "fully-connected", "switch", "two-level"}) {
    const Words fabric = test::onFabric(topology);
    expectTheSameIn({2, 3}, tiny("t3-mca", fabric));
    expectTheSameIn({4}, tiny("sequential", fabric));
  }
}

TEST(Processes, LeaveTheSameContributionsOut) {
  const Words words =
      tiny("t3-ag", test::onFabric("fully-connected") +
                        "--set workload.contributions=3 --set gpu3.launch_delay_us=20");
  expectTheSameIn({2, 4}, words + "--data elided");
}

TEST(Processes, GiveTheReportOfOneWhereTheSwitchAddsAndCopies) {
  const Words fabric = test::onFabric("merging-switch");
  for (const char* mode : {"t3-mca", "t3-ag", "nvls"}) {
    expectTheSameIn({2, 3}, tiny(mode, fabric));
  }
  expectTheSameIn({2}, "run --preset tiny-pair-tp4 --mode nvls" + fabric);
  for (const char* file : {"nvls-all-reduce-4.xml", "nvls-reduce-scatter-4.xml"}) {
    expectTheSameIn({3}, tiny("sequential", fabric) + "--collective" +
                             (std::string(T3_COLLECTIVES) + "/" + file) +
                             "--set collective.bytes=64KiB --data checked");
  }
}

TEST(Processes, GiveTheReportOfOneOnTheTrackersRtl) {
  expectTheSameIn({2}, "run --preset tiny-tp4 --mode t3 --tracker lockstep");
}

TEST(Processes, GiveTheReportOfOneWithSeveralStacks) {
  for (const char* mode : {"t3", "t3-ag"}) {
    expectTheSameIn({2, 3}, Words{"run --preset tiny-tp4 --tracker lockstep --mode", mode} +
                                "--set hbm.stacks=4");
  }
}

TEST(Processes, GiveTheReportOfOneWhereGpusDifferAndLinksAreFull) {
  expectTheSameIn({3}, tiny("t3-mca",
                            "--data elided --set link.buffer_bytes=8192 --set hbm.channels=8 "
                            "--set gpu1.launch_delay_us=2 --set gpu2.clock_mhz=700"));
}

TEST(Processes, GiveTheReportOfOneWhereChunksDifferAndKIsCutUnequally) {
  expectTheSameIn(
      {2},
      tiny("t3-ag",
           {"--set workload.rows=576 --set workload.columns=200 --set workload.shares=2,1,1.5,1"}));
}

TEST(Processes, GiveTheReportOfOneOverSeveralSublayers) {
  expectTheSameIn({3}, tiny("t3", "--set workload.repeat=3 --set gpu2.clock_mhz=700"));
  expectTheSameIn({4}, tiny("sequential", "--data elided --set workload.repeat=2"));
}

TEST(Processes, GiveTheReportOfOneWhereRailsAreLongerOrShorterThanRings) {
  // Without latency they meet in every clock, so the GEMM is small.
  for (const char* latency : {"fabric.rail_latency_ns=0", "fabric.rail_latency_ns=20000"}) {
    expectTheSameIn({2}, tiny("t3-ag", test::onFabric("two-level") + "--set" + latency +
                                           "--set workload.repeat=2 --set workload.rows=256 --set "
                                           "workload.columns=256 --set workload.depth=32"));
  }
}

TEST(Processes, GiveTheReportOfOneWithMoreThan64Gpus) {
  expectTheSameIn({2},
                  tiny("t3",
                       "--data elided --set gpus=66 --set workload.rows=704 --set "
                       "workload.columns=384 --set workload.depth=64 --set tracker.block_log2=0"));
}

TEST(Processes, AgreeWhateverTheOrderOfGpusAtEqualTimes) {
  const Words words = tiny("t3-mca", "--data elided");
  const Result cut = runIn(2, words + "--set order_seed=3");
  const auto runs = [](const Result& result) {
    return boost::json::serialize(boost::json::parse(result.json).at("runs"));
  };
  ASSERT_EQ(cut.code, 0) << cut.error;
  EXPECT_EQ(runs(cut), runs(runIn(0, words)));
}

TEST(Processes, AllEndWhereOneStandsStillAndTheReportShowsAllGpus) {
  const Result cut = runIn(3, tiny("t3", "--set gpu1.link.lose_write=20"));
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.error.find("deadlock at"), std::string::npos) << cut.error;
  for (const char* gpu : {"gpu0.", "gpu1.", "gpu2.", "gpu3."}) {
    EXPECT_NE(cut.json.find(gpu), std::string::npos) << gpu;
  }
}

const std::string kCollectives = T3_COLLECTIVES;

TEST(Processes, GiveTheReportOfOneForACollectiveFromAFile) {
  for (const char* mode : {"sequential", "t3"}) {
    const Words run = tiny(mode, "--set collective.bytes=64KiB");
    expectTheSameIn({2, 3}, run + "--collective" + (kCollectives + "/ring-all-reduce-4.xml"));
    expectTheSameIn({2}, run + "--collective" + (kCollectives + "/ring-all-reduce-4.xml") +
                             "--set workload.repeat=3");
    expectTheSameIn({2}, run + "--set fabric.topology=switch --collective" +
                             (kCollectives + "/halving-doubling-all-reduce-4.xml"));
  }
}

TEST(Processes, GiveTheReportOfOneForACollectiveFromAFileBehindAGemm) {
  const std::string file = "workload.collective=" + kCollectives;
  expectTheSameIn({2, 4}, tiny("sequential", {"--set", file + "/ring-reduce-scatter-4.xml"}));
  expectTheSameIn({3}, tiny("t3-mca", {"--set", file + "/direct-all-reduce-4.xml",
                                       "--set fabric.topology=fully-connected"}));
  expectTheSameIn({2}, {"run --preset tiny-tp4 --mode t3 --tracker lockstep --set",
                        file + "/ring-all-reduce-4.xml"});
}

TEST(Processes, AllEndWhereOneStandsStillInACollectiveFromAFile) {
  for (const char* mode : {"sequential", "t3"}) {
    const Result cut = runIn(
        2, tiny(mode, {"--set gpu1.link.lose_write=5 --set collective.bytes=64KiB --collective",
                       kCollectives + "/ring-all-reduce-4.xml"}));
    EXPECT_EQ(cut.code, 1);
    EXPECT_NE(cut.error.find("deadlock at"), std::string::npos) << cut.error;
    for (const char* gpu : {"gpu0.", "gpu3."}) {
      EXPECT_NE(cut.json.find(gpu), std::string::npos) << gpu;
    }
  }
}

/// One line from all processes together.
void expectRefused(int processes, const Words& words, const std::string& line) {
  const Result result = runIn(processes, words);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.error, "t3sim: " + line + "\n");
  EXPECT_EQ(result.json, "");
}

TEST(Processes, RefuseWhatTheyCannotDoInOneLine) {
  expectRefused(5, tiny("t3"),
                "mpirun: -n: expected at most one process for each simulated GPU, here 4");
  expectRefused(2, tiny("t3", "--gpus symmetric --data elided"),
                "mpirun: -n: expected at most one process for each simulated GPU, here 1");
  expectRefused(2, tiny("t3", "--set fabric.topology=switch --set workload.contributions=3"),
                "mpirun: -n: expected 1 with workload.contributions and data = checked, because a "
                "process does not know whose contributions the GPUs of others have added");
  expectRefused(2, "bench",
                "mpirun: -n: expected 1 with t3sim bench, or t3sim run, compare, reproduce, sweep, "
                "validate or follow");
  const Words bad = tiny("t3", "--set gpus=three");
  const std::string alone = runIn(0, bad).error;
  EXPECT_EQ(runIn(2, bad).error, alone);
}

/// Each of two processes gets words of its own.
Result runInTwo(const Words& first, const Words& second) {
  return runIn(1, first + ":" + "-n" + "1" + T3SIM + second);
}

TEST(Processes, BadInputOfOneOfThemIsSaidWithItsNumber) {
  const Words good = tiny("t3");
  const auto bad = [](const char* gpus) { return tiny("t3", {std::string("--set gpus=") + gpus}); };
  const std::string problem = "--set: gpus: expected a whole number from 2 to 1024, got ";
  const Result second = runInTwo(good, bad("three"));
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.error, "t3sim: process 1: " + problem + "\"three\"\n");
  const Result both = runInTwo(bad("three"), bad("four"));
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.error, "t3sim: process 0: " + problem + "\"three\"\nt3sim: process 1: " + problem +
                            "\"four\"\n");
  const Result first = runInTwo(bad("three"), good);
  EXPECT_EQ(first.code, 2);
  EXPECT_EQ(first.error, "t3sim: process 0: " + problem + "\"three\"\n");
}

}  // namespace
}  // namespace t3::processes_test
