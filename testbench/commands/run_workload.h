// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "tlm/node/mode.h"

namespace t3 {

/// --workload and its companions.
void addWorkloadOptions(Options& options);
/// Whether there is one. Throws ConfigError if only a companion was given.
bool hasWorkload(const Options& options);

/// A workload in some modes, with the options of `command`; returns the exit code.
int runWorkload(const Options& options, const std::string& command, const std::vector<Mode>& modes);

}  // namespace t3
