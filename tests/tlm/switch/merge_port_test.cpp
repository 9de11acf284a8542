// SPDX-License-Identifier: Apache-2.0
// Method: a merge port from the outside. Sources stand for the ports of the switch, two sinks for
// the link, one for each class, so that each may be slow by itself. What arrives is held against
// what was sent: contributions of every address, bytes, values, and times worked out by hand. Ports
// with the twin and with the RTL get the same traffic, and the same must arrive at the same time.
#include "tlm/switch/merge_port.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/seed.h"
#include "tests/support/sink.h"
#include "tests/support/source.h"
#include "tlm/hbm/near_memory_alu.h"
#include "tlm/switch/merge_engine.h"

namespace t3::merge_port_test {
namespace {

using test::Sink;

/// A port of the switch: sends one write after the other.
struct Source : test::Source {
  Source(const sc_core::sc_module_name& name, std::uint32_t number, PayloadPool& pool)
      : test::Source(name, pool),
        add{.operation = MemoryOperation::Add,
            .tracked = true,
            .workgroup = WorkgroupId{7},
            .source = GpuId{number}} {}

  void update(std::uint64_t address, const std::vector<std::uint16_t>& numbers) {
    write(address, std::as_bytes(std::span(numbers)), add);
  }
  void update(std::uint64_t address, std::uint32_t bytes) { write(address, bytes, add); }
  void store(std::uint64_t address, std::uint32_t bytes) {
    Traffic what = add;
    what.operation = MemoryOperation::Store;
    write(address, bytes, what);
  }

  const Traffic add;
};

SwitchConfig tableOf(std::uint32_t entries) {
  SwitchConfig config;
  config.merge = SwitchMerge::Model;
  config.merge_entries = entries;
  return config;
}

struct Bench {
  Bench(std::uint32_t inputs, const SwitchConfig& config, const std::string& name = "")
      : port((name + "merge").c_str(), config, inputs, 4096),
        sums((name + "sums").c_str()),
        writes((name + "writes").c_str()) {
    for (std::uint32_t i = 0; i < inputs; ++i) {
      sources.push_back(
          std::make_unique<Source>((name + "source" + std::to_string(i)).c_str(), i, pool));
      sources.back()->port.socket.bind(port.in);
    }
    port.sums.bind(sums.target);
    port.writes.bind(writes.target);
  }
  void drain() {
    sc_core::sc_start();
    EXPECT_TRUE(port.idle());
    EXPECT_EQ(port.requestsInUse(), 0U);
    EXPECT_EQ(pool.inUse(), 0U);
    EXPECT_EQ(port.addedBytes(), port.figures().update_bytes);
    for (const Sink* sink : {&sums, &writes}) {
      for (const Sink::Arrival& arrival : sink->arrivals) {
        EXPECT_EQ(arrival.workgroup, WorkgroupId{7});
      }
    }
  }
  /// Contributions that arrived, by address.
  std::map<std::uint64_t, std::uint32_t> contributions() const {
    std::map<std::uint64_t, std::uint32_t> result;
    for (const Sink::Arrival& arrival : sums.arrivals) {
      result[arrival.address] += arrival.contributions;
    }
    return result;
  }

  PayloadPool pool;
  MergePort port;
  Sink sums, writes;
  std::vector<std::unique_ptr<Source>> sources;
};

TEST(MergePort, SendsOneSumForAllInputs) {
  Bench bench(3, tableOf(16));
  for (const auto& source : bench.sources) source->update(0x1000, 256);
  bench.drain();
  ASSERT_EQ(bench.sums.arrivals.size(), 2U);
  for (std::uint32_t line = 0; line < 2; ++line) {
    const Sink::Arrival& arrival = bench.sums.arrivals[line];
    EXPECT_EQ(arrival.address, 0x1000U + 128 * line);
    EXPECT_EQ(arrival.bytes, 128U);
    EXPECT_EQ(arrival.contributions, 3U);
    // Four lines of two others before it; in the fourth cycle after its own it is at the link.
    EXPECT_EQ(arrival.time, (4 + line) * 1000U + 4000U);
  }
}

TEST(MergePort, HonoursTheDelaysThatItsNeighboursAnnotate) {
  Bench bench(1, tableOf(16));
  bench.writes.delay = Sink::after(100'000);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Traffic store = bench.sources[0]->add;
  store.operation = MemoryOperation::Store;
  Payload& payload = bench.sources[0]->make(tlm::TLM_WRITE_COMMAND, 0x1000, 256, store);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(50, sc_core::SC_NS);
  EXPECT_EQ(bench.sources[0]->port.socket->nb_transport_fw(payload, phase, delay),
            tlm::TLM_ACCEPTED);
  sc_core::sc_start(60, sc_core::SC_NS);
  for (const std::uint64_t address : {0x2000U, 0x3000U}) bench.sources[0]->store(address, 256);
  bench.drain();
  EXPECT_EQ(bench.writes.times(), (std::vector<std::pair<std::uint64_t, Picoseconds>>{
                                      {0x1000, 50'000}, {0x2000, 150'000}, {0x3000, 250'000}}));
}

TEST(MergePort, CutsLinesFromTheFirstByteOn) {
  // A row of an output whose rows are not whole lines: 64 bytes off, 320 bytes.
  Bench bench(2, tableOf(16));
  for (const auto& source : bench.sources) source->update(0x1040, 320);
  bench.drain();
  ASSERT_EQ(bench.sums.arrivals.size(), 3U);
  EXPECT_EQ(bench.sums.arrivals[0].address, 0x1040U);
  EXPECT_EQ(bench.sums.arrivals[2].address, 0x1140U);
  EXPECT_EQ(bench.sums.arrivals[2].bytes, 64U);
  for (const auto& arrival : bench.sums.arrivals) EXPECT_EQ(arrival.contributions, 2U);
}

TEST(MergePort, AddsAsTheMemoryDoes) {
  Bench bench(3, tableOf(16));
  std::mt19937 random(test::seed(3));
  std::vector<std::uint16_t> expected(64);
  for (const auto& source : bench.sources) {
    std::vector<std::uint16_t> numbers(64);
    for (std::uint16_t& number : numbers) {
      number = static_cast<std::uint16_t>(0x3c00 + random() % 0x400);  // 1 … 2
    }
    if (source == bench.sources.front()) {
      expected = numbers;
    } else {
      applyOperation(MemoryOperation::Add, DataType::Fp16,
                     reinterpret_cast<unsigned char*>(expected.data()),
                     reinterpret_cast<const unsigned char*>(numbers.data()), 128);
    }
    source->update(0x2000, numbers);
  }
  bench.drain();
  ASSERT_EQ(bench.sums.arrivals.size(), 1U);
  EXPECT_EQ(bench.sums.arrivals[0].numbers, expected);
}

TEST(MergePort, ForgetsWhatHadNoUpdateForTwoRounds) {
  SwitchConfig config = tableOf(16);
  config.merge_age_us = 3;
  Bench bench(3, config);
  bench.sources[0]->update(0x1000, 128);
  bench.sources[1]->update(0x1000, 128);
  bench.drain();
  ASSERT_EQ(bench.sums.arrivals.size(), 1U);
  EXPECT_EQ(bench.sums.arrivals[0].contributions, 2U);
  // The time to a round is 3000 cycles, of which four went to clear the sets. The second round
  // begins at 5.997 us and visits a set in two cycles; the line is of the second of four.
  EXPECT_EQ(bench.sums.arrivals[0].time, 5'997'000U + 2000U + 4000U);
}

TEST(MergePort, LetsPassWhatItDoesNotAdd) {
  Bench bench(2, tableOf(16));
  for (const auto& source : bench.sources) source->store(0x1000, 300);
  bench.drain();
  EXPECT_TRUE(bench.sums.arrivals.empty());
  ASSERT_EQ(bench.writes.arrivals.size(), 2U);
  EXPECT_EQ(bench.writes.arrivals[0].bytes, 300U);
  EXPECT_EQ(bench.port.figures().write_bytes, 600U);
}

class SlowClass : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(MergePort, SlowClass, testing::Bool());

TEST_P(SlowClass, IsNotWaitedForByTheOther) {
  const bool sumsWait = GetParam();
  Bench bench(1, tableOf(16));
  (sumsWait ? bench.sums : bench.writes).service = Sink::after(1'000'000'000);
  // What an input has room for: 4 KiB of each class.
  for (std::uint32_t i = 0; i < 16; ++i) {
    bench.sources[0]->update(0x1000 + 128 * i, 128);
    bench.sources[0]->store(0x9000 + 128 * i, 128);
  }
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_EQ((sumsWait ? bench.writes : bench.sums).arrivals.size(), 16U);
  EXPECT_EQ((sumsWait ? bench.sums : bench.writes).arrivals.size(), 1U);
  bench.drain();
}

class Places : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(MergePort, Places, testing::Values(1, 2, 8, 12));

TEST_P(Places, BehindTheUnitHoldSoManySums) {
  SwitchConfig config = tableOf(16);
  config.merge_credits = GetParam();
  Bench bench(1, config);  // each update is a sum
  bench.sums.service = Sink::after(1'000'000'000);
  for (std::uint32_t i = 0; i < 16; ++i) bench.sources[0]->update(0x1000 + 128 * i, 128);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  EXPECT_EQ(bench.port.addedBytes(), GetParam() * 128U);
  bench.drain();
  EXPECT_EQ(bench.port.addedBytes(), 16 * 128U);
}

class EveryTable : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(MergePort, EveryTable, testing::Values(1, 16, 512, 4096),
                         testing::PrintToStringParamName());

TEST_P(EveryTable, LosesNothingAndStopsForNothing) {
  SwitchConfig config = tableOf(GetParam());
  config.merge_age_us = 0.3;
  constexpr std::uint32_t kInputs = 7, kLines = 600;
  Bench bench(kInputs, config);
  std::mt19937 random(test::seed(11));
  bench.sums.service = [&random](const Payload&) {
    return Picoseconds{random() % 3 * (random() % 20'000)};
  };
  bench.writes.service = bench.sums.service;
  std::uint64_t stored = 0;
  for (const auto& source : bench.sources) {
    std::vector<std::uint64_t> lines(kLines);
    for (std::uint32_t i = 0; i < kLines; ++i) lines[i] = i;
    for (std::uint32_t i = 0; i < kLines; ++i) {  // nearly in order
      std::swap(lines[i], lines[std::min<std::size_t>(i + random() % 40, kLines - 1)]);
    }
    for (const std::uint64_t line : lines) {
      source->update(128 * line, 128);
      if (random() % 4 != 0) continue;
      const std::uint32_t bytes = 1 + static_cast<std::uint32_t>(random() % 8192);
      source->store(1 << 20, bytes);
      stored += bytes;
    }
  }
  bench.drain();
  const auto contributions = bench.contributions();
  EXPECT_EQ(contributions.size(), kLines);
  for (const auto& [address, count] : contributions) EXPECT_EQ(count, kInputs) << address;
  EXPECT_EQ(bench.port.figures().write_bytes, stored);
  const MergeFigures table = bench.port.figures();
  EXPECT_EQ(table.updates, std::uint64_t{kInputs} * kLines);
  EXPECT_EQ(table.updates - table.joined,
            table.complete + table.partial + table.aged + table.passed);
  EXPECT_LE(table.most_entries, GetParam());
  if (GetParam() >= 512) {
    EXPECT_GT(table.joined, table.updates / 2);
  }
}

/// What the sources of a port send: nearly the same lines, cut rows, plain stores between them.
void sendRandom(Bench& bench, std::uint32_t seed) {
  std::mt19937 random(test::seed(seed));
  for (const auto& source : bench.sources) {
    for (std::uint32_t i = 0; i < 400; ++i) {
      const std::uint64_t address = 320 * (i + random() % 8);
      std::vector<std::uint16_t> numbers(160);
      for (std::uint16_t& number : numbers) number = static_cast<std::uint16_t>(random());
      source->update(address, numbers);
      if (random() % 4 == 0)
        source->store(1 << 20, 1 + static_cast<std::uint32_t>(random() % 4096));
    }
  }
}

class RtlInThePort : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(MergePort, RtlInThePort, testing::Values(0, 500, 3000),
                         testing::PrintToStringParamName());

TEST_P(RtlInThePort, DoesTheSameAsTheTwinToThePicosecond) {
  // The parameter: how slow the link is. Late inputs make sums that only the sweep puts out.
  std::vector<std::unique_ptr<Bench>> benches;
  for (const SwitchMerge merge : {SwitchMerge::Model, SwitchMerge::Rtl, SwitchMerge::Lockstep}) {
    SwitchConfig config;
    config.merge = merge;
    config.merge_age_us = 1;
    config.merge_clock_mhz = 900;
    const std::string name = "unit" + std::to_string(benches.size()) + "_";
    benches.push_back(std::make_unique<Bench>(5, config, name));
    for (Sink* sink : {&benches.back()->sums, &benches.back()->writes}) {
      sink->service = [random = std::mt19937(test::seed(9))](const Payload&) mutable {
        return GetParam() == 0 ? Picoseconds{0} : Picoseconds{random() % (2 * GetParam())};
      };
    }
    sendRandom(*benches.back(), 21);
  }
  sc_core::sc_start(20, sc_core::SC_US);
  for (const auto& bench : benches) bench->sources[0]->update(1 << 19, 300);
  for (const auto& bench : benches) bench->drain();
  const Bench& model = *benches[0];
  const MergeFigures figures = model.port.figures();
  EXPECT_GT(figures.joined, 100U);
  EXPECT_GT(figures.complete, 10U);
  EXPECT_GT(figures.partial, 10U);
  EXPECT_GT(figures.aged, 10U);
  for (const auto& bench : benches) {
    EXPECT_EQ(bench->sums.arrivals, model.sums.arrivals);
    EXPECT_EQ(bench->writes.arrivals, model.writes.arrivals);
    EXPECT_EQ(bench->port.figures(), figures);
  }
}

TEST(LockstepMergeEngine, EndsTheRunAtTheFirstDifference) {
  const MergeConfig config{.expected = 3};
  MergeConfig other = config;
  other.expected = 4;
  const auto both = makeLockstepMergeEngine(
      "port", makeRtlMergeEngine("rtl", config, 1000, RtlTracing{}), makeTwinMergeEngine(other));
  Picoseconds edge = 0;
  const auto send = [&] {
    both->clock(edge += 1000,
                MergeFlit{.line = 5, .count = 1, .format = MergeFormat::Fp16, .values = {}}, false);
  };
  send();
  send();
  send();
  try {
    for (int i = 0; i < 4; ++i) both->clock(edge += 1000, std::nullopt, false);
    ADD_FAILURE() << "the third contribution completes the sum of the RTL only";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "t3/lockstep");
    EXPECT_NE(std::string(report.get_msg()).find("port differs after the clock edge at 4 ns: "),
              std::string::npos)
        << report.get_msg();
  }
}

}  // namespace
}  // namespace t3::merge_port_test
