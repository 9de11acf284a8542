// SPDX-License-Identifier: Apache-2.0
// Which unit is behind a kind of tracker. Method: this program has a netlist of its own: an RTL
// unit, and a note that it was asked for.
#include "tlm/tracker/make_tracker.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tlm/tracker/make_rtl_unit.h"
#include "tlm/tracker/netlist_unit.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

namespace {
int netlistsMade = 0;
constexpr RtlTable kTable{4, 4};
}  // namespace

std::optional<RtlTable> netlistTable() { return kTable; }
std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced) {
  ++netlistsMade;
  return makeRtlUnit(kTable, context, name, traced);
}

namespace {

TrackerConfig config() {
  TrackerConfig config;
  config.sets_per_bank = 4;
  config.ways = 4;
  return config;
}

TEST(MakeTracker, OnlyTheNetlistKindRunsTheNetlist) {
  for (const TrackerKind kind : {TrackerKind::Rtl, TrackerKind::Model, TrackerKind::Lockstep}) {
    makeTracker("tracker", kind, config(), {});
    EXPECT_EQ(netlistsMade, 0);
  }
  makeTracker("tracker", TrackerKind::Netlist, config(), {});
  EXPECT_EQ(netlistsMade, 1);
}

TEST(MakeTracker, ANetlistHasOneTable) {
  EXPECT_EQ(checkTracker(TrackerKind::Netlist, config()), std::nullopt);
  TrackerConfig other = config();
  other.ways = 2;
  EXPECT_EQ(checkTracker(TrackerKind::Netlist, other), "sets_per_bank, ways: the netlist is 4 x 4");
  EXPECT_THROW(makeTracker("tracker", TrackerKind::Netlist, other, {}), std::invalid_argument);
}

TEST(RtlUnit, AFailureIsThatOfOneUnitAndOfTheCyclesInWhichItHappens) {
  const auto context = makeRtlContext();
  const auto wrong = makeRtlUnit(kTable, context, "wrong", false);
  const auto healthy = makeRtlUnit(kTable, context, "healthy", false);
  std::uint64_t time = 0;
  for (RtlUnit* unit : {wrong.get(), healthy.get()}) {
    unit->pins.resetN = 0;
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(unit->cycle(time += 1000));
    unit->pins.resetN = 1;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(unit->cycle(time += 1000));
  }
  wrong->pins.answerValid = 1;  // the record that nobody has asked for
  bool failed = false;
  for (int i = 0; i < 4 && !failed; ++i) failed = !wrong->cycle(time += 1000);
  EXPECT_TRUE(failed);
  EXPECT_TRUE(healthy->cycle(time += 1000));
  wrong->pins.answerValid = 0;
  for (int i = 0; i < 10; ++i) wrong->cycle(time += 1000);
  EXPECT_TRUE(wrong->cycle(time += 1000));
}

}  // namespace
}  // namespace t3
