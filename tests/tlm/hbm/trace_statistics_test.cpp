// SPDX-License-Identifier: Apache-2.0
// Method: what the statistics say is derived once more from the command trace alone, of random
// traffic on every standard and in every refresh mode, and compared exactly.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/random_traffic.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/hbm/trace_replay.h"

namespace t3::test::trace_statistics_test {
namespace {

struct Commands : CommandObserver {
  void command(const DramCommand& command) override { all.push_back(command); }
  std::vector<DramCommand> all;
};

/// What a command trace says of a memory whose rows stay open until another row is needed.
struct Derived {
  Derived(const HbmConfig& config, const std::vector<DramCommand>& trace)
      : perChannel(config.channels) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, DramCommandKind> last;  // of each bank
    std::map<std::uint32_t, bool> direction;                                  // of each bus
    for (const DramCommand& command : trace) {
      const std::uint32_t channel = command.channel.value;
      ++commands[indexOf(command.kind)];
      if (command.kind == DramCommandKind::RefreshAll) {
        for (auto& [bank, kind] : last) {
          if (bank.first == channel) kind = command.kind;
        }
      }
      if (command.kind == DramCommandKind::PrechargeAll ||
          command.kind == DramCommandKind::RefreshAll) {
        continue;
      }
      const auto before = last.insert({{channel, command.bank.value}, command.kind});
      if (command.kind == DramCommandKind::Activate) {
        const bool closedForIt =
            !before.second && before.first->second == DramCommandKind::Precharge;
        ++(closedForIt ? conflicts : misses);
      }
      if (isColumn(command.kind)) {
        ++perChannel[channel];
        if (before.first->second != DramCommandKind::Activate) ++hits;
        const auto turn = direction.insert({channel, isRead(command.kind)});
        if (turn.first->second != isRead(command.kind)) ++turnarounds;
        turn.first->second = isRead(command.kind);
      }
      before.first->second = command.kind;
    }
  }

  std::array<std::uint64_t, kDramCommandKinds> commands{};
  std::uint64_t hits = 0, misses = 0, conflicts = 0, turnarounds = 0;
  std::vector<std::uint64_t> perChannel;
};

void expectSame(const HbmConfig& config, const std::vector<DramCommand>& trace,
                const HbmStatistics& statistics, const std::string& what) {
  const Derived derived(config, trace);
  EXPECT_EQ(statistics.commands, derived.commands) << what;
  EXPECT_EQ(statistics.channelBursts, derived.perChannel) << what;
  EXPECT_EQ(statistics.turnarounds, derived.turnarounds) << what;
  EXPECT_EQ(statistics.rowHits(), derived.hits) << what;
  if (config.page_policy == PagePolicy::Open) {
    EXPECT_EQ(statistics.rowMisses, derived.misses) << what;
    EXPECT_EQ(statistics.rowConflicts, derived.conflicts) << what;
  } else {
    // A trace does not say why a row was closed.
    EXPECT_EQ(statistics.rowMisses + statistics.rowConflicts, derived.misses + derived.conflicts)
        << what;
    EXPECT_LE(statistics.rowConflicts, derived.conflicts) << what;
  }
}

using Case = std::tuple<const HbmStandard*, RefreshMode, PagePolicy, SchedulingPolicy>;

class StatisticsOfATrace : public testing::TestWithParam<Case> {
 protected:
  HbmConfig config() const {
    HbmConfig config = std::get<0>(GetParam())->config;
    config.refresh = std::get<1>(GetParam());
    config.page_policy = std::get<2>(GetParam());
    config.scheduling = std::get<3>(GetParam());
    return config;
  }
};

// All kinds of commands, clears among them, with coalescing and without, ALUs and without.
TEST_P(StatisticsOfATrace, AreItsOwnForEveryKindOfCommand) {
  for (std::uint64_t s = seed(1); s < seed(1) + 20; ++s) {
    std::mt19937_64 random(s);
    HbmConfig config = this->config();
    config.channels = 1;
    config.capacity_gib = 1;
    config.coalescing = random() % 2 == 0;
    config.near_memory = random() % 4 != 0;
    config.dram_queue_bursts = random() % 2 == 0 ? 64 : 16;
    Commands commands;
    OrderedCommands ordered(config.channels, commands);
    ChannelHarness channel(config);
    channel.observe(&ordered);
    channel.run(randomTraffic(random, config, 400));
    ordered.finish();
    expectSame(config, commands.all, channel.statistics(), "seed " + std::to_string(s));
    if (HasFailure()) return;
  }
}

// Whole bursts, each on its own: the bytes are those of the commands, too.
TEST_P(StatisticsOfATrace, HaveItsBytesAndItsTime) {
  HbmConfig config = this->config();
  config.coalescing = false;
  std::mt19937_64 random(seed(2));
  for (const char* traffic : {"stream", "random", "updates"}) {
    std::vector<ReplayRequest> trace;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const bool streams = traffic == std::string("stream");
      ReplayRequest request;
      request.address = streams ? i * 32 : random() % config.capacityBytes() / 32 * 32;
      const auto kind = random() % 4;
      request.kind = traffic == std::string("updates") && kind < 2 ? DramCommandKind::Update
                     : kind == 0 && !streams                       ? DramCommandKind::Write
                                                                   : DramCommandKind::Read;
      trace.push_back(request);
    }
    Commands commands;
    OrderedCommands ordered(config.channels, commands);
    TraceReplay replay(config, 1024);
    replay.observe(&ordered);
    const ReplayResult result = replay.run(trace);
    ordered.finish();
    const HbmStatistics& statistics = result.statistics;
    expectSame(config, commands.all, statistics, traffic);
    const auto count = [&](DramCommandKind kind) { return statistics.commands[indexOf(kind)]; };
    EXPECT_EQ(statistics.bytes(Phase::Gemm, false), 32 * count(DramCommandKind::Read));
    EXPECT_EQ(statistics.bytes(Phase::Gemm, true),
              32 * (count(DramCommandKind::Write) + count(DramCommandKind::Update)));
    EXPECT_EQ(result.bytes, 32 * statistics.bursts());
    // The last response comes behind the last data, which is that of the last column command.
    const TimingTable table(config);
    const Picoseconds period = Clock(config.clock_mhz).period();
    Picoseconds lastData = 0;
    for (const DramCommand& command : commands.all) {
      if (!isColumn(command.kind)) continue;
      lastData = std::max(
          lastData, command.when + static_cast<Picoseconds>(table.dataEnd(command.kind)) * period);
    }
    EXPECT_EQ(statistics.lastData, lastData);
    EXPECT_EQ(result.time, lastData + picosecondsFromNs(config.response_latency_ns));
    for (const StatisticRow& row : statistics.rows(config, result.time)) {
      const double ns = nanoseconds(result.time);
      if (row.name == "bandwidth") {
        EXPECT_DOUBLE_EQ(row.value, static_cast<double>(result.bytes) / ns);
      }
      if (row.name == "bus_utilisation") {
        EXPECT_NEAR(row.value, static_cast<double>(result.bytes) / ns / config.peakBytesPerNs(),
                    1e-9);
      }
    }
  }
}

std::string nameOf(const testing::TestParamInfo<Case>& info) {
  const auto [standard, refresh, pages, scheduling] = info.param;
  std::string name = standard->name;
  std::erase(name, '-');
  return name + std::array{"RefreshOff", "AllBank", "PerBank"}[static_cast<std::size_t>(refresh)] +
         std::array{"Open", "Closed", "Adaptive"}[static_cast<std::size_t>(pages)] +
         std::array{"Batches", "FirstReady"}[static_cast<std::size_t>(scheduling)];
}

INSTANTIATE_TEST_SUITE_P(
    Memories, StatisticsOfATrace,
    testing::Combine(testing::Values(&kHbm2, &kHbm2Pseudo, &kHbm2e, &kHbm3),
                     testing::Values(RefreshMode::Off, RefreshMode::AllBank, RefreshMode::PerBank),
                     testing::Values(PagePolicy::Open, PagePolicy::Closed, PagePolicy::Adaptive),
                     testing::Values(SchedulingPolicy::Batches, SchedulingPolicy::FirstReady)),
    nameOf);

}  // namespace
}  // namespace t3::test::trace_statistics_test
