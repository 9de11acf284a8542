// SPDX-License-Identifier: Apache-2.0
// Method: keep a memory busy with one kind of traffic and compare the time it takes with a closed
// form from the timing table, within 2% (mixes: 3%). The closed forms add up distances between
// commands and know nothing of the controller. Where the controller decides how often something
// happens (how often the bus changes direction), the form uses the controller's own count.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <random>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"
#include "tlm/hbm/hbm_standard.h"

namespace t3::test::hbm_bandwidth_test {
namespace {

using Arrival = ChannelHarness::Arrival;

constexpr std::uint32_t kPieces = 20000;

HbmConfig channel(RefreshMode refresh) {
  HbmConfig config = oneChannel();
  config.refresh = refresh;
  config.bank_hash = config.group_hash =
      false;  // so that a test can say which bank an address is in
  return config;
}

/// Time with refresh for work that takes `busy` without: every tREFI the channel closes its rows
/// (tRTP and tRP behind the last read), refreshes and opens four rows again.
double withRefresh(const HbmConfig& c, double busy, bool writing) {
  if (c.refresh == RefreshMode::Off) return busy;
  const double close = writing ? c.timing.wl_ns + 1 + c.timing.wr_ns : c.timing.rtp_ns;
  const double lost =
      close + c.timing.rp_ns + c.timing.rfc_ns + c.timing.rcd_rd_ns + 3 * c.timing.rrd_s_ns;
  return busy * c.timing.refi_ns / (c.timing.refi_ns - lost);
}

void expectWithin(double tolerance, double measured, double expected) {
  std::cout << testing::UnitTest::GetInstance()->current_test_info()->name() << ": " << measured
            << " ns, closed form " << expected << " ns, ratio " << measured / expected << '\n';
  EXPECT_NEAR(measured / expected, 1.0, tolerance) << measured << " ns instead of " << expected;
}
void expectWithin2Percent(double measured, double expected) {
  expectWithin(0.02, measured, expected);
}
/// For mixes: where a stream goes on to its next rows just when the bus turns to its direction, the
/// bus waits for them, which the closed forms leave out.
void expectWithin3Percent(double measured, double expected) {
  expectWithin(0.03, measured, expected);
}

/// Nanoseconds that the pieces take on one channel when all of them are there from the start.
double nanoseconds(ChannelHarness& one, const std::vector<Arrival>& arrivals) {
  one.run(arrivals);
  EXPECT_EQ(one.served().size(), arrivals.size());
  Picoseconds last = 0;
  for (const auto& served : one.served()) last = std::max(last, served.dataEnd);
  return static_cast<double>(last) * 1e-3;
}

std::vector<Arrival> stream(DramCommandKind kind, std::uint32_t bytes,
                            const std::function<std::uint64_t(std::uint32_t)>& address) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t n = 0; n < kPieces; ++n) {
    arrivals.push_back({.address = address(n), .bytes = bytes, .kind = kind});
  }
  return arrivals;
}

/// Calls body(config) with and without refresh.
template <typename Body>
void withAndWithoutRefresh(Body body) {
  for (const RefreshMode mode : {RefreshMode::Off, RefreshMode::AllBank}) {
    SCOPED_TRACE(mode == RefreshMode::Off ? "without refresh" : "with refresh");
    body(channel(mode));
  }
}

std::uint64_t linear(std::uint32_t n) { return n * 256ull; }

TEST(HbmBandwidth, OfReadStreamsIsOneBurstEachClock) {
  withAndWithoutRefresh([](const HbmConfig& c) {
    ChannelHarness one(c);
    expectWithin2Percent(nanoseconds(one, stream(DramCommandKind::Read, 256, linear)),
                         withRefresh(c, kPieces * 8, false));
  });
}

TEST(HbmBandwidth, OfWriteStreamsIsOneBurstEachClock) {
  withAndWithoutRefresh([](const HbmConfig& c) {
    ChannelHarness one(c);
    expectWithin2Percent(nanoseconds(one, stream(DramCommandKind::Write, 256, linear)),
                         withRefresh(c, kPieces * 8, true));
  });
}

TEST(HbmBandwidth, OfUpdateStreamsOverAllBankGroupsIsOneBurstEachClock) {
  withAndWithoutRefresh([](const HbmConfig& c) {
    ChannelHarness one(c);
    expectWithin2Percent(nanoseconds(one, stream(DramCommandKind::Update, 256, linear)),
                         withRefresh(c, kPieces * 8, true));
  });
}

/// Pages of the four banks of bank group 0 in turn; PageOverGroups puts a page in one bank.
std::uint64_t inOneGroup(const HbmConfig& c, std::uint32_t n) {
  const std::uint64_t page = n / 8;
  return (page % 4 * c.bank_groups + page / 4 * c.banks) * c.page_bytes + n % 8 * 256;
}

TEST(HbmBandwidth, OfReadsInOneBankGroupIsOneBurstEachTccdl) {
  withAndWithoutRefresh([](HbmConfig c) {
    c.address_mapping = AddressMappingPolicy::PageOverGroups;
    ChannelHarness one(c);
    expectWithin2Percent(nanoseconds(one, stream(DramCommandKind::Read, 256,
                                                 [&](auto n) { return inOneGroup(c, n); })),
                         withRefresh(c, kPieces * 8 * c.timing.ccd_l_clocks, false));
  });
}

TEST(HbmBandwidth, OfUpdatesInOneBankGroupIsOneBurstEachHoldTime) {
  withAndWithoutRefresh([](HbmConfig c) {
    c.address_mapping = AddressMappingPolicy::PageOverGroups;
    ChannelHarness one(c);
    expectWithin2Percent(
        nanoseconds(one,
                    stream(DramCommandKind::Update, 256, [&](auto n) { return inOneGroup(c, n); })),
        withRefresh(c, kPieces * 8 * c.timing.ccd_l_clocks * c.update_ccd_l_factor, true));
  });
}

TEST(HbmBandwidth, OfRandomRowsIsOneBurstEachQuarterOfTfaw) {
  std::mt19937_64 random(seed(7));
  withAndWithoutRefresh([&](const HbmConfig& c) {
    ChannelHarness one(c);
    const std::uint64_t rows = c.capacityBytes() / c.banks / c.page_bytes;
    // Each burst has a row of its own, and banks take turns. A bank's next turn comes after 16
    // activates, 16 x 4 ns, which is longer than tRC.
    const auto address = [&](std::uint32_t n) {
      return (random() % rows * 4 + n / 4 % 4) * c.page_bytes * c.bank_groups + n % 4 * 256;
    };
    expectWithin2Percent(nanoseconds(one, stream(DramCommandKind::Read, 32, address)),
                         withRefresh(c, kPieces * c.timing.faw_ns / 4, false));
  });
}

/// Pieces of 256 B in a row of their own each, over the banks in turn: what a GEMM's operand rows
/// look like to one channel. `perPiece` nanoseconds each by the timing table.
void expectRowsOf256Bytes(AddressMappingPolicy mapping, DramCommandKind kind, double perPiece) {
  std::mt19937_64 random(seed(8));
  withAndWithoutRefresh([&](HbmConfig c) {
    c.address_mapping = mapping;
    ChannelHarness one(c);
    const std::uint64_t rows = c.capacityBytes() / c.banks / c.page_bytes;
    const bool spread = mapping == AddressMappingPolicy::BurstOverGroups;
    const auto address = [&](std::uint32_t n) {
      const std::uint64_t banks = std::uint64_t{c.page_bytes} * c.banks;
      // All four groups of one bank of each; or one bank, the next group each time.
      return random() % rows * banks + (spread ? n % 4 * c.page_bytes * c.bank_groups
                                               : n % 4 * 256 + n / 4 % 4 * c.page_bytes * 4);
    };
    expectWithin2Percent(nanoseconds(one, stream(kind, 256, address)),
                         withRefresh(c, kPieces * perPiece, kind != DramCommandKind::Read));
  });
}

TEST(HbmBandwidth, OfRowsOf256BytesOverAllBankGroupsIsOnePieceEachTfaw) {
  // Each of the eight bursts' four bank groups opens a row of its own.
  expectRowsOf256Bytes(AddressMappingPolicy::BurstOverGroups, DramCommandKind::Read,
                       HbmTiming{}.faw_ns);
}

TEST(HbmBandwidth, OfRowsOf256BytesInOneBankEachIsOneBurstEachClock) {
  // One activate for eight bursts. Within its group a piece keeps tCCDL (updates: the hold time),
  // so the bus is full only because pieces of the other groups go in between.
  expectRowsOf256Bytes(AddressMappingPolicy::BlockOverGroups, DramCommandKind::Read, 8);
  expectRowsOf256Bytes(AddressMappingPolicy::BlockOverGroups, DramCommandKind::Write, 8);
}

TEST(HbmBandwidth, OfStreamsOverOneBankAfterTheOtherIsOneBurstEachClock) {
  for (const auto kind : {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update}) {
    withAndWithoutRefresh([&](HbmConfig c) {
      c.address_mapping = AddressMappingPolicy::BlockOverGroups;
      ChannelHarness one(c);
      expectWithin2Percent(nanoseconds(one, stream(kind, 256, linear)),
                           withRefresh(c, kPieces * 8, kind != DramCommandKind::Read));
    });
  }
}

TEST(HbmBandwidth, OfStreamsStaysWhereTheQueueIsLongerThanTheAgeLimit) {
  // 4,096 bursts take eight times the age limit: whatever goes is too old. In a pseudo channel
  // tCCDL is not a multiple of a burst, so the oldest alone would leave the bus idle.
  for (const auto kind : {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update}) {
    HbmConfig c = kHbm2Pseudo.config;
    c.channels = 1;
    c.capacity_gib = 1;
    c.refresh = RefreshMode::Off;
    c.dram_queue_bursts = 4096;
    c.stream_queue_requests = 1024;
    ChannelHarness one(c);
    expectWithin2Percent(nanoseconds(one, stream(kind, 256, linear)), kPieces * 8 * 2);
  }
}

TEST(HbmBandwidth, DoesNotFallWithADeeperQueue) {
  std::mt19937_64 random(seed(11));
  const auto arrivals =
      stream(DramCommandKind::Read, 256, [&](auto) { return random() % (1 << 22) * 256; });
  double before = 0;
  for (const std::uint32_t depth : {256U, 128U, 64U, 32U}) {  // deepest first
    HbmConfig c = channel(RefreshMode::AllBank);
    c.dram_queue_bursts = depth;
    c.stream_queue_requests = 1024;
    ChannelHarness one(c);
    const double time = nanoseconds(one, arrivals);
    EXPECT_GT(time, before) << depth << " bursts";
    before = time;
  }
}

/// Reads and writes (or updates), `share` of them writes, that stream through rows of their own:
/// two banks of each group for each.
std::vector<Arrival> mixOf(const HbmConfig& c, DramCommandKind kind, double share) {
  std::vector<Arrival> arrivals;
  std::array<std::uint64_t, 2> count{};
  double owed = 0;
  for (std::uint32_t n = 0; n < kPieces; ++n) {
    owed += share;
    const std::size_t writes = owed >= 1 ? 1 : 0;
    owed -= static_cast<double>(writes);
    const std::uint64_t piece = count[writes]++;
    const std::uint64_t set = piece / 32;  // of four pages, one in each bank group
    arrivals.push_back(
        {.address =
             (set / 2 * 4 + writes * 2 + set % 2) * c.page_bytes * c.bank_groups + piece % 32 * 256,
         .bytes = 256,
         .kind = writes == 1 ? kind : DramCommandKind::Read});
  }
  return arrivals;
}

/// Calls body(config, arrivals, share) for mixes of 25, 50 and 75% writes and updates.
template <typename Body>
void withMixes(AddressMappingPolicy mapping, Body body) {
  withAndWithoutRefresh([&](HbmConfig c) {
    c.address_mapping = mapping;
    for (const auto kind : {DramCommandKind::Write, DramCommandKind::Update}) {
      for (const double share : {0.25, 0.5, 0.75}) {
        SCOPED_TRACE(share);
        body(c, mixOf(c, kind, share));
      }
    }
  });
}

TEST(HbmBandwidth, OfReadsMixedWithWritesOrUpdatesPaysForEachTurnOfTheBus) {
  withMixes(AddressMappingPolicy::BurstOverGroups, [](const HbmConfig& c, const auto& arrivals) {
    ChannelHarness one(c);
    const double measured = nanoseconds(one, arrivals);
    const double readToWrite = c.timing.cl_ns + 1 + c.timing.read_to_write_gap_ns - c.timing.wl_ns;
    // The first read is in the bank group that was written three bursts before the last one.
    const double writeToRead =
        c.timing.wl_ns + 1 + std::max(c.timing.wtr_s_ns, c.timing.wtr_l_ns - 3);
    const double turns = static_cast<double>(one.statistics().turnarounds) / 2;
    EXPECT_GT(turns, 100);
    const double busy = kPieces * 8 + turns * (readToWrite - 1 + writeToRead - 1);
    expectWithin3Percent(measured, withRefresh(c, busy, true));
  });
}

/// Keeps the order of the bursts and forgets when they were.
struct OrderOfBursts : CommandObserver {
  void command(const DramCommand& command) override {
    if (isColumn(command.kind)) bursts.push_back(command);
  }
  std::vector<DramCommand> bursts;
};

/// Nanoseconds that bursts take in this order if every row is open: each comes as soon as the
/// column rules of docs/hbm.md allow it.
double packed(const HbmConfig& c, const std::vector<DramCommand>& bursts) {
  const HbmTiming& t = c.timing;
  constexpr double kLongAgo = -1e9;
  double read = kLongAgo, write = kLongAgo, last = kLongAgo, at = 0;
  std::vector<double> reads(c.bank_groups, kLongAgo), writes(c.bank_groups, kLongAgo),
      held(c.bank_groups, kLongAgo), updated(c.banks, kLongAgo);
  for (const DramCommand& burst : bursts) {
    const std::uint32_t group = burst.group.value;
    at = std::max(last + 1, 0.0);
    if (burst.kind == DramCommandKind::Read) {
      at =
          std::max({at, reads[group] + t.ccd_l_clocks, write + t.wl_ns + 1 + t.wtr_s_ns,
                    writes[group] + t.wl_ns + 1 + t.wtr_l_ns,
                    updated[burst.bank.value] + t.wl_ns + 1 + c.update_write_back_ns + t.wtr_l_ns});
      read = reads[group] = at;
    } else {
      at = std::max({at, held[group], read + t.cl_ns + 1 + t.read_to_write_gap_ns - t.wl_ns});
      const bool update = burst.kind == DramCommandKind::Update;
      write = writes[group] = at;
      held[group] = at + t.ccd_l_clocks * (update ? c.update_ccd_l_factor : 1);
      if (update) updated[burst.bank.value] = at;
    }
    last = at;
  }
  return at + (bursts.back().kind == DramCommandKind::Read ? t.cl_ns : t.wl_ns) + 1;
}

TEST(HbmBandwidth, OfMixesInOneBankEachIsWhatTheColumnRulesLeaveOfTheirOrder) {
  // The controller decides which bank group the first read behind a write is in, and with it
  // whether tWTRS or tWTRL applies. So the form takes the order of the bursts from the controller,
  // and nothing else.
  withMixes(AddressMappingPolicy::BlockOverGroups, [](const HbmConfig& c, const auto& arrivals) {
    ChannelHarness one(c);
    OrderOfBursts order;
    one.observe(&order);
    const double measured = nanoseconds(one, arrivals);
    ASSERT_EQ(order.bursts.size(), kPieces * 8);
    expectWithin3Percent(measured, withRefresh(c, packed(c, order.bursts), true));
  });
}

TEST(HbmBandwidth, OfEveryPresetsStreamsIsOneBurstEachBurstTime) {
  for (const HbmStandard* standard : {&kHbm2Pseudo, &kHbm2e, &kHbm3}) {
    for (const auto kind :
         {DramCommandKind::Read, DramCommandKind::Write, DramCommandKind::Update}) {
      HbmConfig c = standard->config;
      EXPECT_EQ(c.timing.ccd_s_clocks, c.burstClocks()) << "columns of other groups follow at once";
      c.channels = 1;
      c.capacity_gib = 1;
      c.refresh = RefreshMode::Off;
      ChannelHarness one(c);
      const double clock = 1e3 / c.clock_mhz;
      expectWithin2Percent(nanoseconds(one, stream(kind, 256, linear)),
                           kPieces * 8 * c.burstClocks() * clock);
    }
  }
}

TEST(HbmBandwidth, WithPerBankRefreshIsBetterThanWithAllBankRefreshForRandomRows) {
  std::mt19937_64 random(seed(9));
  const auto address = [&](std::uint32_t) { return random() % (1 << 30) & ~std::uint64_t{31}; };
  const auto arrivals = stream(DramCommandKind::Read, 32, address);
  const auto time = [&](RefreshMode mode) {
    ChannelHarness one(channel(mode));
    return nanoseconds(one, arrivals);
  };
  const double off = time(RefreshMode::Off);
  EXPECT_GT(time(RefreshMode::AllBank), off);
  EXPECT_GT(time(RefreshMode::PerBank), off);
}

TEST(HbmPagePolicy, ClosedSavesThePrechargeOfRandomRowsAndCostsStreamsNothing) {
  std::mt19937_64 random(seed(10));
  // One request at a time, far apart: latency is what the policy changes.
  const auto latency = [&](PagePolicy policy, bool sameRow) {
    HbmConfig c = channel(RefreshMode::Off);
    c.page_policy = policy;
    std::vector<Arrival> arrivals;
    for (std::uint32_t n = 0; n < 2000; ++n) {
      const std::uint64_t row = sameRow ? 0 : (n * 977ull % 4096) * c.page_bytes * c.banks;
      arrivals.push_back({.at = n * 200, .address = row + n % 8 * 128, .bytes = 32});
    }
    ChannelHarness one(c);
    one.run(arrivals);
    double sum = 0;
    for (const auto& served : one.served()) {
      sum += static_cast<double>(served.dataEnd) * 1e-3 - static_cast<double>(served.arrival.at);
    }
    return sum / 2000;
  };
  const HbmTiming t;
  const double hit = t.cl_ns + 1, miss = hit + t.rcd_rd_ns, conflict = miss + t.rp_ns;
  EXPECT_NEAR(latency(PagePolicy::Open, true), hit, 0.1);
  EXPECT_NEAR(latency(PagePolicy::Open, false), conflict, 0.1);
  EXPECT_NEAR(latency(PagePolicy::Closed, true), miss, 0.1);
  EXPECT_NEAR(latency(PagePolicy::Closed, false), miss, 0.1);
  EXPECT_NEAR(latency(PagePolicy::Adaptive, true), hit, 0.1) << "learns to keep rows open";
  EXPECT_NEAR(latency(PagePolicy::Adaptive, false), miss, 0.1) << "learns to close them";
}

TEST(HbmBandwidth, OfThirtyTwoChannelsIsAllButRefreshOfATerabyte) {
  HbmConfig c;
  Bench bench(c);
  std::uint64_t sent = 0;
  bench.initiator.window = 64;
  bench.initiator.next = [&](Access& access) {
    if (sent == 1000) return false;
    access = readOf(sent++ * 65536, 65536);
    return true;
  };
  bench.run();
  EXPECT_TRUE(bench.drained());
  EXPECT_DOUBLE_EQ(c.peakBytesPerNs(), 1024.0);
  expectWithin2Percent(static_cast<double>(bench.hbm.statistics().lastData) * 1e-3,
                       withRefresh(c, 1000.0 * 65536 / 1024, false));
}

}  // namespace
}  // namespace t3::test::hbm_bandwidth_test
