// SPDX-License-Identifier: Apache-2.0
// Reports of results made by hand. Method: the JSON is compared with the published schema key by
// key and in order; figures appear where the schema says, in the unit that its name says; the table
// and the CSV are looked at through the same figures. Units and rounding are checked by exact
// texts, at a limit and one beyond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/progress_bar.h"
#include "testbench/report/table_report.h"
#include "testbench/report/text.h"
#include "testbench/simulate/point_runner.h"
#include "tests/support/made_phases.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::report_test {
namespace {

namespace json = boost::json;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RunRecord record(Mode mode, Picoseconds time) {
  RunRecord run;
  run.mode = mode;
  run.result.time_ps = time;
  test::setPhaseNs(run.result, {1.5, 2.5, 3.5});
  run.result.phases = {{"gemm", 0, 1500}};
  test::setDramBytes(run.result, test::madeBytes({11, 12, 13, 14, 15, 16}));
  run.result.link_bytes = 17;
  run.result.per_gpu.resize(2);
  run.result.per_gpu[1].gpu = 1;
  run.result.tracker_stats = {
      .updates = 21, .triggers = 22, .releases = 28, .stall_cycles = 24, .rtl_cycles = 27};
  run.host = {0.5, 100, 200, 30, {}};
  return run;
}

Report sample() {
  Report report;
  report.runs = {record(Mode::Sequential, 3000000), record(Mode::T3, 2500000)};
  return report;
}

std::vector<std::string> keys(const json::value& value) {
  std::vector<std::string> names;
  for (const auto& [key, element] : value.as_object()) names.emplace_back(key);
  return names;
}

TEST(JsonReport, HasTheFieldsOfTheSchemaInOrder) {
  const json::value report = jsonReport(sample());
  EXPECT_THAT(keys(report), ElementsAre("schema", "build", "scenario", "runs"));
  EXPECT_EQ(report.at("schema").as_string(), "t3sim/1");
  EXPECT_THAT(keys(report.at("build")), ElementsAre("version", "commit", "dirty", "rtl_sha256"));
  EXPECT_TRUE(report.at("build").at("dirty").is_bool());
  ASSERT_EQ(report.at("runs").as_array().size(), 2U);
  const json::value& run = report.at("runs").as_array()[1];
  EXPECT_THAT(keys(run),
              ElementsAre("mode", "tracker", "status", "error", "time_ns", "time_ps", "speedup",
                          "derived_from", "phase_ns", "bound_ns", "phases", "nodes", "sublayers",
                          "steady_ns", "setup", "dram_bytes", "link_bytes", "per_gpu", "memory",
                          "tracker_stats", "verification", "host"));
  EXPECT_THAT(keys(run.at("phase_ns")),
              ElementsAre("gemm", "reduce_scatter", "all_gather", "norm", "consumer"));
  EXPECT_THAT(keys(run.at("phases").at(0)), ElementsAre("name", "start_ps", "end_ps", "sublayer"));
  EXPECT_THAT(keys(run.at("setup")),
              ElementsAre("register_accesses", "first_ns", "again_ns", "wait_ns"));
  EXPECT_TRUE(run.at("steady_ns").is_null()) << "of one sublayer";
  EXPECT_THAT(keys(run.at("dram_bytes")),
              ElementsAre("gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write",
                          "norm_read", "norm_write", "consumer_read", "consumer_write"));
  EXPECT_THAT(keys(run.at("tracker_stats")),
              ElementsAre("updates", "triggers", "releases", "stall_cycles", "rtl_cycles"));
  EXPECT_THAT(keys(run.at("verification")),
              ElementsAre("data", "elements", "mismatches", "left_out_error", "sums_error",
                          "gathered_error"));
  EXPECT_THAT(keys(run.at("host")), ElementsAre("wall_s", "dram_bursts", "dram_bursts_per_s",
                                                "peak_rss_mb", "processes"));
}

/// Two runs of a graph from a file.
Report graphSample() {
  Report report = sample();
  report.scenario.workload.graph = "mine.json";
  report.runs[0].result.nodes = {{"g", "gemm", 0, 2'000'000, 1'500, 2'000, 1'000, 0},
                                 {"sum", "collective", 500'000, 3'000'000, 1'000, 300, 400, 512}};
  report.runs[1].result.nodes = report.runs[0].result.nodes;
  report.runs[1].result.nodes[1].link_bytes = 1'024;
  return report;
}

TEST(Reports, OfAGraphFromAFileHaveItsNodes) {
  const Report report = graphSample();
  const std::string table = tableReport(report, 200);
  EXPECT_THAT(table,
              testing::ContainsRegex("begin to end \\(ns\\)\n +g +0\\.0 to 2000\\.0 +0\\.0 to "
                                     "2000\\.0\n +sum +500\\.0 to 3000\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("exposed, mean of the GPUs \\(ns\\)\n +g +1500\\.0 +"
                                            "1500\\.0\n +sum +1000\\.0 +1000\\.0\n"
                                            " +nothing runs +500\\.0 +0\\.0\n"))
      << "of 3000 ns, and of 2500 ns";
  EXPECT_THAT(table, testing::ContainsRegex("read \\+ write, mean \\(kB\\)\n +g +2\\.0 \\+ 1\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex(
                         "links, mean \\(kB\\)\n +g +0\\.0 +0\\.0\n +sum +0\\.5 +1\\.0"));
  EXPECT_EQ(json::serialize(jsonReport(report).at("runs").at(0).at("nodes").at(1)),
            R"({"name":"sum","kind":"collective","start_ps":500000,"end_ps":3000000,)"
            R"("exposed_ns":1E3,"dram_read":300,"dram_write":400,"link_bytes":512})");
}

TEST(TableReport, FindsNodesByTheirNamesWhereRunsHaveOthers) {
  Report report = graphSample();
  report.runs[1].result.nodes.insert(report.runs[1].result.nodes.begin(),
                                     {"late", "gemm", 0, 1'000'000, 250, 1'000, 0, 0});
  EXPECT_THAT(tableReport(report, 200),
              testing::ContainsRegex("exposed, mean of the GPUs \\(ns\\)\n +g +1500\\.0 +1500\\.0\n"
                                     " +sum +1000\\.0 +1000\\.0\n +late +- +250\\.0\n"));
}

TEST(TableReport, HasFortyNodesAtMost) {
  Report report = graphSample();
  report.runs.pop_back();
  std::vector<NodeFigures>& nodes = report.runs[0].result.nodes;
  while (nodes.size() < 40) nodes.push_back({"n" + std::to_string(nodes.size()), "gemm"});
  EXPECT_THAT(tableReport(report, 200), HasSubstr("  n39  "));
  nodes.push_back({"n40", "gemm"});
  EXPECT_THAT(tableReport(report, 200),
              AllOf(HasSubstr("41 nodes: --json and --csv have them\n"), Not(HasSubstr("n39"))));
}

TEST(TableReport, HasNoNodesOfAMode) {
  Report report = graphSample();
  report.scenario.workload.graph = "";
  EXPECT_THAT(tableReport(report, 200), testing::Not(HasSubstr("nodes")));
}

TEST(TableReport, ShowsTheSteadyStateOfSeveralSublayersAndWhatSettingUpCosts) {
  Report report = sample();
  EXPECT_THAT(tableReport(report, 200), testing::Not(HasSubstr("steady")));
  report.scenario.workload.repeat = 3;
  RunResult& result = report.runs[1].result;
  result.sublayers = {{0, 800'000, {}}, {900'000, 1'650'000, {}}, {1'700'000, 2'500'000, {}}};
  result.steady_ns = 850;
  result.setup = {.register_accesses = 53, .first_ns = 460, .again_ns = 212, .wait_ns = 1500};
  const std::string table = tableReport(report, 200);
  EXPECT_THAT(table, testing::ContainsRegex("first sublayer +- +800\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("steady state +- +850\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("set-up of the first \\(us\\) +- +0\\.46"));
  EXPECT_THAT(table, testing::ContainsRegex("set-up of one more \\(us\\) +- +0\\.21"));
  EXPECT_THAT(table, testing::ContainsRegex("waited for it and others \\(us\\) +- +1\\.50"));
}

TEST(Reports, ACollectiveInAPhaseOfItsOwnHasItsRows) {
  Report report = sample();
  report.runs[1].result.of(extraPhase(1)) = {"broadcast", 250, 200, 3'000, 4'000};
  const std::string table = tableReport(report, 200);
  EXPECT_THAT(table, testing::ContainsRegex("\\+ broadcast +- +250\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("broadcast read +- +3\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("broadcast write +- +4\\.0"));
  EXPECT_THAT(table, testing::ContainsRegex("total +0\\.1 +7\\.1"));
  const json::value runs = jsonReport(report).at("runs");
  EXPECT_FALSE(runs.at(0).as_object().contains("other_collectives"));
  EXPECT_EQ(json::serialize(runs.at(1).at("other_collectives")),
            R"([{"name":"broadcast","exposed_ns":2.5E2,"bound_ns":2E2,"dram_read":3000,)"
            R"("dram_write":4000}])");
  EXPECT_EQ(runs.at(1).at("dram_bytes").as_object().size(), 10U) << "of the usual phases";
}

TEST(TableReport, HasNoRowsForCollectivesThatAFileHasReplaced) {
  Report report = sample();
  for (RunRecord& run : report.runs) {
    test::setPhaseNs(run.result, {1, 0, 0});
    test::setDramBytes(run.result, test::madeBytes({1}));
  }
  EXPECT_THAT(tableReport(report, 200), HasSubstr("reduce-scatter")) << "built in, and 0";
  report.scenario.workload.collective = "all-reduce.xml";
  EXPECT_THAT(tableReport(report, 200), testing::Not(HasSubstr("reduce-scatter")));
  EXPECT_THAT(tableReport(report, 200), testing::Not(HasSubstr("all-gather")));
  report.runs[1].result.of(Phase::AllGather).dram_read = 1;
  EXPECT_THAT(tableReport(report, 200), testing::Not(HasSubstr("reduce-scatter")));
  EXPECT_THAT(tableReport(report, 200), HasSubstr("all-gather")) << "behind a reduce-scatter";
}

TEST(JsonReport, CarriesTheFigures) {
  const json::value report = jsonReport(sample());
  const json::value& run = report.at("runs").at(1);
  EXPECT_EQ(run.at("mode").as_string(), "t3");
  EXPECT_EQ(run.at("tracker").as_string(), "rtl");
  EXPECT_EQ(run.at("status").as_string(), "ok");
  EXPECT_TRUE(run.at("error").is_null());
  EXPECT_EQ(run.at("time_ps").to_number<std::uint64_t>(), 2500000U);
  EXPECT_EQ(run.at("time_ns").as_double(), 2500.0);
  EXPECT_EQ(run.at("speedup").as_double(), 1.2);
  EXPECT_EQ(run.at("phase_ns").at("reduce_scatter").as_double(), 2.5);
  EXPECT_EQ(run.at("dram_bytes").at("rs_write").to_number<int>(), 14);
  EXPECT_EQ(run.at("link_bytes").to_number<int>(), 17);
  EXPECT_EQ(run.at("per_gpu").as_array().size(), 2U);
  EXPECT_EQ(run.at("tracker_stats").at("releases").to_number<int>(), 28);
  EXPECT_EQ(run.at("verification").at("data").as_string(), "elided");
  EXPECT_EQ(run.at("host").at("dram_bursts").to_number<int>(), 100);
}

TEST(JsonReport, TimesArePicosecondsAndNanosecondsOfTheSameValue) {
  Report report;
  report.runs = {record(Mode::T3, 1234567)};
  RunResult& result = report.runs[0].result;
  result.of(Phase::ReduceScatter).bound_ns = 200.25;
  result.bound_ns = 600.875;
  result.per_gpu[1].gemm_end_ps = 777;
  result.per_gpu[1].store_zero_wait_ps = 42;
  result.memory.window_ns = 5000;
  const json::value run = jsonReport(report).at("runs").at(0);
  EXPECT_EQ(run.at("time_ps").to_number<std::uint64_t>(), 1234567U);
  EXPECT_EQ(run.at("time_ns").as_double(), 1234.567);
  EXPECT_EQ(run.at("phase_ns").at("gemm").as_double(), 1.5);
  EXPECT_EQ(run.at("phase_ns").at("all_gather").as_double(), 3.5);
  EXPECT_EQ(run.at("phases").at(0).at("end_ps").to_number<int>(), 1500);
  EXPECT_EQ(run.at("bound_ns").at("total").as_double(), 600.875);
  EXPECT_EQ(run.at("bound_ns").at("reduce_scatter").as_double(), 200.25);
  EXPECT_EQ(run.at("per_gpu").at(1).at("gemm_end_ps").to_number<int>(), 777);
  EXPECT_EQ(run.at("per_gpu").at(1).at("store_zero_wait_ps").to_number<int>(), 42);
  EXPECT_EQ(run.at("memory").at("window_ns").as_double(), 5000);
  EXPECT_EQ(run.at("host").at("wall_s").as_double(), 0.5);
  EXPECT_EQ(run.at("host").at("dram_bursts_per_s").as_double(), 200);
  EXPECT_EQ(run.at("host").at("peak_rss_mb").as_double(), 30);
}

TEST(JsonReport, AFailedRunKeepsItsFiguresAndSaysWhy) {
  Report report = sample();
  report.runs[1].result.error = "went wrong";
  EXPECT_TRUE(report.failed());
  const json::value run = jsonReport(report).at("runs").at(1);
  EXPECT_EQ(run.at("status").as_string(), "failed");
  EXPECT_EQ(run.at("error").as_string(), "went wrong");
  EXPECT_TRUE(run.at("speedup").is_null());
}

TEST(JsonReport, ItsScenarioIsAValidConfiguration) {
  Report report = sample();
  report.scenario.gpus = 16;
  report.scenario.link.latency_ns = 123.25;
  report.scenario.workload.model = "a \"model\"";
  const test::TemporaryDirectory directory;
  const json::value parsed = json::parse(formatJson(jsonReport(report)));
  ScenarioSource source;
  source.configFile = directory.write("scenario.json", formatJson(parsed.at("scenario")));
  SystemConfig copy = loadScenario(source);
  EXPECT_EQ(toJson(copy), toJson(report.scenario));
  EXPECT_EQ(copy.link.latency_ns, 123.25);
}

TEST(Speedup, IsOverSequentialAndNothingWithoutIt) {
  Report report = sample();
  EXPECT_EQ(report.speedup(report.runs[0]), 1.0);
  EXPECT_EQ(report.speedup(report.runs[1]), 1.2);
  report.runs[0].result.error = "failed";
  EXPECT_EQ(report.speedup(report.runs[1]), std::nullopt);
  report.runs.erase(report.runs.begin());
  EXPECT_EQ(report.speedup(report.runs[0]), std::nullopt);
  EXPECT_TRUE(jsonReport(report).at("runs").at(0).at("speedup").is_null());
}

TEST(Bounds, ARunThatBeatsAnIdealOfItsModeHasFailed) {
  std::vector<RunRecord> runs = {
      record(Mode::Sequential, 499'999),     record(Mode::T3, 500'000),
      record(Mode::T3Mca, 499'999),          record(Mode::cuSplit(1), 400'000),
      record(Mode::IdealOverlap, 1'000'000), record(Mode::IdealRsNmc, 1'000'000)};
  checkBounds(SystemConfig{}, runs);
  EXPECT_THAT(runs[0].result.error, HasSubstr("ideal-overlap: 499999 ps < 1000000 ps"));
  EXPECT_FALSE(runs[1].failed()) << "refreshes";
  EXPECT_THAT(runs[2].result.error, HasSubstr("ideal-rs-nmc: 499999 ps < 1000000 ps"));
  EXPECT_THAT(runs[3].result.error, HasSubstr("ideal-rs-nmc: 400000 ps < 1000000 ps"));
  EXPECT_FALSE(runs[4].failed()) << "one ideal says nothing of another";
  EXPECT_FALSE(runs[5].failed());
}

TEST(Bounds, AFailedBoundSaysNothing) {
  std::vector<RunRecord> runs = {record(Mode::T3, 1), record(Mode::IdealRsNmc, 1'000'000)};
  runs[1].result.error = "failed";
  checkBounds(SystemConfig{}, runs);
  EXPECT_FALSE(runs[0].failed());
}

TEST(Bounds, IdealsBoundNothingWhereGpusDiffer) {
  std::vector<RunRecord> runs = {record(Mode::T3, 1), record(Mode::IdealRsNmc, 1'000'000)};
  SystemConfig config;
  config.overrides.groups[3].launch_delay_us = 5;
  checkBounds(config, runs);
  EXPECT_FALSE(runs[0].failed());
  config = {};
  config.gpus = 7;  // 2,176 tiles: some GPUs own 310, some 311
  checkBounds(config, runs);
  EXPECT_FALSE(runs[0].failed());
  checkBounds(SystemConfig{}, runs);
  EXPECT_TRUE(runs[0].failed());
}

TEST(Bounds, ADerivedRunBelowItsClosedFormHasFailed) {
  // The GEMM and the all-gather of the default scenario alone take more than 2 ms.
  RunRecord sequential = record(Mode::Sequential, 4'000'000'000);
  test::setPhaseNs(sequential.result, {2e6, 2e6, 0});
  sequential.result.sublayers.resize(1);
  sequential.result.sublayers[0].end_ps = sequential.result.time_ps;
  sequential.result.sublayers[0].phase_ns = sequential.result.phaseNs();
  const std::vector<Mode> modes = {Mode::Sequential, Mode::IdealOverlap};
  const std::vector<RunRecord> runs = assembleRuns(SystemConfig{}, modes, {sequential});
  EXPECT_FALSE(runs[0].failed());
  EXPECT_THAT(runs[1].result.error, HasSubstr("faster than its closed form: 2000000000 ps < 2"));
  sequential.result.time_ps += 1'000'000'000;
  EXPECT_FALSE(assembleRuns(SystemConfig{}, modes, {sequential})[1].failed());
}

TEST(CsvReport, HasOneRowPerRunUnderTheNamesOfTheJson) {
  Report report = sample();
  report.scenario.workload.model = "a,\"b\"";
  std::istringstream lines(csvReport(report));
  std::string header, first, second, rest;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, rest));
  EXPECT_THAT(header, AllOf(HasSubstr(",time_ps,"), HasSubstr(",dram_bytes.gemm_read,"),
                            HasSubstr(",host.wall_s,")));
  EXPECT_THAT(first,
              testing::StartsWith("\"a,\"\"b\"\"\",,8192,4256,2128,equal,fp16,1,0,,,none,0,8,"));
  EXPECT_THAT(second, HasSubstr(",t3,rtl,ok,,2500.0,2500000,1.2,"));
  // One comma of the row is inside the quoted model.
  EXPECT_EQ(std::ranges::count(header, ','), std::ranges::count(second, ',') - 1);
}

TEST(CsvReport, LeavesFieldsOfRunsEmptyThatHaveNoSuchFigure) {
  EXPECT_EQ(formatCsv({{{"a", "1"}, {"c", "2"}},
                       {{"a", "3"}, {"b", "4"}, {"c", "5"}, {"d", "6"}},
                       {{"a", "7"}}}),
            "a,b,c,d\n1,,2,\n3,4,5,6\n7,,,\n");
  Report report = sample();
  report.runs[1].result.summed = LoadFigures{.answer_bytes = 8, .sum_bytes = 4, .most_kept = 2};
  std::istringstream lines(csvReport(report));
  std::string header;
  std::getline(lines, header);
  EXPECT_THAT(header, HasSubstr(",summed.sum_bytes,"));
  for (std::string row; std::getline(lines, row);) {
    EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(header, ','));
  }
}

/// The cell of a column that is named like that, of one line of a CSV without quotes.
std::string cellOf(const std::string& csv, std::size_t line, const std::string& name) {
  std::istringstream lines(csv);
  std::string header, row;
  std::getline(lines, header);
  for (std::size_t i = 0; i <= line; ++i) std::getline(lines, row);
  std::istringstream names(header), cells(row);
  for (std::string column, cell; std::getline(names, column, ',');) {
    std::getline(cells, cell, ',');
    if (column == name) return cell;
  }
  return "no such column";
}

TEST(CsvReport, HasTheFiguresOfTheJsonInTheSameUnits) {
  Report report = sample();
  report.runs[1].result.time_ps = 2500001;
  report.runs[1].result.bound_ns = 2400.5;
  const std::string csv = csvReport(report);
  const auto cell = [&](const char* name) { return cellOf(csv, 1, name); };
  EXPECT_EQ(cell("time_ns"), "2500.001");
  EXPECT_EQ(cell("time_ps"), "2500001");
  EXPECT_EQ(cell("phase_ns.reduce_scatter"), "2.5");
  EXPECT_EQ(cell("bound_ns.total"), "2400.5");
  EXPECT_EQ(cell("dram_bytes.gemm_read"), "11");
  EXPECT_EQ(cell("dram_bytes.ag_write"), "16");
  EXPECT_EQ(cell("link_bytes"), "17");
  EXPECT_EQ(cell("tracker_stats.stall_cycles"), "24");
  EXPECT_EQ(cell("tracker_stats.rtl_cycles"), "27");
  EXPECT_EQ(cell("host.dram_bursts_per_s"), "200.0");
  EXPECT_EQ(cell("host.peak_rss_mb"), "30.0");
  EXPECT_EQ(cell("derived_from"), "");
  EXPECT_EQ(cellOf(csv, 0, "speedup"), "1.0");
}

TEST(CsvReport, HasTheNodesOfAGraphFromAFileByTheirNames) {
  Report report = graphSample();
  EXPECT_EQ(cellOf(csvReport(report), 1, "nodes.sum.link_bytes"), "1024");
  EXPECT_EQ(cellOf(csvReport(report), 0, "nodes.g.exposed_ns"), "1500.0");
  EXPECT_EQ(cellOf(csvReport(report), 0, "nodes.g.kind"), "gemm");
  report.scenario.workload.graph = "";
  EXPECT_THAT(csvReport(report), testing::Not(HasSubstr("nodes.")));
}

TEST(FixedText, RoundsToTheNearest) {
  EXPECT_EQ(fixed(0.949999, 1), "0.9");
  EXPECT_EQ(fixed(0.950001, 1), "1.0");
  EXPECT_EQ(fixed(1.2344999, 3), "1.234");
  EXPECT_EQ(fixed(1.2345001, 3), "1.235");
  EXPECT_EQ(fixed(-0.26, 1), "-0.3");
  EXPECT_EQ(fixed(-0.04, 1), "0.0");
  EXPECT_EQ(fixed(-0.4, 0), "0");
  EXPECT_EQ(fixed(99.5, 0), "100");
  EXPECT_EQ(fixed(7, 2), "7.00");
}

TEST(TextTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  TextTable table;
  table.add({"", "one", "three hundred"});
  table.add({"a heading that is wider than everything"});
  table.add({"abc", "1", "300"});
  EXPECT_EQ(table.text(),
            "     one  three hundred\n"
            "a heading that is wider than everything\n"
            "abc    1            300\n");
}

TEST(TextTable, PutsColumnsThatDoNotFitBelowWithTheLabelsAgain) {
  TextTable table(2);
  table.add({"p", "key", "one", "two", "three"});
  table.add({"heading"});
  table.add({"q", "1", "10", "200", "3000"});
  EXPECT_EQ(table.text(23),
            "p  key  one  two  three\n"
            "heading\n"
            "q    1   10  200   3000\n");
  EXPECT_EQ(table.text(22),
            "p  key  one  two\n"
            "heading\n"
            "q    1   10  200\n"
            "\n"
            "p  key  three\n"
            "heading\n"
            "q    1   3000\n");
  EXPECT_EQ(table.text(1),
            "p  key  one\n"
            "heading\n"
            "q    1   10\n"
            "\n"
            "p  key  two\n"
            "heading\n"
            "q    1  200\n"
            "\n"
            "p  key  three\n"
            "heading\n"
            "q    1   3000\n")
      << "a column each, even if it does not fit";
}

/// The cells of the row with that label, of all runs.
std::vector<std::string> rowOf(const Report& report, const std::string& label) {
  std::vector<std::string> cells;
  std::istringstream lines(tableReport(report, 200));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || !line.substr(begin).starts_with(label + "  ")) continue;
    std::istringstream words(line.substr(begin + label.size()));
    for (std::string word; words >> word;) cells.push_back(word);
  }
  return cells;
}

TEST(TableReport, ChoosesTheUnitOfTimeByTheLongestRun) {
  const auto times = [](Picoseconds longest, const std::string& unit) {
    Report report;
    report.runs = {record(Mode::Sequential, longest), record(Mode::T3, longest / 2)};
    report.runs[0].result.of(Phase::Gemm).exposed_ns = 12345.67;
    EXPECT_THAT(rowOf(report, "time (" + unit + ")"), testing::SizeIs(2)) << longest;
    EXPECT_THAT(rowOf(report, "GEMM"), testing::SizeIs(2));
    return rowOf(report, "time (" + unit + ")")[0] + " " + rowOf(report, "GEMM")[0];
  };
  // Below 100,000 of a unit it is that unit.
  EXPECT_EQ(times(99'999'940, "ns"), "99999.9 12345.7");
  EXPECT_EQ(times(100'000'000, "us"), "100.0 12.3");
  EXPECT_EQ(times(99'999'940'000, "us"), "99999.9 12.3");
  EXPECT_EQ(times(100'000'000'000, "ms"), "100.0 0.0");
  EXPECT_EQ(times(200'000'000'000'000, "ms"), "200000.0 0.0");
}

TEST(TableReport, ChoosesTheUnitOfBytesByTheLargestFigure) {
  const auto links = [](std::uint64_t bytes, const std::string& unit) {
    Report report;
    report.runs = {record(Mode::T3, 1)};
    report.runs[0].result.link_bytes = bytes;
    const auto cells = rowOf(report, "all links (" + unit + ")");
    return cells.empty() ? "another unit" : cells[0];
  };
  EXPECT_EQ(links(99'999'940, "kB"), "99999.9");
  EXPECT_EQ(links(100'000'000, "MB"), "100.0");
  EXPECT_EQ(links(99'999'940'000, "MB"), "99999.9");
  EXPECT_EQ(links(100'000'000'000, "GB"), "100.0");
  Report reads;
  reads.runs = {record(Mode::T3, 1)};
  test::setDramBytes(reads.runs[0].result,
                     test::madeBytes({100'000'000, 2'000'000, 300'000, 50'000, 6'000, 200}));
  EXPECT_EQ(rowOf(reads, "GEMM read")[0], "100.0") << "MB, because of this figure";
  EXPECT_EQ(rowOf(reads, "GEMM write")[0], "2.0");
  EXPECT_EQ(rowOf(reads, "reduce-scatter read")[0], "0.3");
  EXPECT_EQ(rowOf(reads, "reduce-scatter write")[0], "0.1") << "0.05, rounded";
  EXPECT_EQ(rowOf(reads, "all-gather read")[0], "0.0");
  EXPECT_EQ(rowOf(reads, "total")[0], "102.4");
}

TEST(TableReport, ShowsHowFarARunIsAboveItsBound) {
  Report report;
  report.runs = {record(Mode::Sequential, 3'000'000), record(Mode::T3, 2'500'000),
                 record(Mode::T3Mca, 2'400'000)};
  report.runs[0].result.bound_ns = 2400;
  report.runs[1].result.bound_ns = 2600;
  EXPECT_THAT(rowOf(report, "above its bound"), ElementsAre("25.0%", "-3.8%", "-"));
  EXPECT_THAT(rowOf(report, "speedup"), ElementsAre("1.000x", "1.200x", "1.250x"));
}

TEST(TableReport, CountsInGroupsOfThreeDigits) {
  Report report;
  report.runs = {record(Mode::T3, 1)};
  report.runs[0].result.tracker_stats = {
      .updates = 999, .triggers = 1000, .stall_cycles = 12345678901};
  EXPECT_EQ(rowOf(report, "updates")[0], "999");
  EXPECT_EQ(rowOf(report, "triggers")[0], "1,000");
  EXPECT_EQ(rowOf(report, "stall cycles")[0], "12,345,678,901");
  EXPECT_THAT(tableReport(report, 80), testing::Not(HasSubstr("rows released")))
      << "where nobody waits for rows";
  report.runs[0].result.tracker_stats.releases = 4321;
  EXPECT_EQ(rowOf(report, "rows released")[0], "4,321");
  report.runs[0].result.tracker_stats.updates = 0;
  EXPECT_EQ(rowOf(report, "stall cycles")[0], "-") << "nothing is tracked";
}

TEST(TableReport, ShowsWhatTheSimulationCostOnThisMachine) {
  Report report = sample();
  report.runs[1].host = {1.006, 1, 2'345'678, 45.5, {}};
  EXPECT_THAT(rowOf(report, "wall (s)"), ElementsAre("0.50", "1.01"));
  EXPECT_THAT(rowOf(report, "DRAM Mbursts/s"), ElementsAre("0.00", "2.35"));
  EXPECT_THAT(rowOf(report, "peak memory (MB)"), ElementsAre("30", "46"));
  report.runs[1].derived_from = Mode::Sequential;
  EXPECT_THAT(rowOf(report, "wall (s)"), ElementsAre("0.50", "-"));
}

TEST(TableReport, FitsOneHundredColumnsWithAllModesAtPaperScale) {
  Report report;
  for (const Mode mode :
       {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::IdealOverlap, Mode::IdealRsNmc}) {
    RunRecord run = record(mode, 12345678901);
    test::setPhaseNs(run.result, {9999999.9, 9999999.9, 9999999.9});
    test::setDramBytes(run.result, test::madeBytes({98765432109, 98765432109, 98765432109,
                                                    98765432109, 98765432109, 98765432109}));
    run.result.link_bytes = 987654321098;
    run.result.tracker_stats = {.updates = 1234567890,
                                .triggers = 123456,
                                .releases = 40,
                                .stall_cycles = 1234567,
                                .rtl_cycles = 1};
    run.host = {119.99, 1234567890, 12345678.9, 3999.9, {}};
    report.runs.push_back(run);
  }
  for (const std::size_t width : {80U, 132U}) {
    std::istringstream lines(tableReport(report, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(TableReport, SaysWhatFailedAndShowsNoFiguresOfIt) {
  Report report = sample();
  report.runs[1].result.error = "went wrong";
  report.runs[1].result.of(Phase::Gemm).dram_read = 777700;
  const std::string table = tableReport(report, 200);
  EXPECT_THAT(table, HasSubstr("FAILED t3: went wrong"));
  EXPECT_THAT(table, Not(HasSubstr("777.7")));
}

TEST(TableReport, ShowsSpeedupAndADashWhereThereIsNone) {
  EXPECT_THAT(tableReport(sample(), 200), HasSubstr("1.200x"));
  Report report = sample();
  report.runs.erase(report.runs.begin());
  EXPECT_THAT(tableReport(report, 200), Not(HasSubstr("1.200x")));
}

TEST(ProgressLine, ShowsEachRunAndNeverExceedsTheWidth) {
  EXPECT_EQ(progressLine({"t3", "t3-mca"}, {50, 100}, 80),
            "[###############.....]  t3 50%  t3-mca 100%");
  EXPECT_EQ(progressLine({"t3"}, {0}, 10).size(), 10U);
  EXPECT_EQ(progressLine({"t3"}, {0}, 29), "[....................]  t3 0%");
  EXPECT_EQ(progressLine({"t3"}, {0}, 28), "[....................]  t3 0");
  EXPECT_EQ(progressLine({"a", "b"}, {9, 0}, 22), "[....................]");
  EXPECT_EQ(progressLine({"a", "b"}, {10, 0}, 22), "[#...................]");
  EXPECT_EQ(progressLine({}, {}, 80), "[####################]");
}

}  // namespace
}  // namespace t3::report_test
