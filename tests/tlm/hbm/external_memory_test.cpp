// SPDX-License-Identifier: Apache-2.0
// Method: memories that know nothing of this project, one with b_transport alone and one that
// answers out of order, stand behind the controller. What comes back, and when, must be theirs;
// which request goes first must be the controller's. Sums of concurrent updates: hbm_data_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "tests/support/plain_memory.h"
#include "tests/support/seed.h"
#include "tests/tlm/hbm/channel_harness.h"
#include "tests/tlm/hbm/stock_initiator.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::external_memory_test {
namespace {

TEST(ExternalMemory, StockInitiatorsReadBackFromAPlainTargetWhatTheyWrote) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  BlockingMemory memory("memory");
  hbm.memory().bind(memory.socket);
  StockInitiator initiator("initiator");
  initiator.socket.bind(hbm.target);
  bool finished = false;
  initiator.body = [&](StockInitiator& self) {
    constexpr int kCount = 50;
    std::vector<tlm::tlm_generic_payload> writes(kCount), reads(kCount);
    std::vector<std::array<unsigned char, 700>> out(kCount), in(kCount);
    for (int i = 0; i < kCount; ++i) {
      out[i].fill(static_cast<unsigned char>(i + 1));
      self.send(prepare(writes[i], tlm::TLM_WRITE_COMMAND, 13 + i * 700, out[i].data(), 700));
    }
    self.awaitResponses(kCount);
    for (int i = 0; i < kCount; ++i) {
      self.send(prepare(reads[i], tlm::TLM_READ_COMMAND, 13 + i * 700, in[i].data(), 700));
    }
    self.awaitResponses(2 * kCount);
    EXPECT_EQ(in, out);
    for (const auto& read : reads) EXPECT_EQ(read.get_response_status(), tlm::TLM_OK_RESPONSE);

    // Debug accesses see the target's bytes, whoever asks.
    std::array<unsigned char, 700> seen{};
    tlm::tlm_generic_payload debug;
    prepare(debug, tlm::TLM_READ_COMMAND, 13, seen.data(), 700);
    EXPECT_EQ(self.socket->transport_dbg(debug), 700u);
    EXPECT_EQ(seen, out[0]);
    prepare(debug, tlm::TLM_READ_COMMAND, 13, seen.data(), 700);
    EXPECT_EQ(memory.debug(debug), 700u);
    EXPECT_EQ(seen, out[0]);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(self.socket->get_direct_mem_ptr(debug, dmi));
    finished = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(finished);
  EXPECT_EQ(initiator.protocolErrors, 0u);
  EXPECT_TRUE(hbm.idle());
  EXPECT_EQ(hbm.statistics().bytes(Phase::Gemm, true), 50 * 700u);
  EXPECT_EQ(hbm.statistics().bursts(), 0u) << "no DRAM of ours, no commands";
}

TEST(ExternalMemory, ItsOwnLatencyAndPipelineCount) {
  const HbmConfig config;
  PayloadPool pool;
  HbmStack hbm("hbm", config, 1);
  PipelinedMemory memory("memory");
  hbm.memory().bind(memory.socket);
  TestInitiator initiator("initiator", pool);
  initiator.port.socket.bind(hbm.target);
  for (std::uint64_t i = 0; i < 100; ++i) initiator.send(readOf(i * 256, 256));
  sc_core::sc_start();
  // A request each 2 ns, all in the pipeline at once, and the controller's own latency.
  ASSERT_EQ(initiator.answeredAt.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(initiator.answeredAt[i],
              picosecondsFromNs(2.0 * static_cast<double>(i) + 100 + config.response_latency_ns));
  }
  EXPECT_EQ(memory.mostInFlight, 50u);
}

TEST(ExternalMemory, AnUpdateTakesAReadAnAdditionAndAWrite) {
  const HbmConfig config;
  Bench bench(config);
  PipelinedMemory memory("memory");
  bench.hbm.memory().bind(memory.socket);
  bench.initiator.send(updateOf(0, 256));
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(bench.initiator.last(),
            picosecondsFromNs(2 * 100 + config.controller_add_ns + config.response_latency_ns));
  EXPECT_THAT(memory.commands, testing::ElementsAre(tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND));
}

TEST(ExternalMemory, AReadAndClearTakesAReadAndAWriteOfZerosAndAClearAWrite) {
  Bench bench(HbmConfig{});
  PipelinedMemory memory("memory");
  bench.hbm.memory().bind(memory.socket);
  Access write = writeOf(0, 512);
  write.data.assign(512, 0xff);
  Access readAndClear = readOf(0, 256);
  readAndClear.operation = MemoryOperation::Clear;
  readAndClear.wantData = true;
  Access clear = writeOf(256, 256);
  clear.operation = MemoryOperation::Clear;
  Access look = readOf(0, 512);
  look.wantData = true;
  std::vector<std::vector<unsigned char>> got;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    if (!payload.is_read()) return;
    got.emplace_back(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  };
  for (const Access& access : {write, readAndClear, clear}) bench.initiator.send(access);
  sc_core::sc_start();
  memory.commands.clear();
  bench.initiator.send(look);
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  EXPECT_THAT(got, testing::ElementsAre(std::vector<unsigned char>(256, 0xff),
                                        std::vector<unsigned char>(512, 0)));
  EXPECT_EQ(bench.hbm.rowsBytes(), 0U);
}

TEST(ExternalMemory, OverlappingAccessesKeepTheirOrderInATargetThatDoesNot) {
  // One stream, so the order of entry is the order of sending, which the golden bytes follow.
  constexpr std::uint32_t kBytes = 4096;
  Bench bench(HbmConfig{});
  PipelinedMemory memory("memory", seed(3));
  memory.shuffled = true;
  bench.hbm.memory().bind(memory.socket);
  std::mt19937_64 random(seed(4));
  std::vector<unsigned char> golden(kBytes);
  std::map<std::uint64_t, std::vector<unsigned char>> expected;
  std::uint64_t reads = 0;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    if (!payload.is_read()) return;
    const std::vector<unsigned char> got(payload.get_data_ptr(),
                                         payload.get_data_ptr() + payload.get_data_length());
    EXPECT_EQ(got, expected.at(traffic(payload).context));
    ++reads;
  };
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const auto bytes = static_cast<std::uint32_t>(1 + random() % 64) * 4;
    const std::uint64_t address = random() % ((kBytes - bytes) / 4) * 4;
    Access access = random() % 2 == 0 ? readOf(address, bytes) : writeOf(address, bytes);
    if (access.command == tlm::TLM_READ_COMMAND) {
      access.wantData = true;
      const auto from = golden.begin() + static_cast<std::ptrdiff_t>(address);
      expected[i].assign(from, from + bytes);
    } else {
      access.data.resize(bytes);
      for (unsigned char& byte : access.data) byte = static_cast<unsigned char>(random());
      std::copy(access.data.begin(), access.data.end(),
                golden.begin() + static_cast<std::ptrdiff_t>(address));
    }
    bench.initiator.send(access);
  }
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  EXPECT_GT(reads, 1500u);
}

TEST(ExternalMemory, TheControllersThresholdHoldsCommunicationBack) {
  HbmConfig config = oneChannel();
  config.arbitration = kMcaArbitration;
  config.mca.threshold_default_bursts = 9;
  config.starvation_limit_ns = 1e6;
  Bench bench(config);
  PipelinedMemory memory("memory");
  bench.hbm.memory().bind(memory.socket);
  bench.hbm.beginKernel();
  for (std::uint64_t i = 0; i < 100; ++i) {
    Access access = readOf(i * 256, 256);
    access.stream = Stream::Communication;
    bench.initiator.send(access);
  }
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  // Pieces have 8 bursts. A second piece enters while 8 bursts are unanswered, which is below 9; a
  // third would find 16. The queue itself has room for eight pieces.
  EXPECT_EQ(memory.mostInFlight, 2u);
}

TEST(ExternalMemory, ComputeEntersBeforeCommunicationThatCameEarlier) {
  HbmConfig config = oneChannel();
  config.arbitration = kComputeFirstArbitration;
  config.starvation_limit_ns = 1e6;
  PayloadPool pool;
  HbmStack hbm("hbm", config, 1);
  PipelinedMemory memory("memory");
  hbm.memory().bind(memory.socket);
  TestInitiator communication("communication", pool), compute("compute", pool);
  communication.port.socket.bind(hbm.target);
  compute.port.socket.bind(hbm.target);
  for (std::uint64_t i = 0; i < 30; ++i) {
    Access access = readOf(i * 256, 256);
    access.stream = Stream::Communication;
    communication.send(access);
  }
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  for (std::uint64_t i = 0; i < 20; ++i) compute.send(readOf((100 + i) * 256, 256));
  sc_core::sc_start();
  // Eight pieces fill the queue of 64 bursts before any compute is there; then compute goes first.
  EXPECT_EQ(memory.mostInFlight, 8u);
  ASSERT_EQ(compute.answeredAt.size(), 20u);
  ASSERT_EQ(communication.answeredAt.size(), 30u);
  EXPECT_LT(communication.answeredAt[7], compute.answeredAt[0]);
  EXPECT_GT(communication.answeredAt[8], compute.answeredAt[19]);
}

TEST(ExternalMemory, ItsErrorsAreTheInitiators) {
  Bench bench(HbmConfig{});
  BlockingMemory memory("memory");
  memory.brokenFrom = 4096;
  bench.hbm.memory().bind(memory.socket);
  std::vector<tlm::tlm_response_status> got;
  bench.initiator.answered = [&](const Payload& payload, Picoseconds) {
    got.push_back(payload.get_response_status());
  };
  for (const Access& access :
       {readOf(0, 512), writeOf(4096, 32), readOf(4000, 200), updateOf(8192, 256)}) {
    bench.initiator.send(access);
    sc_core::sc_start();
  }
  EXPECT_THAT(
      got, testing::ElementsAre(tlm::TLM_OK_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE));
  EXPECT_EQ(memory.commands.back(), tlm::TLM_READ_COMMAND)
      << "nothing is written where the read of an update failed";
  EXPECT_TRUE(bench.hbm.idle());
}

}  // namespace
}  // namespace t3::test::external_memory_test
