// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A gnuplot script, all data inside; terminal and output are set before it.
struct Drawing {
  int width = 0, height = 0;  ///< pixels of the SVG; the PNG has twice as many each way
  std::string script;
};

/// A figure, drawn twice: as wide as a page, and as wide as the screen of a telephone.
struct Figure {
  std::string name;  ///< of its files
  std::string title;
  std::string caption;    ///< what to see, in words
  std::string alt;        ///< what the figure shows, for who cannot see it; with its main numbers
  std::string data = {};  ///< what is drawn, as CSV
  std::vector<Mode> modes = {};  ///< that it shows, for their definitions
  Drawing wide = {}, narrow = {};
};

/// `figure` with both drawings, made by `draw(narrow)`.
template <typename Draw>
Figure drawn(Figure figure, const Draw& draw) {
  figure.wide = draw(false);
  figure.narrow = draw(true);
  return figure;
}

// Each function draws the figures of one question, and none if the points for it are missing. A new
// one is a file figure_<name>.cpp, a line here and a line in figures.cpp.
std::vector<Figure> headlineFigures(const std::vector<PointResult>& points);
std::vector<Figure> sublayerFigures(const std::vector<PointResult>& points);
std::vector<Figure> allGatherFigures(const std::vector<PointResult>& points);
std::vector<Figure> pairFigures(const std::vector<PointResult>& points);
std::vector<Figure> dataMovementFigures(const std::vector<PointResult>& points);
std::vector<Figure> trafficFigures(const std::vector<PointResult>& points);
std::vector<Figure> contentionFigures(const std::vector<PointResult>& points);
std::vector<Figure> endToEndFigures(const std::vector<PointResult>& points);
std::vector<Figure> futureFigures(const std::vector<PointResult>& points);
std::vector<Figure> sensitivityFigures(const std::vector<PointResult>& points);

}  // namespace t3
