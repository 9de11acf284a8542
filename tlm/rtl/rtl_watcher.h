// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/rtl/rtl_block.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Looks into Verilated blocks, clock by clock. It sees the clock edges that have a simulated time
/// of their own. It does not see the skipped edges, at which nothing changes, nor the edges of
/// reset and of register accesses, for which no time passes.
class RtlWatcher {
 public:
  virtual ~RtlWatcher() = default;
  /// A block that can be traced; before its first edge. Its edges are at whole multiples of
  /// `period`.
  virtual void attach(RtlBlock& block, Picoseconds period) = 0;
  /// Called before an edge: all signals still are as the edge before it left them.
  virtual void edge(Picoseconds when) = 0;
  /// Called at the same edge when the inputs are set and the clock is low. The clock rises next.
  virtual void low(Picoseconds when) = 0;
};

}  // namespace t3
