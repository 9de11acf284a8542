// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/lag_limit.h"

#include <cmath>

namespace t3 {

std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers) {
  const double first = bound.collectives.size() > 0 ? bound.collectives.begin()->value : 0;
  const McaConfig& mca = config.hbm.mca;
  const bool longRing = (gathers ? bound.links : first) > mca.long_ring_ratio * bound.gemm;
  const double stage =
      static_cast<double>(config.gpu.compute_units) * config.gpu.gemm.workgroups_per_cu;
  return static_cast<std::uint64_t>(
      std::ceil((longRing ? mca.lag_stages_long_ring : mca.lag_stages) * stage));
}

double expectedTraffic(const GpuBound& bound, bool gathers) {
  double traffic = bound.stores;
  for (const auto& [collective, time] : bound.memory) {
    traffic += time;
    if (!gathers) break;
  }
  return traffic / bound.gemm;
}

}  // namespace t3
