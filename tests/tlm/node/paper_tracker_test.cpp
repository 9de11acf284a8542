// SPDX-License-Identifier: Apache-2.0
// Method: alone, the judge is shown updates and what leaves, one by one. Beside a real tracker, the
// twin and the RTL, random traffic that is right, late, or wrong by one update, which the judge has
// to find, and only that.
#include "tlm/node/paper_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/tracker/tracker_bench.h"
#include "tlm/tracker/make_tracker.h"

namespace t3::test::paper_tracker_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kOutput = 0x10'0000'0000;

/// 3 x 4 tiles of 64 x 64 halves with 8 wavefronts of 8 rows. The last column has 23 columns, the
/// last row 20 rows, so of its wavefronts two are whole, one has 4 rows and five are empty.
Tiling edgeTiling() { return Tiling({148, 215, 2}, {64, 64, 8}, 1); }

MemoryLayout layout() {
  MemoryLayout layout;
  layout.output = kOutput;
  return layout;
}

class Judge : public PaperTracker {
 public:
  explicit Judge(const TrackedRegion& region, std::uint32_t blockLog2 = 0) {
    program({edgeTiling(), layout(), blockLog2, {region}});
  }

  void update(std::uint32_t wg, std::uint32_t wf, std::uint32_t bytes) {
    pieceTaken(0, {WorkgroupId{wg}, WavefrontId{wf}, kOutput, bytes, 0});
  }
  void tile(std::uint32_t wg, std::uint32_t updates) {
    const Tiling tiling = edgeTiling();
    for (std::uint32_t wf = 0; wf < 8; ++wf) {
      const auto bytes = tiling.bytes(tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf}));
      for (std::uint32_t u = 0; u < updates && bytes != 0; ++u) {
        update(wg, wf, static_cast<std::uint32_t>(bytes));
      }
    }
  }
  void command(std::uint32_t number) { commandIssued({CommandId{number}}); }
};

TrackedRegion triggers(TileRange tiles, std::uint32_t updates = 2) {
  TrackedRegion region;
  region.tiles = tiles;
  region.updatesPerElement = updates;
  region.trigger = true;
  return region;
}

TEST(PaperTracker, ACommandIsDueWhenEveryTileOfItsBlockHasItsBytesAsOftenAsItIsUpdated) {
  Judge judge(triggers({0, 12}), 1);
  for (std::uint32_t wg = 0; wg < 12; ++wg) {
    judge.tile(wg, 2);
    if (wg % 2 == 1) judge.command(wg / 2);
  }
  EXPECT_EQ(judge.faultAtEnd(), "");
  EXPECT_EQ(judge.completed(), 8U * 8 + 4U * 3);
}

TEST(PaperTracker, OneByteThatMissesMakesACommandLeaveTooEarly) {
  Judge judge(triggers({0, 1}, 1));
  for (std::uint32_t wf = 0; wf < 7; ++wf) judge.update(0, wf, 1024);
  judge.update(0, 7, 1023);
  judge.command(0);
  EXPECT_EQ(judge.fault(),
            "command 0 left too early: wavefront tile 7 of workgroup 0 (region 0) misses 1 bytes");
}

TEST(PaperTracker, WhatATileReceivesBeyondItsBytesIsNamed) {
  Judge judge(triggers({0, 1}, 1));
  judge.tile(0, 1);
  EXPECT_EQ(judge.fault(), "");
  judge.update(0, 3, 1);
  EXPECT_THAT(judge.fault(), HasSubstr("wavefront tile 3 of workgroup 0 (region 0) received 1 "
                                       "bytes more than it has, at address 68719476736"));
}

TEST(PaperTracker, AnUpdateTheCountOfBytesCannotTellFromATilesOwnIsFoundWithTheLastOne) {
  Judge judge(triggers({0, 1}, 2));
  judge.update(0, 0, 1024);
  judge.update(0, 0, 1024);  // a doubled one, in place of another GPU's
  EXPECT_EQ(judge.fault(), "");
  judge.update(0, 0, 1024);
  EXPECT_THAT(judge.fault(), HasSubstr("received 1024 bytes more"));
}

TEST(PaperTracker, ACommandThatLeavesTwiceOrThatNobodyAskedForIsAFault) {
  Judge judge(triggers({0, 2}, 1));
  judge.tile(0, 1);
  judge.command(0);
  EXPECT_EQ(judge.fault(), "");
  Judge twice = judge;
  twice.command(0);
  EXPECT_EQ(twice.fault(), "command 0 left twice");
  judge.command(2);
  EXPECT_EQ(judge.fault(), "command 2 left, and nobody asked for it");
}

TEST(PaperTracker, AtTheEndNothingIsOwedAndNoTileIsHalfThere) {
  Judge judge(triggers({0, 2}, 1));
  EXPECT_EQ(judge.faultAtEnd(), "") << "tiles that never began are none of its business";
  judge.tile(1, 1);
  EXPECT_EQ(judge.faultAtEnd(), "command 1 is due and has not left");
  judge.command(1);
  EXPECT_EQ(judge.faultAtEnd(), "");
  judge.update(0, 2, 1000);
  EXPECT_EQ(judge.faultAtEnd(), "wavefront tile 2 of workgroup 0 (region 0) still misses 24 bytes");
}

TEST(PaperTracker, RowsAreJudgedAsCommandsAre) {
  TrackedRegion region = triggers({0, 12}, 1);
  region.trigger = false;
  region.firstRow = 3;  // rows of tiles 0, 1, 2 in row slots 3, 4, 5
  Judge judge(region);
  for (std::uint32_t wg = 0; wg < 4; ++wg) judge.tile(wg, 1);
  EXPECT_EQ(judge.faultAtEnd(), "row 3 is due and has not left");
  judge.released({.row = 3});
  EXPECT_EQ(judge.faultAtEnd(), "");
  judge.command(0);
  EXPECT_EQ(judge.fault(), "command 0 left, and nobody asked for it");
  Judge early(region);
  early.tile(4, 1);
  early.released({.row = 4});
  EXPECT_THAT(early.fault(), HasSubstr("row 4 left too early: wavefront tile 0 of workgroup 5"));
}

TEST(PaperTracker, SaysOfEachBlockWhetherItMissesBytesAlsoIfNothingLeavesForIt) {
  TrackedRegion region = triggers({0, 12}, 1);
  region.trigger = false;
  Judge judge(region, 1);
  for (const std::uint32_t wg : {11U, 2U, 3U}) judge.tile(wg, 1);
  EXPECT_FALSE(judge.misses(CommandId{1}));
  EXPECT_TRUE(judge.misses(CommandId{5}));
  judge.tile(10, 1);
  EXPECT_FALSE(judge.misses(CommandId{5}));
  EXPECT_FALSE(judge.misses(CommandId{6})) << "there is no such block";
}

TEST(PaperTracker, RegionsThatShareASlotCountForTheFirstOne) {
  PaperTracker judge;
  TrackedRegion own = triggers({0, 4}, 2);
  TrackedRegion arrivals = triggers({0, 12}, 1);
  arrivals.buffer = OutputBuffer::Normed;
  MemoryLayout both = layout();
  both.normed = kOutput << 1;
  judge.program({edgeTiling(), both, 0, {own, arrivals}});
  const auto bytes = [](std::uint32_t wf) { return wf < 8 ? 1024U : 0U; };
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    judge.pieceTaken(0, {WorkgroupId{1}, WavefrontId{wf}, kOutput, 2 * bytes(wf), 0});
    judge.pieceTaken(0, {WorkgroupId{5}, WavefrontId{wf}, kOutput << 1, bytes(wf), 0});
  }
  for (const std::uint32_t command : {1U, 5U}) judge.commandIssued({CommandId{command}});
  EXPECT_EQ(judge.faultAtEnd(), "");
  EXPECT_EQ(judge.counted(), 16U);
}

TEST(PaperTracker, WhatASwitchHasAddedCountsForEachContribution) {
  Judge judge(triggers({0, 1}, 7));
  for (std::uint32_t wf = 0; wf < 8; ++wf) {
    LanePiece sum{WorkgroupId{0}, WavefrontId{wf}, kOutput, 1024, 0};
    sum.contributions = 4;
    judge.pieceTaken(0, sum);
    sum.contributions = 3;
    judge.pieceTaken(0, sum);
  }
  judge.command(0);
  EXPECT_EQ(judge.faultAtEnd(), "");
  LanePiece more{WorkgroupId{0}, WavefrontId{2}, kOutput, 16, 0};
  more.contributions = 2;
  judge.pieceTaken(0, more);
  EXPECT_THAT(judge.fault(), HasSubstr("received 32 bytes more"));
}

TEST(PaperTracker, ANewKernelStartsAnewAndForgivesNothing) {
  Judge judge(triggers({0, 1}, 1));
  judge.tile(0, 1);
  judge.command(0);
  judge.program({edgeTiling(), layout(), 0, {triggers({0, 1}, 1)}});
  EXPECT_EQ(judge.faultAtEnd(), "");
  judge.tile(0, 1);
  judge.program({edgeTiling(), layout(), 0, {triggers({0, 1}, 1)}});
  EXPECT_EQ(judge.fault(), "command 0 is due and has not left");
}

// ---- beside a tracker -------------------------------------------------------------------------

enum class Producer { Right, Late, Loses, Doubles };

using Case = std::tuple<TrackerKind, Producer, std::uint64_t>;

class PaperTrackerBeside : public testing::TestWithParam<Case> {};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
  const auto& [kind, producer, seed] = info.param;
  static constexpr const char* kProducers[] = {"Right", "Late", "Loses", "Doubles"};
  return std::string(kind == TrackerKind::Rtl ? "Rtl" : "Twin") +
         kProducers[static_cast<int>(producer)] + std::to_string(seed);
}

TEST_P(PaperTrackerBeside, FindsWhatAProducerDoesWrongAndNothingElse) {
  const auto& [kind, producer, number] = GetParam();
  std::mt19937_64 random(seed(number));
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const TrackerConfig config;
  TrackerBench bench("bench", config, [kind = kind](const TrackerConfig& c) {
    return makeTracker("tracker", kind, c);
  });
  PaperTracker judge;
  bench.tracker().observe(judge);
  const Tiling tiling({64 + 8 * static_cast<std::uint32_t>(below(25)),
                       64 + static_cast<std::uint32_t>(below(300)), 2},
                      {64, 64, 8}, 1);
  const auto updates = static_cast<std::uint32_t>(1 + below(3));
  const auto blockLog2 = static_cast<std::uint32_t>(below(3));
  bench.programAll(tiling, kOutput, updates, 3 + blockLog2);
  judge.program({tiling, layout(), blockLog2, {triggers({0, tiling.tiles()}, updates)}});
  bench.dmaBusy = [&] { return below(4) * bench.period(); };

  std::vector<Report> reports;
  for (std::uint32_t u = 0; u < updates; ++u) {
    for (std::uint32_t wg = 0; wg < tiling.tiles(); ++wg) {
      for (std::uint32_t wf = 0; wf < 8; ++wf) {
        const Rectangle area = tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf});
        for (std::uint32_t row = 0; row < area.rows; ++row) {
          const auto channel = static_cast<std::uint32_t>(below(32));
          reports.push_back({channel / 4, channel % 4, wg, wf, kOutput + tiling.offset(area, row),
                             area.columns * tiling.elementBytes(), 0});
        }
      }
    }
  }
  std::ranges::shuffle(reports, random);
  const std::size_t chosen = below(reports.size());
  const Report wrong = reports[chosen];
  if (producer == Producer::Loses) {
    reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  if (producer == Producer::Doubles) reports.push_back(wrong);
  for (Report& report : reports) {
    if (producer == Producer::Late) report.when = bench.in(below(5000));
    bench.report(report);
  }
  bench.run();

  const std::string tile = "wavefront tile " + std::to_string(wrong.wavefront) + " of workgroup " +
                           std::to_string(wrong.workgroup) + " (region 0) ";
  const std::string bytes = std::to_string(wrong.bytes) + " bytes";
  const std::string command = "command " + std::to_string(wrong.workgroup >> blockLog2);
  switch (producer) {
    case Producer::Right:
    case Producer::Late:
      EXPECT_EQ(judge.faultAtEnd(), "");
      EXPECT_EQ(bench.commands.size(), (tiling.tiles() + (1U << blockLog2) - 1) >> blockLog2);
      break;
    case Producer::Loses:
      EXPECT_EQ(judge.fault(), "") << "the tracker waits, too";
      EXPECT_EQ(judge.faultAtEnd(), tile + "still misses " + bytes);
      break;
    case Producer::Doubles:
      // The unit counts a whole block, so its command may go while another tile of it misses what
      // came too much here. Of the surplus, unit and judge both say something.
      EXPECT_THAT(judge.faultAtEnd(),
                  AnyOf(HasSubstr(tile + "received"), StartsWith(command + " left too early")));
      EXPECT_NE(bench.tracker().statistics().overrun + bench.tracker().statistics().stray, 0U);
      break;
  }
  EXPECT_EQ(judge.counted(), bench.reported);
}

INSTANTIATE_TEST_SUITE_P(Trackers, PaperTrackerBeside,
                         testing::Combine(testing::Values(TrackerKind::Model, TrackerKind::Rtl),
                                          testing::Values(Producer::Right, Producer::Late,
                                                          Producer::Loses, Producer::Doubles),
                                          testing::Values(1U, 2U, 3U)),
                         nameOf);

}  // namespace
}  // namespace t3::test::paper_tracker_test
