// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/gpu/readiness.h"

namespace t3 {

/// An update may go on when the initial value of its bytes, zeros, is in memory. The frontier is
/// one counter that only grows: how many bytes are zeros, in the order in which the areas are
/// filled.
///
/// Every port through which updates reach the memory compares with it and holds an update, and the
/// requests behind it, until its bytes are zeros. Hardware would need a small table with the areas
/// in fill order (base, length, bytes before) and one comparator per port. Nobody waits for ever:
/// the zeros go through a port of their own and wait for no update.
class ZeroFrontier : public Readiness {
 public:
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  ///< local address, bytes

  /// From now on updates of `areas` wait. The areas will be filled in this order. An earlier fill
  /// must be complete.
  void begin(const Areas& areas);
  /// The next `bytes` bytes, in fill order, are zeros in memory.
  void advance(std::uint64_t bytes);
  /// Whether an update of these bytes may go on. Bytes outside all areas are always ready.
  bool ready(std::uint64_t address, std::uint64_t bytes) const override;

  bool complete() const { return zeroed_ == total_; }

 private:
  struct Area {
    std::uint64_t address, bytes;
    std::uint64_t before;  ///< bytes filled ahead of it
  };
  std::vector<Area> areas_;  ///< by address
  std::uint64_t zeroed_ = 0, total_ = 0;
};

}  // namespace t3
