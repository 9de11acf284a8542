// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace t3 {

/// A set of banks of one channel, bit n for bank n.
using BankMask = std::uint64_t;

constexpr BankMask maskOf(std::uint32_t bank) { return BankMask{1} << bank; }
constexpr bool contains(BankMask mask, std::uint32_t bank) { return (mask >> bank & 1) != 0; }

/// Calls `visit(bank)` for each bank of the set, the lowest first.
template <typename Visit>
void forEachBank(BankMask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

}  // namespace t3
