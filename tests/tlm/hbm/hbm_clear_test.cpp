// SPDX-License-Identifier: Apache-2.0
// Method: ranges of bytes full of ones are cleared in every way, and what is in memory afterwards
// is compared byte by byte; commands, times and statistics are compared with closed forms. The
// ledger is made to report clears at a wrong time. Clears among other traffic: random_traffic.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::hbm_clear_test {
namespace {

Access clearOf(std::uint64_t address, std::uint32_t bytes) {
  return {{.operation = MemoryOperation::Clear}, tlm::TLM_WRITE_COMMAND, address, bytes};
}
Access readAndClear(std::uint64_t address, std::uint32_t bytes) {
  Access access = readOf(address, bytes);
  access.operation = MemoryOperation::Clear;
  access.wantData = true;
  return access;
}

std::vector<unsigned char> bytesOfMemory(Bench& bench, std::uint64_t address, std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  tlm::tlm_generic_payload debug;
  debug.set_command(tlm::TLM_READ_COMMAND);
  debug.set_address(address);
  debug.set_data_ptr(data.data());
  debug.set_data_length(static_cast<unsigned>(bytes));
  EXPECT_EQ(bench.initiator.port.socket->transport_dbg(debug), bytes);
  return data;
}

void fillWithOnes(Bench& bench, std::uint64_t address, std::size_t bytes) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets work from the end of elaboration on
  std::vector<unsigned char> ones(bytes, 0xff);
  tlm::tlm_generic_payload debug;
  debug.set_command(tlm::TLM_WRITE_COMMAND);
  debug.set_address(address);
  debug.set_data_ptr(ones.data());
  debug.set_data_length(static_cast<unsigned>(bytes));
  EXPECT_EQ(bench.initiator.port.socket->transport_dbg(debug), bytes);
}

std::uint64_t commandsOf(Bench& bench, DramCommandKind kind) {
  return bench.hbm.statistics().commands[indexOf(kind)];
}

double figure(Bench& bench, const std::string& name) {
  for (const StatisticRow& row : bench.hbm.statistics().rows(bench.config, 1'000'000)) {
    if (row.name == name) return row.value;
  }
  ADD_FAILURE() << "no statistic " << name;
  return -1;
}

class EitherMemory : public testing::TestWithParam<bool> {
 protected:
  static HbmConfig config() {
    HbmConfig config;
    config.near_memory = GetParam();
    return config;
  }
};

TEST_P(EitherMemory, AReadAndClearReturnsWhatWasStoredAndLeavesZerosInJustTheseBytes) {
  Bench bench(config());
  constexpr std::uint64_t kBegin = 1000, kBytes = 1500;  // neither is a whole number of bursts
  fillWithOnes(bench, 0, 4096);
  std::vector<unsigned char> got;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    got.assign(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  };
  bench.initiator.send(readAndClear(kBegin, kBytes));
  bench.run();
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(got, std::vector<unsigned char>(kBytes, 0xff));
  const std::vector<unsigned char> left = bytesOfMemory(bench, 0, 4096);
  for (std::uint64_t i = 0; i < left.size(); ++i) {
    const bool inside = i >= kBegin && i < kBegin + kBytes;
    ASSERT_EQ(left[i], inside ? 0 : 0xff) << i;
  }
}

void expectAClearLeavesZerosInJustItsBytes(const HbmConfig& config) {
  Bench bench(config);
  // Parts of rows at both ends and whole rows between them.
  const std::uint32_t rows = config.channels * 4 * 2048;
  const std::uint32_t begin = rows - 777, end = 3 * rows + 5000;
  fillWithOnes(bench, 0, 4 * rows);
  bench.initiator.send(clearOf(begin, end - begin));
  bench.run();
  EXPECT_TRUE(bench.drained());
  const std::vector<unsigned char> left = bytesOfMemory(bench, 0, 4 * rows);
  for (std::uint64_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i], i >= begin && i < end ? 0 : 0xff) << i;
  }
  const std::uint64_t rowClears = config.near_memory ? 2 * config.channels * 4 : 0;
  EXPECT_EQ(commandsOf(bench, DramCommandKind::RowClear), rowClears);
  EXPECT_EQ(bench.hbm.rowsBytes(), config.near_memory ? rows : 0);
  EXPECT_EQ(bench.hbm.statistics().clearedBytes, config.near_memory ? end - begin : 0);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, true), config.near_memory ? 0 : end - begin)
      << "without ALUs at the banks zeros are written like other data";
}

TEST_P(EitherMemory, AClearLeavesZerosInJustTheseBytes) {
  expectAClearLeavesZerosInJustItsBytes(config());
}

TEST_P(EitherMemory, OfTwelveChannelsClearsJustTheBytesOfAClear) {
  HbmConfig twelve = config();
  twelve.channels = 12;
  expectAClearLeavesZerosInJustItsBytes(twelve);
}

TEST_P(EitherMemory, WhatOverlapsAClearKeepsItsOrder) {
  Bench bench(config());
  // One stream: read and clear, write, read and clear, clear, write. All that is read, and what
  // stays, is known.
  std::vector<unsigned char> first(256, 1), second(256, 2);
  std::vector<std::vector<unsigned char>> got;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    if (!payload.is_read()) return;
    got.emplace_back(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  };
  const auto write = [&](const std::vector<unsigned char>& data) {
    Access access = writeOf(512, 256);
    access.data = data;
    bench.initiator.send(access);
  };
  fillWithOnes(bench, 0, 1024);
  bench.initiator.send(readAndClear(512, 256));
  write(first);
  bench.initiator.send(readAndClear(512, 256));
  bench.initiator.send(readAndClear(512, 256));
  bench.initiator.send(clearOf(0, 32 * 4 * 2048));
  write(second);
  bench.run();
  EXPECT_TRUE(bench.drained());
  EXPECT_THAT(got, testing::ElementsAre(std::vector<unsigned char>(256, 0xff), first,
                                        std::vector<unsigned char>(256, 0)));
  EXPECT_EQ(bytesOfMemory(bench, 512, 256), second);
  EXPECT_EQ(bytesOfMemory(bench, 0, 512), std::vector<unsigned char>(512, 0));
}

TEST_P(EitherMemory, EveryThreeAccessesToTheSameBytesAreServedInTheirOrder) {
  // Each triple of kinds has rows of its own. One model applies the triples in their order; what it
  // reads and what it leaves is what the memory must have read and left.
  enum Kind : std::uint64_t { kRead, kWrite, kUpdate, kReadClear, kClear, kRowClear, kKinds };
  constexpr std::uint64_t kRows = 32 * 4 * 2048, kOffset = 4096 + 64;
  constexpr std::uint32_t kBytes = 128;
  Bench bench(config());
  const auto values = [](std::int32_t value) {
    std::vector<unsigned char> data(kBytes);
    for (std::uint32_t i = 0; i < kBytes; i += 4) std::memcpy(&data[i], &value, 4);
    return data;
  };
  std::map<std::uint64_t, std::vector<unsigned char>> expected, got;  // of reads, by their number
  std::map<std::uint64_t, std::int32_t> left;                         // by address
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    if (!payload.is_read()) return;
    got[traffic(payload).context].assign(payload.get_data_ptr(), payload.get_data_ptr() + kBytes);
  };
  for (std::uint64_t triple = 0; triple < kKinds * kKinds * kKinds; ++triple) {
    const std::uint64_t at = triple * kRows + kOffset;
    std::int32_t value = 0;
    std::int32_t operand = 1;
    for (std::uint64_t rest = triple, i = 0; i < 3; rest /= kKinds, ++i, operand *= 10) {
      Access access = readOf(at, kBytes);
      access.dataType = DataType::Int32;
      switch (rest % kKinds) {
        case kRead:
        case kReadClear:
          expected[bench.initiator.sent()] = values(value);
          access.wantData = true;
          if (rest % kKinds == kRead) break;
          access.operation = MemoryOperation::Clear;
          value = 0;
          break;
        case kWrite:
        case kUpdate:
          access.command = tlm::TLM_WRITE_COMMAND;
          access.data = values(operand);
          if (rest % kKinds == kWrite) {
            value = operand;
          } else {
            access.operation = MemoryOperation::Add;
            value += operand;
          }
          break;
        case kClear:
          access = clearOf(at, kBytes);
          value = 0;
          break;
        default:
          access = clearOf(triple * kRows, kRows);
          value = 0;
      }
      bench.initiator.send(access);
    }
    left[at] = value;
  }
  bench.run();
  EXPECT_TRUE(bench.drained());
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [number, data] : expected) {
    ASSERT_EQ(got[number], data) << "access " << number % 3 << " of triple " << number / 3;
  }
  for (const auto& [at, value] : left) {
    ASSERT_EQ(bytesOfMemory(bench, at, kBytes), values(value)) << "triple " << at / kRows;
  }
}

INSTANTIATE_TEST_SUITE_P(Clears, EitherMemory, testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "WithAlusAtTheBanks" : "Without";
});

TEST(RowClears, TakeTheTimeOfTwoActivatesEachAndNoTimeOfTheDataBus) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  config.bank_hash = false;  // a bank is not met again before all others
  Bench bench(config);
  constexpr std::uint32_t kSets = 64;  // of a row in each of 4 groups
  bench.initiator.send(clearOf(0, kSets * 4 * 2048));
  bench.run();
  ASSERT_TRUE(bench.drained());
  EXPECT_EQ(commandsOf(bench, DramCommandKind::RowClear), kSets * 4U);
  EXPECT_EQ(bench.hbm.statistics().bursts(), 0U);
  // Two of them in each tFAW; the last one ends after row_clear_ns.
  const double expected = (kSets * 4 / 2 - 1) * config.timing.faw_ns + config.timing.rrd_s_ns +
                          config.row_clear_ns + config.response_latency_ns;
  EXPECT_NEAR(static_cast<double>(bench.initiator.last()) * 1e-3 / expected, 1.0, 0.02);
  EXPECT_EQ(figure(bench, "cleared_bytes"), kSets * 4 * 2048);
  EXPECT_NEAR(figure(bench, "energy_RowClear"), kSets * 4 * config.energy.row_clear_pj * 1e-6,
              1e-9);
  EXPECT_NEAR(figure(bench, "bank_time_RowClear"), kSets * 4 * config.row_clear_ns * 1e-3, 1e-9);
  EXPECT_EQ(figure(bench, "gemm_write_bytes"), 0);
}

TEST(RowClears, GoOnBetweenRefreshesOfAChannelThatHasNothingElseToDo) {
  for (const RefreshMode mode : {RefreshMode::AllBank, RefreshMode::PerBank}) {
    HbmConfig config = oneChannel();
    config.refresh = mode;
    ChannelHarness one(config);
    std::vector<ChannelHarness::Arrival> arrivals;
    for (std::uint64_t set = 0; set < 1000; ++set) {
      arrivals.push_back({.address = set * 8192, .bytes = 4, .kind = DramCommandKind::RowClear});
    }
    one.run(arrivals);
    EXPECT_EQ(one.served().size(), arrivals.size());
    const auto refresh =
        mode == RefreshMode::AllBank ? DramCommandKind::RefreshAll : DramCommandKind::RefreshBank;
    EXPECT_GT(one.statistics().commands[indexOf(refresh)], 1U);
  }
}

TEST(ReadAndClear, CountsAsAReadOnTheBusAndAsAnOpAndStoreAtTheBank) {
  Bench bench(oneChannel());
  bench.initiator.send(readAndClear(0, 4096));
  bench.run();
  EXPECT_EQ(commandsOf(bench, DramCommandKind::ReadClear), 128U);
  EXPECT_EQ(commandsOf(bench, DramCommandKind::Read), 0U);
  EXPECT_EQ(commandsOf(bench, DramCommandKind::Write), 0U);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, false), 4096U);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, true), 0U);
  EXPECT_EQ(figure(bench, "cleared_bytes"), 4096);
  const HbmConfig& config = bench.config;
  EXPECT_NEAR(figure(bench, "energy_ReadClear"),
              4096 * 8 * config.energy.read_clear_pj_per_bit * 1e-6, 1e-9);
  EXPECT_NEAR(figure(bench, "bank_time_ReadClear"),
              128 * config.update_ccd_l_factor * config.timing.ccd_l_clocks * 1e-3, 1e-9);
}

TEST(ReadAndClear, OfAllBankGroupsMovesABurstEachClock) {
  HbmConfig config = oneChannel();
  config.refresh = RefreshMode::Off;
  ChannelHarness one(config);
  std::vector<ChannelHarness::Arrival> arrivals;
  constexpr std::uint64_t kPieces = 2000;
  for (std::uint64_t n = 0; n < kPieces; ++n) {
    arrivals.push_back({.address = n * 256, .bytes = 256, .kind = DramCommandKind::ReadClear});
  }
  one.run(arrivals);
  Picoseconds last = 0;
  for (const auto& served : one.served()) last = std::max(last, served.dataEnd);
  EXPECT_NEAR(static_cast<double>(last) * 1e-3 / (kPieces * 8.0), 1.0, 0.02);
}

TEST(Ledger, ReportsAnUpdateOfABurstThatIsNotClearedYet) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 8192, 1, UpdateLedger::Start::Uncleared);
  bench.initiator.send(clearOf(0, 4096));
  bench.initiator.send(updateOf(64, 32));
  EXPECT_EQ(errorOf([&] { bench.run(); }), "");
  bench.initiator.send(updateOf(4096 + 64, 32));
  EXPECT_THAT(errorOf([&] { bench.run(); }),
              testing::HasSubstr("update before its burst is cleared at "));
}

TEST(Ledger, ReportsAClearOverAnUpdate) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 1);
  bench.initiator.send(updateOf(64, 32));
  bench.initiator.send(clearOf(0, 4 * 2048));  // by whole rows
  EXPECT_THAT(errorOf([&] { bench.run(); }), testing::HasSubstr("clear over an update at "));
}

TEST(Ledger, ReportsATriggeredReadAndClearThatComesTooEarly) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 4096, 2);
  bench.initiator.send(updateOf(64, 32));
  Access read = readAndClear(64, 32);
  read.triggered = true;
  bench.initiator.send(read);
  EXPECT_THAT(errorOf([&] { bench.run(); }),
              testing::HasSubstr("triggered read passed an update at "));
}

TEST(Ledger, CountsHowOftenEveryBurstWasCleared) {
  Bench bench(oneChannel());
  bench.hbm.watchUpdates(0, 8192, 1);
  bench.initiator.send(readAndClear(0, 4096));
  bench.initiator.send(readAndClear(1024, 32));
  bench.run();
  EXPECT_TRUE(bench.hbm.everyBurstCleared(0, 1024, 1));
  EXPECT_TRUE(bench.hbm.everyBurstCleared(1024, 32, 2));
  EXPECT_FALSE(bench.hbm.everyBurstCleared(0, 4096, 1));
  EXPECT_TRUE(bench.hbm.everyBurstCleared(4096, 4096, 0));
}

}  // namespace
}  // namespace t3::test::hbm_clear_test
