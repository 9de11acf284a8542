// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/compute_intensity.h"

namespace t3 {

ComputeIntensity::ComputeIntensity(const HbmConfig& config)
    : settle_(picosecondsFromNs(config.mca.settle_ns)),
      windowMinPs_(config.mca.window_min_ns * 1e3),
      windowMaxPs_(config.mca.window_max_ns * 1e3),
      peakBytesPerPs_(config.peakBytesPerNs() * 1e-3) {}

void ComputeIntensity::kernelBegins(Picoseconds now) {
  measuring_ = true;
  communicationSeen_ = false;
  start_ = now + settle_;
  bytes_ = 0;
}

void ComputeIntensity::arrived(const ArrivedRequest& request) {
  if (request.stream == Stream::Compute) {
    if (request.when >= start_) bytes_ += request.bytes;
  } else {
    // The zeros under a kernel's output, written or cleared, come with the kernel. They are neither
    // what its compute asks for nor the beginning of communication.
    if (request.phase == Phase::Gemm && !isRead(request.kind)) return;
    communicationSeen_ = true;
  }
  if (request.when < start_) return;
  const auto elapsed = static_cast<double>(request.when - start_);
  if (elapsed < windowMinPs_) return;
  if (!communicationSeen_ && elapsed < windowMaxPs_) return;
  measuring_ = false;
  intensity_ = static_cast<double>(bytes_) / (elapsed * peakBytesPerPs_);
}

}  // namespace t3
