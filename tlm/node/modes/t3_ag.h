// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/node/system_config.h"

namespace t3 {

/// What a GEMM in slabs, and an all-gather that the trackers drive beside it, need of a
/// configuration: slabs of one row, a link that sends what gathers last, channels of the DMA engine
/// for it, and blocks that are large enough for the tracker's slots.
void configureForGather(SystemConfig& config, std::uint32_t number);

}  // namespace t3
