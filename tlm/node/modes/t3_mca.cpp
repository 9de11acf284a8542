// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// t3 with the arbitration that knows of communication, whatever the scenario names.
constinit const ModeKind kT3Mca = {
    .name = "t3-mca",
    .tracked = true,
    .boundedBy = kByIdealRsNmc,
    .graph = fusedGraph,
    .bound = firstOverlapped,
    .repeats = true,
    .takesFile = true,
    .configure = [](SystemConfig& config,
                    std::uint32_t) { config.hbm.arbitration = kMcaArbitration; },
    .check = checkFused};

}  // namespace t3
