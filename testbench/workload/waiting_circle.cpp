// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/waiting_circle.h"

#include <algorithm>

namespace t3 {

std::vector<std::uint32_t> waitingCircle(std::span<const std::vector<std::uint32_t>> waitsFor) {
  const auto count = static_cast<std::uint32_t>(waitsFor.size());
  std::vector<std::uint32_t> left(count);
  std::vector<std::vector<std::uint32_t>> later(count);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    left[i] = static_cast<std::uint32_t>(waitsFor[i].size());
    for (const std::uint32_t other : waitsFor[i]) later[other].push_back(i);
    if (left[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::uint32_t done = ready.back();
    ready.pop_back();
    for (const std::uint32_t next : later[done]) {
      if (--left[next] == 0) ready.push_back(next);
    }
  }
  const auto stuck = std::ranges::find_if(left, [](std::uint32_t waits) { return waits != 0; });
  if (stuck == left.end()) return {};
  // Whoever is stuck waits for one that is stuck: going on, one is met again.
  std::vector<std::uint32_t> way;
  std::vector<bool> met(count, false);
  auto at = static_cast<std::uint32_t>(stuck - left.begin());
  while (!met[at]) {
    met[at] = true;
    way.push_back(at);
    at = *std::ranges::find_if(waitsFor[at], [&](std::uint32_t other) { return left[other] != 0; });
  }
  way.erase(way.begin(), std::ranges::find(way, at));
  way.push_back(at);
  return way;
}

}  // namespace t3
