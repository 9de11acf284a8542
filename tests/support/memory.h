// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace t3::test {

/// A memory of a Verilated unit, whose words a test may change; a register is one word.
struct Memory {
  std::string name;  ///< of its instance, from the unit on
  std::uint32_t words = 0, bits = 0;
  unsigned char* data = nullptr;
  std::size_t stride = 0;  ///< bytes of a word

  std::string_view word(std::uint32_t number) const {
    return {reinterpret_cast<const char*>(data) + number * stride, stride};
  }
  void flip(std::uint32_t word, std::uint32_t bit) const {
    data[word * stride + bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
  }
  bool bit(std::uint32_t word, std::uint32_t number) const {
    return (data[word * stride + number / 8] >> number % 8 & 1U) != 0;
  }
  /// Makes all bits of a word 0, or 1.
  void fill(std::uint32_t word, bool value) const {
    for (std::uint32_t number = 0; number < bits; ++number)
      if (bit(word, number) != value) flip(word, number);
  }
  bool zero(std::uint32_t number) const {
    return std::ranges::all_of(word(number), [](char byte) { return byte == 0; });
  }
  /// The words that differ from most: those of slots that are idle are all alike, and under
  /// protection they are not zero.
  std::vector<std::uint32_t> unusual() const {
    std::map<std::string_view, std::uint32_t> counts;
    for (std::uint32_t number = 0; number < words; ++number) ++counts[word(number)];
    const auto usual =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    std::vector<std::uint32_t> found;
    for (std::uint32_t number = 0; number < words; ++number) {
      if (word(number) != usual->first) found.push_back(number);
    }
    return found;
  }
};

}  // namespace t3::test
