// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tlm/hbm/dram_command.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/index.h"

namespace t3 {

/// When each channel of a stack is to be served next. One action serves all channels, in this time
/// step or at the earliest clock that any channel asked for.
class ServiceTimer {
 public:
  ServiceTimer(std::uint32_t channels, Cycles period, std::function<void()> serve)
      : period_(period), wakeAt_(channels, kNever), alarm_(Turn::Memory, std::move(serve)) {}

  /// The first clock edge at or after the present time.
  Cycles cycle() const { return (static_cast<Cycles>(now()) + period_ - 1) / period_; }

  /// Serves a channel at the next clock edge.
  void wake(ChannelId channel) {
    wakeAt_[channel.value] = std::min(wakeAt_[channel.value], cycle());
    runSoon();
  }
  /// Acts in this time step, whether or not a channel is due.
  void runSoon() { alarm_.set(now()); }

  // For the action: every channel that is `due` says when it wants to be served next, then `sleep`.
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
    if (next == kNever || next <= cycle) return;  // at or before `cycle`: it acts again at once
    alarm_.set(static_cast<Picoseconds>(next * period_));
  }

 private:
  Cycles period_;
  std::vector<Cycles> wakeAt_;  ///< per channel
  Alarm alarm_;
};

}  // namespace t3
