// SPDX-License-Identifier: Apache-2.0
// `t3sim reproduce` and `t3sim sweep` as people use them. Method: the real program, with --quick
// and the behavioural twin; files, repetition and interruption are judged from outside. The report
// is opened in headless Chromium, on screens of several widths and themes and on paper, and asked
// by scripts of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/testbench/browser.h"
#include "tests/testbench/program.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/temporary_directory.h"

namespace t3 {
namespace {

namespace json = boost::json;

using test::Browser;
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
  for (const char* file :
       {"r/reproduce.csv", "r/report.html", "r/figures/traffic.svg", "r/figures/traffic.png",
        "r/figures/traffic.gp", "r/figures/traffic.csv"}) {
    EXPECT_GT(std::filesystem::file_size(directory.path(file)), 0U) << file;
  }
  // Whoever sees a figure of --quick is told what it is worth.
  const std::string warning =
      "--quick: tiny outputs, to try the program out. These figures say nothing about the paper.";
  EXPECT_THAT(outcome.output, testing::StartsWith(warning + "\n"));
  const std::string page = test::readFile(directory.path("r/report.html"));
  EXPECT_THAT(page, HasSubstr(warning));
  EXPECT_THAT(page, HasSubstr(", tiny outputs (--quick)"));
  EXPECT_THAT(test::readFile(directory.path("r/figures/traffic.svg")),
              HasSubstr("tiny outputs (--quick)"));
  EXPECT_EQ(page.find("<title>"), page.rfind("<title>"))
      << "names that gnuplot gives to its curves would show as tooltips";
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

TEST(Report, OpensInABrowserOnAnyScreenAndOnPaper) {
  const TemporaryDirectory directory;
  ASSERT_EQ(t3sim(quick(directory.path("r"), "traffic,data-movement")).code, 0);
  const std::string page = test::readFile(directory.path("r/report.html"));
  for (const char* reference : {"http:", "https:", "src=\"//", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
  Browser browser;
  browser.show(1280, 900);
  browser.open("file://" + directory.path("r/report.html"));
  const auto background = [&] {
    return std::string(
        browser.evaluate("getComputedStyle(document.body).backgroundColor").as_string());
  };
  EXPECT_EQ(background(), "rgb(255, 255, 255)");
  browser.show(1280, 900, "screen", "dark");
  EXPECT_NE(background(), "rgb(255, 255, 255)");
  browser.show(1280, 900, "print", "dark");
  EXPECT_EQ(background(), "rgb(255, 255, 255)") << "paper is white";
  browser.show(1280, 900, "");
  EXPECT_GE(browser.printedPages(), 3U);
  EXPECT_THAT(browser.complaints(), testing::ElementsAre());
}

TEST(Report, SaysWhatEverythingIsAndWhereItIs) {
  const TemporaryDirectory directory;
  ASSERT_EQ(t3sim(quick(directory.path("r"), "traffic,data-movement")).code, 0);
  Browser browser;
  browser.open("file://" + directory.path("r/report.html"));
  const auto count = [&](const std::string& expression) {
    return browser.evaluate("[..." + expression + "].length").to_number<int>();
  };
  // Contents: a link to each heading, in their order.
  EXPECT_EQ(browser.evaluate("[...document.querySelectorAll('nav a')].map(a => a.hash).join()"),
            browser.evaluate("[...document.querySelectorAll('h2')].map(h => '#' + h.id).join()"));
  EXPECT_GE(count("document.querySelectorAll('nav a')"), 5);
  const std::string text(browser.evaluate("document.body.innerText").as_string());
  for (const char* origin : {"t3sim reproduce --only traffic,data-movement --quick", " UTC",
                             "cores", "GiB", "runs,", "at a time", "RTL "}) {
    EXPECT_THAT(text, HasSubstr(origin));
  }
  // Figures: what they show in words and numbers, the modes in them, and their data.
  EXPECT_EQ(count("document.querySelectorAll('figure')"), 3);
  EXPECT_EQ(count("[...document.querySelectorAll('figure svg[role=img]')].map(s => "
                  "s.ariaLabel).filter(l => l.length > 100 && /\\d/.test(l))"),
            6)
      << "both drawings";
  EXPECT_EQ(count("[...document.querySelectorAll('figure')].filter(f => "
                  "f.querySelectorAll('dt').length > 1 && "
                  "[...f.querySelectorAll('dd')].every(d => d.textContent.length > 30))"),
            3);
  const json::value links = browser.evaluate(
      "[...document.querySelectorAll('figure a')].map(a => a.getAttribute('href'))");
  EXPECT_EQ(links.as_array().size(), 12U);
  for (const json::value& link : links.as_array()) {
    const std::string path = directory.path("r/" + std::string(link.as_string()));
    EXPECT_GT(std::filesystem::file_size(path), 100U) << path;
  }
  EXPECT_THAT(test::readFile(directory.path("r/figures/traffic.csv")),
              testing::StartsWith("mode,window_begin_ns,window_end_ns,GEMM_reads_bytes,"));
  // Tables: a caption each, and headings that say of what.
  EXPECT_EQ(count("document.querySelectorAll('table')"), 2);
  EXPECT_EQ(count("[...document.querySelectorAll('table')].filter(t => t.caption.textContent && "
                  "[...t.tHead.rows[0].cells].every(c => c.tagName === 'TH' && c.scope === 'col') "
                  "&& [...t.tBodies[0].rows].every(r => r.cells[0].scope === 'row'))"),
            2);
}

TEST(Report, SortsATableByTheColumnThatIsClickedAndNeedsNoScriptToBeRead) {
  const TemporaryDirectory directory;
  ASSERT_EQ(t3sim(quick(directory.path("r"), "traffic,data-movement")).code, 0);
  const std::string path = directory.path("r/report.html");
  const std::string column =
      "(() => { const t = document.querySelector('#runs ~ details table'); "
      "return [...t.tBodies[0].rows].map(r => Number(r.cells[2].textContent)); })()";
  Browser browser;
  browser.open("file://" + path);
  const auto values = [&] {
    std::vector<double> list;
    const json::value found = browser.evaluate(column);
    for (const json::value& value : found.as_array()) list.push_back(value.to_number<double>());
    return list;
  };
  const std::vector<double> unsorted = values();
  EXPECT_GT(unsorted.size(), 50U);
  EXPECT_FALSE(std::ranges::is_sorted(unsorted));
  const std::string click =
      "(() => { const h = document.querySelector('#runs ~ details table').tHead.rows[0].cells[2]; "
      "h.querySelector('button').click(); return h.ariaSort; })()";
  EXPECT_EQ(browser.evaluate(click).as_string(), "ascending");
  EXPECT_TRUE(std::ranges::is_sorted(values()));
  EXPECT_EQ(browser.evaluate(click).as_string(), "descending");
  EXPECT_TRUE(std::ranges::is_sorted(values(), std::ranges::greater{}));
  // The policy of the page lets no other script run; then its tables are as the program wrote them.
  std::string page = test::readFile(path);
  page.insert(page.find("</script>"), " ");
  browser.open("file://" + directory.write("changed.html", page));
  EXPECT_THAT(browser.complaints(), testing::ElementsAre(HasSubstr("Content Security Policy")));
  EXPECT_EQ(browser.evaluate("document.querySelectorAll('thead button').length"), 0);
  EXPECT_EQ(values(), unsorted);
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
}  // namespace t3
