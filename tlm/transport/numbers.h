// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t3 {

/// SplitMix64: spreads neighbours over all values.
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// The name of part `index` of several alike: "link", "link_1", "link_2" …
inline std::string numbered(const std::string& name, std::uint32_t index) {
  return index == 0 ? name : name + "_" + std::to_string(index);
}

/// Numbers for what is under way, from 0 on: one that was given back is taken again before a new
/// one is made, so a vector by number stays as long as the most that were ever in use.
class NumberPool {
 public:
  std::uint32_t take() {
    if (free_.empty()) return made_++;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void giveBack(std::uint32_t number) { free_.push_back(number); }
  /// Made so far; all numbers are below it.
  std::uint32_t made() const { return made_; }

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t made_ = 0;
};

}  // namespace t3
