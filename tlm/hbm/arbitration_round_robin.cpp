// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

namespace t3 {
namespace {

/// Alternates between the streams that have something to send.
class RoundRobinArbiter : public Arbiter {
 public:
  std::optional<Stream> pick(const ArbiterView& view) override {
    if (view.compute && view.communication) {
      last_ = last_ == Stream::Compute ? Stream::Communication : Stream::Compute;
    } else {
      last_ = view.compute ? Stream::Compute : Stream::Communication;
    }
    return last_;
  }

 private:
  Stream last_ = Stream::Communication;
};

}  // namespace

std::unique_ptr<Arbiter> makeRoundRobinArbiter(Cycles) {
  return std::make_unique<RoundRobinArbiter>();
}

}  // namespace t3
