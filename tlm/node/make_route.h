// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/gpu/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/system.h"

namespace t3 {

/// The route that the collectives of `config` take.
std::unique_ptr<const Route> makeRoute(const SystemConfig& config);
/// How the output is cut up for it.
Tiling makeTiling(const SystemConfig& config, const Route& route);

}  // namespace t3
