// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_size.h"

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

}  // namespace t3
