// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tlm/gpu/collective_config.h"
#include "tlm/gpu/dma_config.h"
#include "tlm/gpu/gemm_config.h"
#include "tlm/transport/field_info.h"

namespace t3 {

/// The kernel between the reduce-scatter and the all-gather (NormKernel).
struct NormConfig {
  std::uint32_t rows_per_workgroup = 4;

  static std::span<const FieldInfo> fields();
};
BOOST_DESCRIBE_STRUCT(NormConfig, (), (rows_per_workgroup))

/// One GPU without its memory and links.
struct GpuConfig {
  double clock_mhz = 1400.0;
  std::uint32_t compute_units = 80;
  double kernel_launch_us = 2.0;  ///< from the end of a kernel to the first instruction of the next
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

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(GpuConfig, (),
                      (clock_mhz, compute_units, kernel_launch_us, gemm, l2, dma, collective, norm))

/// The share of `computeUnits` that kernel `index` gets, when `kernels` of a collective run side by
/// side.
GpuConfig sharedByKernels(GpuConfig config, std::uint32_t computeUnits, std::uint32_t kernels,
                          std::uint32_t index);

}  // namespace t3
