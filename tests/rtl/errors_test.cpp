// SPDX-License-Identifier: Apache-2.0
// Method: the error registers by themselves, against a model in the test. Counts near their maximum
// are loaded (poke.vlt).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "Verrors.h"
#include "Verrors___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::errors_test {
namespace {

constexpr std::uint32_t kCauseCount = 11;
constexpr std::uint32_t kMost = 0xff;
constexpr std::uint32_t kWhatBits = 22, kInfoBits = 19, kTimesBits = 9;

/// An event of a cause, which the lanes or banks of a mask see, of `what`: T3_EVENT_T.
void setEvent(Verrors& m, std::uint32_t cause, std::uint32_t times, std::uint32_t what) {
  setBits(m.events_i, cause * (kTimesBits + kWhatBits), kWhatBits, what);
  setBits(m.events_i, cause * (kTimesBits + kWhatBits) + kWhatBits, kTimesBits, times);
}

/// T3_ERROR_STATE_T.
struct State {
  std::uint32_t bits, cause, what;
  bool first;
  std::array<std::uint32_t, kCauseCount> counts;
};

State stateOf(const Verrors& m) {
  auto field = [&, lsb = 0u](std::uint32_t width) mutable {
    lsb += width;
    return static_cast<std::uint32_t>(bitsOf(m.state_o, lsb - width, width));
  };
  State state{};
  for (std::uint32_t& count : state.counts) count = field(8);
  state.what = field(kInfoBits);
  state.first = field(1) != 0;
  state.what |= field(kWhatBits - kInfoBits) << kInfoBits;
  state.cause = field(4);
  state.bits = field(kCauseCount);
  return state;
}

void setCount(Verrors& m, std::uint32_t cause, std::uint32_t count) {
  setBits(m.rootp->t3_errors__DOT__error_count_q, cause * 8, 8, count);
}

TEST(Errors, AgreeWithAModelUnderRandomEventsAndClears) {
  Random random(testSeed(71));
  Clocked<Verrors> errors;
  auto& m = errors.model;
  std::uint32_t bits = 0;
  std::array<std::uint32_t, kCauseCount> counts{};
  bool first = false;
  std::uint32_t firstCause = 0, firstWhat = 0;
  std::uint32_t captured = 0;
  using PerCause = std::array<std::uint32_t, kCauseCount>;
  PerCause lateTimes{}, lateWhat{};
  for (int cycle = 0; cycle < 20000; ++cycle) {
    // Often one cause alone: of several, the lowest one is kept.
    const std::uint32_t some =
        random.chance(50) ? 1u << random.below(kCauseCount) : random.below(1u << kCauseCount);
    const std::uint32_t given = random.chance(30) ? some : 0;
    PerCause what{}, times{};
    std::uint32_t happens = 0;
    for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
      what[cause] = random.below(1u << kWhatBits);
      times[cause] = (given >> cause & 1u) == 0 ? 0
                     : random.chance(90)        ? 1u << random.below(kTimesBits)
                                                : random.between(1, (1u << kTimesBits) - 1);
      setEvent(m, cause, times[cause], what[cause]);
      std::swap(what[cause], lateWhat[cause]);
      std::swap(times[cause], lateTimes[cause]);
      if (times[cause] != 0) happens |= 1u << cause;
    }
    m.forget_i = static_cast<SData>(random.chance(20) ? random.below(1u << kCauseCount) : 0);
    m.rearm_i = random.chance(10);
    m.clear_i = random.chance(1);
    m.eval();
    ASSERT_EQ(m.any_o != 0, happens != 0);
    ASSERT_EQ(m.work_o != 0, happens != 0);
    errors.edge();
    if (m.clear_i) {
      bits = 0;
      counts.fill(0);
      first = false;
    } else {
      bits = (bits & ~static_cast<std::uint32_t>(m.forget_i)) | happens;
      if (m.rearm_i) first = false;
      for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
        if (times[cause] == 0) continue;
        counts[cause] = std::min(
            counts[cause] + static_cast<std::uint32_t>(std::popcount(times[cause])), kMost);
        if (first) continue;
        first = true;
        firstCause = cause;
        firstWhat = what[cause];
        ++captured;
      }
    }
    const State state = stateOf(m);
    ASSERT_EQ(state.bits, bits);
    ASSERT_EQ(state.counts, counts);
    ASSERT_EQ(state.first, first);
    // Without a first one the rest is zero.
    ASSERT_EQ(state.cause, first ? firstCause : 0u);
    ASSERT_EQ(state.what, first ? firstWhat : 0u);
  }
  EXPECT_GT(captured, 200u);
}

TEST(Errors, ACountStaysAtItsMaximumAndItsNeighboursCountOn) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
    for (const std::uint32_t times : {0x4u, 0x101u, 0x1ffu}) {
      const std::uint32_t next = (cause + 1) % kCauseCount;
      setEvent(m, cause, times, 0);
      for (int i = 0; i < 4; ++i) {
        if (i == 1) {
          for (std::uint32_t other = 0; other < kCauseCount; ++other) setCount(m, other, 0);
          setCount(m, cause, kMost - 1);
        }
        errors.edge();
      }
      for (std::uint32_t other = 0; other < kCauseCount; ++other)
        ASSERT_EQ(stateOf(m).counts[other], other == cause ? kMost : 0u);
      setEvent(m, cause, 0, 0);
      setEvent(m, next, times, 0);
      errors.edge();
      setEvent(m, next, 0, 0);
      errors.edge();
      ASSERT_EQ(stateOf(m).counts[cause], kMost);
      ASSERT_EQ(stateOf(m).counts[next], static_cast<std::uint32_t>(std::popcount(times)));
    }
  }
}

TEST(Errors, ResetAndTheClearBehindItForgetThem) {
  Clocked<Verrors> errors;
  auto& m = errors.model;
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) setEvent(m, cause, 1, 0);
  errors.edge();
  errors.edge();
  EXPECT_EQ(stateOf(m).bits, (1u << kCauseCount) - 1);
  for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) setEvent(m, cause, 0, 0);
  m.rst_ni = 0;
  errors.edge();
  EXPECT_EQ(stateOf(m).bits, 0u);
  m.rst_ni = 1;
  m.clear_i = 1;
  errors.edge();
  for (const std::uint32_t count : stateOf(m).counts) EXPECT_EQ(count, 0u);
  EXPECT_FALSE(stateOf(m).first);
}

}  // namespace
}  // namespace t3::rtl_test::errors_test
