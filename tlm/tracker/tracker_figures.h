// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>

#include "tlm/transport/figures.h"

namespace t3 {

/// What a tracker, or all of them, have done so far. Where a register of docs/tracker.md counts the
/// same thing, this is its value.
struct TrackerTotals {
  std::uint64_t updates = 0;       ///< lane updates whose region was on
  std::uint64_t triggers = 0;      ///< slots that were done and are DMA commands
  std::uint64_t releases = 0;      ///< rows of tiles that were complete
  std::uint64_t stall_cycles = 0;  ///< clocks that memory channels waited at full lane queues
  std::uint64_t rtl_cycles = 0;    ///< clock cycles simulated in RTL
};
BOOST_DESCRIBE_STRUCT(TrackerTotals, (), (updates, triggers, releases, stall_cycles, rtl_cycles))

/// The same, with what only checks look at.
struct TrackerStatistics : TrackerTotals {
  std::uint64_t untracked = 0;  ///< lane updates without a region
  std::uint64_t dropped = 0;    ///< lane updates whose region was stopped
  std::uint64_t completed = 0;  ///< slots that were done
  std::uint64_t taken = 0;      ///< DMA commands that their target has got
  std::uint64_t overrun = 0;    ///< errors of this cause, at most 255
  std::uint64_t stray = 0;      ///< errors of this cause, at most 255
  std::uint32_t errors = 0;     ///< bits of the causes of all errors so far
};
BOOST_DESCRIBE_STRUCT(TrackerStatistics, (TrackerTotals),
                      (untracked, dropped, completed, taken, overrun, stray, errors))

}  // namespace t3
