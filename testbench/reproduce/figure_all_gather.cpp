// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/report/text.h"
#include "testbench/reproduce/all_gather.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/speedup_panel.h"
#include "testbench/reproduce/study_grid.h"

namespace t3 {
namespace {

constexpr std::array<ModeStyle, 2> kBars = {
    {{Mode::T3Mca, fill::kMiddle}, {Mode::T3Ag, fill::kDark}}};
constexpr const char* kTimelinePreset = "t-nlg-fc2-tp8";

const std::vector<Mode> kShown = {Mode::T3Mca, Mode::T3Ag, Mode::IdealRsNmc, Mode::IdealAg};

Figure speedupFigure(const std::vector<PointResult>& points, const Selection& sublayers) {
  Plot plot;
  speedupPanels(plot, {kBars, Mode::IdealAg, Mode::IdealRsNmc, 2}, sublayers, points);
  return withSpeedups(
      {"all-gather-speedup",
       "The all-gather hidden as well",
       "Lines: no machine with these compute units, memories and links can be faster. Diamonds: "
       "the same, but with an all-gather after everything else. Where both are one, the links "
       "are busy all the time, and there is nothing left to hide.",
       1150,
       760,
       plot.script(),
       "Two bars for each of " + std::to_string(sublayers.size()) +
           " sublayers, smaller models above and larger ones below, under the lines of two bounds.",
       {},
       {}},
      sublayers, kShown);
}

Figure hiddenFigure(const Selection& sublayers) {
  constexpr double kWidth = 0.4;
  SublayerAxis axis = sublayerAxis(sublayers);
  std::vector<Series> bars;
  Rows bound;
  for (std::size_t i = 0; i < sublayers.size(); ++i) {
    if (const auto share = hiddenShare(*sublayers[i], Mode::IdealAg)) {
      bound.push_back({axis.positions[i], 100 * *share});
    }
  }
  for (std::size_t m = 0; m < kBars.size(); ++m) {
    Series series{spelling(kBars[m].mode), kBars[m].fill, {}};
    for (std::size_t i = 0; i < sublayers.size(); ++i) {
      if (const auto share = hiddenShare(*sublayers[i], kBars[m].mode)) {
        series.rows.push_back(
            {axis.positions[i] + barShift(m, kBars.size(), kWidth), 100 * *share});
      }
    }
    bars.push_back(std::move(series));
  }
  std::vector<CsvRow> data;
  std::string ranges;
  for (const Mode& mode : {Mode::T3Mca, Mode::T3Ag, Mode::IdealAg}) {
    double least = 1, most = 0;
    for (const PointResult* point : sublayers) {
      const auto share = hiddenShare(*point, mode);
      if (!share) continue;
      CsvRow row = pointColumns(point->point);
      row.emplace_back("mode", spelling(mode));
      row.emplace_back("communication_hidden_percent", fixed(100 * *share, 3));
      data.push_back(std::move(row));
      least = std::min(least, *share);
      most = std::max(most, *share);
    }
    if (most == 0) continue;
    ranges += (ranges.empty() ? "Hidden: " : ", ") + spelling(mode) + " " + fixed(100 * least, 0) +
              " to " + fixed(100 * most, 0) + " %";
  }
  ranges += ".";
  Plot plot;
  percentPanel(plot, axis, "communication hidden (%)");
  auto elements = boxes(plot, "hidden", bars, kWidth);
  plot.data("bound", bound);
  elements.push_back("$bound using ($1-0.45):2:(0.9):(0) " + acrossBars(Mode::IdealAg));
  plot.plot(elements);
  return {"all-gather-hidden",
          "How much of the communication is hidden",
          "Of the time that sequential takes after its GEMM, what a mode does not need. Line: "
          "the most that is possible, because a link carries the whole output twice.",
          1150,
          420,
          plot.script(),
          "Two bars for each of " + std::to_string(sublayers.size()) +
              " sublayers, in per cent of the communication of sequential, under the line of the "
              "bound. " +
              ranges,
          formatCsv(data),
          {Mode::Sequential, Mode::T3Mca, Mode::T3Ag, Mode::IdealAg}};
}

/// What runs when, on one GPU of the timeline's preset: a lane for each phase of each mode.
Figure timelineFigure(const PointResult& point) {
  constexpr double kLane = 0.24;
  struct Phase {
    std::string_view name;
    const char* title;
    const char* fill;
    double lane;
  };
  constexpr std::array<Phase, 3> kPhases = {{{"gemm", "GEMM", fill::kDark, kLane},
                                             {"reduce_scatter", "reduce-scatter", fill::kMiddle, 0},
                                             {"all_gather", "all-gather", fill::kLight, -kLane}}};
  constexpr std::array<Mode, 3> kRows = {Mode::Sequential, Mode::T3Mca, Mode::T3Ag};
  Plot plot;
  Tics tics;
  std::array<Rows, 3> spans;
  std::vector<CsvRow> data;
  std::string ends;
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    const auto y = static_cast<double>(kRows.size() - row);
    tics.emplace_back(y, spelling(kRows[row]));
    const RunRecord* run = point.run(kRows[row]);
    if (run == nullptr) continue;
    ends += (ends.empty() ? "" : ", ") + fixed(static_cast<double>(run->result.time_ps) * 1e-6, 0) +
            " us in " + spelling(kRows[row]);
    for (const PhaseSpan& span : run->result.phases) {
      data.push_back({{"mode", spelling(kRows[row])},
                      {"phase", std::string(span.name)},
                      {"begin_ns", at(static_cast<double>(span.start_ps) * 1e-3)},
                      {"end_ns", at(static_cast<double>(span.end_ps) * 1e-3)}});
      for (std::size_t p = 0; p < kPhases.size(); ++p) {
        if (span.name != kPhases[p].name) continue;
        const double lane = y + kPhases[p].lane;
        spans[p].push_back({static_cast<double>(span.start_ps) * 1e-6, lane,
                            static_cast<double>(span.end_ps) * 1e-6});
      }
    }
  }
  frame(plot, "");
  plot.line("set grid noytics xtics lc rgb '#c4c4c4' lw 0.8 dt 1");
  plot.tics("y", tics, "scale 0");
  plot.line("set xlabel 'time (us)'");
  plot.line("set xrange [0:*]");
  plot.line("set yrange [0.5:3.5]");
  plot.line("set key at screen 0.5, screen 0.99 center top horizontal samplen 1.5");
  place(plot, {0.1, 0.965, 0.21, 0.88});
  std::vector<std::string> elements;
  for (std::size_t p = 0; p < kPhases.size(); ++p) {
    if (spans[p].empty()) continue;
    const std::string block = "phase" + std::to_string(p);
    plot.data(block, spans[p]);
    elements.push_back("$" + block + " using 1:2:1:3:($2-" + at(kLane / 2) + "):($2+" +
                       at(kLane / 2) + ") with boxxyerror lw 0.7 fc rgb '" + kPhases[p].fill +
                       "' title " + plotText(kPhases[p].title));
  }
  plot.plot(elements);
  return {
      "all-gather-timeline",
      "T-NLG FC-2 on 8 GPUs, before and after",
      "From the first to the last byte of each phase. In t3-mca the all-gather is a kernel that "
      "starts when everything is summed; in t3-ag each row of tiles goes round as it is summed.",
      1150,
      300,
      plot.script(),
      "For sequential, t3-mca and t3-ag a bar for each phase over time: GEMM, reduce-scatter and "
      "all-gather. The last phase ends at " +
          ends + ".",
      formatCsv(data),
      {kRows.begin(), kRows.end()}};
}

}  // namespace

std::vector<Figure> allGatherFigures(const std::vector<PointResult>& points) {
  Selection sublayers, studies;
  for (const PointResult* point : pointsOf(points, kAllGatherPart)) {
    (point->point.study.empty() ? sublayers : studies).push_back(point);
  }
  if (sublayers.empty()) return {};
  std::vector<Figure> figures = {speedupFigure(points, sublayers), hiddenFigure(sublayers)};
  for (const PointResult* point : sublayers) {
    if (point->point.preset != kTimelinePreset) continue;
    const RunRecord* run = point->run(Mode::T3Ag);
    if (run != nullptr && !run->result.phases.empty()) figures.push_back(timelineFigure(*point));
  }
  constexpr std::array<StudyLine, 3> kLines = {
      {{Mode::IdealAg, kBoundLine}, {Mode::T3Ag, kSolidLine}, {Mode::T3Mca, kDashedLine}}};
  const std::vector<Mode> modes = {Mode::T3Mca, Mode::T3Ag, Mode::IdealAg};
  figures.push_back(
      withSpeedups({"all-gather-sensitivity",
                    "What the speedup of t3-ag depends on",
                    "T-NLG FC-2 on 8 GPUs; one setting changed at a time.",
                    1150,
                    560,
                    studyGrid(studies, kLines, 3, 2.2),
                    "A panel for each of " + std::to_string(studiesOf(studies).size()) +
                        " settings, with a line for each mode over its values.",
                    {},
                    {}},
                   studies, modes));
  return figures;
}

}  // namespace t3
