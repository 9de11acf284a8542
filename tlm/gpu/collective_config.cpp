// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_config.h"

namespace t3 {

std::optional<std::string> CollectiveConfig::check() const {
  if (request_bytes > slice_bytes) {
    return "request_bytes: expected at most slice_bytes (" + std::to_string(slice_bytes) + ")";
  }
  if (slice_bytes % 4 != 0 || request_bytes % 4 != 0) {
    return "request_bytes: expected request_bytes and slice_bytes to be multiples of 4, so that no "
           "element is cut";
  }
  return std::nullopt;
}

}  // namespace t3
