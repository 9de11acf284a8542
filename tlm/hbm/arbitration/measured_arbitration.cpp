// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

#include <cmath>

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

void ComputeIntensity::arrived(const HbmRequest& request) {
  if (request.traffic->stream == Stream::Compute) {
    if (request.arrival >= start_) bytes_ += request.end - request.next;
  } else {
    // The zeros under a kernel's output, written or cleared, come with the kernel. They are neither
    // what its compute asks for nor the beginning of communication.
    if (request.traffic->phase == Phase::Gemm && !isRead(request.kind)) return;
    communicationSeen_ = true;
  }
  if (request.arrival < start_) return;
  const auto elapsed = static_cast<double>(request.arrival - start_);
  if (elapsed < windowMinPs_) return;
  if (!communicationSeen_ && elapsed < windowMaxPs_) return;
  measuring_ = false;
  intensity_ = static_cast<double>(bytes_) / (elapsed * peakBytesPerPs_);
}

void MeasuredArbitration::kernelBegins(Picoseconds now) {
  intensity_.kernelBegins(now);
  watchesRequests_ = true;
}

void MeasuredArbitration::arrived(const HbmRequest& request) {
  intensity_.arrived(request);
  watchesRequests_ = intensity_.measuring();
}

void MeasuredArbitration::communicationBehind(bool behind, Picoseconds now) {
  if (behind_ && !behind) behindFor_ += now - behindSince_;
  behind_ = behind;
  behindSince_ = now;
}

void MeasuredArbitration::publish(ValueList& list) const {
  list.level("mca_threshold", 16, "bursts", [this] { return threshold(); });
  list.flag("communication_behind", [this] { return behind_; });
}

std::vector<StatisticRow> MeasuredArbitration::statistics() const {
  return {{"mca_threshold", "DRAM queue occupancy limit chosen for communication, 0 = none",
           "bursts", static_cast<double>(threshold())},
          {"mca_compute_intensity", "share of peak the compute stream asked for, as measured", "",
           intensity_.intensity()},
          {"mca_demand", "share of peak that the kernel and the collectives beside it ask for", "",
           demand()},
          {"mca_forced", "communication entries forced by the starvation limit", "pieces",
           static_cast<double>(forced_)},
          {"mca_forced_share", "of all communication entries, those forced", "",
           entered_ == 0 ? 0.0 : static_cast<double>(forced_) / static_cast<double>(entered_)},
          {"mca_behind", "time the ring was behind, or updates waited for zeros", "ns",
           nanoseconds(behindFor_)}};
}

Cycles starvationLimit(const HbmConfig& config) {
  return static_cast<Cycles>(std::llround(config.starvation_limit_ns * config.clock_mhz * 1e-3));
}

}  // namespace t3
