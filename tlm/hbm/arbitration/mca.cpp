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
/// 3. **All wait for the memory**, because kernel and collectives ask for more than it has
///    (`mca.demand_limit`): communication goes first. The order of the two does not change how much
///    is to be done, but how well it mixes: updates hold a bank group longer than reads, and reads
///    of the GEMM fill the bus meanwhile. Communication that enters as it comes from the link is
///    spread evenly; what rules 1 and 2 make in turn are phases of one kind.
/// 4. **They ask for about what it has** (`mca.demand_turns`), or no kernel runs: the two take
///    turns. Whoever goes first then makes the other one late.
///
/// The threshold is chosen for each kernel from its compute intensity. From the kernel's start
/// until that is measured the default applies.
class McaArbitration final : public MeasuredArbitration {
 public:
  explicit McaArbitration(const HbmConfig& config)
      : MeasuredArbitration(config),
        config_(config),
        starvationLimit_(starvationLimit(config)),
        threshold_(config.mca.threshold_default_bursts),
        running_(!config.mca.only_in_kernels) {}

  std::unique_ptr<Arbiter> makeArbiter() override;

  void kernelBegins(Picoseconds now) override {
    MeasuredArbitration::kernelBegins(now);
    threshold_ = config_.mca.threshold_default_bursts;
    running_ = true;
  }
  void kernelEnds(Picoseconds now) override {
    MeasuredArbitration::kernelEnds(now);
    running_ = !config_.mca.only_in_kernels;
  }
  void arrived(const HbmRequest& request) override {
    MeasuredArbitration::arrived(request);
    if (!intensity().measuring()) threshold_ = thresholdFor(intensity().intensity());
  }

  std::uint32_t threshold() const override { return threshold_; }
  enum class Order : std::uint8_t { ComputeFirst, CommunicationFirst, Turns };
  Order order() const {
    if (!running_) return Order::Turns;
    if (behind() || demand() > config_.mca.demand_limit) return Order::CommunicationFirst;
    return demand() > config_.mca.demand_turns ? Order::Turns : Order::ComputeFirst;
  }
  Cycles limit() const { return starvationLimit_; }

 private:
  std::uint32_t thresholdFor(double intensity) const {
    const McaConfig& mca = config_.mca;
    if (intensity >= mca.intensity_high) return mca.threshold_high_bursts;
    if (intensity >= mca.intensity_medium) return mca.threshold_medium_bursts;
    if (intensity >= mca.intensity_low) return mca.threshold_low_bursts;
    return mca.threshold_idle_bursts;
  }

  const HbmConfig& config_;
  const Cycles starvationLimit_;
  std::uint32_t threshold_;
  bool running_;
};

class McaArbiter final : public Arbiter {
 public:
  McaArbiter(McaArbitration& shared, const HbmConfig& config) : shared_(shared), turns_(config) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    forced_ = false;
    const Stream turn = view.compute != nullptr ? turns_.whose() : Stream::Communication;
    switch (shared_.order()) {
      case McaArbitration::Order::Turns:
        return ArbiterAnswer::let(turn);
      case McaArbitration::Order::CommunicationFirst:
        return ArbiterAnswer::let(Stream::Communication);
      case McaArbitration::Order::ComputeFirst:
        break;
    }
    const std::uint32_t threshold = shared_.threshold();
    const bool below = threshold == 0 || view.occupancyBursts < threshold;
    if (view.compute == nullptr && below) return ArbiterAnswer::let(Stream::Communication);
    const Cycles deadline = view.communicationArrived + shared_.limit();
    if (view.now >= deadline && turn == Stream::Communication) {
      forced_ = true;
      return ArbiterAnswer::let(Stream::Communication);
    }
    if (view.compute != nullptr) return ArbiterAnswer::let(Stream::Compute);
    return ArbiterAnswer::wait(threshold - 1, deadline);
  }
  void entered(const Piece& piece, Cycles) override {
    turns_.entered(piece);
    if (piece.stream() == Stream::Communication) shared_.communicationEntered(forced_);
    forced_ = false;
  }

 private:
  McaArbitration& shared_;
  Turns turns_;
  bool forced_ = false;  ///< the last answer was the starvation limit's
};

std::unique_ptr<Arbiter> McaArbitration::makeArbiter() {
  return std::make_unique<McaArbiter>(*this, config_);
}

}  // namespace

constexpr ArbitrationPolicy kMcaArbitration{
    "mca", [](const HbmConfig& config) -> std::unique_ptr<Arbitration> {
      return std::make_unique<McaArbitration>(config);
    }};

}  // namespace t3
