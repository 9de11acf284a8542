// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/beyond.h"

#include <algorithm>
#include <map>
#include <string>

#include "testbench/reproduce/headlines.h"

namespace t3 {

std::optional<AllGatherSummary> allGatherSummary(const std::vector<PointResult>& points) {
  const Selection selection = pointsOf(points, kAllGatherPart);
  AllGatherSummary summary;
  const auto mean = [&](Mode mode) {
    const Geomean values = speedups(selection, mode, kSmallModels);
    summary.sublayers = std::max(summary.sublayers, values.count());
    return values.mean();
  };
  summary.t3_mca = mean(Mode::T3Mca);
  summary.t3_ag = mean(Mode::T3Ag);
  summary.ideal_rs_nmc = mean(Mode::IdealRsNmc);
  summary.ideal_ag = mean(Mode::IdealAg);
  if (summary.sublayers == 0) return std::nullopt;
  const double gap = summary.ideal_ag - summary.ideal_rs_nmc;
  if (gap > kSpeedupNoise) summary.gap_closed = (summary.t3_ag - summary.ideal_rs_nmc) / gap;
  Geomean faster, reads;
  for (const PointResult* point : selection) {
    if (!point->point.study.empty()) continue;
    const RunRecord* before = point->run(Mode::T3Mca);
    const RunRecord* after = point->run(Mode::T3Ag);
    if (before == nullptr || after == nullptr) return std::nullopt;
    faster.add(static_cast<double>(before->result.time_ps) /
               static_cast<double>(after->result.time_ps));
    reads.add(static_cast<double>(after->result.of(Phase::Gemm).dram_read) /
              static_cast<double>(before->result.of(Phase::Gemm).dram_read));
  }
  summary.least_over_t3_mca = faster.least();
  summary.gemm_reads_geomean = reads.mean();
  summary.gemm_reads_largest = reads.most();
  return summary;
}

std::optional<PairsSummary> pairsSummary(const std::vector<PointResult>& points) {
  Selection pairs, alone;
  for (const PointResult* point : pointsOf(points, kPairsPart)) {
    if (!kSmallModels.has(point->point)) continue;
    (isConsumerAlone(point->point) ? alone : pairs).push_back(point);
  }
  if (pairs.empty() || alone.size() != pairs.size()) return std::nullopt;
  bool complete = true;
  const auto mean = [&complete](const Selection& selection, Mode mode) {
    Geomean values;
    for (const PointResult* point : selection) {
      if (const auto speedup = point->speedup(mode)) values.add(*speedup);
    }
    complete = complete && values.count() == selection.size();
    return values.mean();
  };
  const PairsSummary summary = {.pairs = pairs.size(),
                                .ag_split = mean(pairs, kSplitGather),
                                .t3_mca = mean(pairs, Mode::T3Mca),
                                .t3_ag = mean(pairs, Mode::T3Ag),
                                .consumer_alone = mean(alone, Mode::T3Ag),
                                .ideal_ag = mean(pairs, Mode::IdealAg)};
  return complete ? std::optional(summary) : std::nullopt;
}

std::optional<SwitchSummary> switchSummary(const std::vector<PointResult>& points) {
  std::map<std::string, std::map<std::string, const PointResult*>> byPreset;  // then by study
  for (const PointResult* point : pointsOf(points, kSwitchPart)) {
    byPreset[point->point.preset][point->point.study] = point;
  }
  SwitchSummary summary;
  Geomean onOneRing, nvlsOverSequential, overBound;
  for (const auto& [preset, studies] : byPreset) {
    if (!studies.contains(kOnMergingSwitch)) continue;
    const Point& point = studies.at(kOnMergingSwitch)->point;
    bool missing = false;
    const auto timeOf = [&studies = studies, &missing](const char* study, Mode mode) {
      const auto found = studies.find(study);
      const RunRecord* run = found == studies.end() ? nullptr : found->second->run(mode);
      missing = missing || run == nullptr;
      return run == nullptr ? 1.0 : static_cast<double>(run->result.time_ps);
    };
    const double time = timeOf(kOnMergingSwitch, Mode::T3Ag);
    const double gain = timeOf(kOnSwitch, Mode::T3Ag) / time;
    const double nvls = timeOf(kOnMergingSwitch, Mode::Nvls);
    if (point.scenario.workload.consumer.any()) {  // a pair
      if (missing) return std::nullopt;
      if (!kSmallModels.has(point)) continue;
      summary.pairs.add(gain);
      summary.pairs_over_nvls.add(nvls / time);
      continue;
    }
    const double packets = timeOf(kOnPackets, Mode::Nvls) / timeOf(kOnPackets, Mode::T3Ag);
    const double onRing = timeOf(kOnRing, Mode::T3Ag);
    const double sequential = timeOf(kOnRing, Mode::Sequential);
    if (missing) return std::nullopt;
    summary.all_sublayers.add(gain);
    if (!kSmallModels.has(point)) continue;
    summary.sublayers.add(gain);
    summary.over_nvls.add(nvls / time);
    summary.packets_over_nvls.add(packets);
    nvlsOverSequential.add(sequential / nvls);
    onOneRing.add(onRing / time);
    const RunRecord* run = studies.at(kOnMergingSwitch)->run(Mode::T3Ag);
    overBound.add(time / (run->result.bound_ns * 1e3));
  }
  summary.over_ring = onOneRing.mean();
  summary.nvls_over_sequential = nvlsOverSequential.mean();
  summary.over_bound_mean = overBound.mean();
  summary.over_bound_most = overBound.most();
  return summary.sublayers.count() > 0 ? std::optional(summary) : std::nullopt;
}

}  // namespace t3
