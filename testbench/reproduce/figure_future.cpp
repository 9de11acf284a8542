// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

const std::vector<ModeStyle> kFutureBars = {{Mode::T3, ink::kBlue}, {Mode::T3Mca, ink::kNavy}};

void futurePanel(Sheet& sheet, const std::string& name, const std::string& study,
                 const Selection& points, const Scale& scale) {
  constexpr double kWidth = 0.36;
  std::vector<Series> bars;
  for (const ModeStyle& style : kFutureBars) bars.push_back({spelling(style.mode), style.ink, {}});
  Tics tics;
  Rows overlap;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto x = static_cast<double>(i);
    for (std::size_t m = 0; m < kFutureBars.size(); ++m) {
      if (const auto speedup = points[i]->speedup(kFutureBars[m].mode)) {
        bars[m].rows.push_back({x + barShift(m, kFutureBars.size(), kWidth), *speedup});
      }
    }
    if (const auto speedup = points[i]->speedup(Mode::IdealOverlap)) {
      overlap.push_back({x, *speedup});
    }
    std::string label = points[i]->point.label;
    if (const std::size_t blank = label.find_last_of(' ');
        blank != std::string::npos && label.size() > 5) {
      label[blank] = '\n';
    }
    tics.emplace_back(x, label);
  }
  Plot& plot = sheet.plot();
  sheet.panel("speedup over sequential");
  sheet.title(study);
  plot.scale("y", scale);
  groundLine(plot, 1);
  plot.line("set xrange [-0.7:" + at(static_cast<double>(points.size()) - 0.3) + "]");
  plot.tics("x", tics, "scale 0 font ',10'");
  auto elements = boxes(plot, name, bars, kWidth, 1);
  elements.push_back(acrossBars(plot, name + "overlap", overlap, 0.84));
  plot.plot(elements);
}

Figure futureSpeedups(const Selection& selection) {
  const auto studies = studiesOf(selection);
  const std::vector<Mode> modes = {Mode::T3, Mode::T3Mca, Mode::IdealOverlap};
  std::vector<double> values = {1};
  for (const PointResult* point : selection) {
    for (const Mode& mode : modes) {
      if (const auto speedup = point->speedup(mode)) values.push_back(*speedup);
    }
  }
  const Scale scale = Scale::over(values);
  std::vector<KeyEntry> key = keyOf(kFutureBars);
  key.push_back(boundEntry(Mode::IdealOverlap));
  return withSpeedups(
      drawn({.name = "future",
             .title = "Larger models, faster parts",
             .caption = "Lines: ideal-overlap. The reduce-scatter hides best where it takes about "
                        "as long as the GEMM.",
             .alt = "A panel for each of " + std::to_string(studies.size()) +
                    " models or changed machines, with two bars and a line for the bound at each "
                    "point."},
            [&](bool narrow) {
              Sheet sheet(narrow, {studies.size(), narrow ? 1U : 2U, 160, {.below = 44}}, key);
              for (std::size_t s = 0; s < studies.size(); ++s) {
                futurePanel(sheet, "s" + std::to_string(s) + "_", studies[s].first,
                            studies[s].second, scale);
              }
              return sheet.drawing();
            }),
      selection, modes);
}

}  // namespace

std::vector<Figure> futureFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "future");
  if (selection.empty()) return {};
  return {futureSpeedups(selection)};
}

}  // namespace t3
