// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/all_gather.h"

#include <algorithm>
#include <cmath>

#include "testbench/reproduce/headlines.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {

std::optional<AllGatherSummary> allGatherSummary(const std::vector<PointResult>& points) {
  AllGatherSummary summary;
  const auto mean = [&](Mode mode) {
    const auto spread = speedups(points, kAllGatherPart, mode, isSmallModel);
    if (!spread) return 0.0;
    summary.sublayers = spread->points;
    return spread->geomean;
  };
  summary.t3_mca = mean(Mode::T3Mca);
  summary.t3_ag = mean(Mode::T3Ag);
  summary.ideal_rs_nmc = mean(Mode::IdealRsNmc);
  summary.ideal_ag = mean(Mode::IdealAg);
  if (summary.sublayers == 0) return std::nullopt;
  const double gap = summary.ideal_ag - summary.ideal_rs_nmc;
  if (gap > kSpeedupNoise) summary.gap_closed = (summary.t3_ag - summary.ideal_rs_nmc) / gap;

  double logarithms = 0;
  double count = 0;
  for (const PointResult* point : pointsOf(points, kAllGatherPart)) {
    if (!point->point.study.empty()) continue;
    const RunRecord* before = point->run(Mode::T3Mca);
    const RunRecord* after = point->run(Mode::T3Ag);
    if (before == nullptr || after == nullptr) return std::nullopt;
    const double faster =
        static_cast<double>(before->result.time_ps) / static_cast<double>(after->result.time_ps);
    const double reads = static_cast<double>(after->result.of(Phase::Gemm).dram_read) /
                         static_cast<double>(before->result.of(Phase::Gemm).dram_read);
    summary.least_over_t3_mca = count == 0 ? faster : std::min(summary.least_over_t3_mca, faster);
    summary.reads_largest = std::max(summary.reads_largest, reads);
    logarithms += std::log(reads);
    ++count;
  }
  summary.reads_geomean = std::exp(logarithms / count);
  return summary;
}

std::optional<double> hiddenShare(const PointResult& point, Mode mode) {
  const RunRecord* sequential = point.run(Mode::Sequential);
  const RunRecord* run = point.run(mode);
  if (sequential == nullptr || run == nullptr) return std::nullopt;
  const auto all = static_cast<double>(sequential->result.time_ps);
  const double gemm = sequential->result.of(Phase::Gemm).exposed_ns * 1e3;
  return (all - static_cast<double>(run->result.time_ps)) / (all - gemm);
}

}  // namespace t3
