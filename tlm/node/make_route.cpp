// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/make_route.h"

#include "tlm/gpu/direct_route.h"
#include "tlm/gpu/ring_route.h"

namespace t3 {

std::unique_ptr<const Route> makeRoute(const SystemConfig& config) {
  if (config.fabric.direct()) return std::make_unique<DirectRoute>(config.gpus);
  return std::make_unique<RingRoute>(config.gpus, config.fabric.rings());
}

Tiling makeTiling(const SystemConfig& config, const Route& route) {
  const GemmConfig& gemm = config.gpu.gemm;
  return {config.workload.rows, config.workload.columns, bytesOf(config.workload.data_type),
          gemm.tile_rows,       gemm.tile_columns,       gemm.wavefronts,
          route.chunks()};
}

}  // namespace t3
