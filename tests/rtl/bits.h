// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace t3::rtl_test {

/// Writes `width` bits at bit `lsb` of a port, whatever type Verilator gave the port.
template <std::unsigned_integral Port>
void setBits(Port& port, std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
  const std::uint64_t mask = width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0};
  port = static_cast<Port>((port & ~(mask << lsb)) | (value & mask) << lsb);
}

template <std::size_t Words>
void setBits(VlWide<Words>& port, std::uint32_t lsb, std::uint32_t width, std::uint64_t value) {
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t bit = lsb + i;
    const EData mask = EData{1} << (bit % 32);
    const EData set = (value >> i & 1u) != 0 ? mask : 0;
    port[bit / 32] = (port[bit / 32] & ~mask) | set;
  }
}

/// Reads `width` ≤ 64 bits at bit `lsb` of a port.
template <std::unsigned_integral Port>
std::uint64_t getBits(const Port& port, std::uint32_t lsb, std::uint32_t width) {
  const std::uint64_t mask = width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0};
  return (std::uint64_t{port} >> lsb) & mask;
}

template <std::size_t Words>
std::uint64_t getBits(const VlWide<Words>& port, std::uint32_t lsb, std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t bit = lsb + i;
    value |= std::uint64_t{port[bit / 32] >> (bit % 32) & 1u} << i;
  }
  return value;
}

}  // namespace t3::rtl_test
