// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/node/mode.h"

namespace t3 {

/// What a mode is, in a sentence, for readers of a report; "" for a mode of somebody's own.
std::string definitionOf(const Mode& mode);

}  // namespace t3
