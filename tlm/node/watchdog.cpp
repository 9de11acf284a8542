// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/watchdog.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace t3 {

Watchdog::Watchdog(const SystemConfig& config, std::function<std::string()> whoWaits)
    : patience_(picosecondsFromNs(config.watchdog_us * 1e3)),
      lastChange_(config.lastLaunch()),
      whoWaits_(std::move(whoWaits)) {}

void Watchdog::look(std::uint64_t beats, Picoseconds when) {
  if (beats != lastBeats_) {
    lastBeats_ = beats;
    lastChange_ = std::max(lastChange_, when);
  } else if (when > lastChange_ + patience_) {
    throw std::runtime_error("no progress since " + fromPicoseconds(lastChange_).to_string() +
                             ", longer than watchdog_us allows (" +
                             fromPicoseconds(patience_).to_string() +
                             "); raise it if a part is meant to be that slow" + whoWaits_());
  }
}

void Watchdog::deadlock() const {
  throw std::runtime_error("deadlock at " + sc_core::sc_time_stamp().to_string() +
                           ": nothing is left to happen" + whoWaits_());
}

void Watchdog::expectNotStuck(const std::string& why) const {
  if (why.empty()) return;
  throw std::runtime_error("stuck at " + sc_core::sc_time_stamp().to_string() + ": " + why +
                           whoWaits_());
}

}  // namespace t3
