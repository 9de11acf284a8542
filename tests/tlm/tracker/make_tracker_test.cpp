// SPDX-License-Identifier: Apache-2.0
// Which unit is behind a kind of tracker. Method: this program has a netlist of its own: an RTL
// unit, and a note that it was asked for.
#include "tlm/tracker/make_tracker.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tlm/tracker/registers.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/tracker.h"

namespace t3 {

namespace {
int netlistsMade = 0;
}  // namespace

bool hasNetlist() { return true; }
std::unique_ptr<RtlUnit> makeNetlistUnit(const std::shared_ptr<VerilatedContext>& context,
                                         const char* name, bool traced) {
  ++netlistsMade;
  return makeRtlUnit(context, name, traced);
}

}  // namespace t3

namespace t3::make_tracker_test {
namespace {

TEST(MakeTracker, OnlyTheNetlistKindRunsTheNetlist) {
  for (const TrackerKind kind : {TrackerKind::Rtl, TrackerKind::Model, TrackerKind::Lockstep}) {
    makeTracker("tracker", kind, {}, {});
    EXPECT_EQ(netlistsMade, 0);
  }
  makeTracker("tracker", TrackerKind::Netlist, {}, {});
  EXPECT_EQ(netlistsMade, 1);
}

TEST(MakeTracker, ANetlistHasTheSizeOfTheRtl) {
  EXPECT_EQ(checkTracker(TrackerKind::Netlist, {}), std::nullopt);
  TrackerConfig other;
  other.rows = 512;
  EXPECT_EQ(checkTracker(TrackerKind::Netlist, other), "rows: the RTL is built with 256, got 512");
  EXPECT_THROW(makeTracker("tracker", TrackerKind::Netlist, other, {}), std::invalid_argument);
}

void write(RtlUnit& unit, std::uint16_t address, std::uint32_t value, std::uint64_t& time) {
  const RtlPins& pins = unit.pins;
  pins.awAddress = address;
  pins.wData = value;
  pins.wStrobes = 0xf;
  pins.awValid = pins.wValid = pins.bReady = 1;
  for (bool answered = false; !answered;) {
    const bool addressTaken = pins.awValid != 0 && pins.awReady != 0;
    const bool dataTaken = pins.wValid != 0 && pins.wReady != 0;
    answered = pins.bValid != 0;
    ASSERT_TRUE(unit.cycle(time += 1000));
    if (addressTaken) pins.awValid = 0;
    if (dataTaken) pins.wValid = 0;
  }
  pins.bReady = 0;
}

TEST(RtlUnit, AFailureIsThatOfOneUnitAndOfTheCyclesInWhichItHappens) {
  const auto context = makeRtlContext();
  const auto wrong = makeRtlUnit(context, "wrong");
  const auto healthy = makeRtlUnit(context, "healthy");
  std::uint64_t time = 0;
  for (RtlUnit* unit : {wrong.get(), healthy.get()}) {
    unit->pins.resetN = 0;
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(unit->cycle(time += 1000));
    unit->pins.resetN = 1;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(unit->cycle(time += 1000));
    write(*unit, registers::region(0) + registers::kRegState, 1, time);  // workgroup 0, page 0
    write(*unit, registers::kCtrl, registers::kCtrlEnable, time);
  }
  wrong->pins.laneValid = 1;  // an update of no bytes
  bool failed = false;
  for (int i = 0; i < 8 && !failed; ++i) failed = !wrong->cycle(time += 1000);
  EXPECT_TRUE(failed);
  EXPECT_TRUE(healthy->cycle(time += 1000));
  wrong->pins.laneValid = 0;
  for (int i = 0; i < 10; ++i) wrong->cycle(time += 1000);
  EXPECT_TRUE(wrong->cycle(time += 1000));
}

}  // namespace
}  // namespace t3::make_tracker_test
