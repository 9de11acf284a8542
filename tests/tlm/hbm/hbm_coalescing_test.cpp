// SPDX-License-Identifier: Apache-2.0
// Method: a few requests to the same bytes, or side by side, enter one channel together. What it
// sends to the DRAM is counted, and who was answered when, in which order, is compared with the
// rules of `Coalescing`. (hbm_order_test and hbm_data_test compare the bytes, hbm_rules_test
// thousands of random cases.)
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tlm/hbm/channel_harness.h"

namespace t3::test::hbm_coalescing_test {
namespace {

using Arrival = ChannelHarness::Arrival;
using enum DramCommandKind;

HbmConfig plain(bool coalescing = true) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  config.bank_hash = config.group_hash = false;
  config.coalescing = coalescing;
  return config;
}

struct Outcome {
  explicit Outcome(const std::vector<Arrival>& arrivals, const HbmConfig& config = plain())
      : one(config) {
    one.run(arrivals);
    EXPECT_EQ(one.served().size(), arrivals.size());
    for (const auto& served : one.served()) order.push_back(served.index);
  }
  std::uint64_t commands(DramCommandKind kind) {
    return one.statistics().commands[static_cast<std::size_t>(kind)];
  }
  const ChannelHarness::Served& of(std::size_t index) const {
    return *std::find_if(one.served().begin(), one.served().end(),
                         [&](const auto& served) { return served.index == index; });
  }
  ChannelHarness one;
  std::vector<std::size_t> order;  ///< in which requests were answered
};

Arrival request(DramCommandKind kind, std::uint64_t address, std::uint32_t bytes = 32) {
  return {.address = address, .bytes = bytes, .kind = kind};
}

TEST(Coalescing, AQueuedWriteAnswersReadsOfItsBytesOneBurstTimeLater) {
  Outcome out({request(Write, 0), request(Read, 0), request(Read, 8, 16)});
  EXPECT_EQ(out.commands(Read), 0u);
  EXPECT_EQ(out.commands(Write), 1u);
  EXPECT_EQ(out.one.statistics().forwardedBursts, 2u);
  EXPECT_EQ(out.of(1).source, 0u);
  EXPECT_EQ(out.of(1).dataEnd, 1000u) << "they entered at clock 0";
  EXPECT_EQ(out.of(2).dataEnd, 1000u);
}

TEST(Coalescing, AReadIsAnsweredByTheLastOfSeveralWrites) {
  Outcome out({request(Write, 0), request(Write, 0), request(Read, 0), request(Write, 0)});
  EXPECT_EQ(out.of(2).source, 1u);
}

TEST(Coalescing, AReadOfMoreThanTheWriteHasWaitsForIt) {
  Outcome out({request(Write, 0, 16), request(Read, 0)});
  EXPECT_EQ(out.commands(Read), 1u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1}));
}

TEST(Coalescing, AReadBehindAnUpdateWaitsForTheSum) {
  Outcome out({request(Update, 0), request(Read, 0)});
  EXPECT_EQ(out.commands(Read), 1u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1}));
}

TEST(Coalescing, NothingPassesAnUpdateThatIsOlderThanTheWrite) {
  Outcome out({request(Update, 0), request(Write, 0), request(Read, 0)});
  EXPECT_EQ(out.commands(Update), 1u);
  EXPECT_EQ(out.commands(Read), 1u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Coalescing, AnUpdateIsNeverMerged) {
  Outcome out({request(Write, 0), request(Update, 0), request(Update, 0)});
  EXPECT_EQ(out.commands(Write), 1u);
  EXPECT_EQ(out.commands(Update), 2u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Coalescing, AReadBeforeTheWriteStillReadsTheDram) {
  Outcome out({request(Read, 0), request(Write, 0), request(Read, 0)});
  EXPECT_EQ(out.commands(Read), 1u);
  EXPECT_FALSE(out.of(0).source);
  EXPECT_EQ(out.of(2).source, 1u) << "though that write waits for the first read";
}

TEST(Coalescing, WritesToTheSameBurstsNeedOneCommandAndAreStoredInOrder) {
  Outcome out({request(Write, 0, 64), request(Write, 32), request(Write, 0, 64)});
  EXPECT_EQ(out.commands(Write), 2u);
  EXPECT_EQ(out.one.statistics().mergedBursts, 3u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(out.of(0).dataEnd, out.of(2).dataEnd);
}

TEST(Coalescing, AWriteThatOverlapsTheQueuedOneInPartSharesItsBurst) {
  Outcome out({request(Write, 0, 16), request(Write, 8, 16)});
  EXPECT_EQ(out.commands(Write), 1u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1}));
}

TEST(Coalescing, TheReportSaysHowManyBurstsNeededNoCommand) {
  Outcome out({request(Write, 0, 64), request(Write, 0, 64), request(Read, 32)});
  const std::vector<StatisticRow> rows = out.one.statistics().rows(plain(), 1'000'000);
  const auto valueOf = [&](const std::string& name) {
    const auto row = std::ranges::find(rows, name, &StatisticRow::name);
    return row == rows.end() ? -1 : row->value;
  };
  EXPECT_EQ(valueOf("merged_bursts"), 2);
  EXPECT_EQ(valueOf("forwarded_bursts"), 1);
}

TEST(Coalescing, AWriteToMoreBurstsThanTheQueuedOneHasItsOwnCommands) {
  Outcome out({request(Write, 0), request(Write, 0, 64)});
  EXPECT_EQ(out.commands(Write), 3u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1}));
}

TEST(Coalescing, AWriteDoesNotPassAReadThatWaitsForTheQueuedOne) {
  Outcome out({request(Write, 0, 16), request(Read, 0), request(Write, 0, 16)});
  EXPECT_EQ(out.commands(Write), 2u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Coalescing, TrackedWritesKeepTheirOwnCommands) {
  Arrival tracked = request(Write, 0);
  tracked.tracked = true;
  Outcome out({tracked, tracked, request(Write, 0), request(Read, 0)});
  EXPECT_EQ(out.commands(Write), 3u);
}

TEST(Coalescing, NeighboursAreAnsweredOneByOneAsIfEachHadAnEntry) {
  for (const DramCommandKind kind : {Read, Write}) {
    std::vector<Arrival> block;
    for (std::uint32_t i = 0; i < 8; ++i) block.push_back(request(kind, i * 32));
    Outcome together(block), alone(block, plain(false));
    EXPECT_EQ(together.commands(kind), 8u);
    EXPECT_EQ(together.order, alone.order);
    for (std::size_t i = 0; i < block.size(); ++i) {
      EXPECT_EQ(together.of(i).dataEnd, alone.of(i).dataEnd) << i;
    }
    EXPECT_LT(together.of(0).dataEnd, together.of(7).dataEnd);
  }
}

TEST(Coalescing, ReadsOfTheSameBytesAreEachRead) {
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 16; ++i) arrivals.push_back(request(Read, 0));
  Outcome out(arrivals);
  EXPECT_EQ(out.commands(Read), 16u);
  EXPECT_EQ(out.commands(Activate), 1u);
}

TEST(Coalescing, OffSendsEverythingToTheDram) {
  Outcome out({request(Write, 0), request(Write, 0), request(Read, 0)}, plain(false));
  EXPECT_EQ(out.commands(Write), 2u);
  EXPECT_EQ(out.commands(Read), 1u);
  EXPECT_EQ(out.order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Coalescing, NeedsBlocksThatLieInOneBankGroup) {
  HbmConfig config = plain();
  config.address_mapping = AddressMappingPolicy::BurstOverGroups;
  Outcome out({request(Write, 0), request(Read, 0)}, config);
  EXPECT_EQ(out.commands(Read), 1u);
}

}  // namespace
}  // namespace t3::test::hbm_coalescing_test
