// SPDX-License-Identifier: Apache-2.0
// `t3sim reproduce` and `t3sim sweep` as people use them. Method: the real program, with --quick
// and the behavioural twin; files, repetition and interruption are judged from outside. The report
// is opened in headless Chromium, all its figures asked for their size by a script that the test
// adds to a copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/testbench/program.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"

namespace t3 {
namespace {

namespace json = boost::json;

using test::expectRefused;
using test::Outcome;
using test::Program;
using test::t3sim;
using test::TemporaryDirectory;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

Words quick(const std::string& out, const std::string& parts) {
  return {"reproduce", "--quick", "--tracker", "model", "--only", parts, "--out", out};
}

json::value readJson(const std::string& path) { return json::parse(test::readFile(path)); }

/// Without what may differ between two runs.
json::value withoutHost(json::value document) {
  for (json::value& point : document.at("points").as_array()) {
    for (json::value& run : point.at("runs").as_array()) run.as_object().erase("host");
  }
  return document;
}

TEST(Reproduce, WritesJsonCsvFiguresAndReport) {
  const TemporaryDirectory directory;
  const Outcome outcome = t3sim(quick(directory.path("r"), "traffic"));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "") << "no progress bar in a pipe";
  const json::value document = readJson(directory.path("r/reproduce.json"));
  EXPECT_EQ(document.at("schema").as_string(), "t3sim-reproduce/1");
  ASSERT_EQ(document.at("points").as_array().size(), 1U);
  const json::value& point = document.at("points").at(0);
  EXPECT_EQ(point.at("part").as_string(), "traffic");
  EXPECT_EQ(point.at("preset").as_string(), "t-nlg-fc2-tp8");
  EXPECT_EQ(point.at("settings").at("simulated_gpus").as_string(), "symmetric");
  EXPECT_EQ(point.at("runs").at(0).at("mode").as_string(), "sequential");
  // What the windows hold is what the run moved.
  const json::value& run = point.at("runs").at(1);
  std::uint64_t bytes = 0;
  for (const json::value& window : run.at("memory").at("bytes_over_time").as_array()) {
    bytes += window.at("rs_write").to_number<std::uint64_t>();
  }
  EXPECT_EQ(bytes, run.at("dram_bytes").at("rs_write").to_number<std::uint64_t>());
  for (const char* file : {"r/reproduce.csv", "r/report.html", "r/figures/traffic.svg",
                           "r/figures/traffic.png", "r/figures/traffic.gp"}) {
    EXPECT_GT(std::filesystem::file_size(directory.path(file)), 0U) << file;
  }
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
  words.back() = "hbm.initial_value=first-update-stores";
  EXPECT_LT(moved(), zeroed) << "and a stored run of other settings is not taken for it";
  const json::value document = readJson(directory.path("r/reproduce.json"));
  EXPECT_EQ(document.at("settings"), json::array({"hbm.initial_value=first-update-stores"}));
  for (const json::value& point : document.at("points").as_array()) {
    EXPECT_EQ(point.at("settings").at("hbm.initial_value"), json::value("first-update-stores"));
  }
  EXPECT_THAT(test::readFile(directory.path("r/report.html")),
              HasSubstr("--set hbm.initial_value=first-update-stores"));
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

TEST(Report, OpensInABrowserWithoutNetworkOrErrorsAndShowsEveryFigure) {
  const TemporaryDirectory directory;
  ASSERT_EQ(t3sim(quick(directory.path("r"), "traffic,data-movement")).code, 0);
  std::string page = test::readFile(directory.path("r/report.html"));
  for (const char* reference : {"http:", "https:", "src=\"//", "<script", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
  // A script of ours says what the page has become; the policy has to allow it, in this copy.
  const std::string policy = "default-src 'none'; ";
  ASSERT_NE(page.find(policy), std::string::npos);
  page.insert(page.find(policy) + policy.size(), "script-src 'unsafe-inline'; ");
  page.insert(page.find("</body>"),
              "<script>addEventListener('load', () => { const seen = [...document.images].map("
              "i => { const r = i.getBoundingClientRect(); return i.complete && i.naturalWidth > 0 "
              "&& r.width > 300 && r.height > 100; }); document.body.dataset.figures = "
              "seen.filter(x => x).length + ' of ' + seen.length; });</script>\n");
  const std::string copy = directory.write("copy.html", page);
  const std::string command =
      "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
      "--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --v=0 "
      "--user-data-dir='" +
      directory.path("profile") +
      "' --virtual-time-budget=10000 --dump-dom "
      "'file://" +
      copy + "' >'" + directory.path("dom") + "' 2>'" + directory.path("log") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << test::readFile(directory.path("log"));
  EXPECT_THAT(test::readFile(directory.path("dom")), HasSubstr("data-figures=\"3 of 3\""));
  EXPECT_THAT(test::readFile(directory.path("log")), Not(HasSubstr("CONSOLE")));
}

TEST(Sweep, RunsTheProductOfItsAxes) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      t3sim({"sweep", "--preset", "tiny-tp4", "--data", "elided", "--tracker", "model", "--sweep",
             "link.latency_ns=100,900", "--sweep", "hbm.arbitration=round-robin,mca", "--modes",
             "sequential,t3", "--out", directory.path("s")});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const json::value document = readJson(directory.path("s/sweep.json"));
  EXPECT_EQ(document.at("schema").as_string(), "t3sim-sweep/1");
  const json::array& points = document.at("points").as_array();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].at("settings"),
            json::parse(R"({"link.latency_ns": 100, "hbm.arbitration": "mca"})"));
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
  refused("gpus=4,7", "do not divide");
  refused("gpus=4,4", "twice");
  refused("link.latency_ns=1,x", "a number");
  refused("tracker.sets_per_bank=64,32", "built with");
}

}  // namespace
}  // namespace t3
