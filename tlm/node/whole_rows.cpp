// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/whole_rows.h"

#include <algorithm>

namespace t3 {

std::vector<std::pair<std::uint64_t, std::uint64_t>> wholeRows(
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas, std::uint64_t rowsBytes) {
  std::ranges::sort(areas);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> whole;
  for (const auto& [address, bytes] : areas) {
    const std::uint64_t first = address / rowsBytes * rowsBytes;
    const std::uint64_t end = (address + bytes + rowsBytes - 1) / rowsBytes * rowsBytes;
    if (!whole.empty() && first <= whole.back().first + whole.back().second) {
      whole.back().second = std::max(whole.back().second, end - whole.back().first);
    } else {
      whole.emplace_back(first, end - first);
    }
  }
  return whole;
}

}  // namespace t3
