// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <optional>
#include <vector>

#include "testbench/reproduce/geomean.h"
#include "testbench/reproduce/parts.h"

// What comes out of the parts that go beyond the paper. There is no summary of a part that has no
// points, or if one of their runs is missing or failed. Means are geometric.

namespace t3 {

/// Speedups that differ by less say nothing: settings that decide nothing, and simulating one GPU
/// for all, move a speedup by some thousandths. A share of such a gap would be a number of noise.
inline constexpr double kSpeedupNoise = 0.01;

/// What hiding the all-gather as well is worth, over the sublayers of Mega-GPT-2 and T-NLG.
struct AllGatherSummary {
  std::size_t sublayers = 0;
  /// Mean speedups over sequential.
  double t3_mca = 0, t3_ag = 0, ideal_rs_nmc = 0, ideal_ag = 0;
  /// Of the gap between the two bounds' means, what t3-ag closes; nothing where the gap is not
  /// larger than kSpeedupNoise.
  std::optional<double> gap_closed;
  /// t3-ag against t3-mca over all sublayers, those of the large models too: the smallest speedup,
  /// and ratios of what the GEMM reads.
  double least_over_t3_mca = 0, gemm_reads_geomean = 0, gemm_reads_largest = 0;
};
BOOST_DESCRIBE_STRUCT(AllGatherSummary, (),
                      (sublayers, t3_mca, t3_ag, ideal_rs_nmc, ideal_ag, gap_closed,
                       least_over_t3_mca, gemm_reads_geomean, gemm_reads_largest))
std::optional<AllGatherSummary> allGatherSummary(const std::vector<PointResult>& points);

/// What it is worth to start the second GEMM of a pair before the all-gather is over: mean speedups
/// over sequential, over the pairs of Mega-GPT-2 and T-NLG.
struct PairsSummary {
  std::size_t pairs = 0;
  /// `consumer_alone`: t3-ag with the GEMM chunk by chunk, so that only the second GEMM overlaps
  /// with the all-gather.
  double ag_split = 0, t3_mca = 0, t3_ag = 0, consumer_alone = 0, ideal_ag = 0;
};
BOOST_DESCRIBE_STRUCT(PairsSummary, (), (pairs, ag_split, t3_mca, t3_ag, consumer_alone, ideal_ag))
std::optional<PairsSummary> pairsSummary(const std::vector<PointResult>& points);

/// What sums in the switch are worth to t3-ag: times without over times with them.
struct SwitchSummary {
  /// Over the sublayers of Mega-GPT-2 and T-NLG, over all sublayers, and over the former's pairs of
  /// GEMMs.
  Geomean sublayers, all_sublayers, pairs;
  double over_ring = 0;  ///< the first of them against one ring
  /// With sums, against the NVLS kernel on the same switch: the first of them, and the pairs; and
  /// where packets have headers.
  Geomean over_nvls, pairs_over_nvls, packets_over_nvls;
  double nvls_over_sequential = 0;  ///< the first sublayers: the NVLS kernel against a ring
  double over_bound_mean = 0, over_bound_most = 0;  ///< of them: time over its closed form
};
BOOST_DESCRIBE_STRUCT(SwitchSummary, (),
                      (sublayers, all_sublayers, pairs, over_ring, over_nvls, pairs_over_nvls,
                       packets_over_nvls, nvls_over_sequential, over_bound_mean, over_bound_most))
std::optional<SwitchSummary> switchSummary(const std::vector<PointResult>& points);

}  // namespace t3
