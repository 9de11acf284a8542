// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/rtl_tape.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// A unit that gets from a tape what another one got: its watcher sees what the watcher of an
/// RtlTracker with that unit would have seen.
class RtlReplay {
 public:
  /// `options` has a watcher.
  RtlReplay(const char* name, const TrackerConfig& config, const RtlOptions& options);
  RtlReplay(const RtlReplay&) = delete;
  RtlReplay& operator=(const RtlReplay&) = delete;

  /// As in RtlTape; `when` is the simulated time then.
  void cycle(const RtlInputs& inputs, bool timed, Picoseconds when);

 private:
  RtlWatcher& watcher_;
  std::unique_ptr<RtlUnit> unit_;
  Picoseconds when_ = 0;
  bool timed_ = false;
};

}  // namespace t3
