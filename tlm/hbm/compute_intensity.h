// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/hbm/hbm_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Chooses MCA's occupancy threshold for a kernel: watches what share of the stack's peak bandwidth
/// the compute stream asks for, from the kernel's start to the first communication request (there
/// is none in a kernel's first stage) or for `window_max_ns`, and looks the threshold up in the
/// configured steps. Until then, and between kernels, the default applies.
class ComputeIntensity {
 public:
  explicit ComputeIntensity(const HbmConfig& config);

  void beginKernel(Picoseconds now);
  void request(bool communication, std::uint64_t bytes, Picoseconds now) {
    if (measuring_) measure(communication, bytes, now);
  }

  std::uint32_t threshold() const { return threshold_; }
  double intensity() const { return intensity_; }

 private:
  void measure(bool communication, std::uint64_t bytes, Picoseconds now);

  McaConfig config_;
  double peakBytesPerPs_;
  bool measuring_ = false;
  bool communicationSeen_ = false;
  Picoseconds start_ = 0;
  std::uint64_t bytes_ = 0;
  double intensity_ = 0;
  std::uint32_t threshold_;
};

}  // namespace t3
