// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/arbitration/arbitration_policy.h"
#include "tlm/hbm/arbitration/compute_intensity.h"

namespace t3 {

/// What the policies of this folder have in common: under each of them the compute intensity is
/// measured, and reports have the same rows, so that runs can be compared. The rows begin with
/// `mca_` because MCA is the policy that goes by them.
class MeasuredArbitration : public Arbitration {
 public:
  explicit MeasuredArbitration(const HbmConfig& config) : intensity_(config) {}

  void expectTraffic(double share) override { expected_ = share; }
  void kernelBegins(Picoseconds now) override;
  void arrived(const ArrivedRequest& request) override;
  void communicationBehind(bool behind, Picoseconds now) override;
  void publish(ValueList& list) const override;
  std::vector<StatisticRow> statistics() const override;

  bool behind() const { return behind_; }
  /// Share of the peak that a kernel and the collectives beside it ask for: what is expected, and
  /// what compute has been measured to read. Above 1 the memory is what all wait for.
  double demand() const { return expected_ + intensity_.intensity(); }
  /// A communication piece has entered; `forced`: only because of the starvation limit.
  void communicationEntered(bool forced) {
    ++entered_;
    if (forced) ++forced_;
  }

 protected:
  const ComputeIntensity& intensity() const { return intensity_; }
  /// Present limit on the occupancy of the DRAM queue in bursts; 0 means none.
  virtual std::uint32_t threshold() const { return 0; }

 private:
  ComputeIntensity intensity_;
  double expected_ = 0;
  bool behind_ = false;
  Picoseconds behindSince_ = 0, behindFor_ = 0;
  std::uint64_t entered_ = 0, forced_ = 0;  ///< communication pieces, where a policy counts them
};

/// A policy whose channels share nothing: an `ArbiterType(config)` for each.
template <typename ArbiterType>
std::unique_ptr<Arbitration> makeIndependentArbiters(const HbmConfig& config) {
  class Independent final : public MeasuredArbitration {
   public:
    explicit Independent(const HbmConfig& settings)
        : MeasuredArbitration(settings), config_(settings) {}
    std::unique_ptr<Arbiter> makeArbiter() override {
      return std::make_unique<ArbiterType>(config_);
    }

   private:
    const HbmConfig& config_;
  };
  return std::make_unique<Independent>(config);
}

/// `starvation_limit_ns` in whole clocks.
Cycles starvationLimit(const HbmConfig& config);

}  // namespace t3
