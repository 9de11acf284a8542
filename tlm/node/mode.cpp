// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/mode.h"

#include <array>

#include "tlm/node/system_config.h"

namespace t3 {

std::span<const ModeKind* const> ModeKind::table() {
  static constexpr std::array<const ModeKind*, 10> kTable = {
      &kSequential, &kNvls, &kCuSplit,      &kAgSplit,    &kT3,
      &kT3Mca,      &kT3Ag, &kIdealOverlap, &kIdealRsNmc, &kIdealAg};
  return kTable;
}

Collectives ModeKind::collectivesOf(const SystemConfig& config) const {
  return config.workload.norms() && !withNorm.empty() ? withNorm : collectives;
}

SystemConfig Mode::configured(SystemConfig config) const {
  if (simulated().configure != nullptr) simulated().configure(config, number);
  return config;
}

}  // namespace t3
