// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/workload_config.h"

namespace t3 {

namespace {

/// Rows of the output are whole bursts of the memory.
std::optional<std::string> checkColumns(const char* key, std::uint32_t columns, DataType type) {
  const std::uint32_t step = 32 / bytesOf(type);
  if (columns % step == 0) return std::nullopt;
  const std::uint32_t below = columns / step * step;
  return std::string(key) + ": expected a multiple of " + std::to_string(step) +
         ", so that a row is whole bursts of 32 bytes, such as " +
         (below == 0 ? "" : std::to_string(below) + " or ") + std::to_string(below + step) +
         ", got " + std::to_string(columns);
}

}  // namespace

std::optional<std::string> WorkloadConfig::check() const {
  if (auto problem = checkColumns("columns", columns, data_type)) return problem;
  if (auto problem = checkColumns("consumer.columns", consumer.columns, data_type)) return problem;
  if (!consumer.any() && !norms()) return std::nullopt;
  const std::string with = norms() ? " with between = norm" : " with a consumer";
  if (repeat != 1) return "repeat: expected 1" + with + ", got " + std::to_string(repeat);
  return std::nullopt;
}

}  // namespace t3
