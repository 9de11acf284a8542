// SPDX-License-Identifier: Apache-2.0
// Method: random chains, long and short, compared with a walk from one to the next.
#include "tlm/collectives/ancestor_chains.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace t3::test {
namespace {

TEST(AncestorChains, HoldWhatAWalkMeets) {
  std::mt19937_64 random(seed(1));
  for (const std::uint32_t branches : {1U, 3U, 100U}) {
    AncestorChains chains;
    std::vector<std::uint32_t> before;
    for (std::uint32_t number = 0; number < 2000; ++number) {
      const auto back = static_cast<std::uint32_t>(random() % branches);
      before.push_back(number == 0 || random() % 500 == 0 ? number : number - 1 - back % number);
      chains.add(before.back());
    }
    for (int i = 0; i < 2000; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % before.size());
      const auto thing = static_cast<std::uint32_t>(random() % before.size());
      std::uint32_t at = from;
      while (at != thing && before[at] != at) at = before[at];
      ASSERT_EQ(chains.holds(from, thing), at == thing) << from << ", " << thing;
      ASSERT_TRUE(chains.holds(from, before[from]));
      if (from != thing) {
        ASSERT_FALSE(chains.holds(before[from], from) && before[from] != from);
      }
    }
  }
}

}  // namespace
}  // namespace t3::test
