// SPDX-License-Identifier: Apache-2.0
// Timelines in a viewer that people use: Speedscope, in headless Chromium. Method: the viewer pairs
// beginnings and ends of slices track by track and says on the browser's console what does not fit.
// It must say nothing about a timeline of ours, show every track that has slices, and complain
// about files that are wrong, or its silence would mean nothing. `scripts/setup test` fetches the
// viewer; where there was none at configuration, these tests are not built, and timeline_test.cpp
// judges by the rules alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/testbench/browser.h"
#include "tests/testbench/program.h"

namespace t3::viewer_test {
namespace {

namespace json = boost::json;

using test::Browser;
using test::t3sim;
using test::TemporaryDirectory;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Viewer : public testing::Test {
 protected:
  /// Opens a trace as the viewer's own command does, and waits until it is drawn.
  static void open(Browser& browser, const std::string& trace) {
    const TemporaryDirectory directory;
    const std::string script =
        directory.write("trace.js", "speedscope.loadFileFromBase64('run.json', btoa(" +
                                        json::serialize(json::string(trace)) + "))");
    browser.open("about:blank");
    browser.open("file://" T3_VIEWER_PAGE "#localProfilePath=" + script);
    browser.waitFor("document.body.innerText.includes('Time Order')");
  }
  /// How many tracks it has, as it says at the top: "gpu0 (pid 1), slot 3 (tid 7) (1/254)".
  static std::size_t tracksShown(Browser& browser) {
    return browser.evaluate(R"(Number(document.body.innerText.match(/\(\d+\/(\d+)\)/)[1]))")
        .to_number<std::size_t>();
  }
};

TEST_F(Viewer, OpensTimelinesWithoutAComplaint) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("run.json");
  Browser browser;
  struct Drawn {
    test::Words more;
    int code = 0;
  };
  const std::string collective = T3_COLLECTIVES "/hierarchical-all-reduce-8.xml";
  for (const Drawn& drawn :
       {Drawn{{"--mode t3-mca --set workload.rows=256 --set workload.columns=256"}},
        Drawn{{"--mode t3 --timeline-window 4us:7us"}},
        Drawn{{"--mode t3 --set watchdog_us=50 --set link.latency_ns=900000"}, 1},
        Drawn{{"--mode sequential --collective", collective,
               "--set fabric.topology=fully-connected --set collective.bytes=524288"}},
        Drawn{{"--mode t3 --collective", collective,
               "--set fabric.topology=switch --set collective.bytes=524288"}},
        Drawn{{"--mode t3 --collective", collective,
               "--set fabric.topology=switch --timeline-window 3us:5us"}}}) {
    const test::Words words = {"run --preset tiny-tp4 --data elided --quiet --timeline", path};
    ASSERT_EQ(t3sim(words + drawn.more).code, drawn.code);
    const std::string trace = test::readFile(path);
    open(browser, trace);
    EXPECT_THAT(browser.complaints(), ElementsAre());
    std::set<std::pair<std::int64_t, std::int64_t>> tracks;
    const json::value document = json::parse(trace);
    for (const json::value& event : document.at("traceEvents").as_array()) {
      if (event.at("ph").as_string() != "B") continue;
      tracks.emplace(event.at("pid").to_number<std::int64_t>(),
                     event.at("tid").to_number<std::int64_t>());
    }
    EXPECT_GT(tracks.size(), 30U);
    EXPECT_EQ(tracksShown(browser), tracks.size());
  }
}

TEST_F(Viewer, OpensIterationsWithoutAComplaint) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("iteration.json");
  Browser browser;
  for (const std::string overlap : {"none", "streams"}) {
    test::mustRun({"run --workload " T3_WORKLOADS "/tiny-transformer-sp-tp4.0.et",
                   "--preset tiny-tp4 --data elided --tracker model --quiet --timeline", path,
                   "--set trace.overlap=" + overlap});
    open(browser, test::readFile(path));
    EXPECT_THAT(browser.complaints(), ElementsAre());
    EXPECT_EQ(tracksShown(browser), 8U) << "compute and communication of four GPUs";
  }
}

TEST_F(Viewer, ComplainsAboutSlicesThatOverlapOrDoNotEnd) {
  Browser browser;
  const auto complaintsAbout = [&](const std::string& events) {
    open(browser, R"({"traceEvents":[)" + events + "]}");
    return browser.complaints();
  };
  const auto event = [](const std::string& kind, const std::string& name, const std::string& time) {
    return R"({"pid":1,"tid":1,"ph":")" + kind + R"(","name":")" + name + R"(","ts":)" + time + "}";
  };
  const std::string a = event("B", "a", "1") + ",", b = event("B", "b", "1.5") + ",",
                    endA = event("E", "a", "2");
  EXPECT_THAT(complaintsAbout(a + b + event("E", "b", "1.75") + "," + endA), ElementsAre());
  EXPECT_THAT(complaintsAbout(a + b + event("E", "b", "2.5") + "," + endA),
              Contains(HasSubstr("Tried to end")));
  EXPECT_THAT(complaintsAbout(a + b + endA), Contains(HasSubstr("still open")));
  EXPECT_THAT(complaintsAbout(a + endA + "," + event("E", "b", "3")),
              Contains(HasSubstr("the stack was empty")));
  // A duration that is added in floating point: 0.1 + 0.2 is more than 0.3.
  EXPECT_THAT(complaintsAbout(R"({"pid":1,"tid":1,"ph":"X","name":"a","ts":0,"dur":0.1},)"
                              R"({"pid":1,"tid":1,"ph":"X","name":"b","ts":0.1,"dur":0.2},)"
                              R"({"pid":1,"tid":1,"ph":"X","name":"c","ts":0.3,"dur":0.4})"),
              Contains(HasSubstr("Tried to end")));
}

}  // namespace
}  // namespace t3::viewer_test
