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
#include "rtl_test/simulated.h"

namespace t3::rtl_test {
namespace {

/// A counter, the pulse that moves it, and what all pulses at once add.
struct Event {
  const char* name;
  QData Vcounters___024root::*state;
  QData& (*output)(Vcounters&);
  CData& (*pulse)(Vcounters&);
  std::uint32_t most;
};

const std::vector<Event> kEvents = {
    {"updates", &Vcounters___024root::t3_counters__DOT__updates_o,
     [](Vcounters& m) -> QData& { return m.updates_o; },
     [](Vcounters& m) -> CData& { return m.tracked_i; }, 8},
    {"untracked", &Vcounters___024root::t3_counters__DOT__untracked_o,
     [](Vcounters& m) -> QData& { return m.untracked_o; },
     [](Vcounters& m) -> CData& { return m.untracked_i; }, 8},
    {"dropped", &Vcounters___024root::t3_counters__DOT__dropped_o,
     [](Vcounters& m) -> QData& { return m.dropped_o; },
     [](Vcounters& m) -> CData& { return m.dropped_i; }, 8},
    {"stalls", &Vcounters___024root::t3_counters__DOT__stalls_o,
     [](Vcounters& m) -> QData& { return m.stalls_o; },
     [](Vcounters& m) -> CData& { return m.stalled_i; }, 8},
    {"completed", &Vcounters___024root::t3_counters__DOT__completed_o,
     [](Vcounters& m) -> QData& { return m.completed_o; },
     [](Vcounters& m) -> CData& { return m.completed_i; }, 1},
    {"triggers", &Vcounters___024root::t3_counters__DOT__triggers_o,
     [](Vcounters& m) -> QData& { return m.triggers_o; },
     [](Vcounters& m) -> CData& { return m.triggered_i; }, 1},
    {"taken", &Vcounters___024root::t3_counters__DOT__taken_o,
     [](Vcounters& m) -> QData& { return m.taken_o; },
     [](Vcounters& m) -> CData& { return m.taken_i; }, 1},
    {"released", &Vcounters___024root::t3_counters__DOT__released_o,
     [](Vcounters& m) -> QData& { return m.released_o; },
     [](Vcounters& m) -> CData& { return m.released_i; }, 1},
};

void drive(Vcounters& m, const Event& event, std::uint32_t pulses) {
  event.pulse(m) = static_cast<CData>(pulses);
}

void fill(Vcounters& m) {
  for (const Event& event : kEvents) m.rootp->*event.state = ~std::uint64_t{0};
  m.rootp->t3_counters__DOT__corrected_o = ~std::uint64_t{0};
}

void expectZero(Vcounters& m) {
  for (const Event& event : kEvents) EXPECT_EQ(event.output(m), 0u) << event.name;
  EXPECT_EQ(m.corrected_o, 0u);
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
      for (std::uint32_t rest = pulses; rest != 0; rest &= rest - 1) ++expected;
      ASSERT_EQ(event.output(m), expected);
    }
    drive(m, event, 0);
    counters.edge();
    for (const Event& other : kEvents) {
      const bool same = &other == &event;
      EXPECT_EQ(other.output(m), same ? expected : 0u) << other.name;
    }
  }
}

TEST(Counters, EachWordThatWasCorrectedCountsAlsoIfThereAreManyAtOnce) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  std::uint64_t expected = 0;
  for (std::uint32_t words = 0; words < 1u << 9; ++words) {
    m.corrected_i = static_cast<SData>(words);
    counters.edge();
    expected += static_cast<std::uint64_t>(std::popcount(words));
    ASSERT_EQ(m.corrected_o, expected);
  }
  for (const Event& other : kEvents) EXPECT_EQ(other.output(m), 0u) << other.name;
  m.clear_i = 1;
  counters.edge();
  EXPECT_EQ(m.corrected_o, 0u);
}

TEST(Counters, EveryCarryArrivesUpToTheLastBit) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  for (const Event& event : kEvents) {
    SCOPED_TRACE(event.name);
    for (std::uint32_t bit = 0; bit <= 64; ++bit) {
      const std::uint64_t after = bit < 64 ? std::uint64_t{1} << bit : 0;
      m.rootp->*event.state = after - 1;
      drive(m, event, 1);
      counters.edge();
      ASSERT_EQ(event.output(m), after);
    }
    drive(m, event, 0);
  }
  for (std::uint32_t bit = 0; bit <= 64; ++bit) {
    const std::uint64_t after = bit < 64 ? std::uint64_t{1} << bit : 0;
    m.rootp->t3_counters__DOT__corrected_o = after - 1;
    m.corrected_i = 1;
    counters.edge();
    ASSERT_EQ(m.corrected_o, after);
  }
}

TEST(Counters, ResetZeroesThemAll) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  fill(m);
  m.rst_ni = 0;
  counters.edge();
  expectZero(m);
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
}  // namespace t3::rtl_test
