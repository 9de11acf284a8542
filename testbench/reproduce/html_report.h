// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/point.h"
#include "testbench/reproduce/figure.h"

namespace t3 {

/// A page with the headlines, all figures and the tables behind them in one file that needs nothing
/// else: no script, no network, which its own content security policy forbids. `figures` come
/// with the text of their SVG.
std::string htmlReport(const std::vector<PointResult>& points,
                       const std::vector<std::pair<Figure, std::string>>& figures,
                       const std::string& command, bool quick);

}  // namespace t3
