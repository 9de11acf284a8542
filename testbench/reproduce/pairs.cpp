// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/pairs.h"

#include <cmath>

#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {

std::optional<PairsSummary> pairsSummary(const std::vector<PointResult>& points) {
  PairsSummary summary;
  std::size_t alone = 0;
  const auto add = [](double& logarithms, const PointResult& point, Mode mode) {
    const auto speedup = point.speedup(mode);
    if (speedup) logarithms += std::log(*speedup);
    return speedup.has_value();
  };
  bool complete = true;
  for (const PointResult* point : pointsOf(points, kPairsPart)) {
    if (!isSmallModel(point->point)) continue;
    if (isConsumerAlone(point->point)) {
      ++alone;
      complete = complete && add(summary.consumer_alone, *point, Mode::T3Ag);
      continue;
    }
    ++summary.pairs;
    complete = complete && add(summary.ag_split, *point, kSplitGather) &&
               add(summary.t3_mca, *point, Mode::T3Mca) && add(summary.t3_ag, *point, Mode::T3Ag) &&
               add(summary.ideal_ag, *point, Mode::IdealAg);
  }
  if (summary.pairs == 0 || alone != summary.pairs || !complete) return std::nullopt;
  for (double PairsSummary::*mean :
       {&PairsSummary::ag_split, &PairsSummary::t3_mca, &PairsSummary::t3_ag,
        &PairsSummary::consumer_alone, &PairsSummary::ideal_ag}) {
    summary.*mean = std::exp(summary.*mean / static_cast<double>(summary.pairs));
  }
  return summary;
}

}  // namespace t3
