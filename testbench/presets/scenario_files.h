// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Reads the files that the scenario names, `fabric.links` into its graph of links,
/// `workload.collective` into its `algorithm` and `workload.graph` into its `graph`. Throws
/// ConfigError if a file is wrong, or if the scenario cannot have it.
void readScenarioFiles(SystemConfig& scenario);
/// The files of a `workload.graph`: of a trace several, of one that ships none.
std::vector<std::string> graphFiles(const std::string& graph);
/// Throws ConfigError if the processes that simulate the scenario could not read these files.
void requireReadableByJobs(const SystemConfig& scenario);

/// Throws ConfigError naming `option` if `mode` cannot run a collective from a file alone; `with`
/// is what asks for one.
void requireTakesFile(Mode mode, const std::string& option, const std::string& with);

}  // namespace t3
