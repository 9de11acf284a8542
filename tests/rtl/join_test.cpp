// SPDX-License-Identifier: Apache-2.0
// Method: the sum of what several lanes bring for one bank, by itself, against a sum in C++.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vjoin.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::join_test {
namespace {

constexpr std::uint32_t kLanes = 8, kKeyBits = 24, kWeightBits = 8;

TEST(Join, AddsTheWeightsOfTheLanesInTheMaskAndHasTheirKey) {
  Simulated<Vjoin> unit;
  Vjoin& m = unit.model;
  Random random(testSeed(45));
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t mask = i < 256 ? static_cast<std::uint32_t>(i) : random.below(256);
    const bool enabled = i < 256 || random.chance(80);
    const std::uint32_t key = random.below(1U << kKeyBits);
    std::uint32_t sum = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const bool joins = (mask >> lane & 1) != 0;
      // The others have keys and weights of their own. All weights are at their most at first.
      const std::uint32_t weight = i < 256 ? 255 : random.below(256);
      setBits(m.key_i, lane * kKeyBits, kKeyBits, joins ? key : random.below(1U << kKeyBits));
      setBits(m.weight_i, lane * kWeightBits, kWeightBits, weight);
      sum += joins ? weight : 0;
    }
    m.en_i = enabled;
    m.mask_i = static_cast<CData>(mask);
    m.eval();
    ASSERT_EQ(m.weight_o, enabled ? sum : 0) << "weight_o for lanes 0x" << std::hex << mask;
    ASSERT_EQ(m.key_o, enabled && mask != 0 ? key : 0) << "key_o for lanes 0x" << std::hex << mask;
  }
}

}  // namespace
}  // namespace t3::rtl_test::join_test
