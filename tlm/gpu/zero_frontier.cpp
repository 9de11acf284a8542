// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/zero_frontier.h"

#include <algorithm>

namespace t3 {

void ZeroFrontier::begin(const Areas& areas) {
  areas_.clear();
  zeroed_ = total_ = 0;
  for (const auto& [address, bytes] : areas) {
    areas_.push_back({address, bytes, total_});
    total_ += bytes;
  }
  std::sort(areas_.begin(), areas_.end(),
            [](const Area& a, const Area& b) { return a.address < b.address; });
}

void ZeroFrontier::advance(std::uint64_t bytes) {
  zeroed_ += bytes;
  changed();
}

bool ZeroFrontier::ready(std::uint64_t address, std::uint64_t bytes) const {
  if (complete()) return true;
  const std::uint64_t end = address + bytes;
  auto area = std::upper_bound(
      areas_.begin(), areas_.end(), address,
      [](std::uint64_t position, const Area& a) { return position < a.address + a.bytes; });
  for (; area != areas_.end() && area->address < end; ++area) {
    const std::uint64_t last = std::min(end, area->address + area->bytes) - area->address;
    if (area->before + last > zeroed_) return false;
  }
  return true;
}

}  // namespace t3
