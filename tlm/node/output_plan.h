// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"

namespace t3 {

/// The output of a GEMM, the same on every GPU but for K: how it is cut up, and where its operands
/// and all that has its shape lie.
struct OutputPlan {
  Tiling tiling;
  MemoryLayout layout;
  std::vector<std::uint32_t> depths;  ///< K of each GPU
};

}  // namespace t3
