// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3 {
namespace {

/// Communication-aware arbitration (t3-facts "mechanism" 6). Compute goes first. Communication
/// enters only while the DRAM queue holds fewer bursts than the kernel's threshold: it fills gaps,
/// and a compute read that comes later finds a short queue. After each starvation limit one
/// communication piece enters in any case.
///
/// The threshold is chosen for each kernel from its compute intensity. From the kernel's start
/// until that is measured the default applies.
class McaArbitration final : public MeasuredArbitration {
 public:
  explicit McaArbitration(const HbmConfig& config)
      : MeasuredArbitration(config),
        config_(config.mca),
        starvationLimit_(starvationLimit(config)),
        threshold_(config.mca.threshold_default_bursts) {}

  std::unique_ptr<Arbiter> makeArbiter() override;

  void kernelBegins(Picoseconds now) override {
    MeasuredArbitration::kernelBegins(now);
    threshold_ = config_.threshold_default_bursts;
  }
  void arrived(const ArrivedRequest& request) override {
    MeasuredArbitration::arrived(request);
    if (!intensity().measuring()) threshold_ = thresholdFor(intensity().intensity());
  }

  std::uint32_t threshold() const override { return threshold_; }
  std::uint64_t forced() const override { return forced_; }
  void countForced() { ++forced_; }
  Cycles limit() const { return starvationLimit_; }

 private:
  std::uint32_t thresholdFor(double intensity) const {
    if (intensity >= config_.intensity_high) return config_.threshold_high_bursts;
    if (intensity >= config_.intensity_medium) return config_.threshold_medium_bursts;
    if (intensity >= config_.intensity_low) return config_.threshold_low_bursts;
    return config_.threshold_idle_bursts;
  }

  const McaConfig config_;
  const Cycles starvationLimit_;
  std::uint32_t threshold_;
  std::uint64_t forced_ = 0;
};

class McaArbiter final : public Arbiter {
 public:
  explicit McaArbiter(McaArbitration& shared) : shared_(shared) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    const std::uint32_t threshold = shared_.threshold();
    const bool below = threshold == 0 || view.occupancyBursts < threshold;
    const bool free = view.compute == nullptr && below;
    const Cycles deadline = view.communicationSince + shared_.limit();
    if (free || view.now >= deadline) {
      // Every such answer counts. If the DRAM queue has no room for the piece, or the tracker is
      // busy, it is asked about again and counts again.
      if (!free) shared_.countForced();
      return ArbiterAnswer::let(Stream::Communication);
    }
    if (view.compute != nullptr) return ArbiterAnswer::let(Stream::Compute);
    return ArbiterAnswer::wait(threshold - 1, deadline);
  }

 private:
  McaArbitration& shared_;
};

std::unique_ptr<Arbiter> McaArbitration::makeArbiter() {
  return std::make_unique<McaArbiter>(*this);
}

}  // namespace

constexpr ArbitrationPolicy kMcaArbitration{
    "mca", [](const HbmConfig& config) -> std::unique_ptr<Arbitration> {
      return std::make_unique<McaArbitration>(config);
    }};

}  // namespace t3
