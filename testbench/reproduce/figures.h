// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A figure as a gnuplot script, all data inside; terminal and output are set before it.
struct Figure {
  std::string name;  ///< of its files
  std::string title;
  std::string caption;        ///< what to see, in words
  int width = 0, height = 0;  ///< pixels of the SVG; the PNG has twice as many each way
  std::string script;
};

/// The figures of all parts that have points.
std::vector<Figure> figuresOf(const std::vector<PointResult>& points);

}  // namespace t3
