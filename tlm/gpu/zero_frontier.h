// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace t3 {

/// How far the initial value of accumulated output has been written: one counter that only grows,
/// of the bytes that are zeros in memory, in the order in which the areas are filled.
///
/// Every port through which updates reach the memory compares with it and holds an update, and what
/// is behind it, until its bytes are zeros. In hardware: the areas in fill order in a small table
/// (base, length, bytes before), one comparator per port. Nobody can wait for ever: the zeros go
/// through a port of their own and wait for no update.
class ZeroFrontier {
 public:
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  ///< local address, bytes

  /// Updates of `areas`, filled in this order, wait from now on. The fill before must be complete.
  void begin(const Areas& areas);
  /// The next `bytes` bytes, in fill order, are zeros in memory. Wakes the ports.
  void advance(std::uint64_t bytes);
  /// Whether an update of [address, address + bytes) may go on. What is in no area always may.
  bool passed(std::uint64_t address, std::uint64_t bytes) const;

  bool complete() const { return zeroed_ == total_; }

  /// `port` is called at each advance.
  void wake(std::function<void()> port) { ports_.push_back(std::move(port)); }

 private:
  struct Area {
    std::uint64_t address, bytes;
    std::uint64_t before;  ///< bytes filled ahead of it
  };
  std::vector<Area> areas_;  ///< by address
  std::uint64_t zeroed_ = 0, total_ = 0;
  std::vector<std::function<void()>> ports_;
};

}  // namespace t3
