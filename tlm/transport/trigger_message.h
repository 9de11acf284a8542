// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/transport/index.h"

namespace t3 {

/// What the tracker says when all bytes of a command's block have arrived; travels as the data of a
/// TLM write (address = command id) from the tracker's `commands` socket. A command is a slot of
/// the tracker.
struct TriggerMessage {
  CommandId command;
  bool spoiled = false;  ///< more bytes came for the slot while it waited
};

}  // namespace t3
