// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/switches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "testbench/reproduce/panels.h"
#include "testbench/reproduce/parts.h"

namespace t3 {
namespace {

/// A geometric mean.
class Mean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    least_ = count_ == 0 ? value : std::min(least_, value);
    most_ = std::max(most_, value);
    ++count_;
  }
  double value() const {
    return count_ == 0 ? 0 : std::exp(logarithms_ / static_cast<double>(count_));
  }
  double most() const { return most_; }
  SwitchSummary::Gain gain() const { return {count_, value(), least_, most_}; }

 private:
  double logarithms_ = 0, least_ = 0, most_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<SwitchSummary> switchSummary(const std::vector<PointResult>& points) {
  std::map<std::string, std::map<std::string, const PointResult*>> byPreset;  // then by study
  for (const PointResult* point : pointsOf(points, kSwitchPart)) {
    byPreset[point->point.preset][point->point.study] = point;
  }
  Mean small, all, pairs, ring, bound;
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
  if (small.gain().points == 0) return std::nullopt;
  return SwitchSummary{small.gain(), all.gain(),    pairs.gain(),
                       ring.value(), bound.value(), bound.most()};
}

}  // namespace t3
