// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/bound_parts.h"
#include "tlm/node/collective_plan.h"

namespace t3 {

/// `boundParts` of a GEMM with a collective from a file behind it: what the file sends over each
/// link in place of what a route sends. `config` is the scenario as the mode has configured it.
BoundParts collectiveBoundParts(const SystemConfig& config, const CollectivePlan& plan);

}  // namespace t3
