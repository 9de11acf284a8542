// SPDX-License-Identifier: Apache-2.0
// Method: t3_start by itself, while software turns regions on in every cycle, which takes it longer
// than that in the whole unit.
#include <gtest/gtest.h>

#include "Vstart.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::start_test {
namespace {

/// What is around it: something that is inside for some cycles, and hints to sort.
struct Around {
  Clocked<Vstart> start;
  int insideCycles = 10, sortCycles = 0;
  bool stale = false;

  void cycle(bool turnOn, std::uint32_t region) {
    auto& m = start.model;
    m.turn_on_i = turnOn;
    m.region_i = static_cast<CData>(region);
    m.inside_i = insideCycles > 0;
    m.stale_i = stale;
    m.sorting_i = sortCycles > 0;
    m.eval();
    const bool sorts = m.sort_o;
    start.edge();
    if (insideCycles > 0) --insideCycles;
    if (sortCycles > 0) --sortCycles;
    if (sorts) {
      sortCycles = 20;
      stale = false;
    }
  }
};

TEST(Start, LanesGoOnHoweverOftenRegionsAreTurnedOn) {
  Around around;
  around.cycle(true, 0);
  std::uint32_t held = 0;
  while (around.start.model.hold_o && held < 1000) around.cycle(true, ++held % 3);
  EXPECT_LE(held, 10u + 20 + 2);
  EXPECT_EQ(around.start.model.starting_o, 0);
}

TEST(Start, ASlotThatIsForgottenDuringTheSortIsSortedToo) {
  Around around;
  around.cycle(true, 0);
  for (int i = 0; i < 20; ++i) around.cycle(false, 0);
  ASSERT_GT(around.sortCycles, 0);
  around.stale = true;
  around.cycle(true, 1);
  EXPECT_EQ(around.start.model.starting_o, 3);
  std::uint32_t held = 0;
  while (around.start.model.hold_o && held < 1000) {
    around.cycle(false, 0);
    ++held;
  }
  EXPECT_FALSE(around.stale);
  EXPECT_LT(held, 50);
  EXPECT_EQ(around.start.model.starting_o, 0);
}

}  // namespace
}  // namespace t3::rtl_test::start_test
