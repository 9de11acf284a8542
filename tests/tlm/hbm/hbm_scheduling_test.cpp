// SPDX-License-Identifier: Apache-2.0
// Method: traffic that a scheduler can serve well or badly. What it did is read from the command
// log (activates and what each was good for) and from the times of the answers, and compared with
// what the timing parameters allow. Last, the bandwidth of mixes beside that of public simulators.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/random_traffic.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/hbm/trace_replay.h"

namespace t3::test::hbm_scheduling_test {
namespace {

using Arrival = ChannelHarness::Arrival;

/// Counts activates, and those whose row was closed before a column command used it.
class RowUse : public CommandObserver {
 public:
  explicit RowUse(const HbmConfig& config) : open_(config.banks), used_(config.banks) {}
  void command(const DramCommand& command) override {
    if (command.kind == DramCommandKind::PrechargeAll) {
      for (std::size_t bank = 0; bank < open_.size(); ++bank) close(bank);
    } else if (command.kind == DramCommandKind::Precharge) {
      close(command.bank.value);
    } else if (command.kind == DramCommandKind::Activate) {
      ++activates;
      open_[command.bank.value] = true;
      used_[command.bank.value] = false;
    } else if (isColumn(command.kind)) {
      used_[command.bank.value] = true;
    }
  }
  std::uint64_t activates = 0, wasted = 0;

 private:
  void close(std::size_t bank) {
    wasted += open_[bank] && !used_[bank] ? 1 : 0;
    open_[bank] = false;
  }
  std::vector<bool> open_, used_;
};

TEST(HbmScheduling, NoActivateIsWasted) {
  const std::uint64_t first = seed(1);
  std::uint64_t activates = 0;
  for (std::uint64_t s = first; s < first + 100; ++s) {
    std::mt19937_64 random(s);
    const HbmConfig config = randomConfig(random);
    RowUse rows(config);
    OrderedCommands ordered(config.channels, rows);
    ChannelHarness one(config);
    one.observe(&ordered);
    one.run(randomTraffic(random, config, 300));
    ordered.finish();
    EXPECT_EQ(rows.wasted, 0u) << "seed " << s;
    activates += rows.activates;
  }
  EXPECT_GT(activates, 1000u);
}

/// `count` requests of 32 B at random addresses, so many percent of them writes, all there from the
/// start.
std::vector<Arrival> randomRows(std::uint64_t seed, std::size_t count, unsigned writePercent) {
  std::mt19937_64 random(seed);
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < count; ++i) {
    arrivals.push_back(
        {.address = random() % (1 << 25) * 32,
         .kind = random() % 100 < writePercent ? DramCommandKind::Write : DramCommandKind::Read});
  }
  return arrivals;
}

TEST(HbmScheduling, RandomMixesOpenAtMostOneRowForEachRequest) {
  for (const unsigned writes : {0u, 10u, 50u, 90u, 100u}) {
    const HbmConfig config = oneChannel();
    RowUse rows(config);
    ChannelHarness one(config);
    one.observe(&rows);
    one.run(randomRows(seed(2), 20000, writes));
    EXPECT_LE(rows.activates, 20000u) << writes << " % writes";
    EXPECT_GT(rows.activates, 19000u) << "random rows are seldom hit";
  }
}

TEST(HbmScheduling, OldRequestsOfBothDirectionsThatWantOneBankDoNotWaitForEachOther) {
  // Everything is older than the age limit nearly at once, and all rows are in one bank: what old
  // requests of one direction keep, old requests of the other direction want.
  for (const std::uint32_t least : {1u, 16u}) {
    for (std::uint64_t s = seed(3); s < seed(3) + 50; ++s) {
      std::mt19937_64 random(s);
      HbmConfig config = oneChannel();
      config.bank_hash = config.group_hash = false;
      config.age_limit_ns = 1;
      config.batch_least_bursts = least;
      std::vector<Arrival> arrivals;
      for (int i = 0; i < 200; ++i) {
        arrivals.push_back(
            {.at = static_cast<Cycles>(i / 20 * 100),
             .address = random() % 64 * config.page_bytes * config.banks,
             .kind = random() % 2 == 0 ? DramCommandKind::Read : DramCommandKind::Write});
      }
      ChannelHarness one(config);
      one.afterService = [&](Cycles now) {
        if (now > 1'000'000) throw std::runtime_error("no progress, seed " + std::to_string(s));
      };
      ASSERT_NO_THROW(one.run(arrivals));
      EXPECT_EQ(one.served().size(), arrivals.size());
    }
  }
}

TEST(HbmScheduling, ABurstOfRandomReadsIsOverWhenItsBusiestResourceAllowsIt) {
  // The last answer comes when four activates a tFAW, or tRC of the bank with the most rows, have
  // let all of them through. The scheduler may lose a tenth, and one row cycle.
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  config.bank_hash = config.group_hash = false;
  const HbmTiming& t = config.timing;
  double sum = 0, bounds = 0;
  for (std::uint64_t s = seed(4); s < seed(4) + 100; ++s) {
    const auto arrivals = randomRows(s, 16 + s % 48, 0);
    ChannelHarness one(config);
    std::vector<double> rows(config.banks);
    for (const Arrival& arrival : arrivals) {
      const DramLocation at = one.mapping().locate(arrival.address);
      ++rows[at.group * (config.banks / config.bank_groups) + at.bankInGroup];
    }
    one.run(arrivals);
    double last = 0;
    for (const auto& served : one.served()) {
      last = std::max(last, static_cast<double>(served.dataEnd) * 1e-3);
    }
    const double bound = std::max(static_cast<double>(arrivals.size() - 4) * t.faw_ns / 4,
                                  (*std::max_element(rows.begin(), rows.end()) - 1) * t.rc_ns) +
                         t.rcd_rd_ns + t.cl_ns + 1;
    EXPECT_LE(last, bound * 1.1 + t.rc_ns) << "seed " << s;
    sum += last;
    bounds += bound;
  }
  EXPECT_LE(sum, bounds * 1.12) << "on average";
}

/// Longest time from entering the DRAM queue to the data, of a saturated channel.
double longestInQueue(const HbmConfig& config, const std::vector<Arrival>& arrivals) {
  ChannelHarness one(config);
  one.run(arrivals);
  EXPECT_EQ(one.served().size(), arrivals.size());
  double longest = 0;
  for (const auto& served : one.served()) {
    longest = std::max(longest, static_cast<double>(served.dataEnd) * 1e-3 -
                                    static_cast<double>(served.entered) * 1e-3);
  }
  return longest;
}

TEST(HbmScheduling, NothingWaitsLongerThanAgeLimitAndTheOlderRequestsOfItsBankTake) {
  // At worst the whole queue wants one bank: each of its requests takes a row cycle and perhaps a
  // turn of the bus. Random traffic comes near to that, because a bank that many wait for keeps
  // them in the queue while the others are served and make room for more.
  const HbmConfig config = oneChannel();
  const HbmTiming& t = config.timing;
  const double turn = t.cl_ns + 1 + t.read_to_write_gap_ns - t.wl_ns;
  const double bound = config.age_limit_ns + config.dram_queue_bursts * (t.rc_ns + turn) + t.rfc_ns;
  for (const unsigned writes : {5u, 10u, 50u, 90u, 95u}) {
    EXPECT_LE(longestInQueue(config, randomRows(seed(5), 20000, writes)), bound)
        << writes << " % writes at random";
    // Two streams, each in rows of its own.
    std::mt19937_64 random(seed(6));
    std::vector<Arrival> arrivals;
    std::array<std::uint64_t, 2> next{};
    for (int i = 0; i < 20000; ++i) {
      const std::size_t write = random() % 100 < writes ? 1 : 0;
      arrivals.push_back({.address = write * (1u << 28) + next[write]++ * 32,
                          .kind = write == 1 ? DramCommandKind::Write : DramCommandKind::Read});
    }
    EXPECT_LE(longestInQueue(config, arrivals), bound) << writes << " % writes, two streams";
  }
}

// Beside public simulators.

/// The memory of the comparison in docs/measurements/memory-simulators.md: one HBM2 pseudo channel,
/// 16 GB/s.
HbmConfig comparedMemory() {
  HbmConfig config = kHbm2Pseudo.config;
  config.channels = 1;
  config.capacity_gib = 1;
  config.timing.ccd_l_clocks = 4;
  return config;
}

struct PeerBand {
  const char* stream;
  double low, high;  ///< percent of the peak that DRAMsim3 2981759 and Ramulator c5b1c3a reach
  std::function<ReplayRequest(std::uint64_t, std::mt19937_64&)> request;
};

ReplayRequest at(std::uint64_t address, bool write) {
  return {address, 32, write ? DramCommandKind::Write : DramCommandKind::Read};
}
bool chance(std::mt19937_64& random, unsigned percent) { return random() % 100 < percent; }
std::uint64_t anywhere(std::mt19937_64& random) { return random() % (1 << 23) * 32; }

PeerBand sequence(const char* name, unsigned writes, double low, double high) {
  return {name, low, high,
          [=](std::uint64_t i, auto& random) { return at(i * 32, chance(random, writes)); }};
}
PeerBand twoStreams(const char* name, unsigned writes, double low, double high) {
  return {name, low, high,
          [=, next = std::array<std::uint64_t, 2>{}](std::uint64_t, auto& random) mutable {
            const bool write = chance(random, writes);
            return at((write ? 128u << 20 : 0) + next[write ? 1 : 0]++ * 32, write);
          }};
}
PeerBand atRandom(const char* name, unsigned writes, double low, double high) {
  return {name, low, high, [=](std::uint64_t, auto& random) {
            return at(anywhere(random), chance(random, writes));
          }};
}

TEST(HbmScheduling, BandwidthIsAtMost3PercentBelowTheBandOfTwoPublicSimulators) {
  const std::vector<PeerBand> bands{
      sequence("reads in sequence", 0, 91.9, 92.2),
      sequence("writes in sequence", 100, 92.0, 92.1),
      sequence("sequence, 10 % writes", 10, 78.5, 87.4),
      sequence("sequence, 50 % writes", 50, 83.2, 83.8),
      sequence("sequence, 90 % writes", 90, 87.0, 87.9),
      twoStreams("two streams, 10 % writes", 10, 77.1, 89.1),
      twoStreams("two streams, 50 % writes", 50, 78.3, 81.7),
      twoStreams("two streams, 90 % writes", 90, 84.5, 88.8),
      atRandom("random reads", 0, 45.2, 46.1),
      atRandom("random writes", 100, 45.9, 46.1),
      atRandom("random, 10 % writes", 10, 39.7, 41.7),
      atRandom("random, 50 % writes", 50, 39.2, 42.0),
      atRandom("random, 90 % writes", 90, 40.2, 43.6),
      {"eight banks, all conflicts", 30.8, 30.8,
       [](std::uint64_t i, auto&) { return at(i / 8 % 8192 * 16384 + i % 8 * 1024, false); }},
  };
  for (const PeerBand& band : bands) {
    std::mt19937_64 random(seed(7));
    std::vector<ReplayRequest> trace;
    for (std::uint64_t i = 0; i < 40000; ++i) trace.push_back(band.request(i, random));
    TraceReplay memory(comparedMemory(), 64);
    const double percent = memory.run(trace).bytesPerNs() / comparedMemory().peakBytesPerNs() * 100;
    EXPECT_GE(percent, band.low * 0.97) << band.stream;
    EXPECT_LE(percent, 92.5) << band.stream << ": refresh leaves no more";
  }
}

TEST(HbmScheduling, LatencyUnderBurstsIsAtMostATenthAboveThatOfTwoPublicSimulators) {
  // Bursts of 32 random reads on average at a quarter of the capacity: mean, 95 and 99 percentile
  // of the slower peer are 382, 1115 and 1495 ns.
  std::mt19937_64 random(seed(8));
  const HbmConfig config = comparedMemory();
  std::exponential_distribution<double> length(1.0 / 32), gap(1.0 / 256);
  std::vector<Arrival> arrivals;
  for (double at = 1; arrivals.size() < 50000; at += gap(random)) {
    const int burst = 1 + static_cast<int>(length(random));
    for (int i = 0; i < burst; ++i) {
      arrivals.push_back({.at = static_cast<Cycles>(at) + i, .address = anywhere(random)});
    }
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  ChannelHarness one(config);
  one.run(arrivals);
  std::vector<double> latency;
  double sum = 0;
  for (const auto& served : one.served()) {
    latency.push_back(static_cast<double>(served.dataEnd) * 1e-3 -
                      static_cast<double>(served.arrival.at));
    sum += latency.back();
  }
  std::sort(latency.begin(), latency.end());
  const auto size = static_cast<double>(latency.size());
  EXPECT_LE(sum / size, 382 * 1.1);
  EXPECT_LE(latency[static_cast<std::size_t>(size * 0.95)], 1115 * 1.1);
  EXPECT_LE(latency[static_cast<std::size_t>(size * 0.99)], 1495 * 1.1);
}

}  // namespace
}  // namespace t3::test::hbm_scheduling_test
