// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/mode.h"

#include <array>

#include "tlm/node/graph.h"
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

Graph Mode::graph(const SystemConfig& config) const {
  return completed(kind->graph(config), config);
}

std::vector<const Collective*> Mode::collectives(const SystemConfig& config) const {
  return kind->graph(config).collectives();
}

bool sameCollectives(const SystemConfig& config, Mode one, Mode other) {
  return one.collectives(config) == other.collectives(config);
}

}  // namespace t3
