// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// A model at a tensor-parallel degree, all layers.
struct EndToEnd {
  std::string model;
  std::uint32_t degree = 0;
  std::uint32_t layers = 0;
  struct Phase {
    double sequential_ms = 0;
    double rest_ms = 0;         ///< of it, what is not an all-reduced sublayer
    double t3 = 0, t3_mca = 0;  ///< speedups
  };
  Phase training, prompt;                ///< with fused attention
  Phase trainingUnfused, promptUnfused;  ///< the same where attention is not fused
};

std::vector<EndToEnd> endToEnd(const std::vector<PointResult>& points);

}  // namespace t3
