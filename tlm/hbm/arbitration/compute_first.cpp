// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3 {
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

}  // namespace t3
