// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/workload_config.h"

namespace t3 {

std::optional<std::string> WorkloadConfig::check() const {
  if (std::uint64_t{columns} * bytesOf(data_type) % 32 != 0) {
    return "columns: expected a row of a whole number of 32-byte bursts, got " +
           std::to_string(std::uint64_t{columns} * bytesOf(data_type)) + " bytes";
  }
  if (std::uint64_t{consumer.columns} * bytesOf(data_type) % 32 != 0) {
    return "consumer.columns: expected a row of a whole number of 32-byte bursts, got " +
           std::to_string(std::uint64_t{consumer.columns} * bytesOf(data_type)) + " bytes";
  }
  if (!consumer.any() && !norms()) return std::nullopt;
  const std::string with = norms() ? " with between = norm" : " with a consumer";
  if (repeat != 1) return "repeat: expected 1" + with + ", got " + std::to_string(repeat);
  return std::nullopt;
}

}  // namespace t3
