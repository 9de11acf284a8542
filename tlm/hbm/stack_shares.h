// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/hbm_config.h"

namespace t3 {

/// How many bytes of a range lie in each stack of a GPU's memory. Of C channels stack s of S has
/// those from s * C / S on.
class StackShares {
 public:
  using Bytes = std::array<std::uint64_t, HbmConfig::kMostStacks>;  ///< by stack

  /// One stack.
  StackShares() = default;
  explicit StackShares(const HbmConfig& config);

  std::uint32_t stacks() const { return stacks_; }
  /// Adds those of [address, address + bytes) to `shares`.
  void add(std::uint64_t address, std::uint64_t bytes, Bytes& shares) const;

 private:
  std::uint32_t stacks_ = 1, channelsOfStack_ = 1;
  std::optional<AddressMapping> mapping_;  ///< none of one stack
};

}  // namespace t3
