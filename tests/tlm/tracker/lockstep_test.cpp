// SPDX-License-Identifier: Apache-2.0
// The lockstep pair must find differences, not only agree (that it agrees is shown by running every
// test of tracker_test.cpp and software_test.cpp on it). A fault is planted by keeping one update
// from the twin; the run must stop at the first thing that differs, with time, cycle, signal and
// both values.
#include "tlm/tracker/lockstep_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/registers.h"

namespace t3::lockstep_test {
namespace {

using namespace t3::test;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace r = registers;

constexpr std::uint64_t kBase = 0x1000'0000;

/// The twin sees the n-th piece as one of a workgroup that nobody tracks, and shows it other values
/// of some registers.
class Forgetful : public LockstepTracker {
 public:
  using LockstepTracker::LockstepTracker;
  std::uint64_t forget = 0;
  std::map<std::uint32_t, std::uint32_t> instead;  ///< by offset

 private:
  LanePiece seenByTwin(const LanePiece& piece) override {
    LanePiece seen = piece;
    if (++seen_ == forget) seen.workgroup = WorkgroupId{TrackerConfig::kWorkgroups - 1};
    return seen;
  }
  std::uint32_t shownToTwin(std::uint32_t offset, std::uint32_t value) override {
    const auto other = instead.find(offset);
    return other == instead.end() ? value : other->second;
  }

  std::uint64_t seen_ = 0;
};

class LockstepTest : public testing::Test {
 protected:
  TrackerBench& bench() {
    bench_ = std::make_unique<TrackerBench>("bench", TrackerConfig{}, [this](const auto& config) {
      auto made = std::make_unique<Forgetful>("tracker", config);
      tracker_ = made.get();
      return made;
    });
    return *bench_;
  }
  /// Updates of a slot that misses more, of which the twin does not see the third.
  TrackerBench& loseOneOfFive() {
    TrackerBench& b = bench();
    b.programAll(Tiling({128, 192, 2}, {64, 64, 8}, 1), kBase, 2);
    tracker_->forget = 3;
    for (std::uint32_t i = 0; i < 5; ++i) {
      b.report({.lane = i, .workgroup = 1, .address = kBase, .bytes = 100});
    }
    return b;
  }
  std::string difference() {
    try {
      bench_->run();
      tracker_->compare();
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), "t3/lockstep");
      return report.get_msg();
    }
    return "none";
  }

  std::unique_ptr<TrackerBench> bench_;
  Forgetful* tracker_ = nullptr;
};

TEST_F(LockstepTest, NoFaultNoDifference) {
  TrackerBench& b = bench();
  const Tiling tiling({128, 192, 2}, {64, 64, 8}, 1);
  b.programAll(tiling, kBase, 1);
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 2, wf);
  EXPECT_EQ(difference(), "none");
  EXPECT_EQ(b.commands.size(), 1U);
}

TEST_F(LockstepTest, ALostUpdateStopsTheRunAtTheCommandThatTheTwinDoesNotGive) {
  TrackerBench& b = bench();
  const Tiling tiling({128, 192, 2}, {64, 64, 8}, 1);
  b.programAll(tiling, kBase, 1);
  tracker_->forget = 20;
  for (std::uint32_t wg : {2U, 5U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      b.reportTile(tiling, kBase, wg, wf, b.in(wg == 2 ? 0 : 5000));
    }
  }
  EXPECT_THAT(difference(),
              AllOf(ContainsRegex("done_\\*: RTL slot 2; twin misses [0-9]+ bytes of it"),
                    HasSubstr("last update of slot 2 that the RTL took: "),
                    HasSubstr(" of workgroup 2, wavefront "),
                    ContainsRegex("[0-9.]+ [pnu]s, cycle [0-9]+ of bench.tracker")));
  EXPECT_LT(now(), 5'000'000U);  // at the first difference, not at the end
}

TEST_F(LockstepTest, ARowThatTheTwinDoesNotReleaseStopsTheRun) {
  TrackerBench& b = bench();
  const Tiling tiling({128, 192, 2}, {64, 64, 8}, 1);
  b.setWindow(0, kBase, kBase + tiling.outputBytes() - 1);
  b.programRegion(1, {.lastWorkgroup = 5, .trigger = false, .firstRow = 200, .blocksPerRow = 3},
                  tiling, 1);
  b.write(r::row(201), 1);
  b.enable();
  tracker_->forget = 1;
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  EXPECT_THAT(difference(), HasSubstr("rel_*: RTL row slot 201; twin misses 1 slots of it"));
}

TEST_F(LockstepTest, ALostUpdateOfASlotThatIsNeverDoneShowsInTheCounts) {
  loseOneOfFive();
  EXPECT_THAT(difference(), HasSubstr("UPDATES: RTL 5; twin 4"));
}

TEST_F(LockstepTest, CountsAreComparedBeforeAClearForgetsThem) {
  TrackerBench& b = loseOneOfFive();
  b.run();
  EXPECT_THROW(b.clear(), sc_core::sc_report);
}

/// The RTL is busy for some clocks after the write of a region's state, although nothing is inside.
TEST_F(LockstepTest, CountsAreComparedBeforeAClearThatFollowsAnotherWrite) {
  TrackerBench& b = loseOneOfFive();
  b.run();
  b.setState(0, TrackerBench::kStopped);
  EXPECT_THROW(b.clear(), sc_core::sc_report);
}

TEST_F(LockstepTest, ADifferenceIsFoundThroughAnOverflowingQueueAndABusyDmaEngine) {
  TrackerBench& b = bench();
  b.dmaBusy = [] { return Picoseconds{300'000}; };
  const Tiling tiling({2048, 2048, 2}, {64, 64, 8}, 1);  // 1,024 tiles of 8 KiB
  b.programAll(tiling, kBase, 1);
  tracker_->forget = 900;
  for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
    b.report({.lane = wg % 8, .workgroup = wg, .address = kBase, .bytes = 8192});
  }
  EXPECT_THAT(difference(),
              ContainsRegex("done_\\*: RTL slot [0-9]+; twin misses [0-9]+ bytes of it"));
}

TEST_F(LockstepTest, ASurplusIsNoDifferenceWhicheverSideCountsItWhere) {
  TrackerBench& b = bench();
  b.setWindow(0, kBase, kBase + 0xffff);
  b.program(0, {.lastWorkgroup = 7});
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 8 * 128);
  b.setState(0, TrackerBench::kOn);
  b.enable();
  // Nine times 128 bytes on eight lanes, joined or not: overrun or done and stray.
  for (std::uint32_t wg = 0; wg < 8; ++wg) {
    for (std::uint32_t i = 0; i < 9; ++i) {
      b.report({.lane = (wg + i) % 8,
                .workgroup = wg,
                .address = kBase,
                .bytes = 128,
                .when = b.in(100 + wg / 4)});
    }
  }
  EXPECT_EQ(difference(), "none");
  const TrackerStatistics statistics = tracker_->statistics();
  EXPECT_GT(statistics.overrun + statistics.stray, 0U);
}

TEST_F(LockstepTest, ARegionThatIsStoppedUnderTrafficIsNoDifference) {
  TrackerBench& b = bench();
  const Tiling tiling({512, 512, 2}, {64, 64, 8}, 1);
  b.programAll(tiling, kBase, 1);
  for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf, b.in(10 * wg));
  }
  b.run(300);
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 0);
  EXPECT_EQ(difference(), "none");
  EXPECT_LT(b.commands.size(), tiling.tiles());
  // From the next clear on all is compared again.
  b.clear();
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 8192);
  b.setState(0, TrackerBench::kOn);
  b.enable();
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  EXPECT_EQ(difference(), "none");
  b.report({.workgroup = 4, .address = kBase, .bytes = 100});
  tracker_->forget = 0;
  EXPECT_EQ(difference(), "none");
}

/// The twin's row does not wait, because nobody refuses it.
TEST_F(LockstepTest, ARowThatIsSpoiledWhileItWaitsIsNoDifference) {
  TrackerBench& b = bench();
  b.releaseBusy = [] { return Picoseconds{300'000}; };
  b.setWindow(0, kBase, kBase + 0xffff);
  b.program(0, {.lastWorkgroup = 7, .firstRow = 40, .blocksPerRow = 2});
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 64);
  for (std::uint32_t row = 40; row < 44; ++row) b.write(r::row(row), row == 43 ? 1 : 2);
  b.setState(0, TrackerBench::kOn);
  b.enable();
  for (std::uint32_t wg = 0; wg < 8; ++wg) {
    b.report({.workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(30 + 5 * wg)});
  }
  EXPECT_EQ(difference(), "none");
  EXPECT_EQ(b.releases.size(), 4U);
  EXPECT_EQ(b.read(r::row(43)), r::kRowSpoiled);
}

/// A row that is not armed is an error at each completion.
void completeForRow(TrackerBench& b, std::uint32_t wg) {
  b.report({.workgroup = wg, .address = kBase, .bytes = 64});
  b.run();
}
void startWithRows(TrackerBench& b) {
  b.setState(0, TrackerBench::kOff);
  b.setWindow(0, kBase, kBase + 0xffff);
  b.program(0, {.lastWorkgroup = 7, .target = 1, .firstRow = 40});
  b.setState(0, TrackerBench::kStopped);
  b.fill(0, 64);
  b.setState(0, TrackerBench::kOn);
  b.enable();
}

TEST_F(LockstepTest, AnErrorOfAnotherCauseIsADifference) {
  TrackerBench& b = bench();
  tracker_->instead[r::region(0) + r::kRegRowFirst] = 250;  // rows beyond the last one
  startWithRows(b);
  completeForRow(b, 5);
  completeForRow(b, 6);
  EXPECT_THAT(difference(), HasSubstr("ERROR_COUNT of row stray: RTL 2; twin 1"));
}

TEST_F(LockstepTest, TheOnlyErrorIsComparedWithWhatItIsOf) {
  TrackerBench& b = bench();
  tracker_->instead[r::region(0) + r::kRegRowFirst] = 41;
  startWithRows(b);
  completeForRow(b, 5);
  EXPECT_THAT(difference(), HasSubstr("ERROR_INFO: RTL 45 (0x2d); twin 46 (0x2e)"));
}

TEST_F(LockstepTest, OfTwoErrorsTheFirstMayBeAnother) {
  TrackerBench& b = bench();
  tracker_->instead[r::region(0) + r::kRegRowFirst] = 41;
  startWithRows(b);
  for (const std::uint32_t wg : {2U, 4U}) {
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 64});
  }
  EXPECT_EQ(difference(), "none");
}

TEST_F(LockstepTest, WhatSoftwareForgetsIsCompared) {
  TrackerBench& b = bench();
  startWithRows(b);
  std::uint32_t wg = 0;
  for (const auto& [offset, name] :
       {std::pair{r::kRegionDone, "REGION_DONE"}, std::pair{r::kErrors, "ERRORS"},
        std::pair{r::kErrorFirst, "ERROR_FIRST"}, std::pair{r::kIrqStatus, "IRQ_STATUS"}}) {
    completeForRow(b, wg++);
    EXPECT_EQ(difference(), "none");
    tracker_->instead[offset] = 0;  // the twin keeps it
    b.write(offset, 0xffffffff);
    EXPECT_THAT(difference(), HasSubstr(std::string(name) + ": RTL 0; twin "));
    // Software that looks notices it, too.
    EXPECT_THROW(b.read(offset), sc_core::sc_report) << name;
    tracker_->instead.clear();
    b.write(offset, 0xffffffff);
    EXPECT_EQ(difference(), "none");
  }
}

TEST_F(LockstepTest, AnInterruptThatOneSideAloneTestsIsADifference) {
  TrackerBench& b = bench();
  startWithRows(b);
  tracker_->instead[r::kIrqTest] = r::kIrqStatusRegionDone;
  b.write(r::kIrqTest, r::kIrqStatusError);
  EXPECT_THAT(difference(), HasSubstr("IRQ_STATUS: RTL 0; twin region done"));
}

/// What software forgets while one side may be behind may come back on it: no difference, until it
/// is forgotten once more.
TEST_F(LockstepTest, WhatIsForgottenUnderTrafficIsNoDifference) {
  TrackerBench& b = bench();
  startWithRows(b);
  for (std::uint32_t wg = 0; wg < 8; ++wg) {
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 64, .when = b.in(3 * wg)});
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    b.run(3);
    for (const std::uint32_t offset : {r::kErrors, r::kErrorFirst, r::kIrqStatus, r::kRegionDone})
      b.write(offset, 0xffffffff);
    b.write(r::slot(100 + i), 64);
    b.write(r::row(100 + i), 1);
  }
  EXPECT_EQ(difference(), "none");
  b.clear();
  tracker_->instead[r::kErrorFirst] = 0;
  startWithRows(b);
  completeForRow(b, 5);
  b.write(r::kErrorFirst, 0xffffffff);
  EXPECT_THAT(difference(), HasSubstr("ERROR_FIRST: RTL 0; twin "));
}

/// The same for certain: the twin keeps what the RTL forgets.
TEST_F(LockstepTest, WhatOneSideKeepsOfWhatIsForgottenUnderTrafficIsNoDifference) {
  TrackerBench& b = bench();
  startWithRows(b);
  std::uint32_t wg = 0;
  for (const std::uint32_t offset : {r::kRegionDone, r::kErrors, r::kErrorFirst, r::kIrqStatus}) {
    completeForRow(b, wg++);
    EXPECT_EQ(difference(), "none");
    b.report({.lane = wg, .workgroup = wg, .address = kBase, .bytes = 64});
    ++wg;
    b.run(3);
    tracker_->instead[offset] = 0;
    b.write(offset, 0xffffffff);
    tracker_->instead.clear();
    EXPECT_EQ(difference(), "none") << std::hex << offset;
    b.write(offset, 0xffffffff);
    EXPECT_EQ(difference(), "none") << std::hex << offset;
  }
}

}  // namespace
}  // namespace t3::lockstep_test
