// SPDX-License-Identifier: Apache-2.0
// The lockstep pair must find differences, not only agree (that it agrees is shown by running every
// test of tracker_test.cpp on it). A fault is planted by keeping one update from the twin; the run
// must stop at the first thing that differs, with time, cycle, signal and both values.
#include "tlm/tracker/lockstep_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/registers.h"

namespace {

using namespace t3;
using namespace t3::test;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

namespace r = registers;

constexpr std::uint64_t kBase = 0x1000'0000;

/// Keeps the n-th piece from the twin.
class Forgetful : public LockstepTracker {
 public:
  using LockstepTracker::LockstepTracker;
  std::uint64_t forget = 0;

 private:
  bool showTwin(std::uint32_t, const LanePiece&) override { return ++seen_ != forget; }

  std::uint64_t seen_ = 0;
};

class LockstepTest : public testing::Test {
 protected:
  TrackerBench& bench(const TrackerConfig& config = {}) {
    bench_ = std::make_unique<TrackerBench>("bench", config, [this](const TrackerConfig& c) {
      auto made = std::make_unique<Forgetful>("tracker", c);
      tracker_ = made.get();
      return made;
    });
    return *bench_;
  }
  std::string difference() {
    try {
      bench_->run();
      tracker_->statistics();
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
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 1);
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 2, wf);
  EXPECT_EQ(difference(), "none");
  EXPECT_EQ(b.commands.size(), 1U);
}

TEST_F(LockstepTest, ALostUpdateStopsTheRunAtTheCommandThatTheTwinDoesNotGive) {
  TrackerBench& b = bench();
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 1);
  tracker_->forget = 20;
  for (std::uint32_t wg : {2U, 5U}) {
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      b.reportTile(tiling, kBase, wg, wf, b.in(wg == 2 ? 0 : 5000));
    }
  }
  EXPECT_THAT(difference(),
              AllOf(HasSubstr("dma_*"), HasSubstr("RTL command 2 of region 0, workgroup 2"),
                    HasSubstr("twin nothing within 320 cycles"),
                    ContainsRegex("[0-9.]+ [pnu]s, cycle [0-9]+ of bench.tracker")));
  EXPECT_LT(now(), 5'000'000U);  // at the first difference, not at the end
}

TEST_F(LockstepTest, ALostUpdateOfANotifyingRegionIsNamedSo) {
  TrackerBench& b = bench();
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programGeometry(0, tiling);
  b.programRegion(2,
                  {.lastWorkgroup = 5,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 1,
                   .trigger = false,
                   .notify = true},
                  tiling);
  b.enable();
  tracker_->forget = 1;
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  EXPECT_THAT(difference(), AllOf(HasSubstr("ntf_*"), HasSubstr("RTL command 3 of region 2")));
}

TEST_F(LockstepTest, ARowThatTheTwinDoesNotReleaseStopsTheRun) {
  TrackerBench& b = bench();
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programGeometry(0, tiling);
  b.programRegion(1,
                  {.lastWorkgroup = 5,
                   .firstAddress = kBase,
                   .lastAddress = kBase + tiling.outputBytes() - 1,
                   .updates = 1,
                   .trigger = false,
                   .firstRow = 200},
                  tiling);
  b.write(r::row(201), 8);
  b.enable();
  tracker_->forget = 1;
  for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, 3, wf);
  EXPECT_THAT(difference(), AllOf(HasSubstr("rel_*: RTL row slot 201 at "),
                                  HasSubstr("twin nothing within 320 cycles")));
}

TEST_F(LockstepTest, ALostUpdateOfATileThatNeverCompletesShowsInTheCounts) {
  TrackerBench& b = bench();
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 2);
  tracker_->forget = 3;
  for (std::uint32_t i = 0; i < 5; ++i) {
    b.report({.lane = i, .workgroup = 1, .address = kBase, .bytes = 100});
  }
  EXPECT_THAT(difference(), HasSubstr("UPDATES: RTL 5; twin 4"));
}

TEST_F(LockstepTest, CountsAreComparedBeforeAClearForgetsThem) {
  TrackerBench& b = bench();
  const Tiling tiling(128, 192, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 2);
  tracker_->forget = 2;
  for (std::uint32_t i = 0; i < 5; ++i) {
    b.report({.lane = i, .workgroup = 100, .address = kBase, .bytes = 100});
  }
  b.run();
  EXPECT_THROW(b.clear(), sc_core::sc_report);
}

TEST_F(LockstepTest, ADifferenceIsFoundThroughFullSetsAndABusyDmaEngine) {
  TrackerConfig config;
  config.sets_per_bank = 2;
  config.ways = 1;
  TrackerBench& b = bench(config);
  b.dmaBusy = [] { return Picoseconds{300'000}; };
  const Tiling tiling(512, 512, 2, 64, 64, 8, 1);
  b.programAll(tiling, kBase, 2);
  tracker_->forget = 3000;
  for (int update = 0; update < 2; ++update) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) b.reportTile(tiling, kBase, wg, wf);
    }
  }
  EXPECT_THAT(difference(), AllOf(HasSubstr("dma_*"), HasSubstr("twin nothing within")));
}

}  // namespace
