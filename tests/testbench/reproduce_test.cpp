// SPDX-License-Identifier: Apache-2.0
// `t3sim reproduce` and `t3sim sweep` as people use them. Method: the real program, with --quick
// and the behavioural twin; files, repetition and interruption are judged from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/testbench/program.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::reproduce_test {
namespace {

namespace json = boost::json;

using test::expectRefused;
using test::Outcome;
using test::Program;
using test::t3sim;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::HasSubstr;

using Words = std::vector<std::string>;

Words quick(const std::string& out, const std::string& parts) {
  return {"reproduce", "--quick", "--tracker", "model", "--only", parts, "--out", out};
}

json::value readJson(const std::string& path) { return json::parse(test::readFile(path)); }

/// Without what may differ between two runs.
json::value withoutHost(json::value document) {
  document.as_object().erase("host");
  for (json::value& point : document.at("points").as_array()) {
    for (json::value& run : point.at("runs").as_array()) run.as_object().erase("host");
  }
  return document;
}

TEST(Reproduce, WritesJsonAndCsvAndSaysWhatDrawsThem) {
  const TemporaryDirectory directory;
  const Outcome outcome = t3sim(quick(directory.path("r"), "traffic"));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "") << "no progress bar in a pipe";
  const json::value document = readJson(directory.path("r/reproduce.json"));
  EXPECT_EQ(document.at("schema").as_string(), "t3sim-reproduce/1");
  EXPECT_EQ(document.at("host").at("command").as_string(),
            "t3sim reproduce --only traffic --quick --tracker model");
  ASSERT_EQ(document.at("points").as_array().size(), 1U);
  const json::value& point = document.at("points").at(0);
  EXPECT_EQ(point.at("part").as_string(), "traffic");
  EXPECT_EQ(point.at("preset").as_string(), "t-nlg-fc2-tp8");
  EXPECT_EQ(point.at("model").as_string(), "T-NLG");
  EXPECT_EQ(point.at("sublayer").as_string(), "FC-2");
  EXPECT_EQ(point.at("gpus"), json::value(8));
  EXPECT_EQ(point.at("settings").at("simulated_gpus").as_string(), "symmetric");
  EXPECT_EQ(point.at("runs").at(0).at("mode").as_string(), "sequential");
  // What the windows hold is what the run moved.
  const json::value& run = point.at("runs").at(1);
  std::uint64_t bytes = 0;
  for (const json::value& window : run.at("memory").at("bytes_over_time").as_array()) {
    bytes += window.at("rs_write").to_number<std::uint64_t>();
  }
  EXPECT_EQ(bytes, run.at("dram_bytes").at("rs_write").to_number<std::uint64_t>());
  EXPECT_THAT(test::readFile(directory.path("r/reproduce.csv")),
              HasSubstr("traffic,t-nlg-fc2-tp8,"));
  // Whoever sees a figure of --quick is told what it is worth.
  EXPECT_THAT(outcome.output,
              AllOf(testing::StartsWith("--quick: tiny outputs, to try the program out. These "
                                        "figures say nothing about the paper.\n"),
                    HasSubstr("\ndraw it: scripts/report " + directory.path("r") + "\n")));
}

TEST(Reproduce, GoesOnWhereItStoppedAndGivesTheSameResult) {
  const TemporaryDirectory directory;
  const Words words = quick(directory.path("r"), "traffic");
  ASSERT_EQ(t3sim(words).code, 0);
  const json::value first = readJson(directory.path("r/reproduce.json"));
  // All runs but one are there: only that one is made again, the others keep their host figures.
  const std::filesystem::path runs = directory.path("r/runs");
  std::vector<std::filesystem::path> stored;
  for (const auto& entry : std::filesystem::directory_iterator(runs))
    stored.push_back(entry.path());
  ASSERT_EQ(stored.size(), first.at("points").at(0).at("runs").as_array().size());
  std::filesystem::remove(stored.front());
  ASSERT_EQ(t3sim(words).code, 0);
  const json::value second = readJson(directory.path("r/reproduce.json"));
  std::size_t same = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto wall = [&](const json::value& document) {
      return document.at("points").at(0).at("runs").at(i).at("host").at("wall_s");
    };
    same += wall(first) == wall(second) ? 1 : 0;
  }
  EXPECT_EQ(same, stored.size() - 1);
  EXPECT_EQ(withoutHost(first), withoutHost(second));
  EXPECT_TRUE(std::filesystem::exists(stored.front())) << "and it is stored again";
}

TEST(Reproduce, ASettingChangesEveryPointAndTheFilesSayIt) {
  const TemporaryDirectory directory;
  Words words = quick(directory.path("r"), "data-movement");
  const auto moved = [&] {
    EXPECT_EQ(t3sim(words).code, 0);
    const json::value document = readJson(directory.path("r/reproduce.json"));
    for (const json::value& headline : document.at("summary").at("headlines").as_array()) {
      if (headline.at("name").as_string() == "data moved by t3-mca, geomean") {
        return headline.at("ours").to_number<double>();
      }
    }
    return 0.0;
  };
  words.insert(words.end(), {"--set", "hbm.initial_value=zero-over-bus"});
  const double zeroed = moved();
  words.back() = "hbm.initial_value=in-memory";
  EXPECT_LT(moved(), zeroed) << "and a stored run of other settings is not taken for it";
  const json::value document = readJson(directory.path("r/reproduce.json"));
  EXPECT_EQ(document.at("settings"), json::array({"hbm.initial_value=in-memory"}));
  for (const json::value& point : document.at("points").as_array()) {
    EXPECT_EQ(point.at("settings").at("hbm.initial_value"), json::value("in-memory"));
  }
  EXPECT_THAT(document.at("host").at("command").as_string().c_str(),
              HasSubstr("--set hbm.initial_value=in-memory"));
}

TEST(Reproduce, RunsEverySensitivityWithTheRtl) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      t3sim({"reproduce", "--quick", "--only", "sensitivity", "--out", directory.path("r")});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const json::value document = readJson(directory.path("r/reproduce.json"));
  EXPECT_GT(document.at("points").as_array().size(), 30U);
  for (const json::value& point : document.at("points").as_array()) {
    for (const json::value& run : point.at("runs").as_array()) {
      EXPECT_EQ(run.at("tracker").as_string(), "rtl") << point.at("settings");
    }
  }
}

TEST(Reproduce, RefusesWhatItDoesNotKnow) {
  const TemporaryDirectory directory;
  expectRefused({"reproduce"}, {"--out"});
  expectRefused({"reproduce", "--out", directory.path("r"), "--set", "hbm.chanels=8"},
                {"hbm.channels"});
  expectRefused({"reproduce", "--out", directory.path("r"), "--only", "sublayer"}, {"sublayers"});
  EXPECT_TRUE(directory.names().empty()) << "nothing is made for a command that is refused";
  directory.write("file", "");
  expectRefused({"reproduce", "--out", directory.path("file/r")}, {"--out"});
}

TEST(Reproduce, ShowsPointsDoneOnATerminalOnly) {
  const TemporaryDirectory directory;
  Program terminal(quick(directory.path("r"), "traffic"), Program::Error::Terminal);
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.error, HasSubstr("0 of 1 points"));
}

TEST(Sweep, RunsTheProductOfItsAxes) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      t3sim({"sweep", "--preset", "tiny-tp4", "--data", "elided", "--tracker", "model", "--sweep",
             "link.latency_ns=100,0.9us", "--sweep", "hbm.arbitration=round-robin,mca", "--modes",
             "sequential,t3", "--out", directory.path("s")});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const json::value document = readJson(directory.path("s/sweep.json"));
  EXPECT_EQ(document.at("schema").as_string(), "t3sim-sweep/1");
  const json::array& points = document.at("points").as_array();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].at("settings"),
            json::parse(R"({"link.latency_ns": 100, "hbm.arbitration": "mca"})"));
  EXPECT_EQ(points[3].at("settings").at("link.latency_ns"), json::value(900))
      << "in the unit that the key says";
  const auto time = [&](std::size_t point, std::size_t run) {
    return points[point].at("runs").at(run).at("time_ps").to_number<std::uint64_t>();
  };
  EXPECT_LT(time(0, 0), time(2, 0)) << "a longer link latency takes longer";
  EXPECT_THAT(test::readFile(directory.path("s/sweep.csv")),
              testing::StartsWith("preset,link.latency_ns,hbm.arbitration,workload.model,"));
  EXPECT_THAT(outcome.output, HasSubstr("speedup"));
}

TEST(Sweep, RefusesAGridWithAPointThatCannotRun) {
  const auto refused = [](const std::string& axis, const std::string& part) {
    expectRefused({"sweep", "--preset", "tiny-tp4", "--sweep", axis}, {part});
  };
  refused("link.latency", "link.latency");
  refused("link.latency_nss=1", "link.latency_ns");
  refused("fabric.topology=ring,two-level", "fabric.gpus_per_node");
  refused("gpus=4,4", "twice");
  refused("link.latency_ns=1000,1us", "twice");
  refused("link.latency_ns=1,x", "a number");
  refused("tracker.slots=4096,512", "built with");
}

}  // namespace
}  // namespace t3::reproduce_test
