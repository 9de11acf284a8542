// SPDX-License-Identifier: Apache-2.0
// What docs/tracker.md promises to software, and its errors, asked of every implementation through
// its registers: arming and reading, what is refused under traffic, abort, clear, interrupts, lock.
// Method: each test makes one case by hand and reads what the page says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tlm/tracker/tracker_fixture.h"
#include "tlm/tracker/register_text.h"
#include "tlm/tracker/registers.h"

namespace t3::software_test {
namespace {

using namespace t3::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace r = registers;

enum Cause : std::uint32_t {
  Overrun,
  Stray,
  Weight,
  Outside,
  RowStray,
  RowOutside,
  ArmedEarly,
  RowArmedEarly,
  InUse,
  Locked,
  Damaged,
  kCauses
};

class SoftwareTest : public TrackerFixture {
 protected:
  static void update(TrackerBench& b, std::uint32_t wg, std::uint32_t bytes,
                     std::uint32_t lane = 0) {
    b.report({.lane = lane, .workgroup = wg, .address = kBase, .bytes = bytes});
    b.run();
  }
  /// Just this error, so often, first with this information.
  static void expectError(TrackerBench& b, Cause cause, std::uint32_t count, std::uint32_t info,
                          std::uint32_t region = 0) {
    EXPECT_EQ(b.read(r::kErrors), 1U << cause) << errorNames(b.read(r::kErrors));
    EXPECT_EQ(b.read(r::errorCount(cause)), count);
    EXPECT_EQ(b.read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                          region << r::kErrorFirstRegionShift);
    EXPECT_EQ(b.read(r::kErrorInfo), info);
    EXPECT_EQ(b.read(r::kIrqStatus) & r::kIrqStatusError, r::kIrqStatusError);
  }
  static void forgetErrors(TrackerBench& b) {
    b.write(r::kErrors, 0xffffffff);
    b.write(r::kErrorFirst, r::kErrorFirstValid);
    b.write(r::kIrqStatus, r::kIrqStatusError);
    EXPECT_EQ(b.read(r::kErrors), 0U);
    EXPECT_EQ(b.read(r::kErrorFirst), 0U);
  }
  static void expectNoError(TrackerBench& b) { EXPECT_EQ(b.read(r::kErrors), 0U); }
};

// ---- surplus ----------------------------------------------------------------------------------

TEST_P(SoftwareTest, MoreBytesThanAreMissingSpoilTheSlotAndTriggerNothing) {
  TrackerBench& b = bench();
  start(b, {.firstWorkgroup = 10, .lastWorkgroup = 12, .firstSlot = 70}, 100);
  update(b, 11, 60);
  update(b, 11, 41);
  expectError(b, Overrun, 1, 71);
  EXPECT_EQ(b.read(r::slot(71)), r::kSlotSpoiled);
  update(b, 11, 100);
  EXPECT_EQ(b.read(r::errorCount(Overrun)), 1U) << "not reported again";
  EXPECT_EQ(b.read(r::errorCount(Stray)), 0U);
  EXPECT_THAT(b.commands, IsEmpty());
  EXPECT_EQ(b.read64(r::kUpdates), 3U);
  b.write(r::slot(71), 50);
  update(b, 11, 50);
  EXPECT_THAT(ids(b.commands), ElementsAre(71U)) << "armed again";
  update(b, 12, 100);
  EXPECT_EQ(b.commands.size(), 2U);
}

TEST_P(SoftwareTest, BytesForASlotThatIsIdleAreStrayAndTriggerNothing) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 3}, 64);
  update(b, 2, 64);
  update(b, 2, 32);
  expectError(b, Stray, 1, 2);
  EXPECT_EQ(b.read(r::slot(2)), 0U);
  EXPECT_EQ(b.commands.size(), 1U);
  b.write(r::slot(2), 64);
  update(b, 2, 64);
  EXPECT_EQ(b.commands.size(), 2U) << "idle it was, and can be armed";
}

TEST_P(SoftwareTest, ASlotThatGetsMoreWhileItWaitsSaysSo) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 3}, 64);
  b.dmaBusy = [] { return Picoseconds{3'000'000}; };
  for (std::uint32_t wg = 0; wg < 4; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(10 + 20 * wg)});
  }
  b.report({.workgroup = 2, .address = kBase, .bytes = 1, .when = b.in(120)});
  b.run(200);
  ASSERT_EQ(b.commands.size(), 1U);
  EXPECT_EQ(b.read(r::slot(2)), r::kSlotWaits | r::kSlotSpoiled);
  EXPECT_EQ(b.read(r::slot(3)), r::kSlotWaits);
  expectError(b, Stray, 1, 2);
  b.run();
  ASSERT_THAT(ids(b.commands), ElementsAre(0U, 1U, 2U, 3U));
  EXPECT_TRUE(b.commands[2].message.spoiled);
  EXPECT_FALSE(b.commands[3].message.spoiled);
  EXPECT_EQ(b.read(r::slot(2)), r::kSlotSpoiled);
}

TEST_P(SoftwareTest, AnUpdateBeyondTheLastSlotIsDroppedAndReported) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xffff);
  b.program(4, {.firstWorkgroup = 100, .lastWorkgroup = 200, .firstSlot = 3900});
  b.write(r::region(4) + r::kRegSlotLast, 3905);
  b.setState(4, TrackerBench::kStopped);
  b.fill(4, 64);
  b.setState(4, TrackerBench::kOn);
  b.enable();
  update(b, 105, 64);
  expectNoError(b);
  EXPECT_THAT(ids(b.commands), ElementsAre(3905U));
  b.report({.lane = 3, .workgroup = 106, .wavefront = 5, .address = kBase, .bytes = 64});
  b.run();
  expectError(b, Outside, 1, 5U << 16 | 106, 4);
  update(b, 200, 64);
  EXPECT_EQ(b.read(r::errorCount(Outside)), 2U) << "nothing is taken modulo";
  EXPECT_EQ(b.commands.size(), 1U);
  EXPECT_EQ(b.read64(r::kUpdates), 3U);
}

TEST_P(SoftwareTest, ABlockThatIsDoneForARowThatIsNotArmedIsARowStray) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 5, .firstRow = 7, .blocksPerRow = 2}, 64);
  b.write(r::row(7), 1);
  update(b, 0, 64);
  EXPECT_THAT(rows(b.releases), ElementsAre(7U));
  expectNoError(b);
  update(b, 1, 64);
  expectError(b, RowStray, 1, 7);
  EXPECT_EQ(b.read(r::row(7)), 0U);
  EXPECT_EQ(b.commands.size(), 2U) << "nothing is wrong with the command";
}

TEST_P(SoftwareTest, ARowThatGetsOneMoreWhileItWaitsIsSpoiled) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 5, .firstRow = 7, .blocksPerRow = 2}, 64);
  for (const std::uint32_t row : {7U, 8U, 9U}) b.write(r::row(row), 1);
  b.releaseBusy = [] { return Picoseconds{3'000'000}; };
  for (const std::uint32_t wg : {0U, 2U, 4U, 5U}) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(10 + 20 * wg)});
  }
  b.run(300);
  EXPECT_EQ(b.read(r::row(9)), r::kRowWaits | r::kRowSpoiled);
  expectError(b, RowStray, 1, 9);
  b.run();
  EXPECT_THAT(rows(b.releases), ElementsAre(7U, 8U, 9U));
  EXPECT_EQ(b.read(r::row(9)), r::kRowSpoiled);
  b.write(r::row(9), 3);
  EXPECT_EQ(b.read(r::row(9)), 3U);
}

TEST_P(SoftwareTest, ARowBeyondTheLastOneIsReported) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 5, .firstSlot = 20, .firstRow = 254}, 64);
  b.write(r::row(254), 1);
  b.write(r::row(255), 1);
  update(b, 1, 64);
  expectNoError(b);
  update(b, 2, 64);
  expectError(b, RowOutside, 1, 22);
  EXPECT_THAT(rows(b.releases), ElementsAre(255U));
  EXPECT_EQ(b.commands.size(), 2U);
}

// ---- arming -----------------------------------------------------------------------------------

TEST_P(SoftwareTest, ASlotThatCountsOrWaitsIsNotArmedUnlessItsRegionIsStopped) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 64);
  b.dmaBusy = [] { return Picoseconds{3'000'000}; };
  for (std::uint32_t wg = 0; wg < 3; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(10 + 20 * wg)});
  }
  b.run(200);
  EXPECT_TRUE(b.tryWrite(r::slot(0), 64)) << "taken";
  EXPECT_TRUE(b.tryWrite(r::slot(1), 64)) << "shown";
  EXPECT_FALSE(b.tryWrite(r::slot(2), 64)) << "waits";
  expectError(b, ArmedEarly, 1, 2);
  EXPECT_FALSE(b.tryWrite(r::slot(5), 0)) << "counts";
  EXPECT_EQ(b.read(r::errorCount(ArmedEarly)), 2U);
  EXPECT_EQ(b.read(r::slot(2)), r::kSlotWaits);
  EXPECT_EQ(b.read(r::slot(5)), 64U);
  EXPECT_TRUE(b.tryWrite(r::slot(10), 64)) << "idle, of no region";
  EXPECT_FALSE(b.tryWrite(r::slot(10), 1)) << "counts, of no region";
  b.setState(0, TrackerBench::kStopped);
  EXPECT_TRUE(b.tryWrite(r::slot(5), 100));
  EXPECT_TRUE(b.tryWrite(r::slot(2), 0));
  EXPECT_EQ(b.read(r::slot(5)), 100U);
  EXPECT_EQ(b.read(r::slot(2)), 0U);
  EXPECT_FALSE(b.tryWrite(r::slot(10), 1)) << "the stopped region does not cover it";
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U, 1U));
}

TEST_P(SoftwareTest, ARowThatCountsOrWaitsIsNotArmed) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9, .firstRow = 100}, 64);
  b.releaseBusy = [] { return Picoseconds{3'000'000}; };
  for (std::uint32_t row = 100; row < 104; ++row) b.write(r::row(row), row == 103 ? 2 : 1);
  for (std::uint32_t wg = 0; wg < 4; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(10 + 20 * wg)});
  }
  b.run(300);
  EXPECT_TRUE(b.tryWrite(r::row(100), 1));
  EXPECT_TRUE(b.tryWrite(r::row(101), 1));
  EXPECT_FALSE(b.tryWrite(r::row(102), 1)) << "waits";
  expectError(b, RowArmedEarly, 1, 102);
  EXPECT_FALSE(b.tryWrite(r::row(103), 1)) << "counts";
  EXPECT_EQ(b.read(r::row(103)), 1U);
  EXPECT_EQ(b.read(r::errorCount(RowArmedEarly)), 2U);
  b.program(1, {.firstWorkgroup = 10, .lastWorkgroup = 19, .firstSlot = 10});
  b.setState(1, TrackerBench::kStopped);
  EXPECT_FALSE(b.tryWrite(r::row(102), 1)) << "this one counts no rows";
  b.setState(0, TrackerBench::kStopped);
  EXPECT_TRUE(b.tryWrite(r::row(102), 0)) << "a region that counts rows is stopped";
  EXPECT_TRUE(b.tryWrite(r::row(103), 5));
  EXPECT_EQ(b.read(r::row(103)), 5U);
  b.run();
  EXPECT_THAT(rows(b.releases), ElementsAre(100U, 101U));
}

TEST_P(SoftwareTest, FillArmsTheSlotsOfItsRegionAndNoOther) {
  TrackerBench& b = bench();
  b.program(3, {.lastWorkgroup = 100, .firstSlot = 1003});
  b.write(r::slot(1002), 5);
  b.write(r::slot(1104), 6);
  b.fill(3, 777);
  EXPECT_EQ(b.read(r::slot(1002)), 5U);
  for (const std::uint32_t slot : {1003U, 1004U, 1050U, 1102U, 1103U}) {
    EXPECT_EQ(b.read(r::slot(slot)), 777U);
  }
  EXPECT_EQ(b.read(r::slot(1104)), 6U);
  expectNoError(b);
}

TEST_P(SoftwareTest, FillOfARegionThatIsOffSparesWhatCountsAndReportsIt) {
  TrackerBench& b = bench();
  b.program(3, {.lastWorkgroup = 15, .firstSlot = 32});
  b.write(r::slot(40), 5);
  b.write(r::slot(45), 6);
  b.fill(3, 777);
  EXPECT_EQ(b.read(r::slot(40)), 5U);
  EXPECT_EQ(b.read(r::slot(45)), 6U);
  EXPECT_EQ(b.read(r::slot(41)), 777U);
  EXPECT_EQ(b.read(r::kErrors), 1U << ArmedEarly);
  EXPECT_EQ(b.read(r::errorCount(ArmedEarly)), 2U);
  b.setState(3, TrackerBench::kStopped);
  b.fill(3, 9);
  EXPECT_EQ(b.read(r::slot(40)), 9U) << "a stopped region is filled whatever its slots do";
  EXPECT_EQ(b.read(r::slot(47)), 9U);
}

TEST_P(SoftwareTest, AFillIsOverInTimeAndRefusesOtherArmingMeanwhile) {
  TrackerBench& b = bench();
  b.program(0, {.lastWorkgroup = 4095});
  b.write(r::kFill, 64);
  EXPECT_EQ(b.read(r::kStatus) & (r::kStatusFilling | r::kStatusBusy),
            r::kStatusFilling | r::kStatusBusy);
  EXPECT_FALSE(b.tryWrite(r::slot(4095), 1));
  EXPECT_FALSE(b.tryWrite(r::row(0), 1));
  EXPECT_FALSE(b.tryWrite(r::kFill, 1));
  expectError(b, InUse, 3, r::slot(4095));
  const sc_core::sc_time before = b.registerTime();
  while ((b.read(r::kStatus) & r::kStatusFilling) != 0) {
  }
  // 4,096 slots, one word of each of 8 banks every other cycle.
  EXPECT_LE(b.registerTime() - before, fromPicoseconds(1100 * b.period()));
  EXPECT_EQ(b.read(r::slot(4095)), 64U);
  EXPECT_TRUE(b.tryWrite(r::row(0), 1));
}

TEST_P(SoftwareTest, UpdatesAreCountedDuringAFillOfAnotherRegion) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 7}, 64 * 128);
  b.program(1, {.lastWorkgroup = 4000, .firstSlot = 50});
  b.write(r::kFill, 1U << r::kFillRegionShift | 99);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    b.report({.lane = lane, .workgroup = lane, .address = kBase, .bytes = 64 * 128});
  }
  b.run();
  EXPECT_EQ(b.commands.size(), 8U);
  EXPECT_EQ(b.read(r::slot(50)), 99U);
  EXPECT_EQ(b.read(r::slot(4050)), 99U);
  expectNoError(b);
}

// ---- refused under traffic --------------------------------------------------------------------

TEST_P(SoftwareTest, SettingsOfARegionThatIsNotOffAreRefused) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 64);
  std::uint32_t refused = 0;
  for (const std::uint32_t state : {TrackerBench::kOn, TrackerBench::kStopped}) {
    b.setState(0, state);
    for (const std::uint32_t offset :
         {r::kRegCtrl, r::kRegWgFirst, r::kRegWgLast, r::kRegSlotFirst, r::kRegSlotLast,
          r::kRegRowFirst, r::kRegRowPhase, r::kRegRowReciprocal}) {
      const std::uint32_t before = b.read(r::region(0) + offset);
      EXPECT_FALSE(b.tryWrite(r::region(0) + offset, 3)) << offset;
      EXPECT_EQ(b.read(r::region(0) + offset), before);
      ++refused;
    }
    for (const std::uint32_t offset :
         {r::kWindowPageFirst, r::kWindowPageLast, r::kWindowPageHigh}) {
      EXPECT_FALSE(b.tryWrite(r::window(0) + offset, 3)) << offset;
      ++refused;
    }
    EXPECT_TRUE(b.tryWrite(r::region(0) + r::kRegTarget, 3));
    EXPECT_TRUE(b.tryWrite(r::region(0) + r::kRegDone, 3));
    EXPECT_TRUE(b.tryWrite(r::window(1) + r::kWindowPageFirst, 3));
    EXPECT_TRUE(b.tryWrite(r::region(1) + r::kRegWgLast, 3));
  }
  expectError(b, InUse, refused, r::region(0) + r::kRegCtrl);
  b.setState(0, TrackerBench::kOn);
  EXPECT_FALSE(b.tryWrite(r::kFill, 64)) << "of a region that is on";
  EXPECT_EQ(b.read(r::errorCount(InUse)), refused + 1);
  b.setState(0, TrackerBench::kOff);
  EXPECT_TRUE(b.tryWrite(r::region(0) + r::kRegWgLast, 3));
  EXPECT_TRUE(b.tryWrite(r::window(0) + r::kWindowPageHigh, 3));
}

/// Slots are done faster than they are counted; then their region is turned off, a little later for
/// each region. What is still inside counts for the row that its settings said.
TEST_P(SoftwareTest, SettingsAreRefusedWhileCompletionsOfTheRegionAreInside) {
  constexpr std::uint32_t kRegions = 8, kSlots = 64, kRow = 1000;
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xf'ffff);
  for (std::uint32_t i = 0; i < kRegions; ++i) {
    b.program(i, {.firstWorkgroup = i * kSlots,
                  .lastWorkgroup = (i + 1) * kSlots - 1,
                  .firstSlot = i * kSlots,
                  .trigger = false,
                  .firstRow = i,
                  .blocksPerRow = kSlots});
    b.setState(i, TrackerBench::kStopped);
    b.fill(i, 4);
    b.write(r::row(i), kRow);
    b.write(r::row(100 + i), kRow);
    b.setState(i, TrackerBench::kOn);
  }
  b.enable();
  std::uint32_t refused = 0;
  for (std::uint32_t i = 0; i < kRegions; ++i) {
    const std::uint64_t before = b.read64(r::kCompleted);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot)
      b.report({.lane = slot % 8, .workgroup = i * kSlots + slot, .address = kBase, .bytes = 4});
    b.run(2 + 4 * i);
    b.setState(i, TrackerBench::kOff);
    const bool taken = b.tryWrite(r::region(i) + r::kRegRowFirst, 100 + i);
    b.run();
    EXPECT_EQ(b.read(r::row(i)), kRow - (b.read64(r::kCompleted) - before));
    EXPECT_EQ(b.read(r::row(100 + i)), kRow);
    if (!taken) {
      ++refused;
      b.write(r::region(i) + r::kRegRowFirst, 100 + i);
    }
    EXPECT_EQ(b.read(r::region(i) + r::kRegRowFirst), 100 + i);
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(b.read(r::kErrors), r::kErrorsInUse);
  EXPECT_EQ(b.read(r::errorCount(InUse)), refused);
}

/// DONE counts what is still inside when it is written.
TEST_P(SoftwareTest, DoneCountsWhatIsInsideWhenItIsWritten) {
  constexpr std::uint32_t kSlots = 64;
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xf'ffff);
  b.program(0,
            {.lastWorkgroup = kSlots - 1, .trigger = false, .firstRow = 0, .blocksPerRow = kSlots});
  for (std::uint32_t wait = 20; wait < 50; wait += 3) {
    b.enable();
    b.setState(0, TrackerBench::kStopped);
    b.fill(0, 4);
    b.setState(0, TrackerBench::kOn);
    b.write(r::row(0), kSlots);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot)
      b.report({.lane = slot % 8, .workgroup = slot, .address = kBase, .bytes = 4});
    // A row that is read keeps completions of the RTL waiting, and none of the twin.
    b.run(wait);
    for (int i = 0; i < 3; ++i) b.read(r::row(0));
    b.write(r::region(0) + r::kRegDone, 0);
    b.run();
    EXPECT_EQ(b.read64(r::kCompleted), kSlots);
    EXPECT_GT(b.read(r::region(0) + r::kRegDone), 0U);
    EXPECT_LT(b.read(r::region(0) + r::kRegDone), kSlots);
    expectNoError(b);
    b.tracker().compare();
    b.clear();
  }
}

/// Also where a window or region that is in use has no register; of one that does not exist it is
/// only wrong.
TEST_P(SoftwareTest, WritesBetweenSettingsInUseAreRefusedAndReported) {
  TrackerBench& b = bench();
  b.program(5, {.lastWorkgroup = 9, .window = 2});
  const std::vector<std::uint32_t> between = {r::window(2) + 0xc, r::region(5) + 0x2c,
                                              r::region(5) + 0x3c};
  for (const std::uint32_t address : between) EXPECT_FALSE(b.tryWrite(address, 1));
  expectNoError(b);
  std::uint32_t refused = 0;
  for (const std::uint32_t state : {TrackerBench::kOn, TrackerBench::kStopped}) {
    b.setState(5, state);
    for (const std::uint32_t address : between) {
      EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
      EXPECT_FALSE(b.tryRead(address));
      expectError(b, InUse, ++refused, between[0]);
    }
    for (const std::uint32_t address :
         {r::window(3) + 0xc, r::window(4), r::region(4) + 0x2c, r::region(8), r::region(8) + 4}) {
      EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
    }
    expectError(b, InUse, refused, between[0]);
  }
}

TEST_P(SoftwareTest, AFillOfARegionThatDoesNotExistIsRefusedAndFillsNothing) {
  TrackerBench& b = bench();
  for (std::uint32_t region = 8; region < 16; ++region) {
    EXPECT_FALSE(b.tryWrite(r::kFill, region << r::kFillRegionShift | 64)) << region;
    EXPECT_EQ(b.read(r::kStatus), 0U);
  }
  EXPECT_EQ(b.read(r::slot(0)), 0U);
  expectNoError(b);
}

TEST_P(SoftwareTest, OneRegionIsAbortedWhileAnotherRuns) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 7}, 2 * 128);
  b.program(1, {.firstWorkgroup = 8, .lastWorkgroup = 15, .firstSlot = 8});
  b.setState(1, TrackerBench::kStopped);
  b.fill(1, 2 * 128);
  b.setState(1, TrackerBench::kOn);
  const auto all = [&b] {
    for (std::uint32_t wg = 0; wg < 16; ++wg) {
      b.report({.lane = wg % 8, .workgroup = wg, .address = kBase, .bytes = 128});
    }
  };
  all();
  b.run();
  b.setState(1, TrackerBench::kStopped);
  b.fill(1, 0);
  all();
  b.run();
  EXPECT_EQ(b.commands.size(), 8U);
  for (const auto& said : b.commands) EXPECT_LT(said.message.command.value, 8U);
  EXPECT_EQ(b.read64(r::kDropped), 8U);
  expectNoError(b);
  // And it may be used again.
  b.fill(1, 128);
  b.setState(1, TrackerBench::kOn);
  b.setState(0, TrackerBench::kStopped);
  all();
  b.run();
  EXPECT_EQ(b.commands.size(), 16U);
}

// ---- clear ------------------------------------------------------------------------------------

TEST_P(SoftwareTest, ClearForgetsSlotsAndCountersButNotTheProgram) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9, .target = 1, .firstRow = 0}, 100);
  b.write(r::row(2), 1);
  b.write(r::row(3), 2);
  update(b, 2, 100);
  update(b, 3, 60);
  update(b, 4, 101);
  EXPECT_EQ(b.read(r::kRegionDone), 1U);
  b.clear();
  EXPECT_EQ(b.read(r::kCtrl), 0U);
  EXPECT_EQ(b.read(r::kStatus), 0U);
  EXPECT_EQ(b.read(r::kIrqStatus), 0U);
  EXPECT_EQ(b.read(r::kRegionDone), 0U);
  EXPECT_EQ(b.read(r::kErrors), 0U);
  EXPECT_EQ(b.read(r::kErrorFirst), 0U);
  EXPECT_EQ(b.read(r::errorCount(Overrun)), 0U);
  EXPECT_EQ(b.read(r::region(0) + r::kRegDone), 0U);
  for (const std::uint32_t slot : {2U, 3U, 4U, 5U}) EXPECT_EQ(b.read(r::slot(slot)), 0U);
  EXPECT_EQ(b.read(r::row(3)), 0U);
  for (std::uint32_t counter = r::kUpdates; counter <= r::kCorrected; counter += 8) {
    EXPECT_EQ(b.read64(counter), 0U) << std::hex << counter;
  }
  EXPECT_EQ(b.read(r::region(0) + r::kRegWgLast), 9U);
  EXPECT_EQ(b.read(r::region(0) + r::kRegState), 1U);
  b.write(r::slot(3), 40);
  b.write(r::row(3), 1);
  b.enable();
  update(b, 3, 40);
  EXPECT_EQ(b.commands.size(), 2U);
  EXPECT_EQ(b.releases.size(), 2U);
}

TEST_P(SoftwareTest, ClearForgetsWhatWaitsButNotWhatStandsAtThePorts) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9, .firstRow = 0}, 100);
  for (std::uint32_t row = 0; row < 10; ++row) b.write(r::row(row), 1);
  b.dmaBusy = b.releaseBusy = [] { return Picoseconds{3'000'000}; };
  for (std::uint32_t wg = 0; wg < 5; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 100, .when = b.in(10 + 20 * wg)});
  }
  b.run(300);
  b.clear();
  EXPECT_EQ(b.read(r::slot(3)), 0U);
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(0U, 1U));
  EXPECT_THAT(rows(b.releases), ElementsAre(0U, 1U));
}

TEST_P(SoftwareTest, UpdatesWaitAtTheLanesWhileTheUnitIsCleared) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 100);
  b.write(r::kCtrl, r::kCtrlClear | r::kCtrlEnable);
  EXPECT_EQ(b.read(r::kCtrl), r::kCtrlClear | r::kCtrlEnable);
  EXPECT_FALSE(b.tryWrite(r::slot(1), 5)) << "in use";
  b.report({.workgroup = 1, .address = kBase, .bytes = 10});
  b.run();
  EXPECT_EQ(b.read(r::kCtrl), r::kCtrlEnable);
  EXPECT_EQ(b.read64(r::kUpdates), 1U);
  EXPECT_EQ(b.read(r::errorCount(Stray)), 1U) << "for a slot that was made idle";
}

// ---- interrupts and errors --------------------------------------------------------------------

TEST_P(SoftwareTest, TheHandlerIsCalledOncePerRisingEdge) {
  TrackerBench& b = bench();
  b.write(r::kIrqEnable, r::kIrqStatusRegionDone | r::kIrqStatusError);
  std::vector<std::uint32_t> done;
  b.onInterrupt = [&] {
    b.write(r::kIrqStatus, r::kIrqStatusRegionDone);
    done.push_back(b.read(r::kRegionDone));
    b.write(r::kRegionDone, done.back());
  };
  start(b, {.lastWorkgroup = 9, .target = 2}, 64);
  b.program(1, {.firstWorkgroup = 10, .lastWorkgroup = 19, .firstSlot = 10, .target = 1});
  b.setState(1, TrackerBench::kStopped);
  b.fill(1, 64);
  b.setState(1, TrackerBench::kOn);
  std::uint32_t at = 100;
  for (const std::uint32_t wg : {0U, 10U, 1U, 2U}) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(at += 100)});
  }
  b.run();
  EXPECT_THAT(done, ElementsAre(2U, 1U));
  ASSERT_EQ(b.interrupts.size(), 2U);
  EXPECT_LE(b.interrupts[0], b.commands[1].time + 4 * b.period());
  EXPECT_FALSE(b.tracker().interrupt());
}

TEST_P(SoftwareTest, WhatRisesWhileTheHandlerLooksIsNotLost) {
  TrackerBench& b = bench();
  b.write(r::kIrqEnable, r::kIrqStatusRegionDone | r::kIrqStatusError);
  int calls = 0;
  b.onInterrupt = [&] {
    b.write(r::kIrqStatus, 3);
    if (++calls == 1) b.write(r::kIrqTest, r::kIrqStatusError);
  };
  b.write(r::kIrqTest, r::kIrqStatusRegionDone);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusRegionDone);
  EXPECT_EQ(b.read(r::kIrqTest), 0U);
  b.run();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(b.read(r::kIrqStatus), 0U);
}

TEST_P(SoftwareTest, AnInterruptThatIsNotEnabledStaysInItsRegister) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9, .target = 1}, 64);
  update(b, 0, 64);
  update(b, 1, 65);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusRegionDone | r::kIrqStatusError);
  EXPECT_FALSE(b.tracker().interrupt());
  EXPECT_THAT(b.interrupts, IsEmpty());
  b.write(r::kIrqEnable, r::kIrqStatusError);
  EXPECT_TRUE(b.tracker().interrupt());
  b.run();
  EXPECT_EQ(b.interrupts.size(), 1U);
  b.write(r::kIrqStatus, r::kIrqStatusError);
  EXPECT_EQ(b.read(r::kIrqStatus), r::kIrqStatusRegionDone);
  EXPECT_FALSE(b.tracker().interrupt());
}

TEST_P(SoftwareTest, TheFirstErrorIsKeptUntilSoftwareMakesRoom) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 64);
  update(b, 5, 65);
  update(b, 6, 64);
  update(b, 6, 1);
  EXPECT_EQ(b.read(r::kErrors), 1U << Overrun | 1U << Stray);
  EXPECT_EQ(b.read(r::kErrorFirst), r::kErrorFirstValid | Overrun);
  EXPECT_EQ(b.read(r::kErrorInfo), 5U);
  b.write(r::kErrors, 1U << Overrun);
  EXPECT_EQ(b.read(r::kErrors), 1U << Stray);
  forgetErrors(b);
  EXPECT_EQ(b.read(r::errorCount(Overrun)), 1U) << "counts stay";
  update(b, 6, 1);
  EXPECT_EQ(b.read(r::kErrorFirst), r::kErrorFirstValid | Stray);
  EXPECT_EQ(b.read(r::kErrorInfo), 6U);
  EXPECT_EQ(b.read(r::errorCount(Stray)), 2U);
}

TEST_P(SoftwareTest, ErrorCountsStayAt255) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 0);
  for (std::uint32_t i = 0; i < 300; ++i) {
    b.report({.workgroup = i % 10, .address = kBase, .bytes = 1, .when = b.in(10 + 4 * i)});
  }
  b.run();
  EXPECT_EQ(b.read(r::errorCount(Stray)), 255U);
}

TEST(ErrorNames, NamesEveryCauseInTheOrderOfTheBits) {
  EXPECT_EQ(errorNames((1U << kCauses) - 1),
            "overrun, stray, weight, outside, row stray, row outside, armed early, row armed "
            "early, in use, locked, damaged");
  EXPECT_EQ(errorNames(0), "");
}

// ---- lock -------------------------------------------------------------------------------------

TEST_P(SoftwareTest, LockRefusesTheProgramUntilItIsTakenBack) {
  TrackerBench& b = bench();
  start(b, {.lastWorkgroup = 9}, 64);
  b.write(r::kLock, r::kLockLocked);
  const std::vector<std::uint32_t> locked = {
      r::kCtrl, r::kFill, r::window(3) + r::kWindowPageFirst, r::region(0) + r::kRegState,
      r::region(7) + r::kRegTarget, r::slot(4000), r::row(5),
      // where there is no register, too
      r::window(3) + 0xc, r::window(4), r::region(7) + 0x2c, r::region(8), 0x1000, r::row(256),
      r::slot(4096), 0xfffc};
  for (const std::uint32_t address : locked) {
    EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
  }
  expectError(b, Locked, static_cast<std::uint32_t>(locked.size()), r::kCtrl);
  for (const std::uint32_t address : {r::kId, r::kStatus, 0x0034U, 0x00fcU, r::slot(3) + 1}) {
    EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
  }
  EXPECT_EQ(b.read(r::errorCount(Locked)), locked.size()) << "those are only wrong";
  forgetErrors(b);
  EXPECT_TRUE(b.tryWrite(r::kIrqEnable, 0));
  EXPECT_TRUE(b.tryWrite(r::kRegionDone, 1));
  update(b, 3, 64);
  EXPECT_EQ(b.commands.size(), 1U) << "it goes on counting";
  EXPECT_TRUE(b.tryWrite(r::kLock, 0, 0xf, /*privileged=*/false));
  EXPECT_TRUE(b.tryWrite(r::slot(4000), 1));
  EXPECT_EQ(b.read(r::kLock), 0U);
}

TEST_P(SoftwareTest, APrivilegedLockIsTakenBackByAPrivilegedWriteAlone) {
  TrackerBench& b = bench();
  b.write(r::kLock, r::kLockLocked | r::kLockPrivileged);
  EXPECT_FALSE(b.tryWrite(r::kLock, 0, 0xf, /*privileged=*/false));
  expectError(b, Locked, 1, r::kLock);
  EXPECT_EQ(b.read(r::kLock), r::kLockLocked | r::kLockPrivileged);
  EXPECT_FALSE(b.tryWrite(r::row(1), 1));
  EXPECT_TRUE(b.tryWrite(r::kLock, 0));
  EXPECT_TRUE(b.tryWrite(r::row(1), 1));
}

// ---- the map ----------------------------------------------------------------------------------

TEST_P(SoftwareTest, TellsWhatItIs) {
  TrackerBench& b = bench();
  EXPECT_EQ(b.read(r::kId), 0x54335454U);
  EXPECT_EQ(b.read(r::kVersion), 0x00020001U);
  EXPECT_EQ(b.read(r::kConfig0), 8U | 8U << 8 | 8U << 16 | 4U << 24);
  EXPECT_EQ(b.read(r::kConfig1), 4096U | 256U << 16);
  EXPECT_EQ(b.read(r::kConfig2), 23U | 8U << 8 | 3U << 16);
  EXPECT_EQ(b.read(r::kConfig3), 16U | 48U << 8);
  EXPECT_EQ(b.read(r::kStatus), 0U);
}

TEST_P(SoftwareTest, ConfigurationReadsBackAsWritten) {
  TrackerBench& b = bench();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values;
  for (std::uint32_t w = 0; w < 4; ++w) {
    values.insert(values.end(), {{r::window(w) + r::kWindowPageFirst, 0x89abcdef + w},
                                 {r::window(w) + r::kWindowPageLast, 0xfedcba98 + w},
                                 {r::window(w) + r::kWindowPageHigh, 0x000a'0005 + w}});
  }
  for (std::uint32_t region = 0; region < 8; ++region) {
    const std::uint32_t base = r::region(region);
    values.insert(values.end(), {{base + r::kRegCtrl, 0x3f3U - (region << 4)},
                                 {base + r::kRegWgFirst, 0x1000 + region},
                                 {base + r::kRegWgLast, 0xfff0 + region},
                                 {base + r::kRegSlotFirst, 0x800 + region},
                                 {base + r::kRegSlotLast, 0xff0 + region},
                                 {base + r::kRegRowFirst, 0xf0 + region},
                                 {base + r::kRegRowPhase, 0xa00 + region},
                                 {base + r::kRegRowReciprocal, 0x4000000 - region},
                                 {base + r::kRegTarget, 0xfff0 + region}});
  }
  for (const std::uint32_t slot : {0U, 1U, 77U, 2048U, 4095U}) {
    values.emplace_back(r::slot(slot), 0x10101 + slot);
  }
  values.emplace_back(r::slot(9), 1U << 22);
  for (const std::uint32_t row : {0U, 1U, 200U, 255U}) {
    values.emplace_back(r::row(row), 0x3f00 + row);
  }
  values.emplace_back(r::kIrqEnable, 3);
  for (std::uint32_t region = 0; region < 8; ++region) {
    values.emplace_back(r::region(region) + r::kRegState, region % 4);
  }
  for (const auto& [address, value] : values) b.write(address, value);
  for (const auto& [address, value] : values) {
    EXPECT_EQ(b.read(address), value) << "register 0x" << std::hex << address;
  }
}

/// Of the twin alone: the RTL of these tests has four windows.
class SizeOfTheTwin : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SizeOfTheTwin, ARegionWhoseWindowDoesNotExistMatchesNothing) {
  TrackerConfig config;
  const std::uint32_t windows = config.windows = GetParam();
  TrackerBench b("bench", config, [](const TrackerConfig& c) {
    return makeTracker("tracker", TrackerKind::Model, c);
  });
  for (std::uint32_t w = 0; w < windows; ++w) b.setWindow(w, 0, kBase);
  EXPECT_FALSE(b.tryWrite(r::window(windows) + r::kWindowPageLast, 0xffffffff));
  EXPECT_FALSE(b.tryRead(r::window(windows)));
  for (const std::uint32_t region : {0U, 1U}) {
    b.program(region, {.lastWorkgroup = 9,
                       .window = region == 0 ? windows : windows - 1,
                       .firstSlot = 10 * region});
    b.setState(region, TrackerBench::kStopped);
    b.fill(region, 64);
    b.setState(region, TrackerBench::kOn);
  }
  EXPECT_EQ(b.read(r::region(0) + r::kRegCtrl) >> r::kRegCtrlWindowShift, windows);
  b.enable();
  const std::uint64_t addresses[] = {0, 0x1000, kBase};
  for (std::uint32_t wg = 0; wg < 3; ++wg) {
    b.report({.workgroup = wg, .address = addresses[wg], .bytes = 64});
    b.run();
  }
  EXPECT_THAT(ids(b.commands), ElementsAre(10U, 11U, 12U));
  EXPECT_EQ(b.read64(r::kUntracked), 0U);
}

INSTANTIATE_TEST_SUITE_P(, SizeOfTheTwin, testing::Values(1U, 3U));

/// As in the RTL of that size (Registers, `kRowlessUnit`).
TEST(TwinWithoutRows, HasNoRowSlotsAndNoSettingsOfRows) {
  TrackerConfig config;
  config.rows = 0;
  TrackerBench b("bench", config, [](const TrackerConfig& c) {
    return makeTracker("tracker", TrackerKind::Model, c);
  });
  EXPECT_EQ(b.read(r::kConfig1), 4096U);
  EXPECT_FALSE(b.tryRead(r::row(0)));
  EXPECT_FALSE(b.tryWrite(r::row(0), 0));
  const std::uint32_t base = r::region(0);
  EXPECT_FALSE(b.tryWrite(base + r::kRegCtrl, r::kRegCtrlRows));
  for (const std::uint32_t offset : {r::kRegRowFirst, r::kRegRowPhase, r::kRegRowReciprocal}) {
    EXPECT_FALSE(b.tryWrite(base + offset, 1));
    EXPECT_TRUE(b.tryWrite(base + offset, 0));
    EXPECT_EQ(b.read(base + offset), 0U);
  }
  b.setWindow(0, 0, kBase);
  b.program(0, {.lastWorkgroup = 1});
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 64);
  b.setState(0, TrackerBench::kOn);
  b.write(r::kCtrl, r::kCtrlEnable | r::kCtrlLook);
  b.report({.workgroup = 1, .address = kBase, .bytes = 64});
  b.run();
  EXPECT_THAT(ids(b.commands), ElementsAre(1U));
  EXPECT_EQ(b.read(r::kErrors), 0U);
}

TEST_P(SoftwareTest, RefusesWhatTheMapDoesNotHave) {
  TrackerBench& b = bench();
  for (const std::uint32_t address :
       {0x0038U, 0x00acU, 0x00ecU, 0x010cU, 0x0140U, 0x0400U, 0x082cU, 0x0a00U, 0x1000U, 0x3ffcU,
        r::row(256), 0x7ffcU, r::slot(4096), 0xfffcU}) {
    EXPECT_FALSE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 0)) << std::hex << address;
  }
  for (const std::uint32_t address : {0x0001U, 0x0012U, 0x0103U, 0x8002U}) {
    EXPECT_FALSE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 0)) << std::hex << address;
  }
  for (const std::uint32_t address :
       {r::kId, r::kVersion, r::kConfig0, r::kConfig1, r::kConfig2, r::kStatus, r::kUpdates,
        r::kUpdates + 4, r::kDropped, r::kTaken, r::kReleased + 4, r::kStalls, r::kCorrected,
        r::kCorrected + 4, r::kErrorInfo, r::errorCount(0), r::errorCount(10)}) {
    EXPECT_TRUE(b.tryRead(address)) << std::hex << address;
    EXPECT_FALSE(b.tryWrite(address, 1)) << std::hex << address;
  }
  expectNoError(b);
}

TEST_P(SoftwareTest, AWriteWithoutAllStrobesChangesNothing) {
  TrackerBench& b = bench();
  const std::uint32_t address = r::region(2) + r::kRegWgLast;
  b.write(address, 0x1234);
  for (std::uint8_t strobes = 0; strobes < 0xf; ++strobes) {
    EXPECT_FALSE(b.tryWrite(address, 0x5678, strobes)) << int{strobes};
  }
  EXPECT_EQ(b.read(address), 0x1234U);
  b.nameAllBytes(true);
  b.write(address, 0x5678);
  EXPECT_EQ(b.read(address), 0x5678U) << "all strobes, byte by byte";
}

TEST_P(SoftwareTest, RegisterAccessesCostTime) {
  TrackerBench& b = bench();
  b.read(r::kId);
  const sc_core::sc_time one = b.registerTime();
  EXPECT_GE(one, fromPicoseconds(2 * b.period()));
  EXPECT_LE(one, fromPicoseconds(16 * b.period()));
  b.write(r::kIrqEnable, 0);
  EXPECT_GT(b.registerTime(), one);
}

TEST_P(SoftwareTest, DebugReadsCostNoTime) {
  TrackerBench& b = bench();
  std::uint32_t value = 0;
  Payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(r::kId);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  EXPECT_EQ(b.debug(payload), 4U);
  EXPECT_EQ(value, 0x54335454U);
  EXPECT_EQ(b.registerTime(), sc_core::SC_ZERO_TIME);
  payload.set_address(0xfffc);
  EXPECT_EQ(b.debug(payload), 0U);
}

INSTANTIATE_TEST_SUITE_P(, SoftwareTest, kAllKinds, kindNameOf);

}  // namespace
}  // namespace t3::software_test
