// SPDX-License-Identifier: Apache-2.0
// Method: the replay of a trace is compared with the same requests sent through TLM to an
// HbmStack, and its trace with the independent checker.
#include "tlm/hbm/trace_replay.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/command_checker.h"
#include "tests/tlm/hbm/test_initiator.h"
#include "tlm/hbm/hbm_standard.h"

namespace t3::test::trace_replay_test {
namespace {

TEST(TraceReplay, TakesTheTimeThatTheSameRequestsTakeThroughTlm) {
  const HbmConfig config;
  std::mt19937_64 random(seed(1));
  std::vector<ReplayRequest> trace;
  Bench bench(config);
  bench.initiator.window = 1'000'000;
  Cycles cycle = 0;
  for (int i = 0; i < 20000; ++i) {
    cycle += static_cast<Cycles>(random() % 8);
    ReplayRequest request;
    request.cycle = cycle;
    request.bytes = static_cast<std::uint32_t>(1 + random() % 1000);
    request.address = random() % (1 << 26);
    const std::uint64_t kind = random() % 3;
    request.kind = kind == 0 ? DramCommandKind::Write : DramCommandKind::Read;
    trace.push_back(request);
  }
  TraceReplay replay(config, 1'000'000);
  const ReplayResult result = replay.run(trace);

  for (const ReplayRequest& request : trace) {
    const Picoseconds at = static_cast<Picoseconds>(request.cycle) * 1000;
    if (at > now()) sc_core::sc_start(fromPicoseconds(at - now()));
    Access access = request.kind == DramCommandKind::Read ? readOf(request.address, request.bytes)
                                                          : writeOf(request.address, request.bytes);
    bench.initiator.send(access);
  }
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  const auto& through = bench.hbm.statistics();
  EXPECT_EQ(result.statistics.bursts(), through.bursts());
  EXPECT_EQ(result.requests, 20000u);
  EXPECT_EQ(result.statistics.requests, 20000u);
  // Not exactly: what arrives and what is decided at the same clock may meet in another order.
  EXPECT_NEAR(
      static_cast<double>(result.statistics.lastData) / static_cast<double>(through.lastData), 1,
      0.003);
  EXPECT_GE(result.time, result.statistics.lastData) << "the last response comes later";
  EXPECT_NEAR(result.statistics.rowHitRate(), through.rowHitRate(), 0.003);
}

TEST(TraceReplay, TellsHowManyRequestsHaveEntered) {
  const std::vector<ReplayRequest> trace(200'000);
  std::vector<double> told;
  TraceReplay replay(HbmConfig{}, 64);
  replay.run(trace, [&told](double share) { told.push_back(share); });
  ASSERT_EQ(told.size(), 3U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const double least = static_cast<double>((i + 1) << 16) / 200'000;
    EXPECT_GE(told[i], least);
    EXPECT_LT(told[i], least + 0.01);
  }
}

TEST(TraceReplay, KeepsTheRulesAndTheLimitOfOutstandingRequests) {
  const HbmConfig config = kHbm2Pseudo.config;
  CommandChecker checker(config);
  std::mt19937_64 random(seed(2));
  std::vector<ReplayRequest> trace;
  for (int i = 0; i < 5000; ++i) {
    trace.push_back({.address = random() % config.capacityBytes() & ~std::uint64_t{31},
                     .kind = random() % 2 == 0 ? DramCommandKind::Read : DramCommandKind::Update});
  }
  TraceReplay one(config, 1), many(config, 64);
  many.observe(&checker);
  const ReplayResult serial = one.run(trace), parallel = many.run(trace);
  EXPECT_EQ(checker.violations(), std::vector<std::string>{});
  EXPECT_GT(checker.trace().size(), 10000u);
  // One at a time means that each waits for the answer to the one before.
  EXPECT_GE(static_cast<double>(serial.time) * 1e-3, 5000 * (config.timing.wl_ns + 2));
  EXPECT_LT(parallel.time, serial.time / 8);
}

TEST(TraceReplay, OneAtATimeTheNextEntersAtTheClockOfTheAnswer) {
  HbmConfig config;
  config.refresh = RefreshMode::Off;
  ASSERT_EQ(config.clock_mhz, 1000);
  const auto timeOf = [&](std::vector<ReplayRequest> trace, std::uint32_t outstanding) {
    return TraceReplay(config, outstanding).run(trace).time;
  };
  // To the last data of a read whose row is open.
  const Cycles late = 100'000;
  config.response_latency_ns = 0;
  const Picoseconds read = timeOf({{.address = 0}, {.address = 0, .cycle = late}}, 2) - late * 1000;
  for (const double response : {20.0, 20.25, 20.75}) {
    config.response_latency_ns = response;
    const Picoseconds three = timeOf({{.address = 0}, {.address = 0}, {.address = 0}}, 1);
    const Picoseconds two = timeOf({{.address = 0}, {.address = 0}}, 1);
    EXPECT_EQ(three - two, read + (response == 20 ? 20'000 : 21'000)) << response;
  }
}

// Refreshes as close as the settings allow leave room for accesses.
TEST(TraceReplay, EndsAtTheLimitsOfTheRefreshes) {
  HbmConfig config;
  config.channels = config.capacity_gib = 1;
  std::vector<ReplayRequest> trace;
  std::mt19937_64 random(seed(3));
  for (int i = 0; i < 500; ++i) trace.push_back({.address = random() % (1 << 30) & ~31ULL});
  const HbmTiming timing = config.timing;
  config.refresh = RefreshMode::PerBank;
  config.timing.rfc_pb_ns = 1000;
  config.timing.refi_ns = 1000 + timing.rc_ns + 1;
  ASSERT_EQ(config.check(), std::nullopt);
  EXPECT_EQ(TraceReplay(config, 64).run(trace).statistics.requests, 500U);
  config.timing = timing;
  config.timing.rrefd_ns = 50;
  config.timing.refi_ns = config.banks * (50 + timing.rrd_l_ns) + 1;
  ASSERT_EQ(config.check(), std::nullopt);
  EXPECT_EQ(TraceReplay(config, 64).run(trace).statistics.requests, 500U);
  config.timing = timing;
  config.refresh = RefreshMode::AllBank;
  config.timing.rfc_ns = timing.refi_ns - 1;
  ASSERT_EQ(config.check(), std::nullopt);
  EXPECT_EQ(TraceReplay(config, 64).run(trace).statistics.requests, 500U);
}

TEST(TraceReplay, NothingTakesNoTime) {
  const ReplayResult result = TraceReplay(HbmConfig{}, 1).run({});
  EXPECT_EQ(result.time, 0U);
  EXPECT_EQ(result.requests, 0U);
}

TEST(TraceReplay, NamesARequestOutsideTheMemory) {
  HbmConfig config;
  TraceReplay replay(config, 8);
  const std::vector<ReplayRequest> trace{{.address = 0}, {.address = config.capacityBytes()}};
  EXPECT_THROW(
      {
        try {
          replay.run(trace);
        } catch (const std::out_of_range& error) {
          EXPECT_STREQ(error.what(), "request 1 is outside the memory");
          throw;
        }
      },
      std::out_of_range);
}

}  // namespace
}  // namespace t3::test::trace_replay_test
