// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace t3 {

/// Address ranges, {address, bytes}, with all that shares rows of the memory with them, in order of
/// their addresses. In an output these are parts of chunks that others store later, and in front of
/// the output and behind it nothing.
std::vector<std::pair<std::uint64_t, std::uint64_t>> wholeRows(
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas, std::uint64_t rowsBytes);

}  // namespace t3
