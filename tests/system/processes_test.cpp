// SPDX-License-Identifier: Apache-2.0
// Method: the real t3sim under mpirun, in one to four processes, against t3sim alone. All that the
// reports say of the simulation must be the same to the last digit: nobody may see how it was cut.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/runs.h"

namespace t3 {
namespace {

using test::join;
using test::Words;

struct Result {
  int code = 0;
  std::string json, csv, error;
};

/// The table without the columns of what depends on this machine. No field has a comma.
std::string withoutHost(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<bool> kept;
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::size_t column = 0;
    for (std::string field; std::getline(fields, field, ','); ++column) {
      if (column == kept.size()) kept.push_back(!field.starts_with("host."));
      if (kept[column]) text += field + ",";
    }
    text += "\n";
  }
  return text;
}

/// `processes` 0: without mpirun.
Result runIn(int processes, const Words& words) {
  const test::TemporaryDirectory directory;
  std::string line;
  if (processes != 0) {
    // Containers often forbid what the last option turns off, and Open MPI complains.
    line = std::string(T3_MPIRUN) + " --allow-run-as-root --oversubscribe -q" +
           " --mca btl_vader_single_copy_mechanism none -n " + std::to_string(processes) + " ";
  }
  line += T3SIM;
  for (const std::string& word : words) line += " '" + word + "'";
  if (words.front() == "run") {
    line += " --quiet --json " + directory.path("report.json") + " --csv " +
            directory.path("report.csv");
  }
  line += " 2> " + directory.path("error");
  const int status = std::system(line.c_str());
  Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", "", ""};
  for (const std::string& name : directory.names()) {
    if (name == "report.csv") result.csv = withoutHost(test::readFile(directory.path(name)));
    if (name == "error") result.error = test::readFile(directory.path(name));
    if (name != "report.json") continue;
    auto report = boost::json::parse(test::readFile(directory.path(name))).as_object();
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
  return join({"run", "--preset", "tiny-tp4", "--tracker", "model", "--mode", mode}, more);
}

TEST(Processes, OneToFourGiveTheReportOfOne) { expectTheSameIn({1, 2, 3, 4}, tiny("t3-mca")); }

TEST(Processes, GiveTheReportOfOneInEveryMode) {
  for (const char* mode :
       {"sequential", "cu-split:4", "t3", "t3-ag", "ideal-overlap", "ideal-rs-nmc", "ideal-ag"}) {
    expectTheSameIn({3}, tiny(mode, {"--data", "elided"}));
  }
}

TEST(Processes, GiveTheReportOfOneOnEveryTopology) {
  for (const char* topology : {"bidirectional-ring", "fully-connected", "switch"}) {
    const Words fabric = {"--set", std::string("fabric.topology=") + topology};
    expectTheSameIn({2, 3}, tiny("t3-mca", fabric));
    expectTheSameIn({4}, tiny("sequential", fabric));
  }
}

TEST(Processes, GiveTheReportOfOneOnTheTrackersRtl) {
  expectTheSameIn({2}, {"run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "lockstep"});
}

TEST(Processes, GiveTheReportOfOneWhereGpusDifferAndLinksAreFull) {
  expectTheSameIn({3}, tiny("t3-mca", {"--data", "elided", "--set", "link.buffer_bytes=8192",
                                       "--set", "hbm.channels=8", "--set", "gpu1.launch_delay_us=2",
                                       "--set", "gpu2.clock_mhz=700"}));
}

TEST(Processes, GiveTheReportOfOneOverSeveralSublayers) {
  expectTheSameIn({3}, tiny("t3", {"--set", "workload.repeat=3", "--set", "gpu2.clock_mhz=700"}));
  expectTheSameIn({4}, tiny("sequential", {"--data", "elided", "--set", "workload.repeat=2"}));
}

TEST(Processes, AgreeWhateverTheOrderOfGpusAtEqualTimes) {
  const Words words = tiny("t3-mca", {"--data", "elided"});
  const Result cut = runIn(2, join(words, {"--set", "order_seed=3"}));
  const auto runs = [](const Result& result) {
    return boost::json::serialize(boost::json::parse(result.json).at("runs"));
  };
  ASSERT_EQ(cut.code, 0) << cut.error;
  EXPECT_EQ(runs(cut), runs(runIn(0, words)));
}

TEST(Processes, AllEndWhereOneStandsStillAndTheReportShowsAllGpus) {
  const Result cut = runIn(3, tiny("t3", {"--set", "gpu1.link.lose_write=20"}));
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.error.find("deadlock at"), std::string::npos) << cut.error;
  for (const char* gpu : {"gpu0.", "gpu1.", "gpu2.", "gpu3."}) {
    EXPECT_NE(cut.json.find(gpu), std::string::npos) << gpu;
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
  expectRefused(2, tiny("t3", {"--gpus", "symmetric", "--data", "elided"}),
                "mpirun: -n: expected at most one process for each simulated GPU, here 1");
  expectRefused(2, tiny("t3", {"--transactions", "x.csv"}),
                "--transactions: expected one process, not mpirun");
  expectRefused(2, {"compare", "--preset", "tiny-tp4"},
                "mpirun: -n: expected 1, or t3sim run: only one simulation can be in many "
                "processes");
  const Words bad = tiny("t3", {"--set", "gpus=three"});
  const std::string alone = runIn(0, bad).error;
  EXPECT_EQ(runIn(2, bad).error, alone);
}

}  // namespace
}  // namespace t3
