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
  bool zero(std::uint32_t word) const;
};

/// How many units were made, and the memories of one.
std::size_t units();
std::vector<Memory> memories(std::size_t unit);

/// Changes a bit of the next record that the memory answers to a unit: it has been wrong there
/// since the record was written.
constexpr std::uint32_t kRecordBits = 128;
void flipNextRecord(std::size_t unit, std::uint32_t bit);

/// ERRORS of all units together, and the sum of their CORRECTED.
std::uint32_t errors();
std::uint64_t corrected();

}  // namespace t3::faults
