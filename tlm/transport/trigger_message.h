// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/transport/index.h"

namespace t3 {

/// What the tracker says when the last tile of a command completed; travels as the data of a TLM
/// write (address = command id) from the tracker's `commands` and `notifications` sockets. A
/// command may have waited in the tracker, which keeps no more of it than command and region.
struct TriggerMessage {
  CommandId command;
  std::uint32_t region = 0;  ///< tracker region the command belongs to
  WorkgroupId workgroup;  ///< command: first of its block; notification: tile that completed last
  std::uint64_t address = 0;  ///< notification: lowest byte address seen of that wavefront tile
};

}  // namespace t3
