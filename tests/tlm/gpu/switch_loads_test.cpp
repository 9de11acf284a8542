// SPDX-License-Identifier: Apache-2.0
// Method: a GPU's part in loads that a switch answers, between a memory, a link that takes a write
// at once or waits with the next one, and a kernel that notes what it is told. The test stands for
// the ingress. Buffers and headers at their limits and one beyond.
#include "tlm/gpu/switch_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/test_memory.h"

namespace t3::switch_loads_test {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kBuffer = 1024;  ///< of the link at its other end

LinkConfig linkOf(std::uint32_t header, std::uint32_t packet) {
  LinkConfig config;
  config.header_bytes = header;
  config.packet_bytes = packet;
  config.buffer_bytes = kBuffer;
  return config;
}

class Kernel : public SumLoader {
 public:
  std::vector<std::uint32_t> sums, flags;
  std::vector<std::uint32_t> bytes;

 private:
  void sumArrived(std::uint32_t number, Payload& sum) override {
    sums.push_back(number);
    bytes.push_back(sum.get_data_length());
  }
  void flagArrived(std::uint32_t flag) override { flags.push_back(flag); }
};

struct Bench {
  /// `places`: so many writes the link takes before one has left it, which takes it a second.
  explicit Bench(const LinkConfig& config = linkOf(0, 256), std::size_t places = ~std::size_t{0})
      : link("link", 0, places == ~std::size_t{0} ? 1e6 : 1e-6, places),
        loads("loads", GpuId{2}, config, DataMode::Checked, pool) {
    loads.memory.socket.bind(memory.target);
    loads.requests.socket.bind(link.target);
    loads.answers.socket.bind(link.target);
    loads.listen(0, kernel);
  }
  void run(double ns = 10'000) { sc_core::sc_start(fromPicoseconds(picosecondsFromNs(ns))); }
  /// A request of GPU 1, as the ingress hands it over.
  void request(std::uint32_t bytes, std::uint32_t tag = 0) {
    Payload& payload =
        pool.allocate(tlm::TLM_WRITE_COMMAND, globalAddress(GpuId{2}, 0x1000), 1, false);
    traffic(payload).sumLoad = SumLoad::Request;
    traffic(payload).source = GpuId{1};
    traffic(payload).asked = bytes;
    traffic(payload).tag = tag;
    hand(payload);
  }
  void hand(Payload& payload) {
    loads.arrived(payload);
    payload.release();
  }
  std::uint64_t reads() const { return memory.requests().size(); }

  PayloadPool pool;
  test::TestMemory memory{"memory", 100'000, 1000}, link;
  SwitchLoads loads;
  Kernel kernel;
};

TEST(SwitchLoads, AnswersARequestWithWhatIsInMemory) {
  Bench bench;
  const std::array<unsigned char, 64> bytes{1, 2, 3};
  bench.memory.write(0x1000, bytes.data(), bytes.size());
  bench.request(64, 5);
  bench.run();
  ASSERT_EQ(bench.link.requests().size(), 1U);
  const test::Request& answer = bench.link.requests().front();
  EXPECT_EQ(answer.address, globalAddress(GpuId{1}, 0x1000)) << "whose load it is";
  EXPECT_EQ(answer.source, GpuId{2});
  EXPECT_EQ(answer.bytes, 64U);
  std::array<unsigned char, 64> sent{};
  bench.link.read(globalAddress(GpuId{1}, 0x1000), sent.data(), sent.size());
  EXPECT_EQ(sent, bytes);
  EXPECT_EQ(bench.loads.statistics().answerBytes, 64U);
  EXPECT_TRUE(bench.loads.idle());
  EXPECT_EQ(bench.pool.inUse(), 0U);
}

TEST(SwitchLoads, ReadsWhatTheLinksBufferHoldsAndNoByteMore) {
  Bench bench;
  for (int i = 0; i < 4; ++i) bench.request(kBuffer / 4);
  bench.request(2);
  bench.run(1);
  EXPECT_EQ(bench.reads(), 4U) << "as many bytes as the buffer; the memory has not answered";
  EXPECT_FALSE(bench.loads.idle());
  bench.run();
  EXPECT_EQ(bench.reads(), 5U);
  EXPECT_TRUE(bench.loads.idle());
}

TEST(SwitchLoads, WhatWaitsForTheLinkCountsToo) {
  Bench bench(linkOf(0, 256), 1);
  for (int i = 0; i < 8; ++i) bench.request(kBuffer / 4);
  bench.run();
  EXPECT_EQ(bench.link.requests().size(), 1U) << "it takes one and no more";
  EXPECT_EQ(bench.reads(), 5U) << "that one, and what the buffer holds";
}

TEST(SwitchLoads, ARequestForMoreThanTheBufferGoesAlone) {
  Bench bench;
  bench.request(kBuffer + 2);
  bench.request(kBuffer + 2);
  bench.run(1);
  EXPECT_EQ(bench.reads(), 1U);
  bench.run();
  EXPECT_EQ(bench.reads(), 2U);
  EXPECT_TRUE(bench.loads.idle());
}

TEST(SwitchLoads, ARequestIsAsLongAsTheHeadersOfWhatItAsksFor) {
  Bench bench(linkOf(32, 128));
  for (const std::uint32_t bytes : {2U, 128U, 130U, 1024U}) {
    bench.loads.load(bench.kernel, {.number = 0, .address = 0, .bytes = bytes});
  }
  bench.loads.raise(Phase::ReduceScatter, 0, 0);
  bench.run();
  std::vector<std::uint32_t> lengths;
  for (const auto& request : bench.link.requests()) lengths.push_back(request.bytes);
  EXPECT_THAT(lengths, ElementsAre(32, 32, 64, 256, 32));
}

TEST(SwitchLoads, AMessageHasAByteWhereHeadersHaveNone) {
  Bench bench(linkOf(0, 128));
  bench.loads.load(bench.kernel, {.number = 0, .address = 0, .bytes = 1024});
  bench.loads.raise(Phase::ReduceScatter, 0, 0);
  bench.run();
  ASSERT_EQ(bench.link.requests().size(), 2U);
  for (const auto& request : bench.link.requests()) EXPECT_EQ(request.bytes, 1U);
}

TEST(SwitchLoads, SumsAndFlagsGoToTheKernelThatTheyAreFor) {
  Bench bench;
  Kernel other;
  bench.loads.listen(1, other);
  bench.loads.load(bench.kernel, {.number = 7, .address = 0x40, .bytes = 64});
  bench.loads.load(other, {.number = 8, .address = 0x80, .bytes = 32});
  bench.run();
  const auto arrive = [&](SumLoad kind, std::uint32_t tag, std::uint32_t bytes,
                          std::uint16_t node) {
    Payload& payload = bench.pool.allocate(tlm::TLM_WRITE_COMMAND, 0, bytes, false);
    traffic(payload).sumLoad = kind;
    traffic(payload).tag = tag;
    traffic(payload).node = node;
    bench.hand(payload);
  };
  arrive(SumLoad::Sum, 1, 32, 1);
  EXPECT_FALSE(bench.loads.idle()) << "the first one is open";
  arrive(SumLoad::Sum, 0, 64, 0);
  arrive(SumLoad::Flag, 1, 1, 1);
  arrive(SumLoad::Flag, 0, 1, 0);
  EXPECT_THAT(bench.kernel.sums, ElementsAre(7));
  EXPECT_THAT(bench.kernel.bytes, ElementsAre(64));
  EXPECT_THAT(bench.kernel.flags, ElementsAre(0));
  EXPECT_THAT(other.sums, ElementsAre(8));
  EXPECT_THAT(other.flags, ElementsAre(1));
  EXPECT_EQ(bench.loads.statistics().sumBytes, 96U);
  EXPECT_TRUE(bench.loads.idle());
}

}  // namespace
}  // namespace t3::switch_loads_test
