// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/mode.h"

#include <algorithm>
#include <array>

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
  const Collectives other = kind->otherwise != nullptr ? kind->otherwise(config) : Collectives{};
  return other.empty() ? simulated().collectives : other;
}

bool sameCollectives(const SystemConfig& config, Mode one, Mode other) {
  return std::ranges::equal(one.collectives(config), other.collectives(config));
}

}  // namespace t3
