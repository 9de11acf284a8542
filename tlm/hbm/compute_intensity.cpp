// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/compute_intensity.h"

namespace t3 {

ComputeIntensity::ComputeIntensity(const HbmConfig& config)
    : config_(config.mca),
      peakBytesPerPs_(config.peakBytesPerNs() * 1e-3),
      threshold_(config.mca.threshold_default_bursts) {}

void ComputeIntensity::beginKernel(Picoseconds now) {
  measuring_ = true;
  communicationSeen_ = false;
  start_ = now;
  bytes_ = 0;
  threshold_ = config_.threshold_default_bursts;
}

void ComputeIntensity::measure(bool communication, std::uint64_t bytes, Picoseconds now) {
  if (communication) {
    communicationSeen_ = true;
  } else {
    bytes_ += bytes;
  }
  const auto elapsed = static_cast<double>(now - start_);
  // A window shorter than the minimum says nothing yet, even if communication has begun.
  if (elapsed < config_.window_min_ns * 1e3) return;
  if (!communicationSeen_ && elapsed < config_.window_max_ns * 1e3) return;
  measuring_ = false;
  intensity_ = static_cast<double>(bytes_) / (elapsed * peakBytesPerPs_);
  if (intensity_ >= config_.intensity_high) {
    threshold_ = config_.threshold_high_bursts;
  } else if (intensity_ >= config_.intensity_medium) {
    threshold_ = config_.threshold_medium_bursts;
  } else if (intensity_ >= config_.intensity_low) {
    threshold_ = config_.threshold_low_bursts;
  } else {
    threshold_ = config_.threshold_idle_bursts;
  }
}

}  // namespace t3
