// SPDX-License-Identifier: Apache-2.0
// Lists of points and the evaluation made of them. Method: results are made by hand, with times
// whose ratios are known, and looked for in what is reported; the store of finished runs is asked
// for what was put in and for what differs in one respect; the parts are compared with the paper's
// table of sublayers, counted here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testbench/config/described_json.h"
#include "testbench/presets/presets.h"
#include "testbench/report/points_report.h"
#include "testbench/report/progress_bar.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/beyond.h"
#include "testbench/reproduce/end_to_end.h"
#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/summary.h"
#include "testbench/simulate/run_store.h"
#include "tests/testbench/temporary_directory.h"

namespace t3::points_test {
namespace {

namespace json = boost::json;

using testing::ElementsAre;
using testing::HasSubstr;

/// A text about a member that is not there, or a second one, would not be in the schema.
template <typename Form>
void expectTextsOfMembers() {
  std::set<std::string> members;
  Form form;
  forEachMember(form, [&](const char* name, const auto&) { members.insert(name); });
  for (const MemberText& row : Form::kTexts) {
    EXPECT_EQ(members.erase(row.member), 1U) << row.member;
  }
}

TEST(Schema, EveryTextIsAboutAMemberOfItsOwn) {
  expectTextsOfMembers<BuildForm>();
  expectTextsOfMembers<RunForm>();
  expectTextsOfMembers<ReportForm>();
  expectTextsOfMembers<PointForm>();
  expectTextsOfMembers<EvaluationPointForm>();
  expectTextsOfMembers<OriginForm>();
  expectTextsOfMembers<ReproduceForm>();
}

RunRecord record(Mode mode, Picoseconds time, std::uint64_t read = 1000) {
  RunRecord run;
  run.mode = mode;
  run.result.time_ps = time;
  run.result.of(Phase::Gemm).dram_read = read;
  return run;
}

PointResult result(const std::string& part, const std::string& preset, const std::string& model,
                   std::vector<RunRecord> runs) {
  PointResult made;
  made.point.part = part;
  made.point.preset = preset;
  made.point.scenario.workload.model = model;
  for (const RunRecord& run : runs) made.point.modes.push_back(run.mode);
  made.report = {made.point.scenario, std::move(runs)};
  return made;
}

// --- the store ------------------------------------------------------------------------------

TEST(RunStore, GivesBackWhatWasStoredAndNothingElse) {
  const test::TemporaryDirectory directory;
  const RunStore store("--out", directory.path("runs"));
  const WorkerJob job{SystemConfig{}, Mode::T3, TrackerKind::Rtl};
  EXPECT_FALSE(store.load(job));
  RunRecord run = record(Mode::T3, 123456789012345);
  run.result.memory.bytes_over_time = {{1, 2, 3, 4, 5, 6}};
  run.host.wall_s = 0.1;
  store.save(job, run);
  const auto loaded = RunStore("--out", directory.path("runs")).load(job);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(toJson(*loaded), toJson(run));

  WorkerJob other = job;
  other.mode = Mode::T3Mca;
  EXPECT_FALSE(store.load(other));
  other = job;
  other.tracker = TrackerKind::Model;
  EXPECT_FALSE(store.load(other));
  other = job;
  other.scenario.link.latency_ns += 1;
  EXPECT_FALSE(store.load(other));
}

TEST(RunStore, KnowsARunWithAFileByWhatIsInTheFile) {
  const test::TemporaryDirectory directory;
  const RunStore store("--out", directory.path("runs"));
  WorkerJob job{SystemConfig{}, Mode::T3, TrackerKind::Rtl};
  job.scenario.workload.collective = directory.write("a.xml", "<algo/>");
  store.save(job, record(Mode::T3, 1));
  EXPECT_TRUE(store.load(job));
  directory.write("a.xml", "<algo name=\"another\"/>");
  EXPECT_FALSE(store.load(job));
}

TEST(RunStore, MakesADamagedRunAgain) {
  const test::TemporaryDirectory directory;
  const RunStore store("--out", directory.path());
  const WorkerJob job{SystemConfig{}, Mode::T3, TrackerKind::Rtl};
  store.save(job, record(Mode::T3, 1));
  ASSERT_EQ(directory.names().size(), 1U);
  const std::string name = directory.names().front();
  const std::string text = test::readFile(directory.path(name));
  directory.write(name, text.substr(0, text.size() / 2));
  EXPECT_FALSE(store.load(job));
  for (const char* other : {R"({"identity": "another", "record": null})", "{}", "[]", "1", ""}) {
    directory.write(name, other);
    EXPECT_FALSE(store.load(job)) << other;
  }
  std::string changed = text;
  const std::string time = "\"time_ps\":1,";
  ASSERT_NE(changed.find(time), std::string::npos);
  directory.write(name, changed.replace(changed.find(time), time.size(), "\"time_ps\":2,"));
  EXPECT_FALSE(store.load(job)) << "one digit of the result";
  directory.write(name, text);
  EXPECT_TRUE(store.load(job));
}

// --- reports of points ----------------------------------------------------------------------

TEST(PointsReport, JsonHasPartPresetSettingsAndRuns) {
  PointResult point =
      result("future", "p", "m", {record(Mode::Sequential, 3000), record(Mode::T3Mca, 2000)});
  point.point.settings = {"link.bandwidth_gb_s=150", "hbm.arbitration=mca", "hbm={\"banks\": 16}"};
  const json::value points = toJson(pointForms({point}));
  ASSERT_EQ(points.as_array().size(), 1U);
  EXPECT_EQ(points.at(0).at("part").as_string(), "future");
  EXPECT_EQ(points.at(0).at("preset").as_string(), "p");
  EXPECT_FALSE(points.at(0).as_object().contains("label"));
  const json::value& settings = points.at(0).at("settings");
  EXPECT_EQ(settings.at("link.bandwidth_gb_s").to_number<double>(), 150);
  EXPECT_EQ(settings.at("hbm.arbitration").as_string(), "mca");
  EXPECT_EQ(settings.at("hbm").at("banks").to_number<int>(), 16);
  EXPECT_EQ(points.at(0).at("runs").at(1).at("speedup").as_double(), 1.5);
}

TEST(PointsReport, StatisticsOfTheMemoryAreThereWhereTheyAreAskedFor) {
  PointResult point = result("traffic", "p", "m", {record(Mode::T3, 1)});
  point.report.runs[0].result.memory.bytes_over_time = {{7, 2, 3, 4, 5, 6}};
  const json::value points = toJson(pointForms({point}, [](const Point&) { return true; }));
  const json::value& windows = points.at(0).at("runs").at(0).at("memory").at("bytes_over_time");
  EXPECT_EQ(windows.at(0).at("gemm_read").to_number<int>(), 7);
  const json::value others = toJson(pointForms({point}));
  EXPECT_FALSE(others.at(0).at("runs").at(0).as_object().contains("memory"));
}

TEST(PointsReport, CsvQuotesSettingsAndKeepsOneSetOfColumns) {
  PointResult one = result("a", "p", "m", {record(Mode::Sequential, 1)});
  one.point.settings = {R"(hbm={"banks": 16, "channels": 32})"};
  PointResult two = result("b", "q", "m", {record(Mode::T3, 1)});
  two.report.runs[0].result.error = "broken, \"really\"";
  const std::string csv = pointsCsv({one, two}, false);
  EXPECT_THAT(csv, testing::StartsWith("part,preset,settings,workload.model,"));
  EXPECT_THAT(csv, HasSubstr("a,p,\"hbm={\"\"banks\"\": 16, \"\"channels\"\": 32}\",m,"));
  EXPECT_THAT(csv, HasSubstr("failed,\"broken, \"\"really\"\"\","));
  EXPECT_THAT(failuresOf({one, two}), HasSubstr("FAILED q, t3: broken"));
}

TEST(BatchLine, SaysHowManyPointsAreDoneAndHowLongTheRestTakes) {
  EXPECT_EQ(batchLine(0, 28, 0, 100, 80), "[....................]  0 of 28 points");
  EXPECT_EQ(batchLine(7, 28, 0.25, 60, 80),
            "[#####...............]  7 of 28 points, about 3 min left");
  EXPECT_EQ(batchLine(27, 28, 0.99, 60, 80),
            "[###################.]  27 of 28 points, less than a minute left");
  EXPECT_EQ(batchLine(28, 28, 1, 60, 80), "[####################]  28 of 28 points");
  EXPECT_EQ(batchLine(7, 28, 0.25, 60, 30).size(), 30U);
  // An estimate needs a hundredth of the work.
  EXPECT_EQ(batchLine(0, 9, 0.0099, 60, 80), "[....................]  0 of 9 points");
  EXPECT_EQ(batchLine(0, 9, 0.01, 60, 80),
            "[....................]  0 of 9 points, about 99 min left");
  EXPECT_EQ(batchLine(4, 9, 0.5, 59.9, 80),
            "[##########..........]  4 of 9 points, less than a minute left");
  EXPECT_EQ(batchLine(4, 9, 0.5, 60, 80),
            "[##########..........]  4 of 9 points, about 1 min left");
  EXPECT_EQ(batchLine(4, 9, 0.5, 89, 80),
            "[##########..........]  4 of 9 points, about 1 min left");
  EXPECT_EQ(batchLine(4, 9, 0.5, 90, 80),
            "[##########..........]  4 of 9 points, about 2 min left");
}

TEST(PointsReport, TableHasMicrosecondsAndSpeedups) {
  PointResult one = result(
      "", "p", "m", {record(Mode::Sequential, 3'000'049'999), record(Mode::T3, 2'000'050'001)});
  one.point.settings = {"link.latency_ns=700"};
  PointResult two =
      result("", "p", "m", {record(Mode::Sequential, 1'000'000), record(Mode::T3, 1'000'500)});
  two.point.settings = {"link.latency_ns=9"};
  two.report.runs[0].result.error = "broken";
  EXPECT_EQ(pointsTable({one, two}, 200),
            "preset  link.latency_ns  sequential (us)  t3 (us)  speedup\n"
            "p                   700           3000.0   2000.1    1.500\n"
            "p                     9           FAILED      1.0        -\n"
            "FAILED p link.latency_ns=9, sequential: broken\n");
}

// --- what is simulated ----------------------------------------------------------------------

TEST(Evaluation, CoversThePapersSublayersAndRepeatsOnePointPerDegreeExplicitly) {
  const std::vector<EvaluationPart> parts = evaluationParts({});
  std::vector<std::string> names;
  for (const EvaluationPart& part : parts) names.emplace_back(part.name);
  EXPECT_THAT(names,
              ElementsAre("sublayers", "data-movement", "traffic", "contention", "end-to-end",
                          "future", "sensitivity", "all-gather", "pairs", "switch", "models"));
  std::set<std::string> sublayers;
  std::set<std::uint32_t> repeated;
  for (const Point& point : parts.front().points) {
    const bool one = point.scenario.simulated_gpus == GpuSimulation::Symmetric;
    if (isExplicitRepeat(point)) {
      EXPECT_FALSE(one);
      repeated.insert(point.scenario.gpus);
    } else {
      EXPECT_TRUE(one) << point.preset;
      sublayers.insert(point.preset);
    }
  }
  EXPECT_EQ(sublayers.size(), 4U * (2 + 2 + 1 + 1 + 1));
  EXPECT_EQ(repeated, (std::set<std::uint32_t>{8, 16, 32}));
}

// So that a run of each schedule can be put beside one that reduces otherwise.
TEST(Evaluation, HasEachScheduleOfAModelWithKernelsTrackersAndASwitchThatAdds) {
  std::map<std::string, std::set<std::string>> labels;
  for (const EvaluationPart& part : evaluationParts({})) {
    if (part.name != std::string(kModelsPart)) continue;
    for (const Point& point : part.points) {
      labels[point.study].insert(point.label);
      EXPECT_EQ(point.scenario.merges(), point.study.ends_with(kSwitchAdds)) << point.study;
      EXPECT_EQ(point.scenario.gpu.compute_units, point.study.starts_with("H100") ? 132U : 80U);
      EXPECT_TRUE(point.scenario.workload.graph.ends_with("/" + point.label));
    }
  }
  EXPECT_EQ(labels.size(), 2U * (1 + 3 * 3));
  for (const auto& [study, tokens] : labels) {
    EXPECT_EQ(tokens, (std::set<std::string>{"256", "1024", "4096"})) << study;
  }
}

TEST(Evaluation, HasEverySublayerOnEachKindOfSwitch) {
  std::map<std::string, std::set<std::string>> presets;
  for (const EvaluationPart& part : evaluationParts({})) {
    if (part.name != std::string(kSwitchPart)) continue;
    for (const Point& point : part.points) presets[point.study].insert(point.preset);
  }
  for (const char* study : {kOnRing, kOnSwitch, kOnMergingSwitch, kOnPackets}) {
    EXPECT_GE(presets[study].size(), 4U * (2 + 2 + 1 + 1 + 1)) << study;
  }
}

TEST(Evaluation, HasNoParameterOfASingleModel) {
  // Between the sublayers of the paper only the work and the number of GPUs differ.
  const std::vector<EvaluationPart> parts = evaluationParts({});
  for (const Point& point : parts.front().points) {
    SystemConfig scenario = point.scenario;
    const SystemConfig standard;
    scenario.workload = standard.workload;
    scenario.gpus = standard.gpus;
    scenario.simulated_gpus = standard.simulated_gpus;
    EXPECT_EQ(toJson(scenario), toJson(standard)) << point.preset;
  }
}

TEST(Evaluation, EveryPointIsALegalScenarioAlsoWhenQuick) {
  for (const bool quick : {false, true}) {
    for (const EvaluationPart& part : evaluationParts({quick, {}})) {
      for (const Point& point : part.points) {
        EXPECT_EQ(point.scenario.check(), std::nullopt)
            << part.name << " " << point.preset << " " << point.study << " " << point.label;
        if (quick && point.scenario.workload.consumer.columns != 0) {
          EXPECT_EQ(point.scenario.workload.consumer.columns, 512U);
        }
      }
    }
  }
}

TEST(Evaluation, OfANamedMachineHasTheSublayersOnTheDefaultOneToo) {
  EvaluationOptions options;
  options.settings = {"link.latency_ns=700"};
  options.machine = {"hbm.refresh=off", "link.latency_ns=600"};
  std::size_t beside = 0;
  for (const EvaluationPart& part : evaluationParts(options)) {
    const std::string name = part.name;
    const bool isDefault = name == kDefaultMachinePart;
    if (!isDefault && name != "sublayers" && name != "data-movement") continue;
    for (const Point& point : part.points) {
      EXPECT_EQ(point.scenario.hbm.refresh, isDefault ? RefreshMode::AllBank : RefreshMode::Off)
          << part.name << " " << point.preset;
      EXPECT_EQ(point.scenario.link.latency_ns, 700) << "the user's settings hold for both";
      beside += isDefault ? 1 : 0;
    }
  }
  EXPECT_EQ(beside, 4U * (2 + 2 + 1 + 1 + 1));
}

// --- what is made of it ---------------------------------------------------------------------

TEST(Summary, HeadlinesAreGeomeansAndExtremesOfTheRightPoints) {
  const auto point = [](const std::string& model, Picoseconds t3mca) {
    return result("sublayers", "p", model,
                  {record(Mode::Sequential, 1000000), record(Mode::T3Mca, t3mca)});
  };
  PointResult repeat = point("T-NLG", 100);
  repeat.point.study = "all GPUs simulated";
  const std::vector<PointResult> points = {point("T-NLG", 800000), point("Mega-GPT-2", 500000),
                                           point("PALM", 625000), point("GPT-3", 100000), repeat};
  const Geomean small = speedups(pointsOf(points, "sublayers"), Mode::T3Mca, kSmallModels);
  EXPECT_EQ(small.count(), 2U);
  EXPECT_NEAR(small.mean(), std::sqrt(1.25 * 2.0), 1e-12);
  EXPECT_DOUBLE_EQ(small.most(), 2.0);
  bool seen = false;
  for (const Headline& headline : headlines(points)) {
    if (headline.name != "t3-mca, PALM and MT-NLG, geomean") continue;
    seen = true;
    ASSERT_TRUE(headline.ours);
    EXPECT_DOUBLE_EQ(*headline.ours, 1.6);
    EXPECT_NEAR(*headline.difference(), 31, 1e-9);
  }
  EXPECT_TRUE(seen);
}

TEST(Summary, HeadlinesOfAMachineStandBesideThoseOfTheDefaultOne) {
  const auto point = [](const char* part, Picoseconds t3mca) {
    return result(part, "p", "T-NLG",
                  {record(Mode::Sequential, 1000000, 1000), record(Mode::T3Mca, t3mca, 700)});
  };
  const std::vector<PointResult> points = {point("sublayers", 500000),
                                           point("data-movement", 500000),
                                           point(kDefaultMachinePart, 800000)};
  std::size_t seen = 0;
  for (const Headline& headline : headlines(points)) {
    if (!headline.ours) continue;
    ++seen;
    const bool bytes = headline.part == "data-movement";
    EXPECT_DOUBLE_EQ(*headline.ours, bytes ? 0.7 : 2.0) << headline.name;
    EXPECT_DOUBLE_EQ(headline.onDefaultMachine.value(), bytes ? 0.7 : 1.25) << headline.name;
  }
  EXPECT_EQ(seen, 4U);
  EXPECT_THAT(summaryOf(points).text(120), HasSubstr("default machine"));
}

TEST(Summary, FailedRunsDoNotCount) {
  PointResult broken =
      result("sublayers", "p", "T-NLG", {record(Mode::Sequential, 1000), record(Mode::T3Mca, 1)});
  broken.report.runs[1].result.error = "broken";
  EXPECT_EQ(speedups({&broken}, Mode::T3Mca, kSmallModels).count(), 0U);
}

TEST(Summary, ShareOfBytesMovedAndLossesAreFound) {
  const std::vector<PointResult> points = {
      result("data-movement", "p", "T-NLG",
             {record(Mode::Sequential, 1000, 1000), record(Mode::T3Mca, 1250, 810)}),
      result("data-movement", "q", "T-NLG",
             {record(Mode::Sequential, 1000, 1000), record(Mode::T3Mca, 900, 640)})};
  const Geomean moved = movedShares(pointsOf(points, "data-movement"), kSmallModels);
  EXPECT_NEAR(moved.mean(), 0.72, 1e-12);
  EXPECT_DOUBLE_EQ(moved.least(), 0.64);
  const json::value summary = toJson(summaryOf(points));
  const json::array& slower = summary.at("slower_than_sequential").as_array();
  ASSERT_EQ(slower.size(), 1U);
  EXPECT_EQ(slower[0].at("preset").as_string(), "p");
  EXPECT_DOUBLE_EQ(slower[0].at("speedup").as_double(), 0.8);
}

TEST(Summary, TheAllGatherPartSaysWhatOfTheGapIsClosedAndWhatItCosts) {
  const auto point = [](const std::string& model, Picoseconds t3Mca, Picoseconds t3Ag,
                        std::uint64_t reads) {
    std::vector<RunRecord> runs = {record(Mode::Sequential, 1'200'000), record(Mode::T3Mca, t3Mca),
                                   record(Mode::T3Ag, t3Ag), record(Mode::IdealRsNmc, 800'000),
                                   record(Mode::IdealAg, 480'000)};
    runs[1].result.of(Phase::Gemm).dram_read = 1'000;
    runs[2].result.of(Phase::Gemm).dram_read = reads;
    return result("all-gather", "p", model, std::move(runs));
  };
  PointResult study = point("T-NLG", 1'000'000, 10'000'000, 9'000);
  study.point.study = "link";
  std::vector<PointResult> points = {point("T-NLG", 1'000'000, 500'000, 1'210), study,
                                     point("PALM", 900'000, 1'000'000, 1'000)};
  const auto summary = allGatherSummary(points);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->sublayers, 1U) << "only the small models count, and no study";
  EXPECT_DOUBLE_EQ(summary->t3_mca, 1.2);
  EXPECT_DOUBLE_EQ(summary->t3_ag, 2.4);
  EXPECT_DOUBLE_EQ(summary->ideal_rs_nmc, 1.5);
  EXPECT_DOUBLE_EQ(summary->ideal_ag, 2.5);
  EXPECT_DOUBLE_EQ(summary->gap_closed.value(), 0.9);
  EXPECT_DOUBLE_EQ(summary->least_over_t3_mca, 0.9) << "of all models";
  EXPECT_DOUBLE_EQ(summary->gemm_reads_geomean, 1.1);
  EXPECT_DOUBLE_EQ(summary->gemm_reads_largest, 1.21);

  points[0].report.runs[2].result.error = "broken";
  EXPECT_FALSE(allGatherSummary(points));
  EXPECT_FALSE(allGatherSummary({study}));
}

TEST(Summary, AShareOfAGapIsSaidOnlyWhereTheGapIsLargerThanTheNoise) {
  const auto closed = [](Picoseconds lower, Picoseconds upper) {
    const std::vector<PointResult> points = {
        result("all-gather", "p", "T-NLG",
               {record(Mode::Sequential, 1'200'000), record(Mode::T3Mca, 1'000'000),
                record(Mode::T3Ag, 900'000), record(Mode::IdealRsNmc, lower),
                record(Mode::IdealAg, upper)})};
    const std::string text = summaryOf(points).text(200);
    const auto share = allGatherSummary(points).value().gap_closed;
    EXPECT_EQ(share.has_value(), text.find("of the gap") != std::string::npos) << text;
    EXPECT_EQ(toJson(summaryOf(points)).at("all_gather").at("gap_closed").is_null(), !share);
    return share;
  };
  EXPECT_TRUE(closed(800'000, 790'000)) << "1.5 and 1.519";
  EXPECT_FALSE(closed(800'000, 795'000)) << "1.5 and 1.5094: of this nothing can be a share";
  EXPECT_FALSE(closed(800'000, 800'000));
  EXPECT_FALSE(closed(800'000, 900'000));
}

TEST(Summary, AgreementComparesAPointWithItsRepeat) {
  PointResult one = result("sublayers", "p", "T-NLG", {record(Mode::T3Mca, 1010000, 990)});
  PointResult all = result("sublayers", "p", "T-NLG", {record(Mode::T3Mca, 1000000, 1000)});
  all.point.study = "all GPUs simulated";
  const json::value summary = toJson(summaryOf({one, all}));
  const json::array& list = summary.at("symmetric_against_explicit").as_array();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NEAR(list[0].at("time_difference").as_double(), 0.01, 1e-12);
  EXPECT_NEAR(list[0].at("gemm_read_difference").as_double(), -0.01, 1e-12);
  EXPECT_TRUE(list[0].at("link_bytes_equal").as_bool());
}

/// sequential takes 6 us, t3-mca so many.
PointResult varied(const std::string& study, const std::string& label, Picoseconds time,
                   bool usual = false, const std::string& preset = "t-nlg-fc2-tp8") {
  PointResult point = result("sensitivity", preset, "T-NLG",
                             {record(Mode::Sequential, 6'000'000), record(Mode::T3Mca, time)});
  point.point.study = study;
  point.point.label = label;
  point.point.usual = usual;
  return point;
}

/// Usual: 1.5. The link halves it to 0.75 and brings it to 2; channels to 1.2; the limit, nothing.
std::vector<PointResult> variedPoints() {
  return {varied("limit (ns)", "100", 4'000'000),
          varied("limit (ns)", "500", 4'000'000, true),
          varied("channels", "32", 4'000'000, true),
          varied("channels", "16", 5'000'000),
          varied("channels", "64", 4'000'000),
          varied("link (GB/s)", "37.5", 8'000'000),
          varied("link (GB/s)", "75", 4'000'000, true),
          varied("link (GB/s)", "150", 3'000'000),
          varied("blocks, OP", "8", 6'000'000, false, "t-nlg-op-tp8"),
          varied("blocks, OP", "1", 5'000'000, true, "t-nlg-op-tp8"),
          varied("of an unknown preset", "1", 3'000'000, false, "t-nlg-ip-tp8"),
          varied("of an unknown preset", "2", 4'000'000, false, "t-nlg-ip-tp8")};
}

/// "channels 16 1.200 (-20.0) 32 1.500 (0.0)"
std::vector<std::string> swingsIn(const std::vector<PointResult>& points) {
  std::vector<std::string> lines;
  for (const Swing& swing : swingsOf(pointsOf(points, "sensitivity"), Mode::T3Mca)) {
    std::string line = swing.setting;
    for (const Swing::End& end : {swing.low, swing.high}) {
      line += " " + end.value + " " + fixed(end.speedup, 3) + " (" +
              signedFixed(100 * end.change, 1) + ")";
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(Sensitivity, SortsSettingsByHowFarTheyMoveTheSpeedup) {
  std::vector<PointResult> points = variedPoints();
  EXPECT_THAT(swingsIn(points), ElementsAre("link (GB/s) 37.5 0.750 (-50.0) 150 2.000 (+33.3)",
                                            "channels 16 1.200 (-20.0) 32 1.500 (0.0)",
                                            "blocks, OP 8 1.000 (-16.7) 1 1.200 (0.0)",
                                            "limit (ns) 100 1.500 (0.0) 500 1.500 (0.0)"))
      << "each over the usual value of its own preset; without one there is nothing to be over; of "
         "channels that are as good the usual number is named";
  points[5].report.runs[1].result.error = "broken";
  EXPECT_THAT(swingsIn(points), testing::Contains("link (GB/s) 75 1.500 (0.0) 150 2.000 (+33.3)"))
      << "a failed run is no end";
}

TEST(Sensitivity, TheEvaluationHasUsualValuesForEachOfItsPresets) {
  std::map<std::string, int> usual;
  for (const EvaluationPart& part : evaluationParts({false, {"link.latency_ns=700"}})) {
    if (part.name != std::string("sensitivity")) continue;
    for (const Point& point : part.points) {
      usual[point.preset] += point.usual ? 1 : 0;
      EXPECT_FALSE(point.usual && (point.label == "8" || point.label == "without"));
    }
  }
  for (const auto& [preset, count] : usual) EXPECT_GT(count, 0) << preset;
}

TEST(EndToEnd, AddsTheSublayersOfAllLayersToTheRestOfThem) {
  // T-NLG on 8 GPUs: 78 layers, 8192 tokens in sequences of 1024, hidden size 4256.
  std::vector<PointResult> points;
  for (const auto& [sublayer, ms] :
       {std::pair("op", 1.0), {"fc2", 2.0}, {"fc1", 4.0}, {"ip", 8.0}}) {
    const std::string name = std::string("t-nlg-") + sublayer + "-tp8";
    const auto time = static_cast<Picoseconds>(ms * 1e9);
    PointResult point = result("end-to-end", name, "T-NLG",
                               {record(Mode::Sequential, time), record(Mode::T3, time / 2),
                                record(Mode::T3Mca, time / 4)});
    point.point.scenario = findPreset(name)->config;
    points.push_back(point);
  }
  const std::vector<EndToEnd> models = endToEnd(points);
  ASSERT_EQ(models.size(), 1U);
  const EndToEnd& model = models[0];
  EXPECT_EQ(model.model, "T-NLG");
  EXPECT_EQ(model.gpus, 8U);
  EXPECT_EQ(model.layers, 78U);
  const RestOfLayer rest = restOfLayer(SystemConfig{}, {8192, 4256, 1024, 8, 28});
  const double forward = rest.forward_ns / 1e6, all = forward + rest.backward_ns / 1e6;
  EXPECT_NEAR(model.training.rest_ms, 78 * all, 1e-9);
  EXPECT_NEAR(model.training.sequential_ms, 78 * (15 + all), 1e-9);
  EXPECT_NEAR(model.training.speedup_t3, (15 + all) / (7.5 + all), 1e-12);
  EXPECT_NEAR(model.training.speedup_t3_mca, (15 + all) / (3.75 + all), 1e-12);
  EXPECT_NEAR(model.prompt.rest_ms, 78 * forward, 1e-9);
  EXPECT_NEAR(model.prompt.sequential_ms, 78 * (3 + forward), 1e-9);
  EXPECT_NEAR(model.prompt.speedup_t3, (3 + forward) / (1.5 + forward), 1e-12);
  const RestOfLayer unfused =
      restOfLayer(SystemConfig{}, {8192, 4256, 1024, 8, 28}, Attention::Unfused);
  EXPECT_NEAR(model.prompt_unfused.rest_ms, 78 * unfused.forward_ns / 1e6, 1e-9);
  EXPECT_LT(model.prompt_unfused.speedup_t3, model.prompt.speedup_t3);
  EXPECT_LT(model.training_unfused.speedup_t3_mca, model.training.speedup_t3_mca);
  // A model of which one run is missing has no figures.
  points[2].report.runs.pop_back();
  EXPECT_TRUE(endToEnd(points).empty());
}

TEST(LayerModel, IsARooflineOfTheStatedOperations) {
  SystemConfig gpu;
  gpu.gpu.kernel_launch_us = 0;
  // Large enough for the GEMMs and attention to be bound by their operations.
  const LayerShape layer{65536, 16384, 65536, 1, 128};
  const double t = layer.tokens, h = layer.hidden;
  // A step of 128 x 128 x 64 multiplies for ceil(2048 / 0.95) cycles and synchronises for 40.
  const double macsPerNs = 80 * 512 * (2048.0 / (2156 + 40)) * 1.4;
  const double bytesPerNs = 1024 * 0.92;
  const double forwardMacs = 7 * t * h * h + 2 * t * layer.sequence * h;
  const double forwardBytes = 2 * t * h * (2 * 2 + 2 * 3) + 2 * 2 * 4 * t * h;
  EXPECT_NEAR(restOfLayer(gpu, layer).forward_ns,
              forwardMacs / macsPerNs + forwardBytes / bytesPerNs, 1);
  const double backwardMacs = 5 * t * h * h + 12 * t * h * h + 5 * t * layer.sequence * h;
  const double backwardBytes = 2 * t * h * 12 + 2 * 3 * 4 * t * h + 12 * h * h * 28;
  EXPECT_NEAR(restOfLayer(gpu, layer).backward_ns,
              backwardMacs / macsPerNs + backwardBytes / bytesPerNs, 1);
  // Unfused: as many operations forward and a multiplication less backward, and passes over scores.
  const double perPass = 2 * layer.heads * t * layer.sequence / bytesPerNs;
  const RestOfLayer fused = restOfLayer(gpu, layer);
  const RestOfLayer unfused = restOfLayer(gpu, layer, Attention::Unfused);
  EXPECT_NEAR(unfused.forward_ns - fused.forward_ns, 6.5 * perPass, 10);
  EXPECT_NEAR(unfused.backward_ns - fused.backward_ns,
              7.5 * perPass - t * layer.sequence * h / macsPerNs, 10);
  gpu.gpu.kernel_launch_us = 2;
  EXPECT_GT(restOfLayer(gpu, {1, 1, 1, 1, 1}).forward_ns, 8 * 2000);
}

}  // namespace
}  // namespace t3::points_test
