// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/figures.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace t3 {
namespace {

using Draw = std::vector<Figure> (*)(const std::vector<PointResult>&);

/// In the order of the report.
constexpr std::array<Draw, 10> kFigures = {
    headlineFigures, sublayerFigures, dataMovementFigures, trafficFigures,   contentionFigures,
    endToEndFigures, futureFigures,   sensitivityFigures,  allGatherFigures, pairFigures};

}  // namespace

std::vector<Figure> figuresOf(const std::vector<PointResult>& points) {
  std::vector<Figure> figures;
  for (const Draw draw : kFigures) std::ranges::move(draw(points), std::back_inserter(figures));
  return figures;
}

}  // namespace t3
