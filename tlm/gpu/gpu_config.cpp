// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu_config.h"

#include <algorithm>

namespace t3 {

std::optional<std::string> GpuConfig::check() const {
  if (gemm.operand_pitch_align_bytes % l2.fetch_bytes != 0) {
    return "gemm.operand_pitch_align_bytes: expected a multiple of gpu.l2.fetch_bytes (" +
           std::to_string(l2.fetch_bytes) + "), so that no fetch reaches into the next row, got " +
           std::to_string(gemm.operand_pitch_align_bytes);
  }
  if (collective.compute_units > compute_units) {
    return "collective.compute_units: expected at most gpu.compute_units (" +
           std::to_string(compute_units) + "), got " + std::to_string(collective.compute_units);
  }
  return std::nullopt;
}

GpuConfig sharedByKernels(GpuConfig config, std::uint32_t computeUnits, std::uint32_t kernels,
                          std::uint32_t index) {
  const std::uint32_t more = index < computeUnits % kernels ? 1 : 0;
  config.collective.compute_units = std::max(1U, computeUnits / kernels + more);
  return config;
}

}  // namespace t3
