// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/node/peers.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// The processes that simulate the scenario together; null if this one does it alone. Throws
/// ConfigError if it cannot be cut over so many.
std::unique_ptr<Peers> peersOf(const SystemConfig& scenario);

}  // namespace t3
