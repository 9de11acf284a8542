// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tlm/hbm/arbitration/measured_arbitration.h"
#include "tlm/hbm/hbm_config.h"

// The table of the policies that ship.

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

namespace {

/// Communication enters only when no compute request waits, or when it has waited for the
/// starvation limit.
class ComputeFirstArbiter final : public Arbiter {
 public:
  explicit ComputeFirstArbiter(const HbmConfig& config)
      : starvationLimit_(starvationLimit(config)) {}

  ArbiterAnswer choose(const ArbiterView& view) override {
    const bool starves = view.now - view.communicationSince >= starvationLimit_;
    return ArbiterAnswer::let(view.compute == nullptr || starves ? Stream::Communication
                                                                 : Stream::Compute);
  }

 private:
  Cycles starvationLimit_;
};

}  // namespace

constexpr ArbitrationPolicy kComputeFirstArbitration{"compute-first",
                                                     makeIndependentArbiters<ComputeFirstArbiter>};

namespace {

/// The opposite of compute-first, for comparison: compute enters only when no communication waits.
class CommFirstArbiter final : public Arbiter {
 public:
  explicit CommFirstArbiter(const HbmConfig&) {}

  ArbiterAnswer choose(const ArbiterView&) override {
    return ArbiterAnswer::let(Stream::Communication);
  }
};

}  // namespace

constexpr ArbitrationPolicy kCommFirstArbitration{"comm-first",
                                                  makeIndependentArbiters<CommFirstArbiter>};

std::span<const ArbitrationPolicy* const> ArbitrationPolicy::table() {
  static constexpr std::array rows{&kRoundRobinArbitration, &kComputeFirstArbitration,
                                   &kCommFirstArbitration, &kMcaArbitration};
  return rows;
}

}  // namespace t3
