// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3 {
namespace {

/// Communication-aware arbitration, as in the paper: compute goes first, and communication fills
/// the gaps. But where the ring is what ends last, it goes first.
///
/// 1. **A kernel runs and the ring keeps up** with it: compute goes first. Communication enters
///    when no compute waits and the DRAM queue holds fewer bursts than the kernel's threshold. A
///    communication piece that has waited for the starvation limit takes turns with compute, so
///    compute delays the ring by at most about that limit, however much it asks for.
/// 2. **The ring is behind** (`communicationBehind`): communication goes first, whatever the
///    occupancy. A link is slower than the memory, so it leaves room for compute; and what the ring
///    sends comes from the GEMM, so it cannot stay ahead of a GEMM that it holds up.
/// 3. **No kernel runs**: the two take turns.
///
/// The threshold is chosen for each kernel from its compute intensity. From the kernel's start
/// until that is measured the default applies.
class McaArbitration final : public MeasuredArbitration {
 public:
  explicit McaArbitration(const HbmConfig& config)
      : MeasuredArbitration(config),
        config_(config.mca),
        starvationLimit_(starvationLimit(config)),
        threshold_(config.mca.threshold_default_bursts),
        running_(!config.mca.only_in_kernels) {}

  std::unique_ptr<Arbiter> makeArbiter() override;

  void kernelBegins(Picoseconds now) override {
    MeasuredArbitration::kernelBegins(now);
    threshold_ = config_.threshold_default_bursts;
    running_ = true;
  }
  void kernelEnds(Picoseconds now) override {
    MeasuredArbitration::kernelEnds(now);
    running_ = !config_.only_in_kernels;
  }
  void arrived(const ArrivedRequest& request) override {
    MeasuredArbitration::arrived(request);
    if (!intensity().measuring()) threshold_ = thresholdFor(intensity().intensity());
  }

  std::uint32_t threshold() const override { return threshold_; }
  bool running() const { return running_; }
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
  bool running_;
};

class McaArbiter final : public Arbiter {
 public:
  explicit McaArbiter(McaArbitration& shared) : shared_(shared) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    forced_ = false;
    const bool computesTurn = view.compute != nullptr && last_ == Stream::Communication;
    if (!shared_.running()) {
      return ArbiterAnswer::let(computesTurn ? Stream::Compute : Stream::Communication);
    }
    if (shared_.behind()) return ArbiterAnswer::let(Stream::Communication);
    const std::uint32_t threshold = shared_.threshold();
    const bool below = threshold == 0 || view.occupancyBursts < threshold;
    if (view.compute == nullptr && below) return ArbiterAnswer::let(Stream::Communication);
    const Cycles deadline = view.communicationArrived + shared_.limit();
    if (view.now >= deadline && !computesTurn) {
      forced_ = true;
      return ArbiterAnswer::let(Stream::Communication);
    }
    if (view.compute != nullptr) return ArbiterAnswer::let(Stream::Compute);
    return ArbiterAnswer::wait(threshold - 1, deadline);
  }
  void entered(const Piece& piece, Cycles) override {
    last_ = piece.stream;
    if (piece.stream == Stream::Communication) shared_.communicationEntered(forced_);
    forced_ = false;
  }

 private:
  McaArbitration& shared_;
  Stream last_ = Stream::Communication;
  bool forced_ = false;  ///< the last answer was the starvation limit's
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
