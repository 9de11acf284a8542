// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/mode.h"

#include <algorithm>
#include <array>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/system_config.h"

namespace t3 {

std::span<const ModeKind* const> ModeKind::table() {
  static constexpr std::array<const ModeKind*, 10> kTable = {
      &kSequential, &kNvls, &kCuSplit,      &kAgSplit,    &kT3,
      &kT3Mca,      &kT3Ag, &kIdealOverlap, &kIdealRsNmc, &kIdealAg};
  return kTable;
}

SystemConfig Mode::configured(SystemConfig config) const {
  if (simulated().configure != nullptr) simulated().configure(config, number);
  return config;
}

Collectives Mode::collectives(const SystemConfig& config) const {
  static constexpr std::array<const Collective*, 1> kWhole = {&kAllReduce};
  // One kernel that ends says nothing of the others': what it sent for a next sublayer would meet
  // theirs.
  const bool alone = !config.workload.norms() && config.workload.repeat == 1;
  const bool whole = kind->reducesWhole && alone && config.algorithm != nullptr &&
                     config.algorithm->form().algorithm().promise == kAllReduce.promise;
  if (whole) return kWhole;
  const ModeKind& one = simulated();
  return config.workload.norms() && !one.withNorm.empty() ? one.withNorm : one.collectives;
}

bool sameCollectives(const SystemConfig& config, Mode one, Mode other) {
  return std::ranges::equal(one.collectives(config), other.collectives(config));
}

}  // namespace t3
