// SPDX-License-Identifier: Apache-2.0
#include "tlm/hbm/arbitration.h"

#include <array>
#include <cmath>

namespace t3 {
namespace {

struct Policy {
  ArbitrationPolicy policy;
  std::unique_ptr<Arbiter> (*make)(Cycles starvationLimit);
};

constexpr std::array<Policy, 4> kPolicies{{
    {ArbitrationPolicy::RoundRobin, makeRoundRobinArbiter},
    {ArbitrationPolicy::ComputeFirst, makeComputeFirstArbiter},
    {ArbitrationPolicy::CommFirst, makeCommFirstArbiter},
    {ArbitrationPolicy::Mca, makeMcaArbiter},
}};

}  // namespace

std::unique_ptr<Arbiter> makeArbiter(const HbmConfig& config) {
  const auto limit =
      static_cast<Cycles>(std::llround(config.starvation_limit_ns * config.clock_mhz * 1e-3));
  for (const Policy& row : kPolicies) {
    if (row.policy == config.arbitration) return row.make(limit);
  }
  return nullptr;
}

}  // namespace t3
