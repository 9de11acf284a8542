// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

namespace t3 {
namespace {

/// The opposite extreme, for comparison: compute enters only when no communication waits.
class CommFirstArbiter : public Arbiter {
 public:
  std::optional<Stream> pick(const ArbiterView&) const override { return Stream::Communication; }
};

}  // namespace

std::unique_ptr<Arbiter> makeCommFirstArbiter(Cycles) {
  return std::make_unique<CommFirstArbiter>();
}

}  // namespace t3
