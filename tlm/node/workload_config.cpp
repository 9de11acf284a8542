// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/workload_config.h"

namespace t3 {

std::optional<std::string> WorkloadConfig::check() const {
  if (!consumer.any() && !norms()) return std::nullopt;
  const std::string with = norms() ? " with between = norm" : " with a consumer";
  if (repeat != 1) return "repeat: expected 1" + with + ", got " + std::to_string(repeat);
  return std::nullopt;
}

}  // namespace t3
