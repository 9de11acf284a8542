// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/switch/switch.h"

namespace t3 {

/// The switch between `simulated` GPUs, with their links; null if the fabric has none. A write for
/// GPU g leaves by link g modulo `simulated`. `tracing`: of the RTL of its merge units.
std::unique_ptr<Switch> makeSwitch(const SystemConfig& config, std::uint32_t simulated,
                                   const RtlTracingOf& tracing = {});

/// Of all merge units of a switch.
MergeFigures mergeFigures(const Switch& fabricSwitch);
/// Of all its load ports; none if nothing was loaded.
std::optional<LoadFigures> loadFigures(const Switch& fabricSwitch);

}  // namespace t3
