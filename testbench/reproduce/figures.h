// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/reproduce/figure.h"

namespace t3 {

/// All figures for which there are points.
std::vector<Figure> figuresOf(const std::vector<PointResult>& points);

}  // namespace t3
