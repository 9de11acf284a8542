// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration/measured_arbitration.h"

namespace t3 {
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

}  // namespace t3
