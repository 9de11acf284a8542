// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/dma_config.h"

namespace t3 {

std::optional<std::string> DmaConfig::check() const {
  if (read_bytes > outstanding_bytes) {
    return "read_bytes: expected at most outstanding_bytes (" + std::to_string(outstanding_bytes) +
           ")";
  }
  if (fill_bytes > fill_outstanding_bytes) {
    return "fill_bytes: expected at most fill_outstanding_bytes (" +
           std::to_string(fill_outstanding_bytes) + ")";
  }
  return std::nullopt;
}

}  // namespace t3
