// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

Figure futureSpeedups(const Selection& selection) {
  constexpr double kWidth = 0.36;
  const auto studies = studiesOf(selection);
  Plot plot;
  plot.line("set multiplot");
  for (std::size_t s = 0; s < studies.size(); ++s) {
    std::vector<Series> bars;
    for (const ModeStyle& style : kT3Bars) bars.push_back({spelling(style.mode), style.fill, {}});
    Tics tics;
    Rows overlap;
    for (std::size_t i = 0; i < studies[s].second.size(); ++i) {
      const auto x = static_cast<double>(i);
      const PointResult& result = *studies[s].second[i];
      for (std::size_t m = 0; m < kT3Bars.size(); ++m) {
        if (const auto speedup = result.speedup(kT3Bars[m].mode)) {
          bars[m].rows.push_back({x + (static_cast<double>(m) - 0.5) * kWidth, *speedup});
        }
      }
      if (const auto speedup = result.speedup(Mode::IdealOverlap)) overlap.push_back({x, *speedup});
      std::string label = result.point.label;
      if (const std::size_t blank = label.find_last_of(' '); blank != std::string::npos) {
        label[blank] = '\n';
      }
      tics.emplace_back(x, label);
    }
    place(plot, cell(s, 3, (studies.size() + 2) / 3));
    frame(plot, s % 3 == 0 ? "speedup over sequential" : "");
    plot.line("set title " + plotText(studies[s].first));
    plot.line("set yrange [0.8:1.6]");
    plot.line("set ytics 0.1 format '%.1f'");
    plot.line("set xrange [-0.7:" + at(static_cast<double>(studies[s].second.size()) - 0.3) + "]");
    plot.tics("x", tics, "scale 0 font ',9'");
    plot.line("unset key");
    auto elements = boxes(plot, "s" + std::to_string(s) + "_", bars, kWidth);
    const std::string block = "overlap" + std::to_string(s);
    plot.data(block, overlap);
    elements.push_back("$" + block +
                       " using ($1-0.42):2:(0.84):(0) with vectors nohead lw 2 lc rgb '" +
                       fill::kDarkest + "'");
    plot.plot(elements);
  }
  std::vector<std::string> key;
  for (const ModeStyle& style : kT3Bars) key.push_back(boxEntry(style.fill, spelling(style.mode)));
  key.push_back(lineEntry(Mode::IdealOverlap));
  keyStrip(plot, key);
  return withSpeedups(
      {"future",
       "Larger models, faster parts",
       "Lines: ideal-overlap. The reduce-scatter hides best where it takes about as "
       "long as the GEMM.",
       1150,
       640,
       plot.script(),
       "A panel for each of " + std::to_string(studies.size()) +
           " models or changed machines, with two bars and a line for the bound at "
           "each point.",
       {},
       {}},
      selection, {Mode::T3, Mode::T3Mca, Mode::IdealOverlap});
}

}  // namespace

std::vector<Figure> futureFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "future");
  if (selection.empty()) return {};
  return {futureSpeedups(selection)};
}

}  // namespace t3
