// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/algorithm_config.h"

namespace t3 {

std::uint64_t AlgorithmConfig::chunkBytes(std::uint32_t chunks) const {
  constexpr std::uint64_t kBurstBytes = 32;
  const std::uint64_t unit = chunks * kBurstBytes;
  return (bytes + unit - 1) / unit * kBurstBytes;
}

}  // namespace t3
