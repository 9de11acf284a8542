// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/study_grid.h"

#include <vector>

#include "testbench/config/spelling.h"

namespace t3 {

std::string studyGrid(const Selection& selection, std::span<const StudyLine> lines,
                      std::size_t columns, double top) {
  const auto studies = studiesOf(selection);
  Plot plot;
  plot.line("set multiplot");
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const auto& [study, points] = studies[s];
    Tics tics;
    std::vector<Rows> rows(lines.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      tics.emplace_back(static_cast<double>(i), points[i]->point.label);
      for (std::size_t m = 0; m < lines.size(); ++m) {
        if (const auto speedup = points[i]->speedup(lines[m].mode)) {
          rows[m].push_back({static_cast<double>(i), *speedup});
        }
      }
    }
    place(plot, cell(s, columns, (studies.size() + columns - 1) / columns));
    frame(plot, s % columns == 0 ? "speedup" : "");
    plot.line("set title " + plotText(study) + " offset 0,-0.5");
    plot.line("set yrange [0.8:" + at(top) + "]");
    plot.line("set ytics 0.1 format '%.1f'");
    plot.line("set xrange [-0.4:" + at(static_cast<double>(points.size()) - 0.6) + "]");
    plot.tics("x", tics, "scale 0 font ',10'");
    plot.line("unset key");
    std::vector<std::string> elements;
    for (std::size_t m = 0; m < lines.size(); ++m) {
      if (rows[m].empty()) continue;
      const std::string block = "s" + std::to_string(s) + "_" + std::to_string(m);
      plot.data(block, rows[m]);
      elements.push_back("$" + block + " using 1:2 " + lines[m].style);
    }
    plot.plot(elements);
  }
  std::vector<std::string> key;
  for (const StudyLine& line : lines) {
    key.push_back(std::string(line.style) + " title " + plotText(spelling(line.mode)));
  }
  keyStrip(plot, key);
  return plot.script();
}

}  // namespace t3
