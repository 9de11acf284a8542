// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/system_config.h"

namespace t3::test {

/// Four GPUs in a ring and 64 tiles, 16 in each chunk: some microseconds of simulated time.
inline SystemConfig smallRing() {
  SystemConfig config;
  config.gpus = 4;
  config.workload.rows = 512;
  config.workload.columns = 512;
  config.workload.depth = 128;
  config.gpu.compute_units = 16;
  config.gpu.gemm.tile_rows = 64;
  config.gpu.gemm.tile_columns = 64;
  return config;
}

}  // namespace t3::test
