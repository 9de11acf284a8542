// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu_config.h"

#include <algorithm>
#include <array>

namespace t3 {

std::span<const FieldInfo> NormConfig::fields() {
  static constexpr std::array kFields{
      FieldInfo{"rows_per_workgroup", "rows", 1, 1024,
                "rows of the output that a workgroup of the norm works on, one after the other "
                "(assumption; docs/measurements/pairs.md has the times)"},
  };
  return kFields;
}

std::span<const FieldInfo> GpuConfig::fields() {
  static constexpr std::array kFields{
      FieldInfo{"clock_mhz", "MHz", 1, 100000,
                "clock of the compute units and the L2 (paper: 1.4 GHz)"},
      FieldInfo{"compute_units", "", 1, 4096, "compute units (paper: 80)"},
      FieldInfo{"kernel_launch_us", "us", 0, 1000,
                "from the end of one kernel to the first instruction of the next (assumption: 2, "
                "back-to-back launches on one stream)"},
  };
  return kFields;
}

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
