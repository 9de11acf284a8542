// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
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

/// The sublayers of one panel.
struct SpeedupPanel {
  std::string name;  ///< of its data in the script
  Selection points;
  bool (*inMean)(const Point&);  ///< which count for mean and largest value, at the right
  std::string meanTitle;
  std::vector<Headline> paper = {};  ///< drawn beside these two
};

void speedupPanel(Plot& plot, const SpeedupStyle& style, const SpeedupPanel& panel,
                  const std::vector<PointResult>& all);

/// Its entries in the key.
std::vector<std::string> speedupKey(const SpeedupStyle& style);

}  // namespace t3
