// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/hbm/dram_command.h"

namespace t3 {

/// Direction of the data bus. An update moves its data in the direction of a write.
enum class Direction : std::uint8_t { Read, Write };

constexpr Direction directionOf(DramCommandKind column) {
  return isRead(column) ? Direction::Read : Direction::Write;
}
constexpr Direction opposite(Direction direction) {
  return direction == Direction::Read ? Direction::Write : Direction::Read;
}

/// One `T` for each direction.
template <typename T>
struct PerDirection {
  std::array<T, 2> values{};

  T& operator[](Direction direction) { return values[static_cast<std::size_t>(direction)]; }
  const T& operator[](Direction direction) const {
    return values[static_cast<std::size_t>(direction)];
  }
  auto begin() { return values.begin(); }
  auto end() { return values.end(); }
  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }
};

}  // namespace t3
