// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/transport/index.h"

namespace t3 {

/// What the tracker says when the last tile of a command completed; travels as the data of a TLM
/// write (address = command id) from the tracker's `commands` and `notifications` sockets.
struct TriggerMessage {
  CommandId command;
  std::uint32_t region = 0;   ///< tracker region the command belongs to
  WorkgroupId workgroup;      ///< of the wavefront tile that completed last
  std::uint64_t address = 0;  ///< lowest local byte address seen of that wavefront tile
};

}  // namespace t3
