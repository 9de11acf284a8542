// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/transport/traffic.h"

namespace t3 {

/// "reduce-scatter"; "collective" for those that a sublayer does not have.
const std::string& phaseName(Phase phase);

}  // namespace t3
