// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/hbm/arbitration/arbiter.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_request.h"
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
  void arrived(const HbmRequest& request);

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

/// Whose turn it is where both streams have something: a stream enters until it has had
/// `turn_bursts`, then the other. A turn ends early when the stream has nothing and the other
/// enters.
///
/// A turn is longer than the DRAM queue, because streams that alternate piece by piece mix reads
/// and writes in that queue: each batch of one direction is short, and the bus turns more often
/// (docs/arbitration.md, "Turns").
class Turns {
 public:
  explicit Turns(const HbmConfig& config) : length_(config.turn_bursts), bursts_(length_) {}

  Stream whose() const {
    if (bursts_ < length_) return last_;
    return last_ == Stream::Compute ? Stream::Communication : Stream::Compute;
  }
  void entered(const Piece& piece) {
    if (piece.stream() != last_) bursts_ = 0;
    last_ = piece.stream();
    bursts_ = std::min(bursts_ + piece.run.bursts, length_);
  }

 private:
  std::uint32_t length_;
  Stream last_ = Stream::Communication;
  std::uint32_t bursts_;  ///< of the present turn, or all of a turn
};

/// What the policies of this folder have in common: under each of them the compute intensity is
/// measured, and reports have the same rows, so that runs can be compared. The rows begin with
/// `mca_` because MCA is the policy that goes by them.
class MeasuredArbitration : public Arbitration {
 public:
  explicit MeasuredArbitration(const HbmConfig& config) : intensity_(config) {}

  void expectTraffic(double share) override { expected_ = share; }
  void kernelBegins(Picoseconds now) override;
  void arrived(const HbmRequest& request) override;
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
