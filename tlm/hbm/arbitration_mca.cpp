// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

namespace t3 {
namespace {

/// Communication-aware arbitration (t3-facts "mechanism" 6): compute first; communication enters
/// only while the DRAM queue holds fewer bursts than the kernel's threshold, so that it fills gaps
/// and never builds the queue a later compute read has to wait behind. Once in a starvation limit
/// one communication request enters regardless.
class McaArbiter : public Arbiter {
 public:
  explicit McaArbiter(Cycles starvationLimit) : starvationLimit_(starvationLimit) {}

  std::optional<Stream> pick(const ArbiterView& view) const override {
    if (view.now - view.communicationSince >= starvationLimit_) return Stream::Communication;
    if (view.compute) return Stream::Compute;
    if (view.thresholdBursts == 0 || view.occupancyBursts < view.thresholdBursts) {
      return Stream::Communication;
    }
    return std::nullopt;
  }

  Cycles deadline(const ArbiterView& view) const override {
    return view.communicationSince + starvationLimit_;
  }

 private:
  Cycles starvationLimit_;
};

}  // namespace

std::unique_ptr<Arbiter> makeMcaArbiter(Cycles starvationLimit) {
  return std::make_unique<McaArbiter>(starvationLimit);
}

}  // namespace t3
