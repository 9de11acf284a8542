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

// Bit 0 of stalled_i is also driven for the two that say why.
const std::vector<Event> kEvents = {
    {"updates", &Vcounters___024root::t3_counters__DOT__updates_o,
     [](Vcounters& m) -> QData& { return m.updates_o; },
     [](Vcounters& m) -> CData& { return m.tracked_i; }, 8},
    {"untracked", &Vcounters___024root::t3_counters__DOT__untracked_o,
     [](Vcounters& m) -> QData& { return m.untracked_o; },
     [](Vcounters& m) -> CData& { return m.untracked_i; }, 8},
    {"stalls", &Vcounters___024root::t3_counters__DOT__stalls_o,
     [](Vcounters& m) -> QData& { return m.stalls_o; },
     [](Vcounters& m) -> CData& { return m.stalled_i; }, 8},
    {"stalls_spill", &Vcounters___024root::t3_counters__DOT__stalls_spill_o,
     [](Vcounters& m) -> QData& { return m.stalls_spill_o; },
     [](Vcounters& m) -> CData& { return m.stalled_spill_i; }, 8},
    {"stalls_closed", &Vcounters___024root::t3_counters__DOT__stalls_closed_o,
     [](Vcounters& m) -> QData& { return m.stalls_closed_o; },
     [](Vcounters& m) -> CData& { return m.stalled_closed_i; }, 8},
    {"completed", &Vcounters___024root::t3_counters__DOT__completed_o,
     [](Vcounters& m) -> QData& { return m.completed_o; },
     [](Vcounters& m) -> CData& { return m.completed_i; }, 1},
    {"triggers", &Vcounters___024root::t3_counters__DOT__triggers_o,
     [](Vcounters& m) -> QData& { return m.triggers_o; },
     [](Vcounters& m) -> CData& { return m.triggered_i; }, 1},
    {"notifications", &Vcounters___024root::t3_counters__DOT__notifications_o,
     [](Vcounters& m) -> QData& { return m.notifications_o; },
     [](Vcounters& m) -> CData& { return m.notified_i; }, 1},
    {"evictions", &Vcounters___024root::t3_counters__DOT__evictions_o,
     [](Vcounters& m) -> QData& { return m.evictions_o; },
     [](Vcounters& m) -> CData& { return m.evicted_i; }, 1},
    {"fills", &Vcounters___024root::t3_counters__DOT__fills_o,
     [](Vcounters& m) -> QData& { return m.fills_o; },
     [](Vcounters& m) -> CData& { return m.filled_i; }, 1},
    {"overrun", &Vcounters___024root::t3_counters__DOT__overrun_o,
     [](Vcounters& m) -> QData& { return m.overrun_o; },
     [](Vcounters& m) -> CData& { return m.overrun_i; }, 1},
    {"taken", &Vcounters___024root::t3_counters__DOT__taken_o,
     [](Vcounters& m) -> QData& { return m.taken_o; },
     [](Vcounters& m) -> CData& { return m.taken_i; }, 1},
    {"releases", &Vcounters___024root::t3_counters__DOT__releases_o,
     [](Vcounters& m) -> QData& { return m.releases_o; },
     [](Vcounters& m) -> CData& { return m.released_i; }, 1},
    {"stray", &Vcounters___024root::t3_counters__DOT__stray_o,
     [](Vcounters& m) -> QData& { return m.stray_o; },
     [](Vcounters& m) -> CData& { return m.stray_i; }, 1},
};

/// The reasons of a stall come with the stall.
void drive(Vcounters& m, const Event& event, std::uint32_t pulses) {
  event.pulse(m) = static_cast<CData>(pulses);
  if (std::string(event.name).starts_with("stalls")) m.stalled_i = static_cast<CData>(pulses);
}

void fill(Vcounters& m) {
  for (const Event& event : kEvents) m.rootp->*event.state = ~std::uint64_t{0};
  m.rootp->t3_counters__DOT__live_o = 0x7ffff;
  m.rootp->t3_counters__DOT__peak_o = 0x7ffff;
}

void expectZero(Vcounters& m) {
  for (const Event& event : kEvents) EXPECT_EQ(event.output(m), 0u) << event.name;
  EXPECT_EQ(m.live_o, 0u);
  EXPECT_EQ(m.peak_o, 0u);
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
      const bool same = &other == &event || (std::string(event.name).starts_with("stalls_") &&
                                             std::string(other.name) == "stalls");
      EXPECT_EQ(other.output(m), same ? expected : 0u) << other.name;
    }
  }
}

TEST(Counters, EachWordThatWasCorrectedCountsAlsoIfThereAreManyAtOnce) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  std::uint64_t expected = 0;
  for (std::uint32_t words = 0; words < 1u << 12; ++words) {
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

TEST(Counters, LiveFollowsWhatComesAndGoesAndPeakFollowsLive) {
  Clocked<Vcounters> counters;
  auto& m = counters.model;
  auto& live = m.rootp->t3_counters__DOT__live_o;
  for (std::uint32_t bit = 1; bit < 19; ++bit) {
    live = (1u << bit) - 1;
    m.live_up_i = 0x10;
    m.live_down_i = 0;
    counters.edge();
    ASSERT_EQ(m.live_o, 1u << bit);
    m.live_up_i = 0;
    EXPECT_TRUE(m.active_o) << "the peak has to follow";
    counters.edge();
    ASSERT_EQ(m.peak_o, 1u << bit);
    EXPECT_FALSE(m.active_o);
    m.live_down_i = 0x40;
    counters.edge();
    ASSERT_EQ(m.live_o, (1u << bit) - 1);
    ASSERT_EQ(m.peak_o, 1u << bit);
  }
  live = 100;
  m.live_up_i = 0x07;
  m.live_down_i = 0xf8;
  counters.edge();
  EXPECT_EQ(m.live_o, 98u) << "three came and five went";
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
  m.live_up_i = 1;
  m.clear_i = 1;
  counters.edge();
  expectZero(m);
}

}  // namespace
}  // namespace t3::rtl_test
