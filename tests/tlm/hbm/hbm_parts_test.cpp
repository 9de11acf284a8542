// SPDX-License-Identifier: Apache-2.0
// Method: the small parts of a stack on their own: configuration rules, update ledger, backing
// store, statistics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/seed.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/hbm/hbm_statistics.h"
#include "tlm/hbm/memory_contents.h"
#include "tlm/hbm/timing/timing_table.h"
#include "tlm/hbm/update_ledger.h"

namespace t3::test::hbm_parts_test {
namespace {

TEST(HbmStandard, PresetsAreValidAndHaveTheStandardsBandwidth) {
  // Four stacks of 1024 bit at the data rate of a pin, in GB/s.
  const std::map<std::string, double> bandwidths{{"hbm2", 4 * 1024 * 2.0 / 8},
                                                 {"hbm2-pseudo", 4 * 1024 * 2.0 / 8},
                                                 {"hbm2e", 4 * 1024 * 3.6 / 8},
                                                 {"hbm3", 4 * 1024 * 6.4 / 8}};
  ASSERT_EQ(HbmStandard::table().size(), bandwidths.size());
  for (const HbmStandard* standard : HbmStandard::table()) {
    SCOPED_TRACE(standard->name);
    const double bandwidth = bandwidths.at(standard->name);
    const HbmConfig& config = standard->config;
    EXPECT_NE(std::string(standard->source), "");
    EXPECT_EQ(config.check(), std::nullopt);
    EXPECT_DOUBLE_EQ(config.peakBytesPerNs(), bandwidth);
    EXPECT_EQ(config.burstBytes(), 32u);
  }
}

TEST(HbmConfig, NamesTheKeyOfAnImpossibleValue) {
  const auto problem = [](auto change) {
    HbmConfig config;
    change(config);
    return config.check().value_or("");
  };
  using testing::StartsWith;
  EXPECT_THAT(problem([](auto& c) { c.channels = 0; }), StartsWith("channels:"));
  EXPECT_THAT(problem([](auto& c) { c.banks = 2; }), StartsWith("banks:"));
  EXPECT_THAT(problem([](auto& c) { c.channel_interleave_bytes = 4096; }),
              StartsWith("channel_interleave_bytes:"));
  EXPECT_THAT(problem([](auto& c) { c.batch_bursts = 8; }), StartsWith("batch_least_bursts:"));
  EXPECT_THAT(problem([](auto& c) { c.mca.intensity_low = 0.9; }), StartsWith("mca.intensity"));
  EXPECT_THAT(problem([](auto& c) { c.timing.rfc_ns = 4000; }), StartsWith("timing.refi_ns:"));
}

TEST(HbmConfig, TakesAValueAtItsLimitAndRefusesTheNext) {
  const auto fits = [](auto change) {
    HbmConfig config;
    change(config);
    return !config.check().has_value();
  };
  EXPECT_TRUE(fits([](auto& c) { c.write_drain_bursts = c.dram_queue_bursts; }));
  EXPECT_FALSE(fits([](auto& c) { c.write_drain_bursts = c.dram_queue_bursts + 1; }));
  EXPECT_TRUE(fits([](auto& c) { c.batch_least_bursts = c.batch_bursts; }));
  EXPECT_FALSE(fits([](auto& c) { c.batch_least_bursts = c.batch_bursts + 1; }));
  EXPECT_TRUE(fits([](auto& c) { c.dram_queue_bursts = 8, c.channel_interleave_bytes = 256; }));
  EXPECT_FALSE(fits([](auto& c) {
    c.dram_queue_bursts = c.write_drain_bursts = 7, c.channel_interleave_bytes = 256;
  }));
  EXPECT_TRUE(fits([](auto& c) { c.channel_interleave_bytes = c.page_bytes; }));
  EXPECT_TRUE(fits([](auto& c) { c.banks = c.bank_groups; }));
  EXPECT_TRUE(fits([](auto& c) { c.timing.rc_ns = c.timing.ras_ns; }));
  EXPECT_FALSE(fits([](auto& c) { c.timing.rc_ns = c.timing.ras_ns - 0.5; }));
  EXPECT_TRUE(fits([](auto& c) {
    c.channels = 1024, c.banks = 16, c.page_bytes = 65536, c.capacity_gib = 1;
  })) << "a row in each bank";
  EXPECT_FALSE(fits(
      [](auto& c) { c.channels = 1023, c.banks = 32, c.page_bytes = 65536, c.capacity_gib = 1; }));
  EXPECT_FALSE(fits([](auto& c) {
    c.channels = c.banks = c.bank_groups = 1, c.page_bytes = 256, c.capacity_gib = 1024;
  })) << "2^32 rows";
  EXPECT_TRUE(fits([](auto& c) {
    c.channels = c.banks = c.bank_groups = 1, c.page_bytes = 256, c.capacity_gib = 512;
  }));
  const auto oneByOne = [&](double refresh, double between, double interval) {
    return fits([&](auto& c) {
      c.refresh = RefreshMode::PerBank;
      c.timing.rfc_pb_ns = refresh, c.timing.rrefd_ns = between, c.timing.refi_ns = interval;
    });
  };
  const HbmTiming timing = HbmConfig{}.timing;
  EXPECT_TRUE(oneByOne(1000, 8, 1000 + timing.rc_ns + 1));
  EXPECT_FALSE(oneByOne(1000, 8, 1000 + timing.rc_ns));
  EXPECT_TRUE(oneByOne(160, 50, 16 * (50 + timing.rrd_l_ns) + 1));
  EXPECT_FALSE(oneByOne(160, 50, 16 * (50 + timing.rrd_l_ns)));
  EXPECT_TRUE(fits([](auto& c) { c.timing.rfc_ns = c.timing.refi_ns - 1; }));
  EXPECT_FALSE(fits([](auto& c) { c.timing.rfc_ns = c.timing.refi_ns; }));
  EXPECT_TRUE(fits([](auto& c) { c.mca.window_min_ns = c.mca.window_max_ns; }));
  EXPECT_FALSE(fits([](auto& c) { c.mca.window_min_ns = c.mca.window_max_ns + 1; }));
  EXPECT_TRUE(
      fits([](auto& c) { c.mca.intensity_low = c.mca.intensity_high = c.mca.intensity_medium; }));
}

TEST(HbmStandard, ARowOfOnesOwnIsAMemory) {
  // The table does not know it.
  static constexpr HbmStandard kOwn{
      .name = "own",
      .source = "this test",
      .config = {.clock_mhz = 500, .channels = 4, .capacity_gib = 1, .timing = {.cl_ns = 20}}};
  EXPECT_EQ(Choice<HbmStandard>::find("own"), nullptr);
  EXPECT_EQ(kOwn.config.check(), std::nullopt);
  EXPECT_EQ(kOwn.config.peakBytesPerNs(), 4 * 16 * 2 * 0.5);
  EXPECT_EQ(kOwn.config.banks, HbmConfig{}.banks) << "what it does not name is the default";
  EXPECT_EQ(TimingTable(kOwn.config).dataEnd(DramCommandKind::Read), 10 + 1);
}

TEST(TimingTable, RoundsNanosecondsUpToClocks) {
  HbmConfig config;
  config.timing.rcd_rd_ns = 14.2;
  EXPECT_EQ(
      TimingTable(config).delay(DramCommandKind::Activate, DramCommandKind::Read, RuleScope::Bank),
      15);
  config.clock_mhz = 1200;
  config.timing.rcd_rd_ns = 15;
  EXPECT_EQ(
      TimingTable(config).delay(DramCommandKind::Activate, DramCommandKind::Read, RuleScope::Bank),
      18);
}

TEST(UpdateLedger, CountsBytesOfSharedBursts) {
  UpdateLedger ledger(32);
  ledger.watch(100, 200, 2);  // bursts 96 … 319
  EXPECT_EQ(ledger.updated(100, 60), std::nullopt);
  EXPECT_EQ(ledger.updated(160, 140), std::nullopt);
  EXPECT_TRUE(ledger.everyBurstUpdated(100, 200, 1));
  EXPECT_FALSE(ledger.everyBurstUpdated(100, 200, 2));
  EXPECT_EQ(ledger.unfinished(128, 32), 128u);
  EXPECT_EQ(ledger.updated(128, 64), std::nullopt);
  EXPECT_EQ(ledger.unfinished(128, 64), std::nullopt);
  EXPECT_EQ(ledger.unfinished(128, 96), 192u);
  EXPECT_EQ(ledger.updated(128, 32), 128u) << "a third time";
  ledger.watch(100, 200, 2);
  EXPECT_EQ(ledger.unfinished(128, 32), 128u) << "watching again starts over";
  EXPECT_FALSE(ledger.everyBurstUpdated(0, 32, 0)) << "nobody watches that";
}

TEST(BurstCounts, AddUpWholeBurstsAndPartsOfThem) {
  std::mt19937 random(test::seed(1));
  // Up to `most` and beyond, for cells of 1 to 8 bits; what does not fit has a number of its own.
  for (const std::uint32_t most : {0U, 1U, 2U, 3U, 14U, 15U, 254U, 255U, 1000U}) {
    constexpr std::size_t kBursts = 21;
    BurstCounts counts(kBursts, 32, most);
    std::vector<std::uint32_t> expected(kBursts);
    for (int i = 0; i < 20000; ++i) {
      const std::size_t burst = random() % kBursts;
      const std::uint32_t bytes = random() % 4 == 0 ? 1 + random() % 32 : 32;
      expected[burst] += bytes;
      ASSERT_EQ(counts.add(burst, bytes), expected[burst]) << most;
      ASSERT_EQ(counts.bytes(burst), expected[burst]) << most;
    }
    for (std::size_t burst = 0; burst < kBursts; ++burst) {
      EXPECT_EQ(counts.bytes(burst), expected[burst]) << most;
    }
  }
}

TEST(UpdateLedger, CountsWhatStandsForSeveralUpdatesAsOften) {
  UpdateLedger ledger(32);
  ledger.watch(0, 64, 8);
  EXPECT_FALSE(ledger.updated(0, 64, 7));
  EXPECT_TRUE(ledger.unfinished(0, 64));
  EXPECT_FALSE(ledger.updated(0, 64));
  EXPECT_FALSE(ledger.unfinished(0, 64));
  EXPECT_TRUE(ledger.everyBurstUpdated(0, 64, 8));
  EXPECT_EQ(ledger.updated(32, 16, 2), 32U) << "one too many";
}

TEST(UpdateLedger, PartsOfARangeGetFewerUpdates) {
  UpdateLedger ledger(32);
  ledger.watch(0, 128, 3);
  ledger.expect(32, 48, 2);  // burst 32, and the first half of burst 64
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ledger.updated(0, 128), std::nullopt);
  EXPECT_EQ(ledger.unfinished(0, 32), 0u);
  EXPECT_EQ(ledger.unfinished(32, 32), std::nullopt);
  EXPECT_EQ(ledger.unfinished(64, 16), std::nullopt) << "its half of the burst is complete";
  EXPECT_EQ(ledger.unfinished(96, 32), 96u);
  EXPECT_EQ(ledger.updated(80, 16), std::nullopt) << "the other half gets three";
  EXPECT_EQ(ledger.updated(64, 16), 64u) << "one too many";
  EXPECT_EQ(ledger.updated(32, 1), 32u) << "one too many";
  EXPECT_EQ(ledger.updated(96, 32), std::nullopt);
  EXPECT_EQ(ledger.unfinished(96, 32), std::nullopt);
  ledger.watch(0, 128, 3);
  EXPECT_EQ(ledger.updated(32, 32), std::nullopt);
  EXPECT_EQ(ledger.updated(32, 32), std::nullopt);
  EXPECT_EQ(ledger.unfinished(32, 32), 32u) << "watching again forgets the parts";
}

TEST(BackingStore, ReadsZeroWhereNothingWasWrittenAndCrossesPages) {
  BackingStore store;
  std::vector<unsigned char> data(200000, 0xab), read(200000, 1);
  store.read(12345, read.data(), read.size());
  EXPECT_THAT(read, testing::Each(0));
  store.write(1'000'000'007, data.data(), data.size());
  store.read(1'000'000'007, read.data(), read.size());
  EXPECT_EQ(read, data);
}

TEST(BackingStore, ClearsExactlyTheBytesItIsTold) {
  // Over the ends of three pages, from an address far above a page's size.
  constexpr std::uint64_t kBegin = 1'000'000'007, kBytes = 3 * BackingStore::kPageBytes;
  BackingStore store;
  const std::vector<unsigned char> ones(kBytes + 200, 0xff);
  store.write(kBegin - 100, ones.data(), ones.size());
  store.clear(kBegin, kBytes);
  std::vector<unsigned char> read(ones.size());
  store.read(kBegin - 100, read.data(), read.size());
  std::vector<unsigned char> expected(ones.size(), 0);
  std::fill_n(expected.begin(), 100, 0xff);
  std::fill_n(expected.rbegin(), 100, 0xff);
  EXPECT_EQ(read, expected);
  store.clear(kBegin - 5 * BackingStore::kPageBytes, 12 * BackingStore::kPageBytes);
  store.read(kBegin - 100, read.data(), read.size());
  EXPECT_THAT(read, testing::Each(0));
}

TEST(HbmStatistics, APercentileIsTheSmallestValueThatEnoughSamplesDoNotExceed) {
  // Values below 8 have buckets of their own, so these are exact.
  LatencyHistogram odd;
  for (Picoseconds value = 1; value <= 5; ++value) odd.add(value);
  EXPECT_EQ(odd.percentile(0.5), 3u) << "2.5 of 5 samples: the third";
  EXPECT_EQ(odd.percentile(0.2), 1u) << "exactly one sample";
  EXPECT_EQ(odd.percentile(0.21), 2u);
  EXPECT_EQ(odd.percentile(0.8), 4u);
  EXPECT_EQ(odd.percentile(0.81), 5u);
  LatencyHistogram few;
  for (int i = 0; i < 9; ++i) few.add(1);
  few.add(7);
  EXPECT_EQ(few.percentile(0.9), 1u);
  EXPECT_EQ(few.percentile(0.95), 7u) << "9.5 of 10 samples: the tenth";
  EXPECT_EQ(few.samples(), 10u);
  EXPECT_EQ(few.maximum(), 7u);
}

TEST(HbmStatistics, APercentileIsTheUpperEdgeOfItsBucketButNeverBeyondTheLargestValue) {
  LatencyHistogram histogram;
  histogram.add(16);  // buckets from 16 on are two wide
  EXPECT_EQ(histogram.percentile(0.5), 16u);
  histogram.add(100);
  EXPECT_EQ(histogram.percentile(0.5), 17u);
  EXPECT_EQ(histogram.percentile(1), 100u) << "not 103";
}

/// All rows by name.
std::map<std::string, StatisticRow> rowsOf(const HbmStatistics& statistics, const HbmConfig& config,
                                           Picoseconds elapsed) {
  std::map<std::string, StatisticRow> rows;
  for (const StatisticRow& row : statistics.rows(config, elapsed)) rows[row.name] = row;
  return rows;
}

TEST(HbmStatistics, EnergyIsCommandsTimesTheirConstantsInMicrojoules) {
  const HbmConfig config;
  HbmStatistics statistics(config);
  statistics.commands.fill(1'000'000);
  const auto rows = rowsOf(statistics, config, 1000);
  const auto expect = [&](const std::string& kind, double picojoules) {
    const StatisticRow& row = rows.at("energy_" + kind);
    EXPECT_NEAR(row.value, picojoules, picojoules * 1e-12) << kind;  // a million times pJ is uJ
    EXPECT_EQ(row.unit, "uJ");
  };
  expect("Activate", 909);
  expect("Precharge", 0);
  expect("PrechargeAll", 0);
  expect("Read", 3.5 * 256);
  expect("Write", 3.5 * 256);
  expect("Update", 4.4 * 256);
  expect("RefreshAll", 50'000);
  expect("RefreshBank", 50'000 / 16.0);
}

TEST(HbmStatistics, RatesAndTimesAreInTheirUnits) {
  HbmConfig config;
  config.clock_mhz = 2000;
  HbmStatistics statistics(config);
  statistics.phaseBytes[Phase::Gemm] = {3000, 1000};
  statistics.phaseBytes[Phase::AllGather] = {0, 4000};
  statistics.commands[indexOf(DramCommandKind::Read)] = 60;
  statistics.commands[indexOf(DramCommandKind::Update)] = 4;
  statistics.latency[1].add(7'000'000);
  statistics.occupancy[2] = 3;
  statistics.occupancy[6] = 1;
  const auto rows = rowsOf(statistics, config, 40'000);  // 40 ns
  const auto expect = [&](const std::string& name, double value, const std::string& unit) {
    EXPECT_DOUBLE_EQ(rows.at(name).value, value) << name;
    EXPECT_EQ(rows.at(name).unit, unit) << name;
  };
  expect("gemm_read_bytes", 3000, "bytes");
  expect("ag_write_bytes", 4000, "bytes");
  expect("bandwidth", 200, "GB/s");
  expect("peak_bandwidth", 2048, "GB/s");
  expect("bursts", 64, "");
  // 64 bursts of half a nanosecond on 32 channels: one nanosecond of 40.
  expect("bus_utilisation", 0.025, "");
  expect("latency_communication_max", 7000, "ns");
  expect("latency_communication_p50", 7000, "ns");
  expect("latency_compute_p99", 0, "ns");
  expect("dram_queue_occupancy", 3, "bursts");
}

TEST(HbmStatistics, BytesOverTimeGoToTheWindowOfTheirData) {
  HbmConfig config;
  config.statistics_window_ns = 10;
  HbmStatistics statistics(config);
  statistics.served(Phase::Gemm, 0, false, 32, 9'999);
  statistics.served(Phase::Gemm, 0, true, 64, 10'000);
  statistics.served(Phase::AllGather, 0, false, 96, 35'000);
  statistics.served(Phase::Gemm, 0, false, 128, 9'000);  // a little late
  ASSERT_EQ(statistics.overTime.size(), 4u);
  EXPECT_EQ(statistics.overTime[0][Phase::Gemm][0], 32u + 128);
  EXPECT_EQ(statistics.overTime[1][Phase::Gemm][1], 64u);
  EXPECT_EQ(statistics.overTime[3][Phase::AllGather][0], 96u);
  EXPECT_EQ(statistics.bytes(Phase::Gemm, false), 160u);
  EXPECT_EQ(statistics.pieces, 4u);
  EXPECT_EQ(statistics.lastData, 35'000u);
}

TEST(HbmStatistics, WindowsAreJoinedWhenThereWouldBeTooMany) {
  HbmConfig config;
  config.statistics_window_ns = 1;
  HbmStatistics statistics(config);
  const Picoseconds last = (Picoseconds{kMostWindows} - 1) * 1'000;  // beginning of the last window
  statistics.served(Phase::Gemm, 0, false, 1, 0);
  statistics.served(Phase::Gemm, 0, false, 2, 1'000);
  statistics.served(Phase::Gemm, 0, false, 4, 2'000);
  statistics.served(Phase::Gemm, 0, false, 8, last + 999);
  EXPECT_EQ(statistics.windowLength, 1'000u);
  EXPECT_EQ(statistics.overTime.size(), kMostWindows);
  statistics.served(Phase::Gemm, 0, false, 16, last + 1'000);
  EXPECT_EQ(statistics.windowLength, 2'000u);
  ASSERT_EQ(statistics.overTime.size(), kMostWindows / 2 + 1);
  EXPECT_EQ(statistics.overTime[0][Phase::Gemm][0], 1u + 2);
  EXPECT_EQ(statistics.overTime[1][Phase::Gemm][0], 4u);
  EXPECT_EQ(statistics.overTime[kMostWindows / 2 - 1][Phase::Gemm][0], 8u);
  EXPECT_EQ(statistics.overTime[kMostWindows / 2][Phase::Gemm][0], 16u);
  // A pause as long as 1,000 times all that was before.
  statistics.served(Phase::Gemm, 0, false, 32, last * 1'000);
  EXPECT_LE(statistics.overTime.size(), kMostWindows);
  EXPECT_EQ(statistics.windowLength, 1'000u * 1'024);
  std::uint64_t all = 0;
  for (const auto& window : statistics.overTime) all += window[Phase::Gemm][0];
  EXPECT_EQ(all, 63u);
}

TEST(HbmStatistics, EveryRowHasANameADescriptionAndAUnitOfItsOwnKind) {
  HbmStatistics statistics{HbmConfig{}};
  std::set<std::string> names;
  for (const StatisticRow& row : statistics.rows(HbmConfig{}, 1000)) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.description, "") << row.name;
  }
  for (const char* name : {"gemm_read_bytes", "ag_write_bytes", "bandwidth", "row_hits",
                           "commands_Activate", "latency_compute_p99"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace t3::test::hbm_parts_test
