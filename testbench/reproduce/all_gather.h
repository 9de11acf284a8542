// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// Speedups that differ by less say nothing: settings that decide nothing, and simulating one GPU
/// for all, move a speedup by some thousandths. A share of such a gap would be a number of noise.
inline constexpr double kSpeedupNoise = 0.01;

/// What hiding the all-gather as well is worth, over the sublayers of Mega-GPT-2 and T-NLG.
struct AllGatherSummary {
  std::size_t sublayers = 0;
  /// Speedups over sequential, geometric means.
  double t3_mca = 0, t3_ag = 0, ideal_rs_nmc = 0, ideal_ag = 0;
  /// Of the gap between the two bounds' means, what t3-ag closes; nothing where the gap is not
  /// larger than kSpeedupNoise.
  std::optional<double> gap_closed;
  /// Smallest speedup of t3-ag over t3-mca, and of what the GEMM reads, t3-ag over t3-mca, the
  /// geometric mean and the largest: of all sublayers, those of the large models too.
  double least_over_t3_mca = 0;
  double reads_geomean = 0, reads_largest = 0;
};

/// Nothing if there are no sublayers, or if one of their runs is missing or failed.
std::optional<AllGatherSummary> allGatherSummary(const std::vector<PointResult>& points);

/// The share of sequential's communication that a mode hides behind the GEMM: 0 if it takes as long
/// as sequential, 1 if it takes as long as sequential's GEMM.
std::optional<double> hiddenShare(const PointResult& point, Mode mode);

}  // namespace t3
