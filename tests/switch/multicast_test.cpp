// SPDX-License-Identifier: Apache-2.0
// Method: words with random masks for five ports that are ready when they like; each port keeps a
// list of what it took.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "Vmulticast.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::switch_test::multicast_test {
namespace {

using rtl_test::Random;
using rtl_test::testSeed;

constexpr std::size_t kPorts = 5;

TEST(Multicast, EveryPortOfTheMaskTakesEveryWordOnceAndInOrder) {
  rtl_test::Clocked<Vmulticast> unit;
  auto& m = unit.model;
  Random random(testSeed(91));
  std::array<std::vector<std::uint32_t>, kPorts> expected, taken;
  std::uint32_t word = 0;
  bool waits = false;
  for (int i = 0; i < 30000; ++i) {
    const std::uint32_t readyPercent = i / 1000 % 3 == 0 ? 20 : i / 1000 % 3 == 1 ? 80 : 100;
    if (!waits) {
      m.valid_i = random.chance(80);
      m.mask_i = static_cast<CData>(random.below(1u << kPorts));
      ++word;
      for (std::size_t p = 0; p < kPorts; ++p) {
        if (m.valid_i && (m.mask_i >> p & 1) != 0) expected[p].push_back(word);
      }
    }
    m.ready_i = 0;
    for (std::size_t p = 0; p < kPorts; ++p) {
      if (random.chance(readyPercent)) m.ready_i = static_cast<CData>(m.ready_i | 1u << p);
    }
    m.eval();
    for (std::size_t p = 0; p < kPorts; ++p) {
      if ((m.valid_o & m.ready_i) >> p & 1) taken[p].push_back(word);
    }
    if (readyPercent == 100) {
      EXPECT_TRUE(m.ready_o) << "a word a cycle";
    }
    waits = m.valid_i && !m.ready_o;
    unit.edge();
  }
  for (int i = 0; waits && i < 2; ++i) {  // the last one
    m.ready_i = (1u << kPorts) - 1;
    m.eval();
    for (std::size_t p = 0; p < kPorts; ++p) {
      if ((m.valid_o >> p & 1) != 0) taken[p].push_back(word);
    }
    waits = !m.ready_o;
    unit.edge();
  }
  EXPECT_GT(word, 10000u);
  EXPECT_EQ(taken, expected);
}

}  // namespace
}  // namespace t3::switch_test::multicast_test
