// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/gpu/tiling.h"

namespace t3 {

/// Bytes of the tiles of a block.
std::uint64_t blockBytes(const Tiling& tiling, TileRange block);

/// Whether a slot of the tracker counts `updates` contributions to the largest block of
/// 2^`blockLog2` tiles. If not, one line that begins with a setting.
std::optional<std::string> checkBlockBytes(const Tiling& tiling, std::uint32_t blockLog2,
                                           std::uint32_t updates);

}  // namespace t3
