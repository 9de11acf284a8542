// SPDX-License-Identifier: Apache-2.0
// What two results have in common, and what not. Method: results made by hand go through the same
// JSON as the program's, one value is changed, and the difference must be that value and no other;
// changes are exact numbers, tolerances are tried at the limit and one beyond. The command is run
// with files that are no results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/iteration/workload_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/points_report.h"
#include "testbench/report/result_diff.h"
#include "tests/testbench/refused.h"

namespace t3::diff_test {
namespace {

namespace json = boost::json;

using test::t3sim;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Report sample() {
  Report report;
  for (const Mode mode : {Mode::Sequential, Mode::T3Mca}) {
    RunRecord& run = report.runs.emplace_back();
    run.mode = mode;
    run.result.time_ps = 2000000;
    run.result.of(Phase::Gemm).dram_read = 1000;
    run.result.per_gpu.resize(2);
    run.result.memory.figures = {{"row_hits", "hits", "", {1, 2}}, {"reads", "all", "", {3, 4}}};
    run.result.phases = {{"gemm", 0, 1500}};
    run.result.nodes = {{.name = "gemm", .kind = "gemm", .end_ps = 1500}};
  }
  return report;
}

ResultDiff diffOf(const Report& a, const Report& b, double tolerance = 0, bool details = false) {
  return resultDiff({"a.json", jsonReport(a)}, {"b.json", jsonReport(b)}, tolerance, details);
}

std::vector<std::string> figuresOf(const RunChange& run) {
  std::vector<std::string> names;
  for (const FigureChange& figure : run.figures) names.push_back(figure.figure);
  return names;
}

TEST(Diff, OfTwoIterationsIsTheirModesFigures) {
  WorkloadForm a;
  a.trace.nodes = 8;
  a.trace.notes = {"a note"};
  WorkloadRunForm& run = a.runs.emplace_back();
  run.mode = Mode::T3;
  run.where_ns.gemm = 100;
  WorkloadForm b = a;
  b.trace.nodes = 9;
  b.runs[0].where_ns.gemm = 110;
  const ResultDiff diff = resultDiff({"a.json", toJson(a)}, {"b.json", toJson(b)}, 0, false);
  ASSERT_EQ(diff.scenario.size(), 1U);
  EXPECT_EQ(diff.scenario[0].key, "workload file.nodes");
  ASSERT_EQ(diff.changed.size(), 1U);
  EXPECT_EQ(diff.changed[0].name, "t3");
  ASSERT_EQ(diff.changed[0].figures.size(), 1U);
  EXPECT_EQ(diff.changed[0].figures[0].figure, "where_ns.gemm");
}

TEST(Diff, OfOneResultWithItselfIsEmpty) {
  const ResultDiff diff = diffOf(sample(), sample());
  EXPECT_TRUE(diff.same());
  EXPECT_EQ(diff.runs, 2U);
  EXPECT_THAT(diff.scenario, IsEmpty());
  EXPECT_THAT(diffText(diff, 80), HasSubstr("2 of 2 runs that are in both are the same\n"));
}

TEST(Diff, NamesAFigureThatChangedAndByHowMuch) {
  Report changed = sample();
  changed.runs[1].result.of(Phase::Gemm).dram_read = 1100;
  const ResultDiff diff = diffOf(sample(), changed);
  EXPECT_FALSE(diff.same());
  ASSERT_EQ(diff.changed.size(), 1U);
  EXPECT_EQ(diff.changed[0].name, "t3-mca");
  EXPECT_THAT(figuresOf(diff.changed[0]), ElementsAre("dram_bytes.gemm_read"));
  const FigureChange& figure = diff.changed[0].figures[0];
  EXPECT_EQ(figure.a, 1000);
  EXPECT_EQ(figure.b, 1100);
  EXPECT_DOUBLE_EQ(figure.change.value(), 0.1);
  EXPECT_THAT(diffText(diff, 80), HasSubstr("  dram_bytes.gemm_read  1000  1100  +10.00 %\n"));
}

TEST(Diff, GivesNoPercentageOfZeroAndOfTexts) {
  Report changed = sample();
  changed.runs[0].result.link_bytes = 5;
  changed.runs[0].result.error = "stuck\nat once";
  const ResultDiff diff = diffOf(sample(), changed);
  ASSERT_FALSE(diff.changed.empty());
  for (const FigureChange& figure : diff.changed[0].figures) {
    EXPECT_FALSE(figure.change.has_value()) << figure.figure;
  }
  // Only the first line of an error fits into a table.
  EXPECT_THAT(diffText(diff, 80), HasSubstr("  error"));
  EXPECT_THAT(diffText(diff, 80), Not(HasSubstr("at once")));
}

TEST(Diff, NamesTheSettingsThatDiffer) {
  Report changed = sample();
  changed.scenario.link.latency_ns += 100;
  const ResultDiff diff = diffOf(sample(), changed);
  ASSERT_EQ(diff.scenario.size(), 1U);
  EXPECT_EQ(diff.scenario[0].key, "link.latency_ns");
  EXPECT_EQ(diff.scenario[0].a, sample().scenario.link.latency_ns);
  EXPECT_TRUE(diff.same()) << "other settings with the same outcome are no change";
}

TEST(Diff, NamesASettingOfOneGpuThatOnlyOneScenarioHas) {
  Report changed = sample();
  changed.scenario.overrides.groups[3].launch_delay_us = 2;
  const ResultDiff diff = diffOf(sample(), changed);
  ASSERT_EQ(diff.scenario.size(), 1U);
  EXPECT_EQ(diff.scenario[0].key, "gpu3.launch_delay_us");
  EXPECT_TRUE(diff.scenario[0].a.is_null());
}

TEST(Diff, LeavesOutChangesUpToTheTolerance) {
  Report changed = sample();
  changed.runs[0].result.of(Phase::Gemm).dram_read = 1010;
  EXPECT_TRUE(diffOf(sample(), changed, 0.01).same());
  changed.runs[0].result.of(Phase::Gemm).dram_read = 1011;
  EXPECT_FALSE(diffOf(sample(), changed, 0.01).same());
  changed.runs[0].result.of(Phase::Gemm).dram_read = 989;
  EXPECT_FALSE(diffOf(sample(), changed, 0.01).same());
}

TEST(Diff, DoesNotLookAtWhatTheHostDid) {
  Report changed = sample();
  changed.runs[0].host.wall_s = 99;
  EXPECT_TRUE(diffOf(sample(), changed).same());
}

TEST(Diff, CountsDetailsAndNamesThemWhenAsked) {
  Report changed = sample();
  changed.runs[0].result.memory.figures[1].per_gpu[0] = 30;
  changed.runs[0].result.per_gpu[1].link_bytes = 7;
  changed.runs[0].result.nodes[0].exposed_ns = 9;
  const ResultDiff brief = diffOf(sample(), changed);
  EXPECT_FALSE(brief.same());
  ASSERT_EQ(brief.changed.size(), 1U);
  EXPECT_THAT(brief.changed[0].figures, IsEmpty());
  EXPECT_EQ(brief.changed[0].details, 3U);
  const ResultDiff whole = diffOf(sample(), changed, 0, true);
  EXPECT_THAT(figuresOf(whole.changed[0]),
              ElementsAre("nodes[gemm].exposed_ns", "per_gpu[1].link_bytes",
                          "memory.figures[reads].per_gpu[0]"));
  EXPECT_EQ(whole.changed[0].details, 0U);
}

TEST(Diff, TakesElementsWithOneNameByTheirPlace) {
  Report before = sample(), after = sample();
  before.runs[0].result.phases = {{"gemm", 0, 1}, {"gemm", 1, 2}};
  EXPECT_TRUE(diffOf(before, before).same());
  after.runs[0].result.phases = {{"gemm", 0, 1}, {"gemm", 1, 3}};
  EXPECT_THAT(figuresOf(diffOf(before, after, 0, true).changed.front()),
              ElementsAre("phases[1].end_ps"));
}

TEST(Diff, NamesRunsThatOnlyOneResultHas) {
  Report fewer = sample();
  fewer.runs.pop_back();
  EXPECT_THAT(diffOf(sample(), fewer).only_a, ElementsAre("t3-mca"));
  EXPECT_THAT(diffOf(fewer, sample()).only_b, ElementsAre("t3-mca"));
  EXPECT_FALSE(diffOf(sample(), fewer).same());
}

TEST(Diff, FindsPointsByTheirSettingsWhateverTheirOrder) {
  const auto point = [](const std::string& setting, Picoseconds time) {
    PointResult result;
    result.point = {"", "tiny-tp4", "", "", {setting}, {Mode::T3Mca}, {}};
    result.report.runs = {sample().runs[1]};
    result.report.runs[0].result.time_ps = time;
    return result;
  };
  const auto file = [](const std::vector<PointResult>& points) {
    SweepForm form;
    form.points = pointForms(points);
    return ResultFile{"sweep.json", toJson(form)};
  };
  const ResultDiff diff = resultDiff(
      file({point("link.latency_ns=1", 1000), point("link.latency_ns=2", 2000)}),
      file({point("link.latency_ns=2", 2000), point("link.latency_ns=1", 3000)}), 0, false);
  EXPECT_EQ(diff.runs, 2U);
  ASSERT_EQ(diff.changed.size(), 1U);
  EXPECT_EQ(diff.changed[0].name, "tiny-tp4 link.latency_ns=1, t3-mca");
  EXPECT_THAT(figuresOf(diff.changed[0]), ElementsAre("time_ns"));
}

TEST(Diff, RefusesFilesThatAreNoResultsOrOfTwoKinds) {
  const ResultFile run{"run.json", jsonReport(sample())};
  const ResultFile sweep{"sweep.json", toJson(SweepForm{})};
  const auto message = [](const ResultFile& a, const ResultFile& b) {
    return test::refusalOf([&] { resultDiff(a, b, 0, false); });
  };
  EXPECT_EQ(message(run, sweep),
            "sweep.json: schema: expected t3sim/1 as in run.json, got 't3sim-sweep/1'");
  EXPECT_EQ(message({"x.json", json::object{}}, run),
            "x.json: expected a result that t3sim wrote with --json");
  EXPECT_EQ(message({"x.json", json::value("t3sim/1")}, run),
            "x.json: expected a result that t3sim wrote with --json");
  json::value other = jsonReport(sample());
  other.as_object()["schema"] = "t3sim/2";
  EXPECT_EQ(message(run, {"new.json", other}),
            "new.json: schema: expected t3sim/1, t3sim-workload/1, t3sim-sweep/1, "
            "t3sim-reproduce/1 or t3sim-hbm/1, "
            "got 't3sim/2'");
}

class DiffCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const Report& report) {
    return directory_.write(name, formatJson(jsonReport(report)));
  }

  TemporaryDirectory directory_;
};

TEST_F(DiffCommand, ExitsWithOneIfARunHasChanged) {
  Report changed = sample();
  changed.runs[0].result.link_bytes = 1;
  const std::string a = write("a.json", sample()), b = write("b.json", changed);
  test::mustRun({"diff", a, a});
  EXPECT_EQ(t3sim({"diff", a, b}).code, 1);
  const auto [code, output, error] = t3sim({"diff --tolerance 2%", a, b, "--json -"});
  EXPECT_EQ(code, 1);
  EXPECT_EQ(json::parse(output).at("changed").at(0).at("name"), "sequential");
}

TEST_F(DiffCommand, RefusesBadInputWithOneLine) {
  const std::string a = write("a.json", sample());
  for (const std::string& words :
       {std::string(), a, a + " " + a + " " + a, a + " " + a + " --tolerance -1",
        a + " " + a + " --tolerance x", a + " /none.json", a + " " + a + " --json " + a}) {
    test::expectRefused("diff " + words, {});
  }
}

}  // namespace
}  // namespace t3::diff_test
