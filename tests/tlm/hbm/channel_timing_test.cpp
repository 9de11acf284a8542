// SPDX-License-Identifier: Apache-2.0
// Method: the arithmetic over a run of bursts is compared with issuing the same bursts one at a
// time through the single-command function, from the same random state: every burst's time, and
// everything that later commands depend on.
#include "tlm/hbm/timing/channel_timing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/seed.h"
#include "tlm/hbm/hbm_standard.h"

namespace t3::test::channel_timing_test {
namespace {

class Columns : public CommandObserver {
 public:
  void command(const DramCommand& command) override {
    if (isColumn(command.kind)) all.push_back(command);
  }
  std::vector<DramCommand> all;
};

TEST(ChannelTiming, GivesEveryBurstOfARunTheTimeOfOneAtATimeProcessing) {
  std::mt19937_64 random(seed(1));
  std::uint64_t bursts = 0, beyondTwoRounds = 0;
  for (int round = 0; round < 3000; ++round) {
    HbmConfig config = (random() % 2 == 0 ? kHbm2 : kHbm2Pseudo).config;
    config.update_ccd_l_factor = 1 + static_cast<std::uint32_t>(random() % 4);
    config.timing.ccd_l_clocks = 1 + static_cast<std::uint32_t>(random() % 8);
    const TimingTable table(config);
    const std::uint32_t stride = random() % 2 == 0 ? config.bank_groups : 1;
    HbmStatistics runCounts(config), singleCounts(config);
    ChannelTiming run(config, table, ChannelId{0}, stride, 1000, runCounts);
    ChannelTiming single(config, table, ChannelId{0}, stride, 1000, singleCounts);
    Columns ofRun, ofSingle;
    run.observe(&ofRun);
    single.observe(&ofSingle);

    // The same row in one bank of each group, opened at uneven times.
    const auto bankInGroup = static_cast<std::uint32_t>(random() % 4);
    for (std::uint32_t group = 0; group < config.bank_groups; ++group) {
      const auto at = static_cast<Cycles>(random() % 60);
      run.activate(run.banks().number(group, bankInGroup), 5, at, 0);
      single.activate(single.banks().number(group, bankInGroup), 5, at, 0);
    }
    Cycles now = 0;
    const auto runs = 1 + random() % 6;
    for (std::uint64_t i = 0; i < runs; ++i) {
      const std::array kinds{DramCommandKind::Read, DramCommandKind::Write,
                             DramCommandKind::Update};
      const DramCommandKind kind = kinds[random() % 3];
      BurstRun piece;
      piece.group = static_cast<std::uint32_t>(random() % config.bank_groups);
      piece.bankInGroup = bankInGroup;
      piece.row = 5;
      piece.bursts = 1 + static_cast<std::uint32_t>(random() % 40);
      now += static_cast<Cycles>(random() % 80);
      const ChannelTiming::Columns columns = run.columns(kind, piece, now);

      Cycles first = -1, last = now;
      for (std::uint32_t b = 0; b < piece.bursts; ++b) {
        const std::uint32_t group = stride == 1 ? piece.group : (piece.group + b) % 4;
        const std::uint32_t column = stride == 1 ? b : (piece.group + b) / 4;
        last = single.column(kind, single.banks().number(group, bankInGroup), column, last);
        if (first < 0) first = last;
      }
      ASSERT_EQ(columns.first, first) << "round " << round;
      ASSERT_EQ(columns.last, last) << "round " << round;
      ASSERT_TRUE(run.sameStateAs(single)) << "round " << round;
      bursts += piece.bursts;
      beyondTwoRounds += piece.bursts > 2 * run.banks().slots(piece.bursts) ? 1 : 0;
    }
    ASSERT_EQ(ofRun.all.size(), ofSingle.all.size());
    ASSERT_EQ(runCounts.commands, singleCounts.commands);
    for (std::size_t i = 0; i < ofRun.all.size(); ++i) {
      ASSERT_EQ(ofRun.all[i].when, ofSingle.all[i].when) << "round " << round << " burst " << i;
      ASSERT_EQ(ofRun.all[i].bank, ofSingle.all[i].bank);
      ASSERT_EQ(ofRun.all[i].column, ofSingle.all[i].column);
    }
  }
  EXPECT_GT(bursts, 100000u);
  EXPECT_GT(beyondTwoRounds, 5000u);
}

TEST(ChannelTiming, PlansAnActivateIntoAnEarlierGapThatIsLongEnough) {
  const HbmConfig config;
  const TimingTable table(config);
  HbmStatistics statistics(config);
  ChannelTiming timing(config, table, ChannelId{0}, 4, 1000, statistics);
  EXPECT_EQ(timing.activate(0, 1, 100, 0), 100);
  EXPECT_EQ(timing.activate(4, 1, 20, 0), 20) << "planned later, but earlier in time";
  EXPECT_EQ(timing.activate(8, 1, 97, 0), 104) << "three clocks before another is too close";
  EXPECT_EQ(timing.activate(12, 1, 20, 0), 24);
  EXPECT_EQ(timing.activate(1, 1, 20, 0), 28) << "same group as bank 0, far from its activate";
  EXPECT_EQ(timing.activate(5, 1, 20, 0), 32);
  EXPECT_EQ(timing.activate(9, 1, 20, 0), 36) << "the fifth within tFAW would be at 36";
}

TEST(ChannelTiming, KeepsTheRowCommandBusFreeOfCollisions) {
  const HbmConfig config;
  const TimingTable table(config);
  HbmStatistics statistics(config);
  ChannelTiming timing(config, table, ChannelId{0}, 4, 1000, statistics);
  EXPECT_EQ(timing.activate(0, 1, 0, 0), 0);
  EXPECT_EQ(timing.activate(4, 1, 33, 0), 33) << "an activate takes clocks 33 and 34";
  EXPECT_EQ(timing.precharge(0, ChannelTiming::Closing::Early, 33), 35);
}

}  // namespace
}  // namespace t3::test::channel_timing_test
