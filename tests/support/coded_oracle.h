// SPDX-License-Identifier: Apache-2.0
// fp16 values behind a codec and their sums, in whole numbers alone: an oracle that shares nothing
// with the models, which calculate with floats.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace t3::test {

/// A finite fp16 value is so many times 2^-24.
inline std::int64_t unitsOf(std::uint16_t bits) {
  const std::int64_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const std::int64_t units = exponent == 0 ? fraction : (1024 + fraction) << (exponent - 1);
  return (bits & 0x8000) != 0 ? -units : units;
}

/// To a multiple of 2^shift, to nearest, ties to even.
inline std::int64_t roundedTo(std::int64_t units, int shift) {
  if (shift <= 0) return units;
  const std::int64_t size = std::int64_t{1} << shift, magnitude = std::abs(units);
  std::int64_t whole = magnitude / size;
  const std::int64_t twice = 2 * (magnitude % size);
  if (twice > size || (twice == size && whole % 2 == 1)) ++whole;
  return units < 0 ? -whole * size : whole * size;
}

/// To an fp16 value: 11 bits. No sum here overflows.
inline std::int64_t asFp16(std::int64_t units) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(units));
  return roundedTo(units, static_cast<int>(std::bit_width(magnitude)) - 11);
}

/// What is left of values that share an exponent and have `bits` bits each.
inline void passBlock(std::span<std::int64_t> units, int bits) {
  std::int64_t largest = 0;
  for (const std::int64_t one : units) largest = std::max(largest, std::abs(one));
  // The largest has `bits` - 1 bits behind its sign.
  const int shift = std::max(
      0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))) - (bits - 1));
  const std::int64_t most = ((std::int64_t{1} << (bits - 1)) - 1) << shift;
  for (std::int64_t& one : units) one = std::clamp(roundedTo(one, shift), -most, most);
}

}  // namespace t3::test
