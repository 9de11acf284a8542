// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/figure_data.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/speedup_panel.h"

namespace t3 {
namespace {

constexpr std::array<ModeStyle, 3> kPairBars = {
    {{kSplitGather, fill::kLight}, {Mode::T3Mca, fill::kMiddle}, {Mode::T3Ag, fill::kDark}}};

}  // namespace

std::vector<Figure> pairFigures(const std::vector<PointResult>& points) {
  Selection pairs;
  for (const PointResult* point : pointsOf(points, kPairsPart)) {
    if (!isConsumerAlone(point->point)) pairs.push_back(point);
  }
  if (pairs.empty()) return {};
  Plot plot;
  speedupPanels(plot, {kPairBars, Mode::IdealAg, Mode::IdealRsNmc, 2}, pairs, points);
  return {withSpeedups(
      {"pairs-speedup",
       "The next GEMM starts before the gather is over",
       "A GEMM, its reduce-scatter, a norm, the all-gather and the GEMM that reads the gathered "
       "rows. In t3-ag the tracker releases each row of tiles when it is complete, to the norm "
       "and to the second GEMM; in ag-split software does, and pays with compute units. Lines: "
       "what t3-ag cannot be faster than. Diamonds: the same of t3-mca.",
       1150,
       760,
       plot.script(),
       "Three bars for each of " + std::to_string(pairs.size()) +
           " pairs of GEMMs, smaller models above and larger ones below, under the lines of two "
           "bounds.",
       {},
       {}},
      pairs, {kSplitGather, Mode::T3Mca, Mode::T3Ag, Mode::IdealRsNmc, Mode::IdealAg})};
}

}  // namespace t3
