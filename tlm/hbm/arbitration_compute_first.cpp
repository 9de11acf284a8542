// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

namespace t3 {
namespace {

/// Communication enters only when no compute request waits, or when it has waited for the
/// starvation limit.
class ComputeFirstArbiter : public Arbiter {
 public:
  explicit ComputeFirstArbiter(Cycles starvationLimit) : starvationLimit_(starvationLimit) {}

  std::optional<Stream> pick(const ArbiterView& view) const override {
    if (!view.compute || view.now - view.communicationSince >= starvationLimit_) {
      return Stream::Communication;
    }
    return Stream::Compute;
  }

 private:
  Cycles starvationLimit_;
};

}  // namespace

std::unique_ptr<Arbiter> makeComputeFirstArbiter(Cycles starvationLimit) {
  return std::make_unique<ComputeFirstArbiter>(starvationLimit);
}

}  // namespace t3
