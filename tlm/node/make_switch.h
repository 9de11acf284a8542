// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tlm/interconnect/switch.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/switch/merge_port.h"

namespace t3 {

/// The switch between `simulated` GPUs, with their links; null if the fabric has none. A write for
/// GPU g leaves by link g modulo `simulated`.
std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated);

/// The merge unit in front of a link of a switch that merges.
const MergePort& mergePort(const Switch& fabricSwitch, std::uint32_t port);
/// Of all its merge units.
MergeFigures mergeFigures(const Switch& fabricSwitch);

}  // namespace t3
