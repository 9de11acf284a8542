// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/figure.h"
#include "testbench/reproduce/gnuplot.h"

namespace t3 {

/// What is said with every result of --quick.
inline constexpr const char* kTinyOutputs =
    "--quick: tiny outputs, to try the program out. These figures say nothing about the paper.";

/// How a report came about.
struct ReportOrigin {
  std::string command;  ///< that repeats it, but for --out
  bool quick = false;
  double elapsed_s = 0;  ///< of this start; earlier ones may have left runs to it
  std::size_t parallel = 1;
};

/// A page that opens with what came out against the paper, a sentence for each headline; then
/// contents, all figures and the tables behind them, each with what its modes and rows mean; at the
/// end where it comes from. It needs no network, and no script but for sorting tables: its content
/// security policy forbids anything else. Figures are in the file; their data is linked, in
/// figures/ beside it. Of the two drawings of a figure the width of the screen chooses; their
/// colours are those of the reader's theme.
std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, FigureSvg>>& figures,
                       const ReportOrigin& origin);

}  // namespace t3
