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
  for (const auto& [preset, studies] : byPreset) {
    const auto runOf = [&studies = studies](const char* study) -> const RunRecord* {
      const auto found = studies.find(study);
      return found == studies.end() ? nullptr : found->second->run(Mode::T3Ag);
    };
    if (!studies.contains(kOnMergingSwitch)) continue;
    const RunRecord* with = runOf(kOnMergingSwitch);
    const RunRecord* without = runOf(kOnSwitch);
    if (with == nullptr || without == nullptr) return std::nullopt;
    const auto time = static_cast<double>(with->result.time_ps);
    const double gain = static_cast<double>(without->result.time_ps) / time;
    const Point& point = studies.at(kOnMergingSwitch)->point;
    if (point.scenario.workload.consumer.any()) {
      if (isSmallModel(point)) pairs.add(gain);
      continue;
    }
    all.add(gain);
    if (!isSmallModel(point)) continue;
    const RunRecord* onRing = runOf(kOnRing);
    if (onRing == nullptr) return std::nullopt;
    small.add(gain);
    ring.add(static_cast<double>(onRing->result.time_ps) / time);
    bound.add(time / (with->result.bound_ns.total * 1e3));
  }
  if (small.count() == 0) return std::nullopt;
  return SwitchSummary{gainOf(small), gainOf(all),  gainOf(pairs),
                       ring.mean(),   bound.mean(), bound.most()};
}

}  // namespace t3
