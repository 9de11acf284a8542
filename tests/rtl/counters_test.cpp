// SPDX-License-Identifier: Apache-2.0
// Method: the event counters by themselves. Counts that take years to reach are loaded into the
// registers (poke.vlt makes them writable in this model), so that every carry is seen.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "Vcounters.h"
#include "Vcounters___024root.h"
#include "rtl_test/bits.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::counters_test {
namespace {

/// A counter, its place in T3_COUNTS_T from the right, the pulse that moves it, and what all pulses
/// at once add.
struct Event {
  const char* name;
  std::uint32_t place;
  CData& (*pulse)(Vcounters&);
  std::uint32_t most;
};

const std::vector<Event> kEvents = {
    {"updates", 8, [](Vcounters& m) -> CData& { return m.tracked_i; }, 8},
    {"untracked", 7, [](Vcounters& m) -> CData& { return m.untracked_i; }, 8},
    {"dropped", 6, [](Vcounters& m) -> CData& { return m.dropped_i; }, 8},
    {"completed", 5, [](Vcounters& m) -> CData& { return m.completed_i; }, 1},
    {"triggers", 4, [](Vcounters& m) -> CData& { return m.triggered_i; }, 1},
    {"taken", 3, [](Vcounters& m) -> CData& { return m.taken_i; }, 1},
    {"released", 2, [](Vcounters& m) -> CData& { return m.released_i; }, 1},
    {"stalls", 1, [](Vcounters& m) -> CData& { return m.stalled_i; }, 8},
};
constexpr std::uint32_t kCorrected = 0;

constexpr std::uint32_t kBits = 40;
constexpr std::uint64_t kMost = (std::uint64_t{1} << kBits) - 1;

std::uint64_t countOf(const Vcounters& m, std::uint32_t place) {
  return bitsOf(m.counts_o, kBits * place, kBits);
}

void load(Vcounters& m, std::uint32_t place, std::uint64_t count) {
  setBits(m.rootp->t3_counters__DOT__counts_q, kBits * place, kBits, count);
}

void drive(Vcounters& m, const Event& event, std::uint32_t pulses) {
  event.pulse(m) = static_cast<CData>(pulses);
}

void fill(Vcounters& m) {
  for (const Event& event : kEvents) load(m, event.place, kMost);
  load(m, kCorrected, kMost);
}

void expectZero(const Vcounters& m) {
  for (const Event& event : kEvents) EXPECT_EQ(countOf(m, event.place), 0u) << event.name;
  EXPECT_EQ(countOf(m, kCorrected), 0u);
}

TEST(Counters, EveryPulseCountsOnceAndOnlyForItsOwnEvent) {
  for (const Event& event : kEvents) {
    SCOPED_TRACE(event.name);
    Clocked<Vcounters> counters;
    auto& m = counters.model;
    std::uint64_t expected = 0;
    for (std::uint32_t pulses = 0; pulses < 1u << event.most; ++pulses) {
      drive(m, event, pulses);
      counters.edge();
      drive(m, event, 0);
      counters.edge();  // updates that count or are dropped
      for (std::uint32_t rest = pulses; rest != 0; rest &= rest - 1) ++expected;
      ASSERT_EQ(countOf(m, event.place), expected);
    }
    drive(m, event, 0);
    counters.edge();
    for (const Event& other : kEvents) {
      const bool same = &other == &event;
      EXPECT_EQ(countOf(m, other.place), same ? expected : 0u) << other.name;
    }
  }
}

/// What banks have counted or dropped, beside what ends in the lanes: any number that has the bits.
TEST(Counters, WhatBanksAndLanesSeeAddsUp) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  std::uint64_t updates = 0, dropped = 0;
  for (std::uint32_t i = 0; i < 128; ++i) {
    m.bank_tracked_i = static_cast<CData>(i);
    m.bank_dropped_i = static_cast<CData>(127 - i);
    m.tracked_i = i % 3 == 0 ? 0xff : 1;
    m.dropped_i = i % 5 == 0 ? 0xfe : 0;
    counters.edge();
    EXPECT_TRUE(m.work_o) << "not counted yet";
    updates += i + (i % 3 == 0 ? 8 : 1);
    dropped += 127 - i + (i % 5 == 0 ? 7 : 0);
  }
  m.bank_tracked_i = m.bank_dropped_i = m.tracked_i = m.dropped_i = 0;
  counters.edge();
  EXPECT_EQ(countOf(m, kEvents[0].place), updates);
  EXPECT_EQ(countOf(m, kEvents[2].place), dropped);
  EXPECT_FALSE(m.work_o);
}

TEST(Counters, EachWordThatWasCorrectedCountsAlsoIfThereAreManyAtOnce) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  std::uint64_t expected = 0;
  for (std::uint32_t words = 0; words < 1u << 9; ++words) {
    m.corrected_i = static_cast<SData>(words);
    counters.edge();
    expected += static_cast<std::uint64_t>(std::popcount(words));
    ASSERT_EQ(countOf(m, kCorrected), expected);
  }
  for (const Event& other : kEvents) EXPECT_EQ(countOf(m, other.place), 0u) << other.name;
  m.clear_i = 1;
  counters.edge();
  EXPECT_EQ(countOf(m, kCorrected), 0u);
}

TEST(Counters, EveryCarryArrivesUpToTheLastBit) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  for (const Event& event : kEvents) {
    SCOPED_TRACE(event.name);
    for (std::uint32_t bit = 0; bit <= kBits; ++bit) {
      const std::uint64_t after = bit < kBits ? std::uint64_t{1} << bit : 0;
      load(m, event.place, after - 1);
      drive(m, event, 1);
      counters.edge();
      drive(m, event, 0);
      counters.edge();
      ASSERT_EQ(countOf(m, event.place), after);
    }
  }
  for (std::uint32_t bit = 0; bit <= kBits; ++bit) {
    const std::uint64_t after = bit < kBits ? std::uint64_t{1} << bit : 0;
    load(m, kCorrected, after - 1);
    m.corrected_i = 1;
    counters.edge();
    ASSERT_EQ(countOf(m, kCorrected), after);
  }
}

TEST(Counters, ClearZeroesThemAllAndWinsOverAPulse) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  fill(m);
  for (const Event& event : kEvents) drive(m, event, 1);
  m.corrected_i = 1;
  m.clear_i = 1;
  counters.edge();
  expectZero(m);
}

}  // namespace
}  // namespace t3::rtl_test::counters_test
