// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/switches.h"

#include <map>
#include <string>

#include "testbench/reproduce/geomean.h"
#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

SwitchSummary::Gain gainOf(const Geomean& values) {
  return {values.count(), values.mean(), values.least(), values.most()};
}

}  // namespace

std::optional<SwitchSummary> switchSummary(const std::vector<PointResult>& points) {
  std::map<std::string, std::map<std::string, const PointResult*>> byPreset;  // then by study
  for (const PointResult* point : pointsOf(points, kSwitchPart)) {
    byPreset[point->point.preset][point->point.study] = point;
  }
  Geomean small, all, pairs, ring, bound;
  Geomean overNvls, pairsOverNvls, packetsOverNvls, nvlsOverSequential;
  for (const auto& [preset, studies] : byPreset) {
    if (!studies.contains(kOnMergingSwitch)) continue;
    const Point& point = studies.at(kOnMergingSwitch)->point;
    const bool isPair = point.scenario.workload.consumer.any();
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
    if (isPair) {
      if (missing) return std::nullopt;
      if (!isSmallModel(point)) continue;
      pairs.add(gain);
      pairsOverNvls.add(nvls / time);
      continue;
    }
    const double packets = timeOf(kOnPackets, Mode::Nvls) / timeOf(kOnPackets, Mode::T3Ag);
    const double onRing = timeOf(kOnRing, Mode::T3Ag);
    const double sequential = timeOf(kOnRing, Mode::Sequential);
    if (missing) return std::nullopt;
    all.add(gain);
    if (!isSmallModel(point)) continue;
    small.add(gain);
    overNvls.add(nvls / time);
    packetsOverNvls.add(packets);
    nvlsOverSequential.add(sequential / nvls);
    ring.add(onRing / time);
    const RunRecord* run = studies.at(kOnMergingSwitch)->run(Mode::T3Ag);
    bound.add(time / (run->result.bound_ns * 1e3));
  }
  if (small.count() == 0) return std::nullopt;
  return SwitchSummary{.small = gainOf(small),
                       .all = gainOf(all),
                       .pairs = gainOf(pairs),
                       .over_ring = ring.mean(),
                       .over_nvls = gainOf(overNvls),
                       .pairs_over_nvls = gainOf(pairsOverNvls),
                       .packets_over_nvls = gainOf(packetsOverNvls),
                       .nvls_over_sequential = nvlsOverSequential.mean(),
                       .bound_mean = bound.mean(),
                       .bound_most = bound.most()};
}

}  // namespace t3
