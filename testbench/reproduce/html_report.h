// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/figure.h"

namespace t3 {

/// A page with the headlines, all figures and the tables behind them in one file. It needs no
/// script and no network; its content security policy forbids both. Each figure comes with the text
/// of its SVG.
std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, std::string>>& figures,
                       const std::string& command, bool quick);

}  // namespace t3
