// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// The algorithm as an MSCCL XML file, as `readMscclText` reads it.
std::string mscclText(const Algorithm& algorithm);

}  // namespace t3
