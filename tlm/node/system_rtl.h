// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "tlm/rtl/rtl_tracing.h"
#include "tlm/tracker/rtl_options.h"

namespace t3 {

/// How the RTL of a system is simulated, where there is some. What is not given is usual.
struct SystemRtl {
  std::function<RtlOptions(std::uint32_t gpu)> trackers;
  RtlTracingOf mergeUnits;

  RtlOptions tracker(std::uint32_t gpu) const { return trackers ? trackers(gpu) : RtlOptions{}; }
};

}  // namespace t3
