// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/memory.h"

namespace t3::faults {

/// Protection of the units that are made from now on.
enum class Protection { None, Parity, Secded };
void protect(Protection protection);

using test::Memory;

/// How many units were made, and the memories of one.
std::size_t units();
std::vector<Memory> memories(std::size_t unit);

/// ERRORS of all units together, and the sum of their CORRECTED.
std::uint32_t errors();
std::uint64_t corrected();

}  // namespace t3::faults
