// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// Headlines, whole models, how one GPU for all agrees with all of them, and the points where a t3
/// mode is slower than sequential, as the `summary` of "t3sim-reproduce/1".
boost::json::object summaryJson(const std::vector<PointResult>& points);

/// The same for the terminal.
std::string summaryText(const std::vector<PointResult>& points, std::size_t width);

}  // namespace t3
