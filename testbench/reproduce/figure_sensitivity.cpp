// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/panels.h"

namespace t3 {
namespace {

Figure sensitivities(const Selection& selection) {
  const auto studies = studiesOf(selection);
  constexpr std::size_t kColumns = 4;
  constexpr std::array<Mode, 3> kModes = {Mode::IdealOverlap, Mode::T3Mca, Mode::T3};
  constexpr std::array<const char*, 3> kStyles = {
      "with linespoints pt 12 ps 0.7 dt 3 lw 1.5 lc rgb '#202020'",
      "with linespoints pt 7 ps 0.8 lw 2 lc rgb '#0b3c6f'",
      "with linespoints pt 6 ps 0.8 dt 2 lw 2 lc rgb '#4a90c8'"};
  Plot plot;
  plot.line("set multiplot");
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const auto& [study, points] = studies[s];
    Tics tics;
    std::array<Rows, 3> lines;
    for (std::size_t i = 0; i < points.size(); ++i) {
      tics.emplace_back(static_cast<double>(i), points[i]->point.label);
      for (std::size_t m = 0; m < kModes.size(); ++m) {
        if (const auto speedup = points[i]->speedup(kModes[m])) {
          lines[m].push_back({static_cast<double>(i), *speedup});
        }
      }
    }
    place(plot, cell(s, kColumns, (studies.size() + kColumns - 1) / kColumns));
    frame(plot, s % kColumns == 0 ? "speedup" : "");
    plot.line("set title " + plotText(study) + " offset 0,-0.5");
    plot.line("set yrange [0.8:1.5]");
    plot.line("set ytics 0.1 format '%.1f'");
    plot.line("set xrange [-0.4:" + at(static_cast<double>(points.size()) - 0.6) + "]");
    plot.tics("x", tics, "scale 0 font ',10'");
    plot.line("unset key");
    std::vector<std::string> elements;
    for (std::size_t m = 0; m < kModes.size(); ++m) {
      if (lines[m].empty()) continue;
      const std::string block = "s" + std::to_string(s) + "_" + std::to_string(m);
      plot.data(block, lines[m]);
      elements.push_back("$" + block + " using 1:2 " + kStyles[m]);
    }
    plot.plot(elements);
  }
  std::vector<std::string> key;
  for (std::size_t m = 0; m < kModes.size(); ++m) {
    key.push_back(std::string(kStyles[m]) + " title " + plotText(spelling(kModes[m])));
  }
  keyStrip(plot, key);
  return {"sensitivity",
          "What the speedup depends on",
          "T-NLG FC-2 on 8 GPUs unless the panel says otherwise; one assumption changed at a time.",
          1150,
          700,
          plot.script()};
}

}  // namespace

std::vector<Figure> sensitivityFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sensitivity");
  if (selection.empty()) return {};
  return {sensitivities(selection)};
}

}  // namespace t3
