// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Measures how much memory a kernel's compute asks for, as a share of the memory's peak bandwidth.
/// The window begins `mca.settle_ns` after the kernel, when the loads that fill its pipeline are
/// done, and goes to the first communication request (there is none in the first stage of a
/// kernel), with `mca.window_min_ns` and `mca.window_max_ns` as its limits.
class ComputeIntensity {
 public:
  explicit ComputeIntensity(const HbmConfig& config);

  void kernelBegins(Picoseconds now);
  /// A request to the memory, while measuring.
  void arrived(const ArrivedRequest& request);

  bool measuring() const { return measuring_; }
  /// Of the last kernel that was measured to the end; 0 if none was.
  double intensity() const { return intensity_; }

 private:
  Picoseconds settle_;
  double windowMinPs_, windowMaxPs_, peakBytesPerPs_;
  bool measuring_ = false;
  bool communicationSeen_ = false;
  Picoseconds start_ = 0;
  std::uint64_t bytes_ = 0;
  double intensity_ = 0;
};

}  // namespace t3
