// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

// A scenario whose GEMM has a collective from a file behind it: workload.collective.

inline bool hasCollectiveFile(const SystemConfig& scenario) {
  return !scenario.workload.collective.empty();
}

/// Throws ConfigError naming `option` if `mode` cannot have a collective from a file; `with` is
/// what asks for one.
void requireTakesFile(Mode mode, const std::string& option, const std::string& with);

/// Throws ConfigError if the file is wrong, or if the scenario or the mode cannot have it; `option`
/// is that of the mode. For a scenario without a file there is nothing to check.
void checkCollectiveFile(Mode mode, const SystemConfig& scenario, const std::string& option);

/// How many workgroup ids the requests of a run can name.
std::uint32_t workgroupsWithFile(const SystemConfig& scenario, Mode mode);

}  // namespace t3
