// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3 {

/// The size of the RTL that is built in: the unit's defaults, or what -D T3_TRACKER_PARAMETERS says
/// (docs/your-rtl.md). Also the default size of a tracker, whatever is behind it.
struct RtlSize {
  std::uint32_t lanes, banks, windows, regions, slots, rows, queue;
};

RtlSize rtlSize();

}  // namespace t3
