// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

namespace t3 {
namespace {

/// Alternates between the streams that have something to send.
class RoundRobinArbiter : public Arbiter {
 public:
  std::optional<Stream> pick(const ArbiterView& view) const override {
    return view.compute && last_ == Stream::Communication ? Stream::Compute : Stream::Communication;
  }
  void entered(Stream stream) override { last_ = stream; }

 private:
  Stream last_ = Stream::Communication;
};

}  // namespace

std::unique_ptr<Arbiter> makeRoundRobinArbiter(Cycles) {
  return std::make_unique<RoundRobinArbiter>();
}

}  // namespace t3
