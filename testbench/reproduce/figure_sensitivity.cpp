// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "testbench/reproduce/study_grid.h"
#include "testbench/reproduce/tornado.h"

namespace t3 {
namespace {

/// Of these the two ends do not say enough: up to which block a tracker with fewer slots costs
/// nothing, and from which memory on the arbitration does.
constexpr std::array<std::string_view, 3> kCurves = {"tiles of a slot", "tiles of a slot, OP on 16",
                                                     "memory channels"};

}  // namespace

std::vector<Figure> sensitivityFigures(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, "sensitivity");
  std::vector<Figure> figures;
  if (const auto swings = swingsOf(selection, Mode::T3Mca); !swings.empty()) {
    figures.push_back(tornadoFigure(swings, Mode::T3Mca));
  }
  Selection curves;
  std::ranges::copy_if(selection, std::back_inserter(curves), [](const PointResult* point) {
    return std::ranges::find(kCurves, point->point.study) != kCurves.end();
  });
  if (curves.empty()) return figures;
  figures.push_back(withStudyPanels(
      {.name = "sensitivity-curves",
       .title = "How few slots of the tracker, how wide the memory",
       .caption = "T-NLG FC-2 on 8 GPUs, and OP on 16. A slot of the tracker counts for a block "
                  "of tiles, so blocks twice as large need half the slots. t3 falls behind "
                  "t3-mca where the memory is narrow.",
       .alt = "A panel for each of " + std::to_string(studiesOf(curves).size()) +
              " settings, with a line for each mode over its values."},
      curves,
      {StudyLine::bound(Mode::IdealOverlap), StudyLine::solid(Mode::T3Mca),
       StudyLine::dashed(Mode::T3)},
      3));
  return figures;
}

}  // namespace t3
