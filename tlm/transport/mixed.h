// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace t3 {

/// SplitMix64: spreads neighbours over all values.
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace t3
