// SPDX-License-Identifier: Apache-2.0
// Method: take and return payloads; what comes back must look new but be the old memory. That
// nothing leaks is the address sanitizer's part (scripts/test --asan).
#include "tlm/transport/payload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace t3::payload_test {
namespace {

TEST(PayloadPool, HandsOutAReadyPayload) {
  PayloadPool pool;
  Payload& payload = pool.allocate(tlm::TLM_WRITE_COMMAND, 0x1000, 64, true);
  EXPECT_EQ(payload.get_command(), tlm::TLM_WRITE_COMMAND);
  EXPECT_EQ(payload.get_address(), 0x1000U);
  EXPECT_EQ(payload.get_data_length(), 64U);
  EXPECT_EQ(payload.get_streaming_width(), 64U);
  EXPECT_EQ(payload.get_byte_enable_ptr(), nullptr);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(payload.get_ref_count(), 1);
  ASSERT_NE(payload.get_data_ptr(), nullptr);
  EXPECT_TRUE(std::all_of(payload.get_data_ptr(), payload.get_data_ptr() + 64,
                          [](unsigned char byte) { return byte == 0; }));
  EXPECT_EQ(pool.inUse(), 1U);
  payload.release();
  EXPECT_EQ(pool.inUse(), 0U);
}

TEST(PayloadPool, ElidedDataHasAPointerToBytesThatNobodyReads) {
  PayloadPool pool;
  for (const std::uint32_t bytes : {1U, 2U, 4095U, 4096U, 4097U, 1U << 20}) {
    Payload& payload = pool.allocate(tlm::TLM_READ_COMMAND, 0, bytes, false);
    EXPECT_EQ(values(payload), nullptr);
    EXPECT_EQ(payload.get_data_length(), bytes);
    ASSERT_NE(payload.get_data_ptr(), nullptr);
    // A target that knows nothing of elided data answers the read.
    std::fill_n(payload.get_data_ptr(), bytes, static_cast<unsigned char>(0xAB));
    payload.release();
    Payload& next = pool.allocate(tlm::TLM_WRITE_COMMAND, 0, bytes, true);
    EXPECT_EQ(values(next), next.get_data_ptr());
    EXPECT_EQ(std::count(values(next), values(next) + bytes, 0), std::ptrdiff_t{bytes});
    next.release();
  }
}

TEST(PayloadPool, SharesTheBytesOfElidedPayloadsOnTheirWay) {
  PayloadPool pool;
  Payload& first = pool.allocate(tlm::TLM_READ_COMMAND, 0, 64, false);
  unsigned char* const shared = first.get_data_ptr();
  Payload& larger = pool.allocate(tlm::TLM_READ_COMMAND, 0, 1U << 16, false);
  Payload& second = pool.allocate(tlm::TLM_READ_COMMAND, 64, 64, false);
  EXPECT_EQ(second.get_data_ptr(), shared);
  EXPECT_EQ(first.get_data_ptr(), shared) << "a larger one moves nobody's";
  for (Payload* payload : {&first, &larger, &second}) payload->release();
}

TEST(Phases, OfOthersFollowThoseThatHaveNames) {
  const auto numberOf = [](Phase phase) { return static_cast<std::size_t>(phase); };
  EXPECT_EQ(numberOf(extraPhase(0)), numberOf(Phase::Consumer) + 1);
  EXPECT_EQ(numberOf(extraPhase(2)), kPhases - 1);
}

TEST(Values, OfAPlainPayloadAreBehindItsPointer) {
  Payload plain;
  unsigned char byte = 7;
  plain.set_data_ptr(&byte);
  EXPECT_EQ(values(plain), &byte);
  plain.set_data_ptr(nullptr);
  EXPECT_EQ(values(plain), nullptr) << "illegal, and taken as sizes only";
}

TEST(PayloadPool, ReusesPayloadAndBufferWithoutAnythingOfTheLastUse) {
  PayloadPool pool;
  Payload& first = pool.allocate(tlm::TLM_WRITE_COMMAND, 0x40, 128, true);
  unsigned char* const buffer = first.get_data_ptr();
  std::fill_n(buffer, 128, static_cast<unsigned char>(0xAB));
  TrafficExtension& used = traffic(first);
  static_cast<Traffic&>(used) = {.stream = Stream::Communication,
                                 .phase = Phase::AllGather,
                                 .tracked = true,
                                 .workgroup = WorkgroupId{9},
                                 .source = GpuId{2},
                                 .step = 5};
  used.context = 77;
  first.set_response_status(tlm::TLM_OK_RESPONSE);
  first.set_dmi_allowed(true);
  unsigned char enables = TLM_BYTE_ENABLED;
  first.set_byte_enable_ptr(&enables);
  first.release();

  Payload& second = pool.allocate(tlm::TLM_READ_COMMAND, 0x80, 100, true);
  EXPECT_EQ(&second, &first);
  EXPECT_EQ(second.get_data_ptr(), buffer);
  EXPECT_TRUE(std::all_of(buffer, buffer + 100, [](unsigned char byte) { return byte == 0; }));
  EXPECT_EQ(second.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(second.get_command(), tlm::TLM_READ_COMMAND);
  EXPECT_EQ(second.get_address(), 0x80U);
  EXPECT_EQ(second.get_data_length(), 100U);
  EXPECT_EQ(second.get_streaming_width(), 100U);
  EXPECT_FALSE(second.is_dmi_allowed());
  EXPECT_EQ(second.get_byte_enable_ptr(), nullptr);
  const TrafficExtension& fresh = traffic(second);
  EXPECT_EQ(static_cast<const Traffic&>(fresh), Traffic{});
  EXPECT_EQ(fresh.context, 0U);
  second.release();
}

TEST(PayloadPool, GrowsOnlyToTheLargestNumberInUse) {
  PayloadPool pool;
  std::set<Payload*> seen;
  for (int round = 0; round < 100; ++round) {
    std::array<Payload*, 8> held{};
    for (Payload*& payload : held) {
      payload = &pool.allocate(tlm::TLM_READ_COMMAND, 0, 32, false);
    }
    EXPECT_EQ(std::set<Payload*>(held.begin(), held.end()).size(), 8U);
    EXPECT_EQ(pool.inUse(), 8U);
    seen.insert(held.begin(), held.end());
    for (Payload* payload : held) payload->release();
  }
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_EQ(pool.inUse(), 0U);
}

TEST(PayloadPool, AnAcquiredPayloadComesBackWithItsLastReference) {
  PayloadPool pool;
  Payload& payload = pool.allocate(tlm::TLM_READ_COMMAND, 0, 32, false);
  payload.acquire();
  payload.release();
  EXPECT_EQ(pool.inUse(), 1U);
  payload.release();
  EXPECT_EQ(pool.inUse(), 0U);
}

TEST(TrafficExtension, APayloadWithoutItIsPlainCompute) {
  const Payload stock;
  EXPECT_EQ(traffic(stock).stream, Stream::Compute);
  EXPECT_EQ(traffic(stock).operation, MemoryOperation::Store);
  EXPECT_FALSE(traffic(stock).tracked);
}

TEST(TrafficExtension, TravelsWithADeepCopy) {
  PayloadPool pool;
  Payload& original = pool.allocate(tlm::TLM_WRITE_COMMAND, 0, 32, false);
  traffic(original).tracked = true;
  traffic(original).workgroup = WorkgroupId{12};
  {
    Payload copy;
    copy.deep_copy_from(original);
    EXPECT_TRUE(traffic(std::as_const(copy)).tracked);
    EXPECT_EQ(traffic(std::as_const(copy)).workgroup, WorkgroupId{12});
    EXPECT_NE(copy.get_extension<TrafficExtension>(), original.get_extension<TrafficExtension>());
  }
  original.release();
}

TEST(GlobalAddress, KeepsGpuAndLocalAddressApart) {
  const std::uint64_t largestLocal = (std::uint64_t{1} << kLocalAddressBits) - 1;
  for (const std::uint32_t gpu : {0U, 1U, 63U}) {
    for (const std::uint64_t local : {std::uint64_t{0}, std::uint64_t{0x1234}, largestLocal}) {
      const std::uint64_t address = globalAddress(GpuId{gpu}, local);
      EXPECT_EQ(gpuOf(address), GpuId{gpu});
      EXPECT_EQ(localAddress(address), local);
    }
  }
}

}  // namespace
}  // namespace t3::payload_test
