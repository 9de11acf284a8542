// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/figure.h"

namespace t3 {

/// How a report came about.
struct ReportOrigin {
  std::string command;  ///< that repeats it, but for --out
  bool quick = false;
  double elapsed_s = 0;  ///< of this start; earlier ones may have left runs to it
  std::size_t parallel = 1;
};

/// A page with contents, the headlines, all figures and the tables behind them, each with what its
/// modes and rows mean. It needs no network, and no script but for sorting tables: its content
/// security policy forbids anything else. Figures are in the file; their data is linked, in
/// figures/ beside it. Each figure comes with the text of its SVG.
std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, std::string>>& figures,
                       const ReportOrigin& origin);

}  // namespace t3
