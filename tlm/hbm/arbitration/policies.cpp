// SPDX-License-Identifier: Apache-2.0
// The table of the policies that ship.
#include <array>

#include "tlm/hbm/arbitration/arbitration_policy.h"

namespace t3 {

std::span<const ArbitrationPolicy* const> ArbitrationPolicy::table() {
  static constexpr std::array rows{&kRoundRobinArbitration, &kComputeFirstArbitration,
                                   &kCommFirstArbitration, &kMcaArbitration};
  return rows;
}

}  // namespace t3
