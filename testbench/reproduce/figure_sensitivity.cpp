// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/study_grid.h"

namespace t3 {

std::vector<Figure> sensitivityFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sensitivity");
  if (selection.empty()) return {};
  constexpr std::array<StudyLine, 3> kLines = {
      {{Mode::IdealOverlap, kBoundLine}, {Mode::T3Mca, kSolidLine}, {Mode::T3, kDashedLine}}};
  return {withSpeedups(
      {"sensitivity",
       "What the speedup depends on",
       "T-NLG FC-2 on 8 GPUs unless the panel says otherwise; one assumption changed at a "
       "time. The table of every run names the settings of each point, and those whose table of "
       "entries only the tracker's behavioural twin has.",
       1150,
       700,
       studyGrid(selection, kLines, 4, 1.5),
       "A panel for each of " + std::to_string(studiesOf(selection).size()) +
           " assumptions, with a line for each mode over the values of the assumption.",
       {},
       {}},
      selection, {Mode::T3, Mode::T3Mca, Mode::IdealOverlap})};
}

}  // namespace t3
