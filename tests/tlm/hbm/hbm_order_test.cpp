// SPDX-License-Identifier: Apache-2.0
// Method: traffic that provokes overtaking (a write batch waiting while reads stream, a triggered
// read behind the update that completed its tile); the ledger, values in memory and the order of
// answers say whether the promise held. The ledger itself is made to fail on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/error_of.h"
#include "tests/support/seed.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_order_test {
namespace {

TEST(HbmOrder, ATriggeredReadNeverPassesAnEnqueuedUpdateOfItsBytes) {
  HbmConfig config = oneChannel();
  config.arbitration = kRoundRobinArbitration;
  PayloadPool pool;
  HbmStack hbm("hbm", config, 1);
  TestInitiator updates("updates", pool), reads("reads", pool);
  updates.port.socket.bind(hbm.target);
  reads.port.socket.bind(hbm.target);
  constexpr std::uint64_t kTiles = 500;
  hbm.watchUpdates(0, kTiles * 256, 2);

  // Both updates of a tile and at once its triggered read, among compute reads that keep the
  // controller from starting a batch of writes.
  for (std::uint64_t tile = 0; tile < kTiles; ++tile) {
    for (int i = 0; i < 2; ++i) {
      Access update = updateOf(tile * 256, 256);
      update.stream = Stream::Communication;
      update.tracked = true;
      updates.send(update);
    }
    Access read = readOf(tile * 256, 256);
    read.stream = Stream::Communication;
    read.triggered = true;
    updates.send(read);
    for (int i = 0; i < 3; ++i) reads.send(readOf((1 << 24) + (tile * 3 + i) * 8192, 256));
  }
  EXPECT_NO_THROW(sc_core::sc_start());
  EXPECT_EQ(updates.answeredAt.size(), 3 * kTiles);
  EXPECT_TRUE(hbm.everyBurstUpdated(0, kTiles * 256, 2));
}

TEST(HbmOrder, TheCheckOfTriggeredReadsReportsOneThatComesTooEarly) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(4096, 4096, 2);
  Access update = updateOf(4096, 256);
  update.tracked = true;
  bench.initiator.send(update);
  Access read = readOf(4096 + 32, 32);
  read.triggered = true;
  bench.initiator.send(read);
  EXPECT_THAT(errorOf([] { sc_core::sc_start(); }),
              testing::AllOf(testing::HasSubstr("triggered read passed an update at "),
                             testing::HasSubstr("channel 0, address 0x1020")));
}

TEST(HbmOrder, TheLedgerReportsAnUpdateTooMany) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 1);
  bench.initiator.send(updateOf(64, 32));
  bench.initiator.send(updateOf(64, 32));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(HbmOrder, TheLedgerReportsAnInitialValueAfterAnUpdateAndNoStoreOfALaterPhase) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 1);
  bench.initiator.send(updateOf(64, 32));
  Access gathered = writeOf(64, 32);
  gathered.phase = Phase::AllGather;
  bench.initiator.send(gathered);
  EXPECT_NO_THROW(sc_core::sc_start());
  bench.initiator.send(writeOf(64, 32));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

/// What another GPU stores as it is to be.
Access arrivalOf(std::uint64_t address, std::uint32_t bytes) {
  Access access = writeOf(address, bytes);
  access.stream = Stream::Communication;
  access.phase = Phase::AllGather;
  access.tracked = true;
  return access;
}

TEST(HbmOrder, BytesThatArriveCompleteCanBeReadByATriggeredRead) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 2);
  bench.initiator.send(arrivalOf(1024, 256));
  Access read = readOf(1024, 256);
  read.stream = Stream::Communication;
  read.triggered = true;
  bench.initiator.send(read);
  EXPECT_NO_THROW(sc_core::sc_start());
  EXPECT_TRUE(bench.hbm.everyBurstArrived(1024, 256, 1));
  EXPECT_TRUE(bench.hbm.everyBurstUpdated(1024, 256, 0));
  EXPECT_TRUE(bench.hbm.everyBurstArrived(0, 1024, 0));
}

TEST(HbmOrder, ATriggeredReadOfBytesThatHaveOnlyPartlyArrivedIsReported) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 2);
  bench.initiator.send(arrivalOf(1024, 224));
  Access read = readOf(1024, 256);
  read.stream = Stream::Communication;
  read.triggered = true;
  bench.initiator.send(read);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(HbmOrder, TheLedgerReportsAnInitialValueOverBytesThatHaveArrived) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 2);
  bench.initiator.send(arrivalOf(64, 32));
  EXPECT_NO_THROW(sc_core::sc_start());
  bench.initiator.send(writeOf(64, 32));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(HbmOrder, TheLedgerReportsBytesThatArriveTwice) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 2);
  bench.initiator.send(arrivalOf(64, 32));
  bench.initiator.send(arrivalOf(64, 32));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(HbmOrder, AReadSeesEveryWriteThatWasSentBeforeItOnItsStream) {
  Bench bench(oneChannel());
  std::mt19937_64 random(seed(3));
  // Golden memory in order of sending: one stream, so that is the order of entering the queue.
  std::vector<unsigned char> golden(64 * 1024);
  std::map<std::uint64_t, std::vector<unsigned char>> expected;
  std::uint64_t id = 0, checks = 0;
  bench.initiator.window = 40;
  bench.initiator.next = [&](Access& access) {
    if (id == 20000) return false;
    const auto bytes = static_cast<std::uint32_t>(1 + random() % 300);
    const std::uint64_t address = random() % (golden.size() - bytes);
    const auto begin = golden.begin() + static_cast<std::ptrdiff_t>(address);
    if (random() % 2 == 0) {
      access = readOf(address, bytes);
      access.wantData = true;
      expected[id] = {begin, begin + bytes};
    } else {
      access = writeOf(address, bytes);
      access.data.resize(bytes);
      for (auto& byte : access.data) byte = static_cast<unsigned char>(random());
      std::copy(access.data.begin(), access.data.end(), begin);
    }
    ++id;
    return true;
  };
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    if (!payload.is_read()) return;
    const auto& want = expected[traffic(payload).context];
    ASSERT_EQ(std::memcmp(payload.get_data_ptr(), want.data(), want.size()), 0)
        << "request " << traffic(payload).context;
    ++checks;
  };
  bench.run();
  EXPECT_TRUE(bench.drained());
  EXPECT_GT(checks, 9000u);
}

TEST(HbmOrder, ReadsThatDoNotOverlapOvertakeWaitingWrites) {
  // The promise is about bytes; everything else may be reordered, or writes could not be batched.
  const HbmConfig config = oneChannel();
  ChannelHarness one(config);
  std::vector<ChannelHarness::Arrival> arrivals{
      {.address = 8192, .bytes = 256, .kind = DramCommandKind::Read},
      {.address = 0, .bytes = 256, .kind = DramCommandKind::Write},
      {.address = 8192 + 256, .bytes = 256, .kind = DramCommandKind::Read}};
  one.run(arrivals);
  ASSERT_EQ(one.served().size(), 3u);
  EXPECT_EQ(one.served()[1].index, 2u);
  EXPECT_EQ(one.served()[2].index, 1u);
}

TEST(HbmOrder, NoRequestStarvesHoweverManyOfTheOtherDirectionKeepComing) {
  for (const auto mapping :
       {AddressMappingPolicy::BurstOverGroups, AddressMappingPolicy::BlockOverGroups,
        AddressMappingPolicy::PageOverGroups}) {
    for (const auto many : {DramCommandKind::Read, DramCommandKind::Write}) {
      HbmConfig config = oneChannel();
      config.address_mapping = mapping;
      std::vector<ChannelHarness::Arrival> arrivals;
      for (std::uint32_t n = 0; n < 8000; ++n) {
        arrivals.push_back({.address = n * 256ull, .bytes = 256, .kind = many});
      }
      for (std::uint32_t n = 0; n < 100; ++n) {
        arrivals.push_back(
            {.at = 1000 + n * 500,
             .address = (1 << 24) + n * 9472ull,
             .bytes = 256,
             .kind = many == DramCommandKind::Read ? DramCommandKind::Write : DramCommandKind::Read,
             .stream = Stream::Communication});
      }
      ChannelHarness one(config);
      one.run(arrivals);
      ASSERT_EQ(one.served().size(), arrivals.size());
      // Its batch comes at the age limit at the latest; then a refresh and the batch itself.
      const double limit = config.age_limit_ns + config.timing.rfc_ns + 300;
      for (const auto& served : one.served()) {
        if (served.arrival.stream != Stream::Communication) continue;
        const auto end = static_cast<double>(served.dataEnd) * 1e-3;
        EXPECT_LT(end - static_cast<double>(served.arrival.at), limit) << served.index;
      }
    }
  }
}

}  // namespace
}  // namespace t3::test::hbm_order_test
