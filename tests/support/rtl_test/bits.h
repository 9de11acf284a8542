// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace t3::rtl_test {

// Ports of Verilated classes. Verilator gives a port an unsigned integer of 8 to 64 bits, or an
// array of 32-bit words with the least significant one first. On a little-endian host bit 0 of any
// of them is bit 0 of its first byte.
static_assert(std::endian::native == std::endian::little);

/// Writes `width` ≤ 64 bits at bit `lsb` of a port that starts at `port`.
inline void setBitsAt(void* port, std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
  auto* bytes = static_cast<std::uint8_t*>(port);
  for (std::uint32_t done = 0; done < width;) {
    const std::uint32_t bit = (lsb + done) % 8;
    const std::uint32_t count = std::min(8 - bit, width - done);
    const std::uint32_t mask = ((1u << count) - 1) << bit;
    std::uint8_t& byte = bytes[(lsb + done) / 8];
    byte = static_cast<std::uint8_t>((byte & ~mask) | ((value >> done << bit) & mask));
    done += count;
  }
}

template <class Port>
void setBits(Port& port, std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
  setBitsAt(&port, lsb, width, value);
}

/// `width` bits, at most 64, of a port or register of any width, from `lsb` on.
template <class Port>
std::uint64_t bitsOf(const Port& port, std::uint32_t lsb, std::uint32_t width) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&port);
  std::uint64_t value = 0;
  for (std::uint32_t bit = 0; bit < width; ++bit)
    value |= std::uint64_t{bytes[(lsb + bit) / 8] >> (lsb + bit) % 8 & 1u} << bit;
  return value;
}

}  // namespace t3::rtl_test
