// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace t3::faults {

/// Protection of the units that are made from now on.
enum class Protection { None, Parity, Secded };
void protect(Protection protection);

/// A memory of a unit.
struct Memory {
  std::string name;
  std::uint32_t words = 0, bits = 0;
  unsigned char* data = nullptr;
  std::size_t stride = 0;  ///< bytes of a word

  void flip(std::uint32_t word, std::uint32_t bit) const;
  /// The words that differ from most: those of slots that are idle are all alike, and under
  /// protection they are not zero.
  std::vector<std::uint32_t> unusual() const;
};

/// How many units were made, and the memories of one.
std::size_t units();
std::vector<Memory> memories(std::size_t unit);

/// ERRORS of all units together, and the sum of their CORRECTED.
std::uint32_t errors();
std::uint64_t corrected();

}  // namespace t3::faults
