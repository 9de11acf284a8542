// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "testbench/reproduce/parts.h"
#include "testbench/reproduce/speedup_panel.h"

namespace t3 {

std::vector<Figure> pairFigures(const std::vector<PointResult>& points) {
  Selection pairs;
  for (const PointResult* point : pointsOf(points, kPairsPart)) {
    if (!isConsumerAlone(point->point)) pairs.push_back(point);
  }
  if (pairs.empty()) return {};
  const SpeedupStyle style = {
      {{kSplitGather, ink::kOrange}, {Mode::T3Mca, ink::kBlue}, {Mode::T3Ag, ink::kNavy}},
      Mode::IdealAg,
      Mode::IdealRsNmc};
  return {withSpeedupPanels(
      {.name = "pairs-speedup",
       .title = "The next GEMM starts before the gather is over",
       .caption = "A GEMM, its reduce-scatter, a norm, the all-gather and the GEMM that reads the "
                  "gathered rows. In t3-ag the tracker releases each row of tiles when it is "
                  "complete, to the norm and to the second GEMM; in ag-split software does, and "
                  "pays with compute units. Lines: what t3-ag cannot be faster than. Diamonds: the "
                  "same of t3-mca.",
       .alt = "Three bars for each of " + std::to_string(pairs.size()) +
              " pairs of GEMMs, smaller models above and larger ones below, under the lines of two "
              "bounds."},
      style, pairs, points)};
}

}  // namespace t3
