// SPDX-License-Identifier: Apache-2.0
// One direction of a link, from the outside. Sources send writes through `MemoryPort`s, a sink
// records when each arrives and takes it at once or one at a time. Expected times come from exact
// rational arithmetic over the whole run (bytes x 1000 / GB/s), not from the model's own sums.
#include "tlm/interconnect/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <sysc/kernel/sc_dynamic_processes.h>
#include <vector>

#include "tests/support/seed.h"
#include "tests/support/sink.h"
#include "tests/support/source.h"
#include "tests/support/watched.h"

namespace t3::link_test {
namespace {

using t3::test::Sink;
using t3::test::Source;

struct Bench {
  explicit Bench(const LinkConfig& config, unsigned initiators = 1) : link("link", config) {
    for (unsigned i = 0; i < initiators; ++i) {
      sources.push_back(std::make_unique<Source>(("source" + std::to_string(i)).c_str(), pool));
      sources.back()->port.socket.bind(link.in);
    }
    link.out.bind(sink.target);
  }
  ~Bench() {
    EXPECT_TRUE(link.idle()) << link.describe();
    EXPECT_EQ(pool.inUse(), 0u);
    EXPECT_EQ(link.deliveredBytes() + lostBytes, link.statistics().sentBytes);
  }
  void run() { sc_core::sc_start(); }

  std::uint64_t lostBytes = 0;
  PayloadPool pool;
  Link link;
  Sink sink{"sink"};
  std::vector<std::unique_ptr<Source>> sources;
};

/// ceil(bytes x 1000 / numerator x denominator): the last bit of `bytes` at numerator/denominator
/// GB/s, in ps.
Picoseconds lastBit(std::uint64_t bytes, std::uint64_t numerator, std::uint64_t denominator = 1) {
  return (bytes * 1000 * denominator + numerator - 1) / numerator;
}

TEST(Link, DeliversOneWriteALatencyAfterItsLastBit) {
  Bench bench({.bandwidth_gb_s = 75, .latency_ns = 500});
  bench.sources[0]->write(0x40, 256);
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 1u);
  EXPECT_EQ(bench.sink.arrivals[0].time, lastBit(256, 75) + 500'000);
}

TEST(Link, APlantedLossTakesOneWriteAndNoCredit) {
  // Room for one write: without its credit the third could not leave.
  Bench bench({.bandwidth_gb_s = 64, .latency_ns = 500, .buffer_bytes = 256, .lose_write = 2});
  for (unsigned i = 0; i < 3; ++i) bench.sources[0]->write(i, 256);
  bench.run();
  bench.lostBytes = 256;
  ASSERT_EQ(bench.sink.arrivals.size(), 2u);
  EXPECT_EQ(bench.sink.arrivals[0].address, 0u);
  EXPECT_EQ(bench.sink.arrivals[1].address, 2u);
  // Three times over the wire, there and (twice) back.
  EXPECT_EQ(bench.sink.arrivals[1].time, 3 * lastBit(256, 64) + 5 * 500'000u);
}

TEST(Link, RandomSizesAndOddBandwidthStayExact) {
  std::mt19937_64 random(test::seed(7));
  Bench bench({.bandwidth_gb_s = 61.7, .latency_ns = 123, .input_buffer_bytes = 100});
  std::vector<std::uint64_t> sums;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    const auto bytes = static_cast<std::uint32_t>(1 + random() % 9000);
    bench.sources[0]->write(i, bytes);
    sums.push_back(sum += bytes);
  }
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(bench.sink.arrivals[i].time, lastBit(sums[i], 617, 10) + 123'000) << i;
  }
}

TEST(Link, AGatheredWriteWaitsWhileAnotherOneCanGo) {
  // Two initiators want the whole wire. The one that gathers gets it when the other has no more.
  Bench bench({.bandwidth_gb_s = 64, .latency_ns = 0, .gather_last = true}, 2);
  constexpr unsigned kWrites = 100;
  for (unsigned i = 0; i < kWrites; ++i) {
    bench.sources[0]->write(i, 1024, {.phase = Phase::AllGather});
    bench.sources[1]->write(1000 + i, 1024, {.phase = Phase::ReduceScatter});
  }
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2 * kWrites);
  // Up to half an input buffer is decided ahead, before the second initiator is there.
  for (unsigned i = 4; i < kWrites; ++i) EXPECT_GE(bench.sink.arrivals[i].address, 1000u) << i;
  EXPECT_EQ(bench.sink.arrivals.back().time, lastBit(2 * kWrites * 1024, 64)) << "never idle";
}

TEST(Link, WithoutThatRuleGatheredWritesShareTheWire) {
  Bench bench({.bandwidth_gb_s = 64, .latency_ns = 0}, 2);
  for (unsigned i = 0; i < 100; ++i) {
    bench.sources[0]->write(i, 1024, {.phase = Phase::AllGather});
    bench.sources[1]->write(1000 + i, 1024, {.phase = Phase::ReduceScatter});
  }
  bench.run();
  const auto gathered =
      std::count_if(bench.sink.arrivals.begin(), bench.sink.arrivals.begin() + 100,
                    [](const auto& arrival) { return arrival.address < 1000; });
  EXPECT_NEAR(static_cast<double>(gathered), 50, 4);
}

TEST(Link, EveryPacketCostsAHeader) {
  Bench bench({.bandwidth_gb_s = 10, .latency_ns = 0, .header_bytes = 16, .packet_bytes = 128});
  bench.sources[0]->write(0, 128);
  bench.sources[0]->write(1, 129);
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2u);
  EXPECT_EQ(bench.sink.arrivals[0].time, (128 + 16) * 100u);
  EXPECT_EQ(bench.sink.arrivals[1].time, (128 + 16 + 129 + 32) * 100u);
  EXPECT_EQ(bench.link.statistics().wireBytes, 128u + 16 + 129 + 32);
  EXPECT_EQ(bench.link.statistics().sentBytes, 257u);
}

TEST(Link, WhatTheWireCarriesAtLeastIsThatOfTheLargestWrites) {
  const LinkConfig link{.header_bytes = 16, .packet_bytes = 128};
  EXPECT_EQ(link.wireBytes(Protocol::Simple, 256), 256U + 2 * 16);
  EXPECT_EQ(link.wireBytes(Protocol::Simple, 257), 257U + 3 * 16);
  EXPECT_EQ(link.wireBytes(Protocol::Ll, 256), 512U + 4 * 16);
  EXPECT_EQ(link.wireBytes(Protocol::Simple, 256, 64), 256U + 4 * 16) << "each write is a packet";
  EXPECT_EQ(link.wireBytes(Protocol::Simple, 256, 128), 256U + 2 * 16);
  EXPECT_EQ(link.wireBytes(Protocol::Ll, 256, 32), 512U + 8 * 16);
  EXPECT_EQ(link.wireBytes(Protocol::Simple, 0), 0U);
  EXPECT_EQ(LinkConfig{}.wireBytes(Protocol::Ll128, 240, 1), 256U) << "no headers";
}

// LL: 4 bytes of data and a flag of 4; LL128: 120 bytes of data and a flag of 8. A packet of 128
// bytes has flags in it, too.
TEST(Link, FlagsAmongTheDataTakeTheirTimeOnTheWire) {
  EXPECT_EQ(bytesWithFlags(Protocol::Simple, 121), 121U);
  EXPECT_EQ(bytesWithFlags(Protocol::Ll, 120), 240U);
  EXPECT_EQ(bytesWithFlags(Protocol::Ll, 121), 248U);
  EXPECT_EQ(bytesWithFlags(Protocol::Ll128, 120), 128U);
  EXPECT_EQ(bytesWithFlags(Protocol::Ll128, 121), 256U);

  Bench bench({.bandwidth_gb_s = 10, .latency_ns = 0, .header_bytes = 16, .packet_bytes = 128});
  bench.sources[0]->write(0, 128, {.protocol = Protocol::Ll});
  bench.sources[0]->write(1, 240, {.protocol = Protocol::Ll128});
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2U);
  EXPECT_EQ(bench.sink.arrivals[0].time, (256 + 32) * 100U);
  EXPECT_EQ(bench.sink.arrivals[1].time, (256 + 32 + 256 + 32) * 100U);
  EXPECT_EQ(bench.link.statistics().wireBytes, 2 * (256U + 32));
  EXPECT_EQ(bench.link.statistics().sentBytes, 128U + 240) << "data";
}

TEST(Link, AnIdleWireStartsAtOnceAndCountsNoBusyTime) {
  Bench bench({.bandwidth_gb_s = 10, .latency_ns = 5});
  bench.sources[0]->write(0, 100);
  bench.run();
  sc_core::sc_start(1, sc_core::SC_US);
  const Picoseconds start = now();
  bench.sources[0]->write(1, 100);
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 2u);
  EXPECT_EQ(bench.sink.arrivals[1].time, start + 10'000 + 5'000);
  EXPECT_EQ(bench.link.statistics().busy, 20'000u);
}

TEST(Link, OrderAndTimesHoldWheneverWritesArrive) {
  // Random gaps, now shorter and now longer than the bytes before: the wire starts each write when
  // it is there and the one before has left, whatever waited in which queue.
  std::mt19937_64 random(test::seed(8));
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 77});
  std::vector<std::pair<std::uint64_t, Picoseconds>> expected;
  Picoseconds free = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    const auto bytes = static_cast<std::uint32_t>(1 + random() % 512);
    free = std::max(free, now()) + bytes * 10;
    expected.emplace_back(i, free + 77'000);
    bench.sources[0]->write(i, bytes);
    if (random() % 12 == 0) sc_core::sc_start(fromPicoseconds(1 + random() % 60'000));
  }
  bench.run();
  EXPECT_EQ(bench.sink.times(), expected);
}

TEST(Link, BytesAreCountedByPhase) {
  Bench bench({});
  bench.sources[0]->write(0, 10, {.node = 0});
  bench.sources[0]->write(0, 20, {.node = 1});
  bench.sources[0]->write(0, 40, {.node = 2});
  bench.sources[0]->write(0, 80, {.node = 2});
  bench.run();
  const ByNode<std::uint64_t>& sent = bench.link.statistics().nodeBytes;
  EXPECT_EQ(sent.of(0), 10u);
  EXPECT_EQ(sent.of(1), 20u);
  EXPECT_EQ(sent.of(2), 120u);
  EXPECT_EQ(bench.link.statistics().sentBytes, 150u);
  EXPECT_EQ(bench.link.statistics().payloads, 4u);
}

TEST(Link, AFullInputQueueHoldsTheInitiatorUntilItsWriteFits) {
  // 10 ps per byte. Half a queue may be committed to the wire ahead (500 B): writes 0 to 5 of 100 B
  // go straight to it, 6 to 15 fill the queue of 1000 B, 16 is the first to wait.
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 0, .input_buffer_bytes = 1000});
  for (unsigned i = 0; i < 40; ++i) bench.sources[0]->write(i, 100);
  bench.run();
  const auto& accepted = bench.sources[0]->acceptedAt;
  ASSERT_EQ(accepted.size(), 40u);
  for (unsigned i = 0; i < 40; ++i) {
    const Picoseconds sent = (i + 1) * 1000u;
    EXPECT_EQ(bench.sink.arrivals[i].time, sent);
    if (i < 16) {
      EXPECT_EQ(accepted[i], 0u) << i;
    } else {
      // Never more than wire look-ahead + queue + one request ahead of the wire.
      EXPECT_GT(accepted[i], 0u) << i;
      EXPECT_GE(accepted[i] + 500 * 10 + 1000 * 10 + 1000, sent) << i;
      EXPECT_LE(accepted[i], sent) << i;
    }
  }
}

TEST(Link, ARequestLargerThanTheQueueStillPasses) {
  Bench bench({.bandwidth_gb_s = 75,
               .latency_ns = 0,
               .packet_bytes = 64,
               .buffer_bytes = 64,
               .input_buffer_bytes = 64});
  for (unsigned i = 0; i < 5; ++i) bench.sources[0]->write(i, 65536);
  bench.run();
  EXPECT_EQ(bench.sink.arrivals.size(), 5u);
}

TEST(Link, WaitingInitiatorsWithEqualRequestsTakeTurns) {
  Bench bench({.bandwidth_gb_s = 75, .latency_ns = 100}, 3);
  constexpr unsigned kEach = 600;
  for (unsigned s = 0; s < 3; ++s) {
    for (unsigned i = 0; i < kEach; ++i) bench.sources[s]->write(s * 10'000 + i, 256);
  }
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 3 * kEach);
  // After the start-up transient each window of three holds one of each, and each source's order
  // is kept.
  std::array<unsigned, 3> next{};
  for (std::size_t i = 0; i < bench.sink.arrivals.size(); ++i) {
    const std::uint64_t address = bench.sink.arrivals[i].address;
    const std::size_t source = address / 10'000;
    EXPECT_EQ(address % 10'000, next[source]);
    ++next[source];
    if (i > 60 && i % 3 == 0 && i + 3 < bench.sink.arrivals.size() - 60) {
      const auto& a = bench.sink.arrivals;
      EXPECT_EQ(a[i].address / 10'000 + a[i + 1].address / 10'000 + a[i + 2].address / 10'000, 3u)
          << i;
    }
  }
}

TEST(Link, WaitingInitiatorsShareTheWireByBytesWhateverTheirRequests) {
  Bench bench({.bandwidth_gb_s = 75, .latency_ns = 100}, 2);
  constexpr unsigned kSmall = 256, kLarge = 8192, kBytes = 1 << 20;
  for (unsigned i = 0; i < kBytes / kSmall; ++i) bench.sources[0]->write(i, kSmall);
  for (unsigned i = 0; i < kBytes / kLarge; ++i) bench.sources[1]->write(100'000 + i, kLarge);
  bench.run();
  // While both wait, neither is ahead by more than a large request and what a queue holds.
  std::array<std::int64_t, 2> sent{};
  for (const auto& arrival : bench.sink.arrivals) {
    const bool large = arrival.address >= 100'000;
    sent[large ? 1 : 0] += large ? kLarge : kSmall;
    if (std::max(sent[0], sent[1]) < kBytes) {
      EXPECT_LE(std::abs(sent[0] - sent[1]), std::int64_t{kLarge} + 4096) << arrival.time;
    }
  }
  EXPECT_EQ(sent[0], kBytes);
  EXPECT_EQ(sent[1], kBytes);
}

TEST(Link, AnInitiatorThatWasIdleDoesNotMakeUpForIt) {
  Bench bench({.bandwidth_gb_s = 75, .latency_ns = 100}, 2);
  for (unsigned i = 0; i < 4000; ++i) bench.sources[0]->write(i, 256);
  sc_core::sc_start(5, sc_core::SC_US);  // 1,465 of them
  for (unsigned i = 0; i < 500; ++i) bench.sources[1]->write(100'000 + i, 256);
  bench.run();
  std::int64_t ahead = 0, late = 0;
  for (const auto& arrival : bench.sink.arrivals) {
    if (arrival.address >= 100'000) ++late;
    if (late == 0 || late == 500) continue;
    ahead += arrival.address >= 100'000 ? 1 : -1;
    EXPECT_LE(std::abs(ahead), 2 + 4096 / 256) << arrival.time;
  }
  EXPECT_EQ(late, 500);
}

TEST(Link, ALightInitiatorWaitsForTurnsNotForTheHeavyOnesQueue) {
  Bench bench({.bandwidth_gb_s = 75, .latency_ns = 0}, 2);
  for (unsigned i = 0; i < 4000; ++i) bench.sources[0]->write(i, 256);
  sc_core::sc_start(5, sc_core::SC_US);
  const Picoseconds start = now();
  bench.sources[1]->write(99'999, 256);
  bench.run();
  for (const auto& arrival : bench.sink.arrivals) {
    if (arrival.address != 99'999) continue;
    // Wire look-ahead (2 KiB), the heavy one's turn, its own bytes.
    EXPECT_LE(arrival.time - start, lastBit(2048 + 3 * 256, 75));
    return;
  }
  FAIL() << "never delivered";
}

TEST(Link, CreditsBoundWhatTheDestinationHasNotTaken) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .buffer_bytes = 1000});
  bench.sink.service = Sink::after(50'000);  // 100 B per 50 ns: 2 GB/s
  constexpr unsigned kWrites = 200;
  for (unsigned i = 0; i < kWrites; ++i) bench.sources[0]->write(i, 100);
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), kWrites);
  EXPECT_EQ(bench.link.statistics().peakBufferBytes, 1000u);
  // The destination sets the pace, and back-pressure reaches the initiator: the last write is
  // accepted no earlier than all but queue and buffer have been taken.
  const Picoseconds end = bench.sink.arrivals.back().time + 50'000;
  EXPECT_EQ(end, 1'000 + 10'000 + kWrites * 50'000u);
  EXPECT_GE(bench.sources[0]->acceptedAt.back() + (40 + 10 + 2) * 50'000u, end);
}

TEST(Link, CreditsReturnOnEndRequestBeforeTheResponse) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .buffer_bytes = 1000});
  bench.sink.service = Sink::after(50'000);
  bench.sink.says = Sink::Says::Both;
  for (unsigned i = 0; i < 200; ++i) bench.sources[0]->write(i, 100);
  bench.run();
  EXPECT_EQ(bench.sink.arrivals.size(), 200u);
  EXPECT_EQ(bench.link.statistics().peakBufferBytes, 1000u);
  EXPECT_EQ(bench.sink.arrivals.back().time, 1'000 + 10'000 + 199 * 50'000u);
}

/// 200 writes to a destination that takes one each 50 ns, and says so ahead.
void expectPace(Picoseconds answersAfter, Sink::Says says) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .buffer_bytes = 1000});
  bench.sink.service = Sink::after(answersAfter);
  bench.sink.delay = Sink::after(50'000 - answersAfter);
  bench.sink.says = says;
  for (unsigned i = 0; i < 200; ++i) bench.sources[0]->write(i, 100);
  bench.run();
  EXPECT_EQ(bench.sink.arrivals.size(), 200u);
  EXPECT_EQ(bench.link.statistics().peakBufferBytes, 1000u);
  EXPECT_EQ(bench.sink.arrivals.back().time, 1'000 + 10'000 + 199 * 50'000u);
}

TEST(Link, ADelayThatTheDestinationAnnotatesToItsAnswerIsATimeInWhichItTakesNothing) {
  expectPace(0, Sink::Says::Response);
}

TEST(Link, ADelayThatTheDestinationAnnotatesToALaterAnswerIsAsWell) {
  expectPace(20'000, Sink::Says::Response);
}

TEST(Link, ADelayThatTheDestinationAnnotatesToItsEndRequestIsAsWell) {
  expectPace(20'000, Sink::Says::Both);
}

TEST(Link, ABufferBelowTheBandwidthDelayProductLimitsTheRate) {
  // Window 10 kB per round trip of (last bit + latency + credit): the rate a credit loop allows.
  Bench bench({.bandwidth_gb_s = 100,
               .latency_ns = 1000,
               .credit_latency_ns = 300,
               .buffer_bytes = 10'000});
  constexpr unsigned kWrites = 1000;
  for (unsigned i = 0; i < kWrites; ++i) bench.sources[0]->write(i, 1000);
  bench.run();
  const double expected = kWrites / 10.0 * (1'000'000 + 300'000 + 10'000);
  EXPECT_NEAR(static_cast<double>(bench.sink.arrivals.back().time), expected, expected * 0.01);
  EXPECT_EQ(bench.link.statistics().peakBufferBytes, 10'000u);
}

/// Arrival times of three writes over a link whose buffer holds one: each leaves when the credit of
/// the one before is back.
void expectCreditLoop(double creditLatencyNs, Picoseconds credit) {
  Bench bench({.bandwidth_gb_s = 100,
               .latency_ns = 400,
               .packet_bytes = 100,
               .credit_latency_ns = creditLatencyNs,
               .buffer_bytes = 100});
  for (unsigned i = 0; i < 3; ++i) bench.sources[0]->write(i, 100);
  bench.run();
  ASSERT_EQ(bench.sink.arrivals.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.sink.arrivals[i].time, 401'000 + i * (401'000 + credit));
  }
}

TEST(Link, ACreditTravelsForItsLatency) { expectCreditLoop(700, 700'000); }
TEST(Link, ACreditWithoutLatencyTravelsForAPicosecond) { expectCreditLoop(0, 1); }
TEST(Link, ACreditTravelsAsLongAsAWriteByDefault) { expectCreditLoop(-1, 400'000); }

TEST(Link, TheDefaultBufferKeepsAnyLinkAtFullRate) {
  const LinkConfig config{.bandwidth_gb_s = 1000, .latency_ns = 2000};
  EXPECT_EQ(LinkConfig{}.bufferBytes(), 262'144u);
  EXPECT_EQ(config.bufferBytes(), 4'000'000u + 65'536u);
  Bench bench(config);
  constexpr unsigned kWrites = 20'000;
  for (unsigned i = 0; i < kWrites; ++i) bench.sources[0]->write(i, 1000);
  bench.run();
  EXPECT_EQ(bench.sink.arrivals.back().time, kWrites * 1'000u + 2'000'000u);
}

TEST(Link, ReadsEndWithAnAddressError) {
  Bench bench({});
  bench.sources[0]->read(0, 64);
  bench.sources[0]->write(0, 64);
  bench.run();
  EXPECT_EQ(bench.sources[0]->status,
            (std::vector{tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE}));
  EXPECT_EQ(bench.sink.arrivals.size(), 1u);
}

TEST(Link, AnErrorAtTheDestinationIsReported) {
  // By name, not Bench: the run ends in the error with the link not drained.
  PayloadPool pool;
  Link link("link", LinkConfig{});
  Sink sink("sink");
  Source source("source", pool);
  source.port.socket.bind(link.in);
  link.out.bind(sink.target);
  sink.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  source.write(0, 64);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(Link, DescribesWhoWaitsForWhom) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .buffer_bytes = 1000});
  bench.sink.service = Sink::after(1'000'000);
  for (unsigned i = 0; i < 100; ++i) bench.sources[0]->write(i, 100);
  sc_core::sc_start(500, sc_core::SC_NS);
  EXPECT_FALSE(bench.link.idle());
  EXPECT_EQ(
      bench.link.describe(),
      "link: 40 queued, 0 in flight, 10 undelivered, 0 unanswered, buffer 1000 of 1000 bytes, "
      "initiator 0 refused; waits for the destination to take a request");
  bench.run();
  EXPECT_EQ(bench.link.describe(), "link: idle");
}

TEST(Link, DescribesThatItWaitsForCredit) {
  // Two writes fill the receive buffer, 1 ns each on the wire; the third waits for the first
  // credit.
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .packet_bytes = 100, .buffer_bytes = 200});
  for (unsigned i = 0; i < 3; ++i) bench.sources[0]->write(i, 100);
  sc_core::sc_start(fromPicoseconds(1'500));
  EXPECT_EQ(bench.link.describe().find("waits"), std::string::npos) << bench.link.describe();
  sc_core::sc_start(fromPicoseconds(1'000));
  EXPECT_TRUE(bench.link.describe().ends_with("; waits for credit")) << bench.link.describe();
  bench.run();
}

TEST(Link, WhatArrivesAtOneModuleAtTheSameTimeIsDeliveredInTheOrderOfItsPorts) {
  const LinkConfig config{.bandwidth_gb_s = 100, .latency_ns = 10};
  PayloadPool pool;
  std::vector<std::uint64_t> order;
  struct Side {
    Side(const std::string& name, const LinkConfig& linkConfig, PayloadPool& payloads)
        : link(name.c_str(), linkConfig),
          source((name + "_source").c_str(), payloads),
          end((name + "_end").c_str()) {
      source.port.socket.bind(link.in);
      link.out.bind(end.target);
    }
    Link link;
    Source source;
    Sink end;
  };
  Side first("first", config, pool), second("second", config, pool);
  first.link.endsAt(first.end, 1);
  second.link.endsAt(first.end, 0);
  first.end.service = second.end.service = [&](const Payload& payload) {
    order.push_back(payload.get_address());
    return Picoseconds{0};
  };
  first.source.write(1, 100);
  second.source.write(0, 100);
  sc_core::sc_start();
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1}));
}

TEST(Link, AnnouncesWhenAWriteIsSentAndDeliveredAndWhenItWaitsForCredit) {
  // Room for one write of 100 bytes, 1 ns on the wire; 10 ns there and 10 ns until its credit is
  // back.
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .packet_bytes = 100, .buffer_bytes = 100});
  test::Watch watch;
  watch.watch(bench.link);
  bench.sources[0]->write(1, 100);
  bench.sources[0]->write(2, 100);
  bench.run();
  EXPECT_EQ(watch.steps, (std::vector<std::string>{
                             "Sent 1, 100 bytes at 1000", "Delivered 1, 100 bytes at 11000",
                             "Sent 2, 100 bytes at 22000", "Delivered 2, 100 bytes at 32000"}));
  EXPECT_EQ(watch.events,
            (std::vector<std::string>{"CreditWaitBegin 0 at 1000", "CreditWaitEnd 0 at 21000"}));
}

TEST(Link, PublishesWhatIsQueuedOnTheWireAndNotYetTaken) {
  // 10 ps a byte. Five writes fill the receive buffer and are on the wire until 5 ns; then the
  // sixth waits for credit. The first arrives at 11 ns and is taken 50 ns later.
  Bench bench({.bandwidth_gb_s = 100,
               .latency_ns = 10,
               .packet_bytes = 100,
               .credit_latency_ns = 3,
               .buffer_bytes = 500});
  bench.sink.service = Sink::after(50'000);
  for (unsigned i = 0; i < 6; ++i) bench.sources[0]->write(i, 100);
  const auto at = [&](Picoseconds when) {
    sc_core::sc_start(fromPicoseconds(when - now()));
    return test::published(bench.link);
  };
  const auto expected = [](int queued, int flying, int undelivered, int without, bool waits,
                           bool refuses, bool sending, int sent) {
    return std::vector<std::string>{
        "queued: level of 16 bits, requests = " + std::to_string(queued),
        "in_flight: level of 16 bits, requests = " + std::to_string(flying),
        "undelivered: level of 16 bits, requests = " + std::to_string(undelivered),
        "without_credit: level of 32 bits, bytes = " + std::to_string(without),
        "waits_for_credit: flag of 1 bits = " + std::to_string(waits),
        "destination_refuses: flag of 1 bits = " + std::to_string(refuses),
        "sending: flag of 1 bits = " + std::to_string(sending),
        "sent: counter of 64 bits, bytes = " + std::to_string(sent),
        "on_wire: counter of 64 bits, bytes = " + std::to_string(sent)};
  };
  EXPECT_EQ(at(4'999), expected(1, 5, 0, 500, false, false, true, 500));
  EXPECT_EQ(at(5'001), expected(1, 5, 0, 500, true, false, false, 500));
  EXPECT_EQ(at(12'500), expected(1, 3, 2, 500, true, true, false, 500));
  EXPECT_EQ(at(61'500), expected(1, 0, 4, 500, true, true, false, 500));  // one taken
  EXPECT_EQ(at(64'500), expected(0, 1, 4, 500, false, true, true, 600));  // and its credit back
  bench.run();  // ends when the last one is taken
  EXPECT_EQ(test::published(bench.link), expected(0, 0, 0, 100, false, false, false, 600));
  EXPECT_EQ(at(now() + 3'000), expected(0, 0, 0, 0, false, false, false, 600));
}

TEST(Link, TakesNoNonBlockingWriteWithoutAMemoryManagerNorASecondRequest) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10, .input_buffer_bytes = 100});
  bench.run();
  auto& socket = bench.sources[0]->port.socket;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  Payload unmanaged;
  unmanaged.set_command(tlm::TLM_WRITE_COMMAND);
  unmanaged.set_data_length(64);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  EXPECT_THROW(socket->nb_transport_fw(unmanaged, phase, delay), sc_core::sc_report);

  // The end of a response is no request.
  Payload& payload = bench.pool.allocate(tlm::TLM_WRITE_COMMAND, 0, 64, false);
  phase = tlm::END_RESP;
  EXPECT_EQ(socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
  EXPECT_TRUE(bench.link.idle());
  payload.release();
}

TEST(Link, BlockingWritesCostTheirBytesAndTheLatency) {
  Bench bench({.bandwidth_gb_s = 100, .latency_ns = 10});
  Payload& payload = bench.pool.allocate(tlm::TLM_WRITE_COMMAND, 0, 64, true);
  sc_core::sc_time delay = fromPicoseconds(5);
  sc_core::sc_spawn([&] { bench.sources[0]->port.socket->b_transport(payload, delay); });
  bench.run();
  EXPECT_EQ(toPicoseconds(delay), 5u + 640 + 10'000);
  EXPECT_EQ(bench.sink.blocking, 1u);
  EXPECT_EQ(bench.link.statistics().sentBytes, 64u);
  payload.release();
}

TEST(LinkConfig, TakesNoCreditLatencyThatIsNegativeButMinusOne) {
  LinkConfig config;
  for (const double legal : {-1.0, 0.0, 0.5}) {
    config.credit_latency_ns = legal;
    EXPECT_EQ(config.check(), std::nullopt) << legal;
  }
  for (const double illegal : {-2.0, -0.5}) {
    config.credit_latency_ns = illegal;
    EXPECT_THAT(config.check().value_or(""), testing::StartsWith("credit_latency_ns:")) << illegal;
  }
}

TEST(Link, DebugAccessesReachTheDestination) {
  Bench bench({});
  Payload& payload = bench.pool.allocate(tlm::TLM_READ_COMMAND, 0, 64, true);
  bench.run();
  EXPECT_EQ(bench.sources[0]->port.socket->transport_dbg(payload), 64u);
  payload.release();
}

}  // namespace
}  // namespace t3::link_test
