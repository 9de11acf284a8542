// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"

namespace t3 {

/// The GEMM that reads what the all-gather has gathered: consumer output [rows x columns] =
/// gathered output [rows x depth] x weights [columns x depth]^T, on every GPU by itself. It is cut
/// into tiles of the same height as the output, so that a row of its tiles needs a row of those.
struct ConsumerPlan {
  Tiling tiling;            ///< of its output; one chunk
  std::uint32_t depth = 0;  ///< K: the columns of the gathered output
  MemoryLayout layout;      ///< its operands and output; nothing else
};

}  // namespace t3
