// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/report/point.h"

namespace t3 {

/// What it is worth to start the second GEMM of a pair before the all-gather is over. Means are
/// geometric, over the pairs of Mega-GPT-2 and T-NLG.
struct PairsSummary {
  std::size_t pairs = 0;
  /// Speedups over sequential. `consumer_alone`: t3-ag with the GEMM chunk by chunk, so that only
  /// the second GEMM overlaps with the all-gather.
  double ag_split = 0, t3_mca = 0, t3_ag = 0, consumer_alone = 0, ideal_ag = 0;
};

/// Nothing if there are no pairs, or if one of their runs is missing or failed.
std::optional<PairsSummary> pairsSummary(const std::vector<PointResult>& points);

}  // namespace t3
