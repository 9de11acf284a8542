// SPDX-License-Identifier: Apache-2.0
// Method: the error registers by themselves, against a model in the test. Counts near their maximum
// are loaded (poke.vlt).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "Verrors.h"
#include "Verrors___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

constexpr std::uint32_t kCauseCount = 11;
constexpr std::uint32_t kMost = 0xff;
constexpr std::uint32_t kWhatBits = 22, kNumberBits = 5;

/// `count` events of a cause, of `what`.
void setEvent(Verrors& m, std::uint32_t cause, std::uint32_t count, std::uint32_t what) {
  setBits(m.number_i, cause * kNumberBits, kNumberBits, count);
  setBits(m.what_i, cause * kWhatBits, kWhatBits, what);
}

template <class Words>
std::uint32_t countOf(const Words& counts, std::uint32_t cause) {
  return counts[cause / 4] >> (8 * (cause % 4)) & kMost;
}

void setCount(Verrors& m, std::uint32_t cause, std::uint32_t count) {
  setBits(m.rootp->t3_errors__DOT__counts_o, cause * 8, 8, count);
}

TEST(Errors, AgreeWithAModelUnderRandomEventsAndClears) {
  Random random(testSeed(71));
  Clocked<Verrors> errors;
  auto& m = errors.model;
  std::uint32_t bits = 0;
  std::array<std::uint32_t, kCauseCount> counts{};
  std::optional<std::pair<std::uint32_t, std::uint32_t>> first;
  std::uint32_t captured = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    // Often one cause alone: of several, the lowest one is kept.
    const std::uint32_t some =
        random.chance(50) ? 1u << random.below(kCauseCount) : random.below(1u << kCauseCount);
    const std::uint32_t happens = random.chance(30) ? some : 0;
    std::array<std::uint32_t, kCauseCount> what{}, number{};
    for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
      what[cause] = random.below(1u << kWhatBits);
      number[cause] = (happens >> cause & 1u) == 0 ? 0
                      : random.chance(90)          ? 1
                                                   : random.between(1, 17);
      setEvent(m, cause, number[cause], what[cause]);
    }
    m.forget_i = static_cast<SData>(random.chance(20) ? random.below(1u << kCauseCount) : 0);
    m.rearm_i = random.chance(10);
    m.clear_i = random.chance(1);
    m.eval();
    ASSERT_EQ(m.any_o != 0, happens != 0);
    errors.edge();
    if (m.clear_i) {
      bits = 0;
      counts.fill(0);
      first.reset();
    } else {
      bits = (bits & ~static_cast<std::uint32_t>(m.forget_i)) | happens;
      if (m.rearm_i) first.reset();
      for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
        if (number[cause] == 0) continue;
        counts[cause] = std::min(counts[cause] + number[cause], kMost);
        if (first) continue;
        first = {cause, what[cause]};
        ++captured;
      }
    }
    ASSERT_EQ(m.errors_o, bits);
    for (std::uint32_t cause = 0; cause < kCauseCount; ++cause)
      ASSERT_EQ(countOf(m.counts_o, cause), counts[cause]);
    ASSERT_EQ(m.first_valid_o != 0, first.has_value());
    if (!first) continue;
    ASSERT_EQ(m.first_cause_o, first->first);
    ASSERT_EQ(m.first_what_o, first->second);
  }
  EXPECT_GT(captured, 200u);
}

TEST(Errors, ACountStaysAtItsMaximumAndItsNeighboursCountOn) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
    for (const std::uint32_t number : {1u, 2u, 17u}) {
      for (std::uint32_t other = 0; other < kCauseCount; ++other) {
        setCount(m, other, 0);
        setEvent(m, other, 0, 0);
      }
      setCount(m, cause, kMost - 1);
      setEvent(m, cause, number, 0);
      for (int i = 0; i < 3; ++i) errors.edge();
      for (std::uint32_t other = 0; other < kCauseCount; ++other)
        ASSERT_EQ(countOf(m.counts_o, other), other == cause ? kMost : 0u);
      setEvent(m, cause, 0, 0);
      setEvent(m, (cause + 1) % kCauseCount, number, 0);
      errors.edge();
      ASSERT_EQ(countOf(m.counts_o, (cause + 1) % kCauseCount), number);
    }
  }
}

TEST(Errors, ResetForgetsThem) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) setEvent(m, cause, 1, 0);
  errors.edge();
  EXPECT_EQ(m.errors_o, (1u << kCauseCount) - 1);
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) setEvent(m, cause, 0, 0);
  m.rst_ni = 0;
  errors.edge();
  EXPECT_EQ(m.errors_o, 0u);
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause)
    EXPECT_EQ(countOf(m.counts_o, cause), 0u);
  EXPECT_FALSE(m.first_valid_o);
}

}  // namespace
}  // namespace t3::rtl_test
