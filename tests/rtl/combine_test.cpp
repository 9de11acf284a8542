// SPDX-License-Identifier: Apache-2.0
// Method: the adder tree by itself against a loop, for every mask.
#include <gtest/gtest.h>

#include <algorithm>

#include "Vcombine.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

TEST(Combine, AddsTheBytesAndKeepsTheLowestAddressOfTheMaskedLanes) {
  Simulated<Vcombine> unit;
  Vcombine& m = unit.model;
  Random random(testSeed(51));
  for (int round = 0; round < 40; ++round) {
    for (std::uint32_t mask = 1; mask < 256; ++mask) {
      const std::uint32_t key = random.below(1u << 24);
      std::uint32_t bytes = 0;
      std::uint64_t lowest = ~std::uint64_t{0};
      for (std::uint32_t lane = 0; lane < 8; ++lane) {
        const bool in = (mask >> lane & 1u) != 0;
        // Close addresses in some rounds, so that ties and low bits matter.
        const std::uint64_t granule =
            round % 2 == 0 ? random.below(4) : random.below(1ull << 32) * 2048ull;
        const std::uint32_t count = random.between(1, 128);
        setBits(m.key_i, lane * 24, 24, in ? key : random.below(1u << 24));
        setBits(m.gran_i, lane * 43, 43, granule);
        setBits(m.bytes_i, lane * 8, 8, count);
        if (in) {
          bytes += count;
          lowest = std::min(lowest, granule);
        }
      }
      m.en_i = 1;
      m.mask_i = static_cast<CData>(mask);
      m.eval();
      unit.look();
      ASSERT_EQ(m.bytes_o, bytes);
      ASSERT_EQ(m.gran_o, lowest);
      ASSERT_EQ(m.key_o, key);
    }
  }
}

}  // namespace
}  // namespace t3::rtl_test
