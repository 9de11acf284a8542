// SPDX-License-Identifier: Apache-2.0
// Method: the error registers by themselves, with three causes and tiles of 16 bits, against a
// model in the test. Counts near their maximum are loaded (poke.vlt).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "Verrors.h"
#include "Verrors___024root.h"
#include "tests/rtl/random.h"
#include "tests/rtl/simulated.h"

namespace t3::rtl_test {
namespace {

constexpr std::uint32_t kCauses = 3;
constexpr std::uint32_t kCountWidth = 8;
constexpr std::uint64_t kMost = 0xff;

std::uint64_t tileOf(std::uint64_t tiles, std::uint32_t cause) {
  return tiles >> (16 * cause) & 0xffff;
}
std::uint64_t countOf(std::uint64_t counts, std::uint32_t cause) {
  return counts >> (kCountWidth * cause) & kMost;
}

TEST(Errors, AgreeWithAModelUnderRandomEventsAndClears) {
  Random random(testSeed(71));
  Clocked<Verrors> errors;
  auto& m = errors.model;
  std::uint32_t bits = 0;
  std::array<std::uint64_t, kCauses> counts{};
  std::optional<std::pair<std::uint32_t, std::uint64_t>> first;
  std::uint32_t captured = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    m.event_i = static_cast<CData>(random.chance(30) ? random.below(1u << kCauses) : 0);
    m.tile_i = std::uint64_t{random.below(1u << 24)} << 24 | random.below(1u << 24);
    m.forget_i = static_cast<CData>(random.chance(20) ? random.below(1u << kCauses) : 0);
    m.rearm_i = random.chance(10);
    m.clear_i = random.chance(1);
    errors.edge();
    if (m.clear_i) {
      bits = 0;
      counts.fill(0);
      first.reset();
    } else {
      bits = (bits & ~m.forget_i) | m.event_i;
      if (m.rearm_i) first.reset();
      for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
        if ((m.event_i >> cause & 1) == 0) continue;
        if (counts[cause] != kMost) ++counts[cause];
        if (first) continue;
        first = {cause, tileOf(m.tile_i, cause)};
        ++captured;
      }
    }
    ASSERT_EQ(m.errors_o, bits);
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
      ASSERT_EQ(countOf(m.counts_o, cause), counts[cause]);
    }
    ASSERT_EQ(m.first_valid_o != 0, first.has_value());
    if (!first) continue;
    ASSERT_EQ(m.first_cause_o, first->first);
    ASSERT_EQ(m.first_tile_o, first->second);
  }
  EXPECT_GT(captured, 200u);
}

TEST(Errors, ACountStaysAtItsMaximumAndItsNeighboursCountOn) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
    m.rootp->t3_errors__DOT__counts_o = static_cast<IData>((kMost - 1) << (kCountWidth * cause));
    m.event_i = static_cast<CData>(1u << cause);
    for (int i = 0; i < 3; ++i) errors.edge();
    ASSERT_EQ(m.counts_o, kMost << (kCountWidth * cause));
    m.event_i = static_cast<CData>(1u << (cause + 1) % kCauses);
    errors.edge();
    ASSERT_EQ(countOf(m.counts_o, (cause + 1) % kCauses), 1u);
  }
}

TEST(Errors, ResetForgetsThem) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  m.event_i = 0x7;
  errors.edge();
  EXPECT_EQ(m.errors_o, 0x7);
  m.event_i = 0;
  m.rst_ni = 0;
  errors.edge();
  EXPECT_EQ(m.errors_o, 0u);
  EXPECT_EQ(m.counts_o, 0u);
  EXPECT_FALSE(m.first_valid_o);
}

}  // namespace
}  // namespace t3::rtl_test
