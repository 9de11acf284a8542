// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"

namespace t3 {

/// How the speedups of sublayers are drawn: bars beside each other, and two bounds over them.
struct SpeedupStyle {
  std::span<const ModeStyle> bars;
  Mode line, mark;
  double top = 0;  ///< of the y axis
};

/// Two panels and their key: small models above, larger ones below, and at the right of each the
/// geometric mean and the largest value, over all points of the part that `selection` is of, beside
/// what the `paper` says of them.
void speedupPanels(Plot& plot, const SpeedupStyle& style, const Selection& selection,
                   const std::vector<PointResult>& all, const std::vector<Headline>& paper = {});

}  // namespace t3
