// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/system_config.h"

namespace t3 {

/// Reads the file `fabric.links`, if the scenario has one, into its `fabric.graph`: a topology file
/// of TACCL, as docs/fabric.md describes it, for as many whole nodes as the scenario has GPUs for.
/// Throws ConfigError: file, line, key, what was expected.
void readLinksFile(SystemConfig& scenario);

}  // namespace t3
