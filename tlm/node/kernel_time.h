// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <systemc>

#include "tlm/transport/clock.h"

namespace t3 {

/// `sc_start` may stop with or without what happens at its last moment: without, unless somebody
/// has asked the kernel for an update from another thread. This lets it happen. It takes one delta
/// cycle; a model in which no time passes must not hold it up.
inline void finishPresent() {
  constexpr int kMostDeltas = 8;
  for (int i = 0; i < kMostDeltas && sc_core::sc_pending_activity_at_current_time(); ++i) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
}

/// When something happens next, after `finishPresent`; the end of time if nothing does.
inline Picoseconds nextTime() {
  sc_core::sc_time next;
  return sc_core::sc_get_curr_simcontext()->next_time(next)
             ? toPicoseconds(next)
             : std::numeric_limits<Picoseconds>::max();
}

}  // namespace t3
