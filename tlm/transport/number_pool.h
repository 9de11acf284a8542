// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace t3 {

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
