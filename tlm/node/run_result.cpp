// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/run_result.h"

#include <algorithm>

namespace t3 {

CollectiveFigures& RunResult::other(const char* name) {
  const auto found = std::ranges::find(other_collectives, name, &CollectiveFigures::name);
  if (found != other_collectives.end()) return *found;
  other_collectives.push_back({.name = name});
  return other_collectives.back();
}

void countAgain(RunResult& result, std::uint32_t times) {
  const Picoseconds one = result.time_ps;
  const PhaseNs phases = result.phase_ns;
  result.time_ps *= times;
  for (double PhaseNs::*part : {&PhaseNs::gemm, &PhaseNs::reduce_scatter, &PhaseNs::all_gather}) {
    result.phase_ns.*part *= times;
  }
  for (double BoundNs::*part :
       {&BoundNs::gemm, &BoundNs::reduce_scatter, &BoundNs::all_gather, &BoundNs::total}) {
    result.bound_ns.*part *= times;
  }
  for (std::uint64_t DramBytes::*bytes :
       {&DramBytes::gemm_read, &DramBytes::gemm_write, &DramBytes::rs_read, &DramBytes::rs_write,
        &DramBytes::ag_read, &DramBytes::ag_write}) {
    result.dram_bytes.*bytes *= times;
  }
  result.link_bytes *= times;
  result.sublayers.clear();
  for (std::uint32_t n = 0; n < times; ++n) {
    result.sublayers.push_back({n * one, (n + 1) * one, phases});
  }
  result.steady_ns = static_cast<double>(one) * 1e-3;
}

}  // namespace t3
