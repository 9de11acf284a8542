// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace t3 {

/// Bytes counted for each burst of a range. Nearly all bursts are counted as a whole, a few times.
/// So a burst has a cell of a few bits with the times that it was counted as a whole; only bursts
/// for which this does not fit, or of which a part was counted, have a number of their own.
class BurstCounts {
 public:
  /// No burst has a number of its own for being counted as a whole up to `most` times.
  BurstCounts(std::size_t bursts, std::uint32_t burstBytes, std::uint32_t most)
      : burstBytes_(burstBytes) {
    while (cellBits_ < 8 && (1U << cellBits_) - 1 <= most) cellBits_ *= 2;
    own_ = (1U << cellBits_) - 1;
    cells_.resize((bursts * cellBits_ + 7) / 8);
  }

  std::uint32_t bytes(std::size_t burst) const {
    const std::uint32_t times = cell(burst);
    return times != own_ ? times * burstBytes_ : numbers_.at(burst);
  }

  /// Returns the bytes of the burst with these `bytes` (1 … burstBytes).
  std::uint32_t add(std::size_t burst, std::uint32_t bytes) {
    const std::uint32_t sum = this->bytes(burst) + bytes;
    const std::uint32_t times = sum / burstBytes_;
    const bool fits = times < own_ && sum % burstBytes_ == 0;
    if (!fits) {
      numbers_[burst] = sum;
    } else if (cell(burst) == own_) {
      numbers_.erase(burst);
    }
    setCell(burst, fits ? times : own_);
    return sum;
  }

 private:
  std::uint32_t shift(std::size_t burst) const {
    return static_cast<std::uint32_t>(burst * cellBits_ % 8);
  }
  std::uint32_t cell(std::size_t burst) const {
    return (std::uint32_t{cells_[burst * cellBits_ / 8]} >> shift(burst)) & own_;
  }
  void setCell(std::size_t burst, std::uint32_t value) {
    std::uint8_t& byte = cells_[burst * cellBits_ / 8];
    byte = static_cast<std::uint8_t>((byte & ~(own_ << shift(burst))) | value << shift(burst));
  }

  std::uint32_t burstBytes_;
  std::uint32_t cellBits_ = 1;  ///< 1, 2, 4 or 8
  std::uint32_t own_;           ///< in a cell: the burst has a number of its own
  std::vector<std::uint8_t> cells_;
  std::unordered_map<std::size_t, std::uint32_t> numbers_;  ///< bytes, by burst
};

}  // namespace t3
