// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// The tiles that share a command of the tracker with `workgroup`. A chunk is a whole number of
/// blocks: the check of the scenario ensures it.
inline TileRange commandBlock(WorkgroupId workgroup, std::uint32_t blockLog2) {
  return {workgroup.value >> blockLog2 << blockLog2, 1U << blockLog2};
}

}  // namespace t3
