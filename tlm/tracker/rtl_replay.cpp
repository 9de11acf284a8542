// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/rtl_replay.h"

#include "tlm/rtl/rtl_watcher.h"
#include "tlm/tracker/start_unit.h"

namespace t3 {

RtlReplay::RtlReplay(const char* name, const TrackerConfig& config, const RtlOptions& options)
    : watcher_(*options.tracing.watcher), unit_(startUnit(options, name)) {
  watcher_.attach(*unit_, Clock(config.clock_mhz).period());
  unit_->whenLow([this] {
    if (timed_) watcher_.low(when_);
  });
}

void RtlReplay::cycle(const RtlInputs& inputs, bool timed, Picoseconds when) {
  const RtlPins& pins = unit_->pins;
  timed_ = timed;
  when_ = when;
  if (timed) watcher_.edge(when);
  inputs.drive(pins);
  unit_->cycle(when);  // that an assertion failed, the tracker of the tape has reported
  // An RtlTracker leaves these so until its next cycle, and they are drawn.
  pins.laneValid = 0;
  pins.awValid = pins.wValid = pins.bReady = 0;
  pins.arValid = pins.rReady = 0;
}

}  // namespace t3
