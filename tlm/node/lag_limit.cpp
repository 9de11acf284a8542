// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/lag_limit.h"

#include <cmath>

namespace t3 {

std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers) {
  const double first = bound.collectives.size() > 0 ? bound.collectives.begin()->value : 0;
  const bool longRing = (gathers ? bound.links : first) > bound.gemm;
  const McaConfig& mca = config.hbm.mca;
  const double stage =
      static_cast<double>(config.gpu.compute_units) * config.gpu.gemm.workgroups_per_cu;
  return static_cast<std::uint64_t>(
      std::ceil((longRing ? mca.lag_stages_long_ring : mca.lag_stages) * stage));
}

}  // namespace t3
