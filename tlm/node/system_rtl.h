// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>

#include "tlm/rtl/rtl_tracing.h"
#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

/// How the RTL of a system is simulated, where there is some. What is not given is usual.
struct SystemRtl {
  using MakeTracker =
      std::function<std::unique_ptr<Tracker>(const sc_core::sc_module_name&, const TrackerConfig&)>;

  std::function<RtlOptions(std::uint32_t gpu)> trackers = {};
  RtlTracingOf mergeUnits = {};
  MakeTracker ownTracker = {};  ///< makes a unit of one's own, in place of the kind that was named

  RtlOptions tracker(std::uint32_t gpu) const { return trackers ? trackers(gpu) : RtlOptions{}; }
};

}  // namespace t3
