// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// When each channel of a stack is to be served next. One process serves all channels: it is
/// sensitive to `soon` (in this time step) and `later` (at the earliest clock any channel asked
/// for).
class ServiceTimer {
 public:
  ServiceTimer(std::uint32_t channels, Cycles period)
      : period_(period), wakeAt_(channels, kNever) {}

  /// The first clock edge at or after the present time.
  Cycles cycle() const { return (static_cast<Cycles>(now()) + period_ - 1) / period_; }

  /// Serves a channel at the next clock edge.
  void wake(ChannelId channel) {
    wakeAt_[channel.value] = std::min(wakeAt_[channel.value], cycle());
    runSoon();
  }
  /// Runs the process in this time step, whether or not a channel is due.
  void runSoon() {
    if (armed_) return;
    armed_ = true;
    soon.notify(sc_core::SC_ZERO_TIME);
  }

  // For the process: `begin`, then every channel that is `due` says when it wants to be served
  // next, then `sleep`.
  void begin() { armed_ = false; }
  bool due(ChannelId channel, Cycles cycle) {
    if (wakeAt_[channel.value] > cycle) return false;
    wakeAt_[channel.value] = kNever;
    return true;
  }
  void serveAt(ChannelId channel, Cycles cycle) {
    wakeAt_[channel.value] = std::min(wakeAt_[channel.value], cycle);
  }
  void sleep(Cycles cycle) {
    const Cycles next = *std::min_element(wakeAt_.begin(), wakeAt_.end());
    if (next == kNever || next <= cycle) return;  // at or before `cycle`: `soon` is armed
    const auto at = static_cast<Picoseconds>(next * period_);
    if (laterAt_ > now() && laterAt_ <= at) return;  // the pending one comes first and arms anew
    laterAt_ = at;
    later.cancel();
    later.notify(fromPicoseconds(at - now()));
  }

  sc_core::sc_event soon, later;

 private:
  Cycles period_;
  std::vector<Cycles> wakeAt_;  ///< per channel
  bool armed_ = false;
  Picoseconds laterAt_ = 0;
};

}  // namespace t3
