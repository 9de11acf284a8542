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

constexpr const char* kTimelinePreset = "t-nlg-fc2-tp8";

const std::vector<ModeStyle> kBars = {{Mode::T3Mca, ink::kBlue}, {Mode::T3Ag, ink::kNavy}};

Figure allGatherSpeedups(const std::vector<PointResult>& points, const Selection& sublayers) {
  return withSpeedupPanels(
      {.name = "all-gather-speedup",
       .title = "The all-gather hidden as well",
       .caption = "Lines: no machine with these compute units, memories and links can be faster. "
                  "Diamonds: the same, but with an all-gather after everything else. Where both "
                  "are one, the links are busy all the time, and there is nothing left to hide.",
       .alt = "Two bars for each of " + std::to_string(sublayers.size()) +
              " sublayers, smaller models above and larger ones below, under the lines of two "
              "bounds."},
      {kBars, Mode::IdealAg, Mode::IdealRsNmc}, sublayers, points);
}

void hiddenPanel(Sheet& sheet, const std::string& name, const Selection& points,
                 const Scale& scale) {
  constexpr double kWidth = 0.4;
  const SublayerAxis axis(points);
  std::vector<Series> bars;
  for (const ModeStyle& style : kBars) bars.push_back({spelling(style.mode), style.ink, {}});
  Rows bound;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto share = hiddenShare(*points[i], Mode::IdealAg)) {
      bound.push_back({axis.positions[i], 100 * *share});
    }
    for (std::size_t m = 0; m < kBars.size(); ++m) {
      if (const auto share = hiddenShare(*points[i], kBars[m].mode)) {
        bars[m].rows.push_back(
            {axis.positions[i] + barShift(m, kBars.size(), kWidth), 100 * *share});
      }
    }
  }
  sheet.panel("communication hidden (%)");
  sheet.plot().scale("y", scale);
  axis.draw(sheet.plot());
  groundLine(sheet.plot(), 0);
  auto elements = boxes(sheet.plot(), name, bars, kWidth, 0);
  elements.push_back(acrossBars(sheet.plot(), name + "bound", bound, 0.9));
  sheet.plot().plot(elements);
}

Figure hiddenFigure(const Selection& sublayers) {
  std::vector<CsvRow> data;
  std::string ranges;
  std::vector<double> all = {0, 100};
  for (const Mode& mode : {Mode::T3Mca, Mode::T3Ag, Mode::IdealAg}) {
    std::vector<double> shares;
    for (const PointResult* point : sublayers) {
      const auto share = hiddenShare(*point, mode);
      if (!share) continue;
      CsvRow row = pointColumns(point->point);
      row.emplace_back("mode", spelling(mode));
      row.emplace_back("communication_hidden_percent", fixed(100 * *share, 3));
      data.push_back(std::move(row));
      shares.push_back(100 * *share);
    }
    if (shares.empty()) continue;
    const auto [least, most] = std::ranges::minmax(shares);
    ranges += (ranges.empty() ? "Hidden: " : ", ") + spelling(mode) + " " + fixed(least, 0) +
              " to " + fixed(most, 0) + " %";
    all.insert(all.end(), {least, most});
  }
  ranges += ".";
  const Scale scale = Scale::over(all);
  std::vector<KeyEntry> key = keyOf(kBars);
  key.push_back(boundEntry(Mode::IdealAg));
  return drawn(
      {.name = "all-gather-hidden",
       .title = "How much of the communication is hidden",
       .caption = "Of the time that sequential takes after its GEMM, what a mode does not need. "
                  "Line: the most that is possible, because a link carries the whole output twice.",
       .alt = "Two bars for each of " + std::to_string(sublayers.size()) +
              " sublayers, in per cent of the communication of sequential, under the line of the "
              "bound. " +
              ranges,
       .data = formatCsv(data),
       .modes = {Mode::Sequential, Mode::T3Mca, Mode::T3Ag, Mode::IdealAg}},
      [&](bool narrow) {
        const auto parts = partsBySize(sublayers, narrow, false);
        Sheet sheet(narrow, {parts.size(), 1, 160}, key);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          hiddenPanel(sheet, "hidden" + std::to_string(i) + "_", parts[i].points, scale);
        }
        return sheet.drawing();
      });
}

/// A phase in the timeline: a lane of its mode's row.
struct TimelinePhase {
  std::string_view name;
  const char* title;
  Ink ink;
  double lane;
};
constexpr double kLane = 0.24;
constexpr std::array<TimelinePhase, 3> kTimelinePhases = {
    {{"gemm", "GEMM", ink::kNavy, kLane},
     {"reduce_scatter", "reduce-scatter", ink::kBlue, 0},
     {"all_gather", "all-gather", ink::kOrange, -kLane}}};
constexpr std::array<Mode, 3> kTimelineModes = {Mode::Sequential, Mode::T3Mca, Mode::T3Ag};

Drawing drawTimeline(const PointResult& point, bool narrow) {
  Tics tics;
  std::array<Rows, kTimelinePhases.size()> spans;
  std::vector<double> ends = {0};
  for (std::size_t row = 0; row < kTimelineModes.size(); ++row) {
    const auto y = static_cast<double>(kTimelineModes.size() - row);
    tics.emplace_back(y, spelling(kTimelineModes[row]));
    const RunRecord* run = point.run(kTimelineModes[row]);
    if (run == nullptr) continue;
    for (const PhaseSpan& span : run->result.phases) {
      for (std::size_t p = 0; p < kTimelinePhases.size(); ++p) {
        if (span.name != kTimelinePhases[p].name) continue;
        ends.push_back(static_cast<double>(span.end_ps) * 1e-6);
        spans[p].push_back(
            {static_cast<double>(span.start_ps) * 1e-6, y + kTimelinePhases[p].lane, ends.back()});
      }
    }
  }
  std::vector<KeyEntry> key;
  for (const TimelinePhase& phase : kTimelinePhases) key.push_back({phase.title, phase.ink.light});
  Sheet sheet(narrow, {1, 1, 190, {.left = 92, .right = 20, .above = 12, .below = 62}}, key);
  Plot& plot = sheet.plot();
  sheet.panel("");
  plot.line("set grid noytics xtics lt 1 " + colour(ink::kLine) + " lw 0.8");
  plot.tics("y", tics, "scale 0");
  plot.line("set xlabel 'time (us)' textcolor rgb '" + std::string(ink::kQuiet.light) + "'");
  plot.scale("x", Scale::over(ends, narrow ? 4 : 8));
  plot.line("set yrange [0.5:3.5]");
  std::vector<std::string> elements;
  for (std::size_t p = 0; p < kTimelinePhases.size(); ++p) {
    if (spans[p].empty()) continue;
    const std::string block = "phase" + std::to_string(p);
    plot.data(block, spans[p]);
    elements.push_back("$" + block + " using 1:2:1:3:($2-" + at(kLane / 2) + "):($2+" +
                       at(kLane / 2) + ") with boxxyerror lw 0.7 fc rgb '" +
                       kTimelinePhases[p].ink.light + "'");
  }
  plot.plot(elements);
  return sheet.drawing();
}

/// What runs when, on one GPU of the timeline's preset: a lane for each phase of each mode.
Figure timelineFigure(const PointResult& point) {
  std::vector<CsvRow> data;
  std::string ends;
  for (const Mode& mode : kTimelineModes) {
    const RunRecord* run = point.run(mode);
    if (run == nullptr) continue;
    ends += (ends.empty() ? "" : ", ") + fixed(static_cast<double>(run->result.time_ps) * 1e-6, 0) +
            " us in " + spelling(mode);
    for (const PhaseSpan& span : run->result.phases) {
      data.push_back({{"mode", spelling(mode)},
                      {"phase", std::string(span.name)},
                      {"begin_ns", at(static_cast<double>(span.start_ps) * 1e-3)},
                      {"end_ns", at(static_cast<double>(span.end_ps) * 1e-3)}});
    }
  }
  return drawn(
      {.name = "all-gather-timeline",
       .title = "T-NLG FC-2 on 8 GPUs, before and after",
       .caption = "From the first to the last byte of each phase. In t3-mca the all-gather is a "
                  "kernel that starts when everything is summed; in t3-ag each row of tiles goes "
                  "round as it is summed.",
       .alt = "For sequential, t3-mca and t3-ag a bar for each phase over time: GEMM, "
              "reduce-scatter and all-gather. The last phase ends at " +
              ends + ".",
       .data = formatCsv(data),
       .modes = {kTimelineModes.begin(), kTimelineModes.end()}},
      [&](bool narrow) { return drawTimeline(point, narrow); });
}

}  // namespace

std::vector<Figure> allGatherFigures(const std::vector<PointResult>& points) {
  Selection sublayers, studies;
  for (const PointResult* point : pointsOf(points, kAllGatherPart)) {
    (point->point.study.empty() ? sublayers : studies).push_back(point);
  }
  if (sublayers.empty()) return {};
  std::vector<Figure> figures = {allGatherSpeedups(points, sublayers), hiddenFigure(sublayers)};
  for (const PointResult* point : sublayers) {
    if (point->point.preset != kTimelinePreset) continue;
    const RunRecord* run = point->run(Mode::T3Ag);
    if (run != nullptr && !run->result.phases.empty()) figures.push_back(timelineFigure(*point));
  }
  if (studies.empty()) return figures;
  figures.push_back(
      withStudyPanels({.name = "all-gather-sensitivity",
                       .title = "What the speedup of t3-ag depends on",
                       .caption = "T-NLG FC-2 on 8 GPUs; one setting changed at a time.",
                       .alt = "A panel for each of " + std::to_string(studiesOf(studies).size()) +
                              " settings, with a line for each mode over its values."},
                      studies,
                      {StudyLine::bound(Mode::IdealAg), StudyLine::solid(Mode::T3Ag),
                       StudyLine::dashed(Mode::T3Mca)},
                      3));
  return figures;
}

}  // namespace t3
