// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// What sums in the switch are worth to t3-ag: times without over times with them, geometric means.
struct SwitchSummary {
  struct Gain {
    std::size_t points = 0;
    double mean = 0, least = 0, most = 0;
  };
  /// Over the sublayers of Mega-GPT-2 and T-NLG, over all sublayers, and over their pairs of GEMMs.
  Gain small, all, pairs;
  double over_ring = 0;  ///< the first of them against one ring
  /// With sums, against the NVLS kernel on the same switch: the first of them, and the pairs; and
  /// where packets have headers.
  Gain over_nvls, pairs_over_nvls, packets_over_nvls;
  double nvls_over_sequential = 0;  ///< the first sublayers: the NVLS kernel against a ring
  /// Time over its closed form, with sums: the mean and the largest of the first sublayers.
  double bound_mean = 0, bound_most = 0;
};

/// Nothing if there are no such sublayers, or if one of their runs is missing or failed.
std::optional<SwitchSummary> switchSummary(const std::vector<PointResult>& points);

}  // namespace t3
