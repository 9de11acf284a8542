// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/study_grid.h"

#include <algorithm>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/reproduce/figure_data.h"

namespace t3 {

StudyLine StudyLine::bound(Mode mode) {
  return {mode, "dt 3 lw 1.5 " + colour(ink::kText), "pt 12 ps 0.7 " + colour(ink::kText)};
}
StudyLine StudyLine::solid(Mode mode) {
  return {mode, "lw 2 " + colour(ink::kNavy), "pt 7 ps 0.8 " + colour(ink::kNavy)};
}
StudyLine StudyLine::dashed(Mode mode) {
  return {mode, "dt 2 lw 2 " + colour(ink::kBlue), "pt 6 ps 0.8 lw 1.5 " + colour(ink::kBlue)};
}

Figure withStudyPanels(Figure figure, const Selection& selection,
                       const std::vector<StudyLine>& lines, std::size_t columns) {
  const auto studies = studiesOf(selection);
  std::vector<Mode> modes;
  std::vector<KeyEntry> key;
  std::vector<double> values = {1};
  for (const StudyLine& line : lines) {
    modes.push_back(line.mode);
    key.push_back({spelling(line.mode), {}, line.line, line.point});
    for (const PointResult* point : selection) {
      if (const auto speedup = point->speedup(line.mode)) values.push_back(*speedup);
    }
  }
  const Scale scale = Scale::over(values);
  const auto panel = [&](Sheet& sheet, std::size_t s) {
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
    Plot& plot = sheet.plot();
    sheet.panel("speedup over sequential");
    sheet.title(study);
    plot.scale("y", scale);
    groundLine(plot, 1);
    plot.line("set xrange [-0.4:" + at(static_cast<double>(points.size()) - 0.6) + "]");
    plot.tics("x", tics, "scale 0 font ',10'");
    std::vector<std::string> elements;
    for (std::size_t m = 0; m < lines.size(); ++m) {
      if (rows[m].empty()) continue;
      const std::string block = "s" + std::to_string(s) + "_" + std::to_string(m);
      plot.data(block, rows[m]);
      elements.push_back("$" + block + " using 1:2 with lines " + lines[m].line);
      elements.push_back("$" + block + " using 1:2 with points " + lines[m].point);
    }
    plot.plot(elements);
  };
  figure = drawn(std::move(figure), [&](bool narrow) {
    Sheet sheet(narrow, {studies.size(), narrow ? 1 : columns, 170.0}, key);
    for (std::size_t s = 0; s < studies.size(); ++s) panel(sheet, s);
    return sheet.drawing();
  });
  return withSpeedups(std::move(figure), selection, modes);
}

}  // namespace t3
