// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tlm/gpu/collective_config.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/gemm_config.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// The kernel between the reduce-scatter and the all-gather (NormKernel).
struct NormConfig {
  std::uint32_t rows_per_workgroup = 4;

  static constexpr auto settings() {
    using C = NormConfig;
    return std::tuple{
        T3_SETTING(rows_per_workgroup, "rows", 1, 1024,
                   "rows of the output that a workgroup of the norm works on, one after the other "
                   "(assumption; docs/measurements/pairs.md has the times)")};
  }
};

/// One GPU without its memory and links.
struct GpuConfig {
  double clock_mhz = 1400.0;
  std::uint32_t compute_units = 80;
  double kernel_launch_us = 2.0;
  /// Not a setting but the K of mode cu-split:K: this many compute units run the reduce-scatter
  /// beside the GEMM, which has the others. 0: kernels follow one another, each on all that it may
  /// use.
  std::uint32_t split_compute_units = 0;
  /// Not a setting but the K of mode ag-split:K: this many compute units run the all-gather beside
  /// the consumer, which has the others. 0: the consumer has all.
  std::uint32_t gather_compute_units = 0;
  GemmConfig gemm;
  L2Config l2;
  DmaConfig dma;
  CollectiveConfig collective;
  NormConfig norm;

  static constexpr auto settings() {
    using C = GpuConfig;
    return std::tuple{T3_SETTING(clock_mhz, "MHz", 1, 100000,
                                 "clock of the compute units and the L2 (paper: 1.4 GHz)"),
                      T3_SETTING(compute_units, "", 1, 4096, "compute units (paper: 80)"),
                      T3_SETTING(kernel_launch_us, "us", 0, 1000,
                                 "from the end of one kernel to the first instruction of the next "
                                 "(assumption: 2, back-to-back launches on one stream)"),
                      T3_SETTING_GROUP(gemm),
                      T3_SETTING_GROUP(l2),
                      T3_SETTING_GROUP(dma),
                      T3_SETTING_GROUP(collective),
                      T3_SETTING_GROUP(norm)};
  }
  std::optional<std::string> check() const;
  /// On which kernels of collectives run.
  std::uint32_t collectiveUnits() const {
    return collective.compute_units != 0 ? collective.compute_units : compute_units;
  }
};

/// The share of `computeUnits` that kernel `index` gets, when `kernels` of a collective run side by
/// side.
GpuConfig sharedByKernels(GpuConfig config, std::uint32_t computeUnits, std::uint32_t kernels,
                          std::uint32_t index);

}  // namespace t3
