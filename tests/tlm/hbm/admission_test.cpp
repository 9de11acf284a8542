// SPDX-License-Identifier: Apache-2.0
// Method: the table alone, at the limits of its sums and counts; then a stack to which several GPUs
// send updates of one block, whose bytes, tracker and statistics must know the admitted ones only.
#include "tlm/hbm/hbm_stack.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/sink.h"
#include "tests/tlm/hbm/stock_initiator.h"
#include "tests/tlm/hbm/test_initiator.h"

namespace t3::test::admission_test {
namespace {

/// Tiles 4 … 8 in blocks of two, in a buffer of 1000 bytes from 0x1000 on.
constexpr AdmissionTable::Sums kSums{0x1000, 1000, 4, 5, 1};

bool admit(AdmissionTable& table, std::uint32_t tile, std::uint32_t gpu,
           std::uint64_t address = 0x1000) {
  return table.admit(address, {.workgroup = WorkgroupId{tile}, .source = GpuId{gpu}});
}

TEST(AdmissionTable, AdmitsTheFirstKGpusOfABlockAndNobodyElse) {
  for (std::uint32_t most = 1; most <= AdmissionTable::kGpus; ++most) {
    AdmissionTable table(kSums, most);
    for (std::uint32_t i = 0; i < AdmissionTable::kGpus; ++i) {
      const std::uint32_t gpu = AdmissionTable::kGpus - 1 - i;
      EXPECT_EQ(admit(table, 4, gpu), i < most) << gpu;
    }
    for (std::uint32_t gpu = 0; gpu < AdmissionTable::kGpus; ++gpu) {
      const bool first = gpu >= AdmissionTable::kGpus - most;
      EXPECT_EQ(table.admitted(WorkgroupId{4}, GpuId{gpu}), first);
      EXPECT_EQ(admit(table, 4, gpu), first) << "as before, however often it comes";
      EXPECT_EQ(admit(table, 5, gpu), first) << "the same block";
      EXPECT_FALSE(table.admitted(WorkgroupId{6}, GpuId{gpu})) << "another one";
    }
  }
}

TEST(AdmissionTable, CountsEachBlockByItself) {
  AdmissionTable table(kSums, 1);
  EXPECT_TRUE(admit(table, 4, 0));
  EXPECT_TRUE(admit(table, 6, 1));
  EXPECT_TRUE(admit(table, 8, 2)) << "a block of one tile, the last";
  EXPECT_FALSE(admit(table, 5, 1));
  EXPECT_FALSE(admit(table, 7, 0));
  EXPECT_FALSE(admit(table, 8, 0));
}

TEST(AdmissionTable, HasNoSayOutsideItsTilesAndBytes) {
  AdmissionTable table(kSums, 1);
  for (const std::uint32_t tile : {4U, 8U}) {
    EXPECT_TRUE(admit(table, tile, 0));
    EXPECT_FALSE(admit(table, tile, 1, 0x1000));
    EXPECT_FALSE(admit(table, tile, 1, 0x1000 + 999));
    EXPECT_TRUE(admit(table, tile, 1, 0x1000 - 1));
    EXPECT_TRUE(admit(table, tile, 1, 0x1000 + 1000));
  }
  EXPECT_TRUE(admit(table, 3, 1));
  EXPECT_TRUE(admit(table, 9, 1));
  AdmissionTable none({}, 1);
  EXPECT_TRUE(admit(none, 0, 0, 0));
  EXPECT_TRUE(admit(none, 0, 1, 0));
}

/// An update of a block by a GPU: its bytes are that GPU's number plus one, in integers.
Access updateBy(std::uint32_t gpu, std::uint64_t address = 0x1000) {
  Access access = updateOf(address, 64);
  access.dataType = DataType::Int32;
  access.tracked = true;
  access.workgroup = WorkgroupId{4};
  access.source = GpuId{gpu};
  access.data.resize(64);
  for (std::size_t i = 0; i < 64; i += 4) access.data[i] = static_cast<unsigned char>(gpu + 1);
  return access;
}

TEST(HbmAdmission, DropsTheUpdatesOfGpusThatComeAfterK) {
  Bench bench(HbmConfig{});
  bench.hbm.admitFirst(kSums, 2);
  for (const std::uint32_t gpu : {2U, 0U, 1U, 2U, 1U}) {
    bench.initiator.send(updateBy(gpu, gpu == 2 ? 0x1000 : 0x1040));
  }
  Access untracked = updateBy(5, 0x1040);
  untracked.tracked = false;
  bench.initiator.send(untracked);
  sc_core::sc_start();
  EXPECT_TRUE(bench.drained());
  ASSERT_TRUE(bench.hbm.statistics().dropped.has_value());
  EXPECT_EQ(bench.hbm.statistics().dropped->updates, 2U);
  EXPECT_EQ(bench.hbm.statistics().dropped->bytes, 128U);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, true), 4 * 64U);
  EXPECT_EQ(bench.hbm.statistics().requests, 6U);
  unsigned char stored[128] = {};
  tlm::tlm_generic_payload payload;
  prepare(payload, tlm::TLM_READ_COMMAND, 0x1000, stored, 128);
  ASSERT_EQ(bench.initiator.port.socket->transport_dbg(payload), 128U);
  EXPECT_EQ(stored[0], 3 + 3);
  EXPECT_EQ(stored[64], 1 + 6);
}

TEST(HbmAdmission, WhatIsDroppedIsAnsweredAtOnceAndNeedsNoRoom) {
  HbmConfig config;
  config.stream_queue_requests = 1;
  Bench bench(config);
  bench.hbm.admitFirst(kSums, 1);
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) bench.initiator.send(updateBy(gpu));
  sc_core::sc_start();
  ASSERT_TRUE(bench.drained());
  EXPECT_EQ(*std::ranges::min_element(bench.initiator.answeredAt),
            picosecondsFromNs(config.response_latency_ns));
  EXPECT_GT(bench.initiator.last(), picosecondsFromNs(config.response_latency_ns));
}

TEST(HbmAdmission, DropsWithEveryStyleOfTransport) {
  HbmStack hbm("hbm", HbmConfig{}, 8);
  hbm.admitFirst(kSums, 1);
  StockInitiator initiator("initiator");
  initiator.socket.bind(hbm.target);
  PayloadPool pool;
  bool finished = false;
  initiator.body = [&](StockInitiator& self) {
    const auto updateOfGpu = [&pool](std::uint32_t gpu) -> Payload& {
      const Access access = updateBy(gpu);
      Payload& payload = pool.allocate(access.command, access.address, access.bytes, true);
      static_cast<Traffic&>(traffic(payload)) = access;
      return payload;
    };
    sc_core::sc_time delay = sc_core::sc_time(5, sc_core::SC_NS);
    for (const std::uint32_t gpu : {0U, 1U}) {
      Payload& blocking = updateOfGpu(gpu);
      self.socket->b_transport(blocking, delay);
      EXPECT_EQ(blocking.get_response_status(), tlm::TLM_OK_RESPONSE);
      blocking.release();
    }
    Payload& late = updateOfGpu(2);
    self.send(late, sc_core::sc_time(7, sc_core::SC_NS));
    self.awaitResponses(1);
    EXPECT_EQ(late.get_response_status(), tlm::TLM_OK_RESPONSE);
    late.release();
    finished = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(finished);
  EXPECT_EQ(initiator.protocolErrors, 0U);
  EXPECT_TRUE(hbm.idle());
  EXPECT_EQ(hbm.statistics().dropped->updates, 2U);
  EXPECT_EQ(hbm.statistics().bytes(Phase::Gemm, true), 64U);
}

}  // namespace
}  // namespace t3::test::admission_test
