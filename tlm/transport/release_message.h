// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3 {

/// What the tracker says when a row of output tiles is complete; travels as the data of a TLM write
/// (address = row slot) from the tracker's `releases` socket.
struct ReleaseMessage {
  std::uint32_t row = 0;  ///< row slot, as software programmed it
  bool spoiled = false;   ///< a block more was done for it while it waited
};

}  // namespace t3
