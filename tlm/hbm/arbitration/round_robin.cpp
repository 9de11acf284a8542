// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"
#include "tlm/hbm/arbitration/turns.h"

namespace t3 {
namespace {

/// The streams that have something to send take turns.
class RoundRobinArbiter final : public Arbiter {
 public:
  explicit RoundRobinArbiter(const HbmConfig& config) : turns_(config) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    return ArbiterAnswer::let(view.compute != nullptr ? turns_.whose() : Stream::Communication);
  }
  void entered(const Piece& piece, Cycles) override { turns_.entered(piece); }

 private:
  Turns turns_;
};

}  // namespace

constexpr ArbitrationPolicy kRoundRobinArbitration{"round-robin",
                                                   makeIndependentArbiters<RoundRobinArbiter>};

}  // namespace t3
