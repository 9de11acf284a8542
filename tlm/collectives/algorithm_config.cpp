// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_config.h"

#include <array>

namespace t3 {

std::uint64_t AlgorithmConfig::chunkBytes(std::uint32_t chunks) const {
  constexpr std::uint64_t kBurstBytes = 32;
  const std::uint64_t unit = chunks * kBurstBytes;
  return (bytes + unit - 1) / unit * kBurstBytes;
}

std::span<const FieldInfo> AlgorithmConfig::fields() {
  static constexpr std::array<FieldInfo, 3> kFields{{
      {"bytes", "bytes", 1, 1099511627776.0,
       "size of a collective from a file (--collective): of the larger one of a GPU's input and "
       "output, as collective benchmarks count; rounded up to chunks of whole 32-byte bursts"},
      {"data_type", "", 0, 0, "element format of such a collective"},
      {"loop_bytes", "bytes", 0, 1099511627776.0,
       "bytes of each chunk that a thread block takes through all its steps before the next ones; "
       "0: all, as the collectives of a sublayer do; MSCCL's runtime: 2 MiB with its protocol "
       "Simple"},
  }};
  return kFields;
}

}  // namespace t3
