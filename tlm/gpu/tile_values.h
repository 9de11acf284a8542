// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/gpu/gemm_context.h"

namespace t3 {

/// The values of output tiles in checked mode. They are computed from the operands in local memory,
/// and written there, without time (transport_dbg).
class TileValues {
 public:
  explicit TileValues(const GemmContext& context) : context_(context) {}

  /// A x B^T of one tile, row by row without gaps. `values` is resized.
  void compute(WorkgroupId tile, std::vector<unsigned char>& values) const;
  /// Puts the values of a tile into the output.
  void write(WorkgroupId tile, std::vector<unsigned char>& values) const;

 private:
  std::vector<unsigned char> readRows(std::uint64_t operand, std::uint32_t first,
                                      std::uint32_t rows) const;
  void access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
              std::uint32_t bytes) const;

  const GemmContext& context_;
};

}  // namespace t3
