// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"

namespace t3 {

/// How the speedups of sublayers are drawn: bars beside each other, and two bounds over them.
struct SpeedupStyle {
  std::vector<ModeStyle> bars;
  Mode line, mark;
};

/// `figure` with panels of sublayers, small models above and larger ones below, and at the right of
/// each size the geometric mean and the largest value, over all points of the part that `selection`
/// is of, beside what the `paper` says of them. What is drawn is its data, and in its text.
Figure withSpeedupPanels(Figure figure, const SpeedupStyle& style, const Selection& selection,
                         const std::vector<PointResult>& all,
                         const std::vector<Headline>& paper = {});

}  // namespace t3
