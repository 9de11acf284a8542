// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace t3 {

/// `waitsFor[i]` are those that i waits for. A circle of them, each waiting for the next and the
/// last for the first, with the first again at the end; empty if there is none. Time grows with the
/// number of waits.
std::vector<std::uint32_t> waitingCircle(std::span<const std::vector<std::uint32_t>> waitsFor);

}  // namespace t3
