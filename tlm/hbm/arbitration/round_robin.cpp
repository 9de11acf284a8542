// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3 {
namespace {

/// Alternates between the streams that have something to send.
class RoundRobinArbiter final : public Arbiter {
 public:
  explicit RoundRobinArbiter(const HbmConfig&) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    const bool computesTurn = view.compute != nullptr && last_ == Stream::Communication;
    return ArbiterAnswer::let(computesTurn ? Stream::Compute : Stream::Communication);
  }
  void entered(const Piece& piece, Cycles) override { last_ = piece.stream; }

 private:
  Stream last_ = Stream::Communication;
};

}  // namespace

constexpr ArbitrationPolicy kRoundRobinArbitration{"round-robin",
                                                   makeIndependentArbiters<RoundRobinArbiter>};

}  // namespace t3
