// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/tracker_config.h"

#include <bit>

// The build defines those that the RTL does not have by default.
#ifndef T3_RTL_NumLanes
#define T3_RTL_NumLanes 8
#endif
#ifndef T3_RTL_NumBanks
#define T3_RTL_NumBanks 8
#endif
#ifndef T3_RTL_NumWindows
#define T3_RTL_NumWindows 4
#endif
#ifndef T3_RTL_NumRegions
#define T3_RTL_NumRegions 8
#endif
#ifndef T3_RTL_NumSlots
#define T3_RTL_NumSlots 4096
#endif
#ifndef T3_RTL_NumRows
#define T3_RTL_NumRows 256
#endif
#ifndef T3_RTL_QueueDepth
#define T3_RTL_QueueDepth 64
#endif

namespace t3 {

RtlSize rtlSize() {
  return {.lanes = T3_RTL_NumLanes,
          .banks = T3_RTL_NumBanks,
          .windows = T3_RTL_NumWindows,
          .regions = T3_RTL_NumRegions,
          .slots = T3_RTL_NumSlots,
          .rows = T3_RTL_NumRows,
          .queue = T3_RTL_QueueDepth};
}

void TrackerConfig::coverTiles(std::uint64_t tiles) {
  while (tiles > std::uint64_t{slots} << block_log2 && block_log2 < kMostBlockLog2) ++block_log2;
}

std::optional<std::string> TrackerConfig::check() const {
  if (!std::has_single_bit(lanes)) return "lanes: expected 1, 2, 4, 8 or 16";
  if (!std::has_single_bit(banks)) return "banks: expected 2, 4, 8 or 16";
  if (!std::has_single_bit(slots)) return "slots: expected a power of two";
  if (slots < 2 * banks) return "slots: expected at least 2 x banks";
  if (rows != 0 && (rows < 16 || !std::has_single_bit(rows))) {
    return "rows: expected 0, or a power of two of at least 16";
  }
  if (!std::has_single_bit(queue)) return "queue: expected a power of two";
  return std::nullopt;
}

}  // namespace t3
