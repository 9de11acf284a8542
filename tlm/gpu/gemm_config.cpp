// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_config.h"

#include <cmath>

namespace t3 {

std::uint64_t GemmConfig::mathCycles(std::uint32_t k) const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k;
  return static_cast<std::uint64_t>(std::ceil(macs / (macs_per_cu_per_cycle * issue_efficiency)));
}

std::uint64_t GemmConfig::tileCycles(std::uint32_t depth) const {
  const std::uint32_t whole = depth / k_step;
  const std::uint32_t rest = depth % k_step;
  std::uint64_t cycles = whole * mathCycles(k_step) + (rest != 0 ? mathCycles(rest) : 0);
  if (workgroups_per_cu == 1) cycles += std::uint64_t{whole + (rest != 0)} * step_sync_cycles;
  return cycles;
}

double GemmConfig::sustainedShare() const {
  const double macs = static_cast<double>(tile_rows) * tile_columns * k_step;
  return macs / (macs_per_cu_per_cycle * static_cast<double>(tileCycles(k_step)));
}

std::optional<std::string> GemmConfig::check() const {
  if (wavefronts > tile_rows) return "wavefronts: expected at most tile_rows";
  return std::nullopt;
}

std::optional<std::string> L2Config::check() const {
  if (fetch_bytes % line_bytes != 0) return "fetch_bytes: expected a multiple of line_bytes";
  if (capacity_bytes % (std::uint64_t{line_bytes} * ways) != 0) {
    return "capacity_bytes: expected whole sets, a multiple of line_bytes x ways = " +
           std::to_string(std::uint64_t{line_bytes} * ways);
  }
  return std::nullopt;
}

}  // namespace t3
