// SPDX-License-Identifier: Apache-2.0
// A switch from the outside: sources send writes over links that end at its ports, sinks at the far
// ends of the links that leave record what arrives and when. Expected times are worked out by hand
// from bytes / bandwidth and latency.
#include "tlm/switch/switch.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/sink.h"
#include "tests/support/source.h"
#include "tlm/interconnect/link.h"

namespace t3::switch_test {
namespace {

using t3::test::Sink;
using t3::test::Source;

/// 1 byte takes 10 ps, so 1000 bytes 10 ns; two links of 500 ns.
LinkConfig link() {
  LinkConfig config;
  config.bandwidth_gb_s = 100;
  return config;
}

struct Bench {
  explicit Bench(std::uint32_t ports, const LinkConfig& config = link())
      : crossbar("switch", std::vector<LinkConfig>(ports, config), [](const Payload& payload) {
          return static_cast<int>(gpuOf(payload.get_address()).value);
        }) {
    for (std::uint32_t p = 0; p < ports; ++p) {
      const std::string number = std::to_string(p);
      sources.push_back(std::make_unique<Source>(("source" + number).c_str(), pool));
      arriving.push_back(std::make_unique<Link>(("link" + number).c_str(), config));
      sinks.push_back(std::make_unique<Sink>(("sink" + number).c_str()));
      sources[p]->port.socket.bind(arriving[p]->in);
      arriving[p]->out.bind(crossbar.ports[p]->in);
      crossbar.links[p]->out.bind(sinks[p]->target);
    }
  }
  void write(std::uint32_t from, std::uint32_t to, std::uint64_t address, std::uint32_t bytes) {
    sources[from]->write(globalAddress(GpuId{to}, address), bytes);
  }
  void drain() {
    sc_core::sc_start();
    EXPECT_TRUE(crossbar.idle());
    EXPECT_EQ(pool.inUse(), 0U);
  }

  PayloadPool pool;
  Switch crossbar;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<Link>> arriving;
  std::vector<std::unique_ptr<Sink>> sinks;
};

TEST(Switch, EveryPortReachesEveryLinkAfterTwoLinkTimes) {
  Bench bench(3);
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 0; to < 3; ++to) {
      const Picoseconds start = now();
      bench.write(from, to, 64 * from, 1000);
      bench.drain();
      ASSERT_FALSE(bench.sinks[to]->arrivals.empty());
      const Sink::Arrival& last = bench.sinks[to]->arrivals.back();
      EXPECT_EQ(last.address, globalAddress(GpuId{to}, 64 * from));
      EXPECT_EQ(last.time - start, 2 * (10'000U + 500'000U));
    }
  }
}

TEST(Switch, PermutationsDoNotContend) {
  // 100 writes of 1000 bytes from each port to the next: as long as one pair alone.
  Bench bench(4);
  for (int i = 0; i < 100; ++i) {
    for (std::uint32_t p = 0; p < 4; ++p) bench.write(p, (p + 1) % 4, 0, 1000);
  }
  bench.drain();
  for (const auto& sink : bench.sinks) {
    ASSERT_EQ(sink->arrivals.size(), 100U);
    EXPECT_EQ(sink->arrivals.back().time, 100 * 10'000U + 10'000U + 2 * 500'000U);
  }
}

TEST(Switch, PortsThatSendToOneLinkShareItEquallyByBytes) {
  // Three ports, one of them with writes four times as large, 120 kB each: 360 kB at 10 ps.
  LinkConfig config = link();
  config.input_buffer_bytes = 8000;
  Bench bench(4, config);
  for (int i = 0; i < 30; ++i) bench.write(1, 0, 1, 4000);
  for (int i = 0; i < 120; ++i) {
    bench.write(2, 0, 2, 1000);
    bench.write(3, 0, 3, 1000);
  }
  bench.drain();
  const auto& arrivals = bench.sinks[0]->arrivals;
  ASSERT_EQ(arrivals.size(), 270U);
  EXPECT_NEAR(static_cast<double>(arrivals.back().time), 360'000 * 10.0 + 1'000'000, 50'000);
  std::array<std::uint64_t, 4> bytes{};
  for (const auto& arrival : arrivals) {
    if (arrival.time > arrivals.back().time / 2) break;
    const auto from = localAddress(arrival.address);
    bytes[from] += from == 1 ? 4000 : 1000;
  }
  EXPECT_NEAR(static_cast<double>(bytes[1]), static_cast<double>(bytes[2]), 8000);
  EXPECT_NEAR(static_cast<double>(bytes[2]), static_cast<double>(bytes[3]), 8000);
}

TEST(Switch, AWriteThatIsRefusedHoldsThoseBehindItOnItsPortOnly) {
  // Sink 1 takes nothing for 1 ms. Port 0 sends so much to it that every buffer on the way is full,
  // then one write to sink 2, which has to wait; port 3's goes through.
  LinkConfig config = link();
  config.buffer_bytes = 2000;
  config.input_buffer_bytes = 1000;
  Bench bench(4, config);
  bench.sinks[1]->service = Sink::after(1'000'000'000);
  for (int i = 0; i < 10; ++i) bench.write(0, 1, 0, 1000);
  bench.write(0, 2, 0, 1000);
  bench.write(3, 2, 3, 1000);
  sc_core::sc_start(900, sc_core::SC_US);
  EXPECT_FALSE(bench.crossbar.idle());
  ASSERT_EQ(bench.sinks[2]->arrivals.size(), 1U);
  EXPECT_EQ(localAddress(bench.sinks[2]->arrivals[0].address), 3U);
  bench.sinks[1]->service = Sink::after(0);
  bench.drain();
  EXPECT_EQ(bench.sinks[1]->arrivals.size(), 10U);
  EXPECT_EQ(bench.sinks[2]->arrivals.size(), 2U);
}

/// Sends one store for all GPUs.
void multicast(Bench& bench, std::uint32_t from, std::uint64_t address, std::uint32_t bytes) {
  bench.sources[from]->write(globalAddress(GpuId{0}, address), bytes,
                             {.source = GpuId{from}, .multicast = true});
}

TEST(Switch, MakesOneStoreForEachOtherGpuOfOneForAll) {
  Bench bench(4);
  for (std::uint32_t from = 0; from < 4; ++from) multicast(bench, from, 0x100 * from, 1000);
  bench.drain();
  EXPECT_EQ(bench.crossbar.requestsInUse(), 0U);
  for (std::uint32_t to = 0; to < 4; ++to) {
    SCOPED_TRACE(to);
    EXPECT_EQ(bench.arriving[to]->payloadBytes(), 1000U) << "once to the switch";
    std::multiset<std::uint64_t> addresses, expected;
    for (const Sink::Arrival& arrival : bench.sinks[to]->arrivals) {
      addresses.insert(arrival.address);
    }
    for (std::uint32_t from = 0; from < 4; ++from) {
      if (from != to) expected.insert(globalAddress(GpuId{to}, 0x100 * from));
    }
    EXPECT_EQ(addresses, expected);
  }
}

TEST(Switch, TwoMulticastsNeverWaitForEachOtherInACircle) {
  // Every port sends to all at once, sinks take their time, and queues are as small as a write.
  LinkConfig small = link();
  small.input_buffer_bytes = 1000;
  small.buffer_bytes = 4000;
  Bench bench(5, small);
  for (std::uint32_t to = 0; to < 5; ++to) bench.sinks[to]->service = Sink::after(7'000 * (to + 1));
  for (int i = 0; i < 40; ++i) {
    for (std::uint32_t from = 0; from < 5; ++from) {
      multicast(bench, from, 0, 1000);
      bench.write(from, (from + 1 + i % 4) % 5, 64, 500);
    }
  }
  bench.drain();
  for (const auto& sink : bench.sinks) EXPECT_EQ(sink->arrivals.size(), 40U * (4 + 1));
}

}  // namespace
}  // namespace t3::switch_test
