// SPDX-License-Identifier: Apache-2.0
// Method: a load port from the outside. Sources stand for the ports of the switch, one for each
// GPU, and a sink for the link. Sums and times are worked out by hand.
#include "tlm/switch/load_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sink.h"
#include "tests/support/source.h"

namespace t3::load_port_test {
namespace {

using test::Sink;
using testing::ElementsAre;

/// A port of the switch, for one GPU. GPU 1 asks.
struct Source : test::Source {
  Source(const sc_core::sc_module_name& name, std::uint32_t number, PayloadPool& pool)
      : test::Source(name, pool), gpu{number} {}

  /// The bytes that GPU 1 asks for: fp16 numbers.
  void answer(std::uint32_t tag, const std::vector<std::uint16_t>& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    write(kAddress, bytes,
          {.source = gpu,
           .sumLoad = SumLoad::Answer,
           .tag = tag,
           .asked = static_cast<std::uint32_t>(bytes.size())});
  }
  void request(std::uint32_t bytes) {
    write(kAddress, bytes, {.source = gpu, .sumLoad = SumLoad::Request});
  }

  static constexpr std::uint64_t kAddress = globalAddress(GpuId{1}, 0x4000);
  GpuId gpu;
};

struct Bench {
  explicit Bench(std::uint32_t gpus) : port("load", SwitchConfig{}, gpus) {
    for (std::uint32_t g = 0; g < gpus; ++g) {
      sources.push_back(std::make_unique<Source>(("source" + std::to_string(g)).c_str(), g, pool));
      sources[g]->port.socket.bind(port.in);
    }
    port.requests.socket.bind(sink.target);
    port.sums.socket.bind(sink.target);
  }
  void run() { sc_core::sc_start(); }
  void runTo(double ns) {
    sc_core::sc_start(fromPicoseconds(picosecondsFromNs(ns)) - sc_core::sc_time_stamp());
  }
  void expectDrained() {
    EXPECT_TRUE(port.idle());
    EXPECT_EQ(port.requestsInUse(), 0U);
    EXPECT_EQ(pool.inUse(), 0U);
  }

  PayloadPool pool;
  LoadPort port;
  Sink sink{"sink"};
  std::vector<std::unique_ptr<Source>> sources;
};

// fp16: 1, 1024, 2048, and what rounding makes of 2048 + 1.
constexpr std::uint16_t kOne = 0x3c00, kMinusOne = 0xbc00, kTwo = 0x4000, k2048 = 0x6800,
                        kMinus2048 = 0xe800, kZero = 0;

TEST(LoadPort, AddsTheAnswersInTheOrderOfTheGpusHoweverTheyCome) {
  // (2048 + 1) rounds to 2048, so the order shows: ((2048 + 1) - 2048) = 0, ((1 - 2048) + 2048) = 1
  // would be another one's.
  Bench bench(3);
  bench.sources[2]->answer(5, {kMinus2048, kOne});
  bench.runTo(10);
  bench.sources[1]->answer(5, {kOne, kOne});
  bench.runTo(20);
  EXPECT_TRUE(bench.sink.arrivals.empty()) << "an answer is missing";
  EXPECT_FALSE(bench.port.idle());
  bench.sources[0]->answer(5, {k2048, kZero});
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 1U);
  const Sink::Arrival& sum = bench.sink.arrivals.front();
  EXPECT_EQ(sum.sumLoad, SumLoad::Sum);
  EXPECT_EQ(sum.tag, 5U);
  EXPECT_EQ(sum.source, GpuId{1}) << "whose load it is";
  EXPECT_EQ(sum.address, globalAddress(GpuId{1}, 0x4000));
  EXPECT_THAT(sum.numbers, ElementsAre(kZero, kTwo));
  bench.expectDrained();
}

TEST(LoadPort, KeepsTheAnswersToEachRequestApart) {
  Bench bench(2);
  bench.sources[0]->answer(1, {kOne});
  bench.sources[0]->answer(2, {kTwo});
  bench.sources[1]->answer(2, {kTwo});
  bench.sources[1]->answer(1, {kMinusOne});
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2U);
  EXPECT_EQ(bench.sink.arrivals[0].tag, 2U) << "whose answers are all there first";
  EXPECT_THAT(bench.sink.arrivals[0].numbers, ElementsAre(0x4400));
  EXPECT_THAT(bench.sink.arrivals[1].numbers, ElementsAre(kZero));
  EXPECT_EQ(bench.port.figures().answer_bytes, 8U);
  EXPECT_EQ(bench.port.figures().sum_bytes, 4U);
  EXPECT_EQ(bench.port.figures().most_kept, 6U);
  bench.expectDrained();
}

TEST(LoadPort, AddsALineOfAnswersInACycle) {
  // 1 GHz, 128 bytes a cycle, 4 ns of latency: two answers of 1,280 bytes at the same time take 20.
  Bench bench(2);
  for (auto& source : bench.sources) source->answer(0, std::vector<std::uint16_t>(640, kOne));
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 1U);
  EXPECT_EQ(bench.sink.arrivals[0].time, 24'000U);
  EXPECT_THAT(bench.sink.arrivals[0].numbers, testing::Each(kTwo));
}

class AnswersOf : public testing::TestWithParam<std::pair<std::size_t, Picoseconds>> {};
INSTANTIATE_TEST_SUITE_P(LoadPort, AnswersOf,
                         testing::Values(std::pair{63, 6'000}, std::pair{64, 6'000},
                                         std::pair{65, 8'000}));

TEST_P(AnswersOf, ALineTakeACycleAndOfANumberMoreTwo) {
  // Two answers of so many numbers of two bytes, and four cycles to the link.
  Bench bench(2);
  for (auto& source : bench.sources) {
    source->answer(0, std::vector<std::uint16_t>(GetParam().first, kOne));
  }
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 1U);
  EXPECT_EQ(bench.sink.arrivals[0].time, GetParam().second);
}

TEST(LoadPort, SumsDoNotWaitForRequests) {
  Bench bench(2);
  bench.sink.service = [](const Payload& payload) {
    return traffic(payload).sumLoad == SumLoad::Request ? kNoTime : 0;
  };
  bench.sources[0]->request(64);
  bench.sources[0]->request(64);
  for (auto& source : bench.sources) source->answer(0, {kOne});
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2U);
  EXPECT_EQ(bench.sink.arrivals[0].sumLoad, SumLoad::Request);
  EXPECT_EQ(bench.sink.arrivals[1].sumLoad, SumLoad::Sum);
}

}  // namespace
}  // namespace t3::load_port_test
