// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// How a point with one GPU simulated for all agrees with the same point with all GPUs simulated.
struct Agreement {
  std::string preset;
  Mode mode = Mode::Sequential;
  double time = 0, gemm_read = 0;  ///< symmetric over explicit, minus 1
  bool link_bytes_equal = false;
};

std::vector<Agreement> agreements(const std::vector<PointResult>& points);

}  // namespace t3
