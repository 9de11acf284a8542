// SPDX-License-Identifier: Apache-2.0
// The figures of `t3sim reproduce`. Method: points are made by hand, with times and bytes from
// which what is drawn can be worked out, and the data of the figure is compared with it as a whole;
// so is a curve in the script. What all figures promise is asked of those of a whole evaluation,
// made up without a simulation.
#include "testbench/reproduce/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/tornado.h"
#include "tests/testbench/made_evaluation.h"

namespace t3 {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Figure figureNamed(const std::string& name, const std::vector<PointResult>& points) {
  for (Figure& figure : figuresOf(points)) {
    if (figure.name == name) return std::move(figure);
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

/// Of T-NLG's FC-2 on 8 GPUs; each run took so many picoseconds.
PointResult timed(const std::string& part, const std::vector<std::pair<Mode, Picoseconds>>& runs,
                  const std::string& study = "", const std::string& label = "") {
  PointResult result;
  Point& point = result.point;
  point.part = part;
  point.preset = "t-nlg-fc2-tp8";
  point.study = study;
  point.label = label;
  point.scenario.gpus = 8;
  point.scenario.workload.model = "T-NLG";
  point.scenario.workload.sublayer = "FC-2";
  for (const auto& [mode, time] : runs) {
    point.modes.push_back(mode);
    RunRecord run;
    run.mode = mode;
    run.result.time_ps = time;
    result.report.runs.push_back(run);
  }
  return result;
}

// --- what all figures promise ---------------------------------------------------------------

TEST(Figures, HaveTheirDataTheirMainNumbersInWordsAndTwoDrawings) {
  std::vector<std::string> names;
  for (const Figure& figure : figuresOf(test::madeEvaluation())) {
    names.push_back(figure.name);
    EXPECT_GT(figure.title.size(), 10U) << figure.name;
    EXPECT_GT(figure.caption.size(), 40U) << figure.name;
    EXPECT_THAT(figure.alt, testing::ContainsRegex("[0-9]")) << figure.name;
    EXPECT_THAT(figure.data, HasSubstr("\n")) << figure.name;
    EXPECT_FALSE(figure.modes.empty()) << figure.name;
    EXPECT_EQ(figure.wide.width, 1000) << figure.name;
    EXPECT_LE(figure.narrow.width, 370) << figure.name << ": the width of a telephone";
  }
  EXPECT_THAT(names, ElementsAre("headlines", "sublayers-speedup", "sublayers-phases",
                                 "data-movement", "traffic", "contention", "traffic-row-by-row",
                                 "end-to-end", "future", "sensitivity", "sensitivity-curves",
                                 "all-gather-speedup", "all-gather-hidden", "all-gather-timeline",
                                 "all-gather-sensitivity", "pairs-speedup"));
}

TEST(Figures, NameTheirAxesAndUnits) {
  const std::map<std::string, std::vector<std::string>> labels = {
      {"headlines", {"xlabel \"speedup over sequential;"}},
      {"sublayers-speedup", {"ylabel \"speedup over sequential\""}},
      {"sublayers-phases", {"ylabel \"share of time (%)\""}},
      {"data-movement", {"ylabel \"DRAM bytes, sequential = 100\""}},
      {"traffic", {"ylabel \"GB/s\"", "ylabel \"GEMM behind (us)\"", "xlabel 'time (us)'"}},
      {"contention", {"ylabel \"speedup over sequential\""}},
      {"traffic-row-by-row", {"ylabel \"GB/s\"", "xlabel 'time (us)'"}},
      {"end-to-end", {"ylabel \"speedup over sequential\""}},
      {"future", {"ylabel \"speedup over sequential\""}},
      {"sensitivity", {"xlabel \"change of the speedup of t3-mca"}},
      {"sensitivity-curves", {"ylabel \"speedup over sequential\""}},
      {"all-gather-speedup", {"ylabel \"speedup over sequential\""}},
      {"all-gather-hidden", {"ylabel \"communication hidden (%)\""}},
      {"all-gather-timeline", {"xlabel 'time (us)'"}},
      {"all-gather-sensitivity", {"ylabel \"speedup over sequential\""}},
      {"pairs-speedup", {"ylabel \"speedup over sequential\""}}};
  for (const Figure& figure : figuresOf(test::madeEvaluation())) {
    for (const std::string& label : labels.at(figure.name)) {
      EXPECT_THAT(figure.wide.script, HasSubstr(label)) << figure.name;
      EXPECT_THAT(figure.narrow.script, HasSubstr(label)) << figure.name;
    }
  }
}

// --- what is drawn --------------------------------------------------------------------------

TEST(Figures, SpeedupsAreThoseOfEachModeOverSequential) {
  const Figure figure = figureNamed(
      "sublayers-speedup",
      {timed("sublayers",
             {{Mode::Sequential, 3'000'000}, {Mode::T3, 2'500'000}, {Mode::T3Mca, 2'000'000}})});
  EXPECT_EQ(figure.data,
            "preset,model,sublayer,gpus,study,changed,mode,time_ns,speedup\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,t3,2500.0,1.2\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,t3-mca,2000.0,1.5\n");
  EXPECT_THAT(figure.alt, HasSubstr("t3 1.200 to 1.200, t3-mca 1.500 to 1.500"));
  for (const Drawing& drawing : {figure.wide, figure.narrow}) {
    EXPECT_THAT(drawing.script, HasSubstr("1.5\n")) << "the bar of t3-mca";
    EXPECT_THAT(drawing.script, HasSubstr("set yrange [1.0:1.5]")) << "over all that is drawn";
  }
}

TEST(Figures, HeadlinesStandBesideWhatThePaperSays) {
  const Figure figure = figureNamed(
      "headlines", {timed("sublayers", {{Mode::Sequential, 3'000'000}, {Mode::T3Mca, 2'000'000}})});
  EXPECT_EQ(figure.data,
            "figure,paper,simulated,sublayers\n"
            "\"t3-mca, geomean\",1.30,1.500,1\n"
            "\"t3-mca, largest\",1.47,1.500,1\n");
  EXPECT_THAT(figure.wide.script, AllOf(HasSubstr("$ours << END\n1.5 1.0\n1.5 0.0\nEND\n"),
                                        HasSubstr("$paper << END\n1.3 1.0\n1.47 0.0\nEND\n"),
                                        HasSubstr("\"+20.0\""), HasSubstr("\"+3.0\"")));
}

TEST(Figures, BytesMovedAreStackedInPerCentOfSequentials) {
  PointResult point = timed("data-movement", {{Mode::Sequential, 2}, {Mode::T3Mca, 1}});
  test::setDramBytes(point.report.runs[0].result, test::madeBytes({40, 10, 20, 10, 10, 10}));
  test::setDramBytes(point.report.runs[1].result, test::madeBytes({30, 10, 10, 10, 10, 5}));
  const Figure figure = figureNamed("data-movement", {point});
  EXPECT_EQ(figure.data,
            "preset,model,sublayer,gpus,study,changed,mode,GEMM_reads_bytes,GEMM_writes_bytes,"
            "RS_reads_bytes,RS_writes_bytes,AG_reads_bytes,AG_writes_bytes\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,sequential,40,10,20,10,10,10\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,t3-mca,30,10,10,10,10,5\n");
  EXPECT_THAT(figure.alt, HasSubstr("t3-mca moves 75 to 75 %"));
  // The tallest box is drawn first: all kinds; the last one is the GEMM's reads.
  EXPECT_THAT(figure.wide.script, AllOf(HasSubstr("$panel0_0 << END\n-0.18 100.0\n0.18 75.0\nEND"),
                                        HasSubstr("$panel0_5 << END\n-0.18 40.0\n0.18 30.0\nEND")));
}

TEST(Figures, PhasesAreSharesOfSequentialsTime) {
  PointResult point = timed("sublayers", {{Mode::Sequential, 4'000}});
  test::setPhaseNs(point.report.runs[0].result, {2, 1, 1});
  const Figure figure = figureNamed("sublayers-phases", {point});
  EXPECT_EQ(figure.data,
            "preset,model,sublayer,gpus,study,changed,gemm_ns,reduce_scatter_ns,all_gather_ns\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,2.000,1.000,1.000\n");
  EXPECT_THAT(figure.wide.script, AllOf(HasSubstr("$phase0_0 << END\n0.0 100.0\nEND"),
                                        HasSubstr("$phase0_1 << END\n0.0 75.0\nEND"),
                                        HasSubstr("$phase0_2 << END\n0.0 50.0\nEND")));
}

TEST(Figures, HiddenIsTheShareOfSequentialsCommunicationThatAModeDoesNotNeed) {
  PointResult point = timed("all-gather", {{Mode::Sequential, 4'000'000},
                                           {Mode::T3Mca, 3'000'000},
                                           {Mode::T3Ag, 2'500'000},
                                           {Mode::IdealRsNmc, 2'900'000},
                                           {Mode::IdealAg, 2'000'000}});
  point.report.runs[0].result.of(Phase::Gemm).exposed_ns = 2'000;
  EXPECT_EQ(figureNamed("all-gather-hidden", {point}).data,
            "preset,model,sublayer,gpus,study,changed,mode,communication_hidden_percent\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,t3-mca,50.000\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,t3-ag,75.000\n"
            "t-nlg-fc2-tp8,T-NLG,FC-2,8,,,ideal-ag,100.000\n");
  point.report.runs[2].result.phases = {{"gemm", 0, 2'000'000}, {"all_gather", 500'000, 2'500'000}};
  EXPECT_EQ(figureNamed("all-gather-timeline", {point}).data,
            "mode,phase,begin_ns,end_ns\n"
            "t3-ag,gemm,0.0,2000.0\n"
            "t3-ag,all_gather,500.0,2500.0\n");
}

TEST(Figures, TheTrafficCurveSaysHowFarTheGemmIsBehind) {
  // Alone, the GEMM reads 100 bytes in each of 4 windows; in t3 it takes 8 windows of 50. At the
  // end of window w of t3 it has read w/8 of all, which alone took w/2 windows: it is w/2 windows
  // behind.
  PointResult result;
  result.point = {"traffic", "a-preset", "", "", {}, {Mode::IdealRsNmc, Mode::T3}, {}, true};
  for (const auto& [mode, windows] : {std::pair(Mode::IdealRsNmc, 4), std::pair(Mode::T3, 8)}) {
    RunRecord run = test::madeRun(result.point, mode);
    run.result.memory.bytes_over_time.assign(static_cast<std::size_t>(windows), {});
    for (PhaseBytes& bytes : run.result.memory.bytes_over_time) {
      bytes[Phase::Gemm][0] = 400U / static_cast<unsigned>(windows);
      bytes[Phase::ReduceScatter][0] = 7;  // not the GEMM's
    }
    result.report.runs.push_back(run);
  }
  const Figure figure = figureNamed("traffic", {result});
  EXPECT_THAT(figure.wide.script,
              HasSubstr("$behind0 << END\n0.0 0.0\n5.0 2.5\n10.0 5.0\n15.0 7.5\n20.0 10.0\n"
                        "25.0 12.5\n30.0 15.0\n35.0 17.5\nEND\n"));
  EXPECT_THAT(figure.data, HasSubstr("\nt3,5000.0,10000.0,50,0,7,0,0,0\n"));
}

// --- the tornado ----------------------------------------------------------------------------

/// sequential takes 6 us, t3-mca so many.
PointResult varied(const std::string& study, const std::string& label, Picoseconds time,
                   bool usual = false, const std::string& preset = "t-nlg-fc2-tp8") {
  PointResult point =
      timed("sensitivity", {{Mode::Sequential, 6'000'000}, {Mode::T3Mca, time}}, study, label);
  point.point.usual = usual;
  point.point.preset = preset;
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

TEST(Tornado, SortsSettingsByHowFarTheyMoveTheSpeedup) {
  const std::vector<PointResult> points = variedPoints();
  EXPECT_EQ(figureNamed("sensitivity", points).data,
            "setting,preset,low_value,low_speedup,high_value,high_speedup,usual_speedup,"
            "low_change_percent,high_change_percent\n"
            "link (GB/s),t-nlg-fc2-tp8,37.5,0.750000,150,2.000000,1.500000,-50.000,33.333\n"
            "channels,t-nlg-fc2-tp8,16,1.200000,32,1.500000,1.500000,-20.000,0.000\n"
            "\"blocks, OP\",t-nlg-op-tp8,8,1.000000,1,1.200000,1.200000,-16.667,0.000\n"
            "limit (ns),t-nlg-fc2-tp8,100,1.500000,500,1.500000,1.500000,0.000,0.000\n")
      << "each over the usual value of its own preset; without one there is nothing to be over; of "
         "channels that are as good the usual number is named";
  const Figure figure = figureNamed("sensitivity", points);
  for (const Drawing& drawing : {figure.wide, figure.narrow}) {
    const std::vector<std::array<double, 3>> bars = {
        {-50, 100.0 / 3, 3}, {-20, 0, 2}, {-100.0 / 6, 0, 1}, {0, 0, 0}};
    std::istringstream rows(drawing.script.substr(drawing.script.find("$bars << END\n") + 13));
    for (const auto& bar : bars) {
      for (const double expected : bar) {
        double drawn = 1e9;
        rows >> drawn;
        EXPECT_NEAR(drawn, expected, 1e-9);
      }
    }
    std::string end;
    rows >> end;
    EXPECT_EQ(end, "END");
  }
  EXPECT_THAT(figure.alt, HasSubstr("link (GB/s) -50.0 (37.5) to +33.3 (150);"));
}

TEST(Tornado, AFailedRunIsNoEndOfABar) {
  std::vector<PointResult> points = variedPoints();
  points[5].report.runs[1].result.error = "broken";
  EXPECT_THAT(figureNamed("sensitivity", points).data,
              AllOf(HasSubstr("\nlink (GB/s),t-nlg-fc2-tp8,75,1.500000,150,2.000000,"),
                    Not(HasSubstr("37.5"))));
}

TEST(Tornado, TheEvaluationHasUsualValuesForEachOfItsPresets) {
  std::map<std::string, int> usual;
  std::set<std::string> studies;
  for (const EvaluationPart& part : evaluationParts({false, {"link.latency_ns=700"}})) {
    if (part.name != std::string("sensitivity")) continue;
    for (const Point& point : part.points) {
      usual[point.preset] += point.usual ? 1 : 0;
      studies.insert(point.study);
      EXPECT_FALSE(point.usual && (point.label == "8" || point.label == "without"));
    }
  }
  for (const auto& [preset, count] : usual) EXPECT_GT(count, 0) << preset;
  std::size_t rows = 0;
  const std::string data = figureNamed("sensitivity", test::madeEvaluation()).data;
  for (const char letter : data) rows += letter == '\n' ? 1U : 0U;
  EXPECT_EQ(rows, studies.size() + 1) << "a row for each setting";
}

}  // namespace
}  // namespace t3
