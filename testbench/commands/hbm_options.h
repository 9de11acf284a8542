// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/config/options.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// --preset, --config, --set, for commands that need a memory and nothing around it.
void addMemoryOptions(Options& options, const std::string& defaultPreset);

/// The memory: a preset of its own (hbm2, hbm2-pseudo, hbm2e, hbm3), or that of a scenario, then
/// the assignments to `hbm.…`, checked. Throws ConfigError.
HbmConfig memoryOf(const Options& options, const std::string& defaultPreset);

}  // namespace t3
