// SPDX-License-Identifier: Apache-2.0
// Method: the DMA engine between a test memory and test memories that stand for the links. The
// expected requests come from walking the output element by element: each element of a command must
// be read once, sent once, with the ids of the wavefront tile that owns it.
#include "tlm/gpu/dma_channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/gpu/dma_bench.h"

namespace t3::test::dma_channels_test {
namespace {

using Bench = DmaBench;
using Options = DmaOptions;

TEST(DmaChannels, SendsEveryElementOfABlockOnceWithTheIdsOfItsTile) {
  Bench bench({});
  bench.program(0, {0, 5});
  bench.program(7, {5, 7});  // corner and edge tiles
  bench.triggers.send(bench.message(7));
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  for (const auto& request : bench.memory.requests()) EXPECT_TRUE(request.triggered);
}

TEST(DmaChannels, GatheredTilesAreReadOnceAndStoredIntoEveryTarget) {
  Bench bench({});
  DmaTransfer copy = bench.transfer({0, 12});
  copy.phase = Phase::AllGather;
  copy.remote = {Bench::update(GpuId{3}), Bench::update(GpuId{5}), Bench::update(GpuId{7})};
  for (DmaWrite& write : copy.remote) write.operation = MemoryOperation::Store;
  bench.dma.program(CommandId{0}, copy);
  bench.triggers.send(bench.message(0));
  sc_core::sc_start();
  EXPECT_TRUE(bench.dma.idle()) << bench.dma.describe();
  EXPECT_EQ(bench.pool.inUse(), 0u);
  const std::uint64_t output = bench.setup.tiling.outputBytes();
  EXPECT_EQ(bench.dma.statistics().readBytes, output);
  EXPECT_EQ(bench.dma.statistics().sentBytes, 3 * output);
  std::map<std::uint32_t, std::set<std::uint64_t>> stored;  // by GPU
  for (const auto& request : bench.link.requests()) {
    EXPECT_EQ(request.operation, MemoryOperation::Store);
    EXPECT_EQ(request.phase, Phase::AllGather);
    EXPECT_TRUE(request.tracked);
    for (std::uint32_t i = 0; i < request.bytes; i += 2) {
      EXPECT_TRUE(
          stored[gpuOf(request.address).value].insert(localAddress(request.address) + i).second);
    }
  }
  ASSERT_EQ(stored.size(), 3u);
  for (const auto& [gpu, elements] : stored) EXPECT_EQ(elements.size() * 2, output) << gpu;
}

/// Commands 2 … 7 gather, the others reduce, a tile each. They are triggered at once, in order, and
/// 0 and 1 take the two channels. Returns the phases of the writes in their order.
std::vector<Phase> phasesSent(std::uint32_t gatherChannels) {
  Options setup;
  setup.dma.channels = 2;
  setup.dma.gather_channels = gatherChannels;
  Bench bench(setup);
  // A link of its own: which write goes first is the engine's business only up to its ports.
  std::unique_ptr<TestMemory> other;
  if (gatherChannels != 0) {
    other = std::make_unique<TestMemory>("other_link", setup.linkLatency, setup.linkRate,
                                         setup.linkQueue);
    bench.dma.gatherEgress.port(0).socket.bind(other->target);
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    DmaTransfer command = bench.transfer({i, 1});
    if (i >= 2 && i < 8) command.phase = Phase::AllGather;
    bench.dma.program(CommandId{i}, command);
    bench.triggers.send(bench.message(i));
  }
  sc_core::sc_start();
  EXPECT_TRUE(bench.dma.idle()) << bench.dma.describe();
  if (other != nullptr) {
    EXPECT_FALSE(other->requests().empty());
    for (const auto& request : other->requests()) EXPECT_EQ(request.phase, Phase::AllGather);
  }
  std::vector<Phase> phases;
  for (const auto& request : bench.link.requests()) phases.push_back(request.phase);
  return phases;
}

TEST(DmaChannels, WhatGathersWaitsForWhatReducesOnChannelsThatTheyShare) {
  const std::vector<Phase> phases = phasesSent(0);
  // All triggers are in when the first channel is free again: what reduces goes first.
  const auto firstGathered = std::ranges::find(phases, Phase::AllGather);
  EXPECT_NE(firstGathered, phases.end());
  EXPECT_EQ(std::count(phases.begin(), firstGathered, Phase::ReduceScatter),
            std::ranges::count(phases, Phase::ReduceScatter));
}

TEST(DmaChannels, WhatGathersHasChannelsAndAPortOfItsOwnIfItIsGivenThem) {
  for (const Phase phase : phasesSent(2)) EXPECT_EQ(phase, Phase::ReduceScatter);
}

TEST(DmaChannels, ASlowLinkHoldsNothingBackThatGoesByTheOtherOneAlone) {
  Options setup;
  setup.dma.outstanding_bytes = 8192;
  setup.railRate = 1;
  Bench bench(setup);
  for (std::uint32_t i = 0; i < 12; ++i) {
    DmaTransfer command = bench.transfer({i, 1});
    if (i % 2 == 0) {  // both ways
      command.remote.push_back(Bench::update(GpuId{5}, 1));
      command.slowest = 1;
    }
    bench.dma.program(CommandId{i}, command);
  }
  for (std::uint32_t i = 0; i < 12; ++i) bench.triggers.send(bench.message(i));
  sc_core::sc_start();
  EXPECT_TRUE(bench.dma.idle()) << bench.dma.describe();
  Picoseconds alone = 0, both = 0;  // the last request of each
  for (const auto& request : bench.link.requests()) {
    Picoseconds& last = request.workgroup.value % 2 == 0 ? both : alone;
    last = std::max(last, request.time);
  }
  EXPECT_LT(alone * 10, both);
  const Picoseconds end = bench.rail->requests().back().time;
  EXPECT_LT(both, end);
  EXPECT_NEAR(static_cast<double>(end),
              1e3 * static_cast<double>(bench.dma.statistics().sentBytes -
                                        bench.dma.statistics().readBytes),
              0.1 * static_cast<double>(end))
      << "and is never idle";
}

TEST(DmaChannels, OfThoseThatWaitTheLowestRankGoesFirst) {
  Options setup;
  setup.dma.channels = 1;
  Bench bench(setup);
  // The first has the channel before others are there. Of equal ranks the first is first.
  const std::vector<std::uint32_t> ranks = {9, 2, 1, 2, 0, 1};
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    DmaTransfer command = bench.transfer({i, 1});
    command.rank = ranks[i];
    bench.dma.program(CommandId{i}, command);
    bench.triggers.send(bench.message(i));
  }
  sc_core::sc_start();
  std::vector<std::uint32_t> order;
  for (const auto& request : bench.link.requests()) {
    if (order.empty() || order.back() != request.workgroup.value) {
      order.push_back(request.workgroup.value);
    }
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 4, 2, 5, 1, 3}));
}

TEST(DmaChannels, LongRowsAreCutAtTheReadSize) {
  Options setup;
  setup.dma.read_bytes = 48;
  Bench bench(setup);
  bench.program(0, {0, 12});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  for (const auto& request : bench.memory.requests()) EXPECT_LE(request.bytes, 48u);
}

TEST(DmaChannels, FullWidthWavefrontTilesAreReadAsOneRun) {
  Options setup;
  setup.tiling = Tiling{{256, 100, 2}, {128, 128, 8}, 1};
  Bench bench(setup);
  bench.program(0, {0, 2});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 2}});
  ASSERT_EQ(bench.memory.requests().size(), 16u);
  for (const auto& request : bench.memory.requests()) EXPECT_EQ(request.bytes, 16u * 100 * 2);
}

TEST(DmaChannels, CarriesTheValuesThatWereRead) {
  Options setup;
  setup.mode = DataMode::Checked;
  Bench bench(setup);
  std::mt19937 random(static_cast<unsigned>(test::seed(3)));
  std::vector<std::uint16_t> output(300 * 200);
  for (auto& value : output) value = static_cast<std::uint16_t>(random() & 0x3BFF);  // below 1.0
  bench.memory.write(Bench::layout().output, output.data(), output.size() * 2);
  bench.program(0, {0, 12});
  bench.triggers.send(bench.message(0));
  bench.run();
  std::vector<std::uint16_t> received(output.size());
  bench.link.read(globalAddress(kNext, Bench::layout().output), received.data(), output.size() * 2);
  EXPECT_EQ(received, output);
}

TEST(DmaChannels, ReadsFromOneBufferAndSendsIntoAnotherAndClearsWhatItHasRead) {
  Bench bench({});
  const MemoryLayout layout = Bench::layout();
  DmaTransfer command = bench.transfer({0, 1});
  command.source = layout.accumulation;
  command.clears = true;
  bench.dma.program(CommandId{0}, command);
  bench.triggers.send(bench.message(0));
  bench.run();
  ASSERT_EQ(bench.memory.requests().size(), bench.link.requests().size());
  for (std::size_t i = 0; i < bench.memory.requests().size(); ++i) {
    const auto& read = bench.memory.requests()[i];
    const auto& sent = bench.link.requests()[i];
    EXPECT_EQ(read.operation, MemoryOperation::Clear);
    EXPECT_EQ(sent.operation, MemoryOperation::Add);
    EXPECT_EQ(read.address - layout.accumulation, localAddress(sent.address) - layout.output);
  }
}

TEST(DmaChannels, TheFirstReadFollowsTheTriggerByTheCommandLatency) {
  Options setup;
  setup.dma.command_latency_ns = 123;
  Bench bench(setup);
  bench.program(0, {0, 1});
  sc_core::sc_start(1, sc_core::SC_US);
  bench.triggers.send(bench.message(0));
  bench.run();
  EXPECT_EQ(bench.memory.requests().front().time, 1'000'000u + 123'000);
}

// The latency of the second command passes while the first one is at work, its overhead does not.
TEST(DmaChannels, TheOverheadOfACommandHoldsItsChannel) {
  Options setup;
  setup.dma.channels = 1;
  setup.dma.command_latency_ns = 123;
  setup.dma.command_overhead_ns = 2000;
  Bench bench(setup);
  bench.program(0, {0, 1});
  bench.program(1, {1, 1});
  sc_core::sc_start(1, sc_core::SC_US);
  bench.triggers.send(bench.message(0));
  bench.triggers.send(bench.message(1));
  bench.run();
  const auto& reads = bench.memory.requests();
  const auto& sends = bench.link.requests();
  ASSERT_EQ(reads.size(), 256U);
  ASSERT_EQ(sends.size(), 256U);
  EXPECT_EQ(reads[0].time, 1'000'000U + 123'000 + 2'000'000);
  EXPECT_LT(reads[127].time, sends[127].time);
  EXPECT_GE(reads[128].time, sends[127].time + 2'000'000);
  EXPECT_LT(reads[128].time, sends[127].time + 2'123'000);
}

TEST(DmaChannels, NothingIsSentBeforeItsReadIsDue) {
  // The test memory annotates its latency, so a model that forgets the annotation sends early.
  Bench bench({});
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.run();
  const auto& reads = bench.memory.requests();
  const auto& sends = bench.link.requests();
  ASSERT_EQ(reads.size(), sends.size());
  EXPECT_EQ(reads.size(), 128u);
  double served = static_cast<double>(reads[0].time);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    served += static_cast<double>(reads[i].bytes);  // 1000 bytes per ns
    EXPECT_GE(static_cast<double>(sends[i].time), served + 300'000);
  }
}

TEST(DmaChannels, ASlowLinkThrottlesTheReads) {
  Options setup;
  setup.linkRate = 1;  // memory: 1000
  setup.linkQueue = 1;
  setup.dma.outstanding_bytes = 4096;
  Bench bench(setup);
  bench.program(0, {0, 12});
  bench.triggers.send(bench.message(0));
  bench.run();
  // 32 rows of 128 bytes fill the buffer to the last byte.
  EXPECT_EQ(bench.dma.statistics().peakOutstandingBytes, 4096u);
  // At every moment, bytes read are at most what the link has taken plus the buffer.
  std::uint64_t read = 0, sent = 0;
  std::size_t next = 0;
  for (const auto& request : bench.memory.requests()) {
    read += request.bytes;
    while (next < bench.link.requests().size() &&
           bench.link.requests()[next].time <= request.time) {
      sent += bench.link.requests()[next++].bytes;
    }
    ASSERT_LE(read, sent + 4096);
  }
  const double bytes = 300 * 200 * 2;
  EXPECT_NEAR(static_cast<double>(now()), bytes * 1000, bytes * 1000 * 0.02);  // 1 byte per ns
}

TEST(DmaChannels, RequestsOutstandingAreBoundedToo) {
  Options setup;
  setup.dma.outstanding_reads = 3;
  Bench bench(setup);
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.run();
  EXPECT_LE(bench.dma.statistics().peakOutstandingBytes, 3u * 128);
  // Three reads per round trip of 300 ns.
  EXPECT_GE(now(), 128u / 3 * 300'000);
}

TEST(DmaChannels, AFastPathKeepsTheLinkBusy) {
  Options setup;
  setup.tiling = Tiling{{1024, 1024, 2}, {128, 128, 8}, 1};
  setup.linkQueue = 16;
  Bench bench(setup);
  for (std::uint32_t c = 0; c < 64; ++c) {
    bench.program(c, {c, 1});
    bench.triggers.send(bench.message(c));
  }
  bench.run();
  const double expected = 1024.0 * 1024 * 2 / 75 * 1000 + 400'000;
  EXPECT_NEAR(static_cast<double>(now()), expected, expected * 0.01);
}

TEST(DmaChannels, ChannelsShareTheReadsRequestByRequest) {
  Options setup;
  setup.dma.channels = 2;
  setup.dma.outstanding_reads = 4;
  Bench bench(setup);
  for (std::uint32_t c = 0; c < 3; ++c) bench.program(c, {c, 1});
  for (std::uint32_t c = 0; c < 3; ++c) bench.triggers.send(bench.message(c));
  bench.run();
  const auto& reads = bench.memory.requests();
  // The first command fills the buffer before the second starts; from then on they alternate.
  for (std::size_t i = 4; i < 200; ++i) {
    ASSERT_NE(reads[i].workgroup.value, reads[i + 1].workgroup.value) << i;
    ASSERT_LT(reads[i].workgroup.value, 2u) << i;
  }
  EXPECT_EQ(reads.back().workgroup.value, 2u);  // had to wait for a channel
}

/// A transfer of a tile to another GPU and to the local memory.
void transferBothWays(const Options& setup, const auto& check) {
  Bench bench(setup);
  const std::uint16_t value = 0x1234;
  bench.memory.write(0x1000, &value, sizeof value);
  Picoseconds finished = 0;
  bench.dma.run({.tiling = &bench.setup.tiling,
                 .tiles = {0, 1},
                 .source = 0x1000,
                 .local = DmaWrite{.destination = 0x80000, .operation = MemoryOperation::Add},
                 .remote = {{.destination = globalAddress(kNext, 0x4000), .row = 7}},
                 .finished = [&] { finished = now(); }});
  bench.run();
  check(bench, finished);
  const std::uint64_t bytes = 128 * 64 * 2;
  std::uint64_t read = 0, stored = 0;
  for (const auto& request : bench.memory.requests()) {
    EXPECT_FALSE(request.tracked) << "only the other GPU's tracker counts it";
    EXPECT_EQ(request.operation, request.write ? MemoryOperation::Add : MemoryOperation::Store);
    (request.write ? stored : read) += request.bytes;
  }
  EXPECT_EQ(read, bytes);
  EXPECT_EQ(stored, bytes);
  EXPECT_EQ(bench.dma.statistics().sentBytes, bytes);
  for (const auto& request : bench.link.requests()) {
    EXPECT_TRUE(request.tracked);
    EXPECT_EQ(request.workgroup.value, 7 * setup.tiling.tiles());
  }
  std::uint16_t copied = 0;
  bench.memory.read(0x80000, &copied, sizeof copied);
  EXPECT_EQ(copied, value);
  bench.link.read(globalAddress(kNext, 0x4000), &copied, sizeof copied);
  EXPECT_EQ(copied, value);
}

TEST(DmaChannels, ATransferBothWaysIsDoneWhenTheLinkHasItsLastWriteIfThatIsLater) {
  Options setup;
  setup.mode = DataMode::Checked;
  setup.linkRate = 0.001;
  transferBothWays(setup, [](const Bench& bench, Picoseconds finished) {
    EXPECT_EQ(finished, bench.link.requests().back().time);
  });
}

TEST(DmaChannels, ATransferBothWaysIsDoneWhenItsLastLocalWriteIsPerformedIfThatIsLater) {
  Options setup;
  setup.mode = DataMode::Checked;
  setup.linkRate = 1000;
  setup.memoryLatency = 5'000'000;
  transferBothWays(setup, [](const Bench& bench, Picoseconds finished) {
    EXPECT_EQ(finished, bench.memory.busyUntil() + 5'000'000);
  });
}

TEST(DmaChannels, ASlowLinkHoldsNothingBackThatStaysInTheLocalMemory) {
  Options setup;
  setup.dma.outstanding_bytes = 8192;
  setup.linkRate = 1;
  Bench bench(setup);
  Picoseconds sent = 0, stored = 0;
  bench.dma.run({.tiling = &bench.setup.tiling, .tiles = {0, 6}, .remote = {{}}, .finished = [&] {
                   sent = now();
                 }});
  bench.dma.run(
      {.tiling = &bench.setup.tiling, .tiles = {6, 6}, .local = DmaWrite{}, .finished = [&] {
         stored = now();
       }});
  sc_core::sc_start();
  EXPECT_TRUE(bench.dma.idle()) << bench.dma.describe();
  EXPECT_LT(stored * 5, sent);
}

TEST(DmaChannels, TilesOfSeveralOutputsAreReadAndSentOneAfterTheOther) {
  Bench bench({});
  const std::uint64_t output = bench.setup.tiling.outputBytes();
  const std::uint32_t tiles = bench.setup.tiling.tiles();
  const std::uint64_t destination = globalAddress(kNext, 0x900000);
  bench.dma.run({.tiling = &bench.setup.tiling,
                 .tiles = {4, 2},
                 .outputs = 2,
                 .source = 0x1000,
                 .remote = {{.destination = destination, .row = 3}}});
  bench.run();
  const auto& reads = bench.memory.requests();
  const auto& writes = bench.link.requests();
  ASSERT_EQ(reads.size(), writes.size());
  std::set<std::uint32_t> workgroups;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const std::uint64_t offset = reads[i].address - 0x1000;
    const std::uint32_t number = i < reads.size() / 2 ? 0 : 1;
    EXPECT_EQ(offset / output, number);
    EXPECT_EQ(writes[i].address, destination + offset);
    EXPECT_EQ(writes[i].workgroup.value, 3 * tiles + reads[i].workgroup.value);
    workgroups.insert(reads[i].workgroup.value);
  }
  EXPECT_EQ(workgroups, (std::set<std::uint32_t>{4, 5, tiles + 4, tiles + 5}));
}

}  // namespace
}  // namespace t3::test::dma_channels_test
