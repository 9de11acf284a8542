// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace t3::rtl_test {

/// How many of those that left did so out of turn (promise 7): neither as the next one of the
/// queue, which holds the first `places` of `order`, nor as one that a look through all of them
/// found, whose numbers rise. A look may begin `looks` times.
inline std::size_t outOfTurn(const std::vector<std::uint32_t>& left,
                             const std::vector<std::uint32_t>& order, std::size_t places,
                             int looks = 3) {
  std::set<std::uint32_t> gone;
  std::size_t next = 0, wrong = 0;
  std::int64_t looked = -1;
  for (const std::uint32_t one : left) {
    while (next < places && next < order.size() && gone.contains(order[next])) ++next;
    if (next < places && next < order.size() && order[next] == one) {
      ++next;
    } else if (one > looked || --looks > 0) {
      looked = one;
    } else {
      ++wrong;
    }
    gone.insert(one);
  }
  return wrong;
}

}  // namespace t3::rtl_test
