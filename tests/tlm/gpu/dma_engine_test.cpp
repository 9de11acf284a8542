// SPDX-License-Identifier: Apache-2.0
// Method: commands of a DMA engine, between test memories: how they are taken and refused; and
// the zeros that it writes.
#include "tlm/gpu/dma_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/tlm/gpu/dma_bench.h"

namespace t3::test::dma_engine_test {
namespace {

using Bench = DmaBench;
using Options = DmaOptions;

TEST(DmaEngine, AFullCommandQueueHoldsTheTrackerAndLosesNothing) {
  Options setup;
  setup.dma.channels = 1;
  setup.dma.queue_commands = 2;
  setup.linkRate = 5;
  Bench bench(setup);
  for (std::uint32_t c = 0; c < 12; ++c) {
    bench.program(c, {c, 1});
    bench.triggers.send(bench.message(c));
  }
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  EXPECT_EQ(bench.dma.statistics().peakQueuedCommands, 2u);
  EXPECT_EQ(bench.dma.statistics().commandsTaken, 12u);
  ASSERT_EQ(bench.triggers.answeredAt.size(), 12u);
  EXPECT_EQ(bench.triggers.answeredAt[1], 0u);
  EXPECT_GT(bench.triggers.answeredAt[3], bench.triggers.answeredAt[2]);
  EXPECT_GT(bench.triggers.answeredAt[2], 0u);
}

TEST(DmaEngine, SoftwareMayStartAnyNumberOfCommands) {
  Options setup;
  setup.dma.queue_commands = 1;
  Bench bench(setup);
  for (std::uint32_t c = 0; c < 12; ++c) bench.program(c, {c, 1});
  for (std::uint32_t c = 0; c < 12; ++c) bench.dma.start(CommandId{c});
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  for (const auto& request : bench.memory.requests()) EXPECT_FALSE(request.triggered);
}

TEST(DmaEngine, ACommandRunsAgainOnlyWhenProgrammedAgain) {
  Bench bench({});
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.run();
  EXPECT_EQ(bench.dma.statistics().sentBytes, 2u * 128 * 64 * 2);
}

TEST(DmaEngine, WithWholeChunksNothingLeavesBeforeTheLastBlockOfItsChunkIsThere) {
  Options setup;
  setup.dma.whole_chunks = true;
  Bench bench(setup);
  const std::uint32_t tiles = bench.setup.tiling.chunk(ChunkId{0}).count;
  for (std::uint32_t c = 0; c < tiles; ++c) bench.program(c, {c, 1});
  for (std::uint32_t c = 0; c + 1 < tiles; ++c) bench.triggers.send(bench.message(c));
  sc_core::sc_start();
  EXPECT_TRUE(bench.memory.requests().empty());
  EXPECT_FALSE(bench.dma.idle());
  EXPECT_NE(bench.dma.describe().find("held for the rest of their chunks"), std::string::npos);
  bench.triggers.send(bench.message(tiles - 1));
  bench.run();
  bench.expectExactlyOnce({{0, tiles}});
}

TEST(DmaEngine, ACommandWithoutTargetsIsOverWhenItIsTriggeredAndNeedsNoPlaceInTheQueue) {
  Options setup;
  setup.dma.channels = 1;
  setup.dma.queue_commands = 1;
  Bench bench(setup);
  std::vector<std::uint32_t> triggered, finished;
  bench.dma.onTriggered([&](CommandId command) { triggered.push_back(command.value); });
  bench.dma.onFinished(
      [&](const DmaTransfer& command) { finished.push_back(command.tiles.first); });
  for (const std::uint32_t c : {0U, 1U}) bench.program(c, {c, 1});
  for (const std::uint32_t c : {2U, 3U}) {
    bench.dma.program(CommandId{c}, {.tiling = &bench.setup.tiling, .tiles = {c, 1}});
  }
  for (const std::uint32_t c : {0U, 2U, 3U, 1U}) bench.triggers.send(bench.message(c));
  bench.run();
  bench.expectExactlyOnce({{0, 2}});
  EXPECT_EQ(triggered, (std::vector<std::uint32_t>{0, 2, 3, 1}));
  EXPECT_EQ(finished, (std::vector<std::uint32_t>{0, 1})) << "what has been sent";
  EXPECT_EQ(bench.triggers.answeredAt[2], 0U) << "though the queue is full";
  EXPECT_EQ(bench.dma.statistics().commandsTaken, 2U);
  EXPECT_TRUE(bench.dma.untriggered().empty());
}

TEST(DmaEngine, ATriggerComesWhenItsAnnotatedDelayHasPassed) {
  Bench bench({});
  bench.program(0, {0, 1});
  std::vector<Picoseconds> taken;
  bench.dma.onTriggered([&](CommandId) { taken.push_back(now()); });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const TriggerMessage message = bench.message(0);
  Payload& payload = bench.triggers.make(0, std::as_bytes(std::span(&message, 1)));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(50, sc_core::SC_NS);
  EXPECT_EQ(bench.triggers.port.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_ACCEPTED);
  sc_core::sc_start();
  EXPECT_EQ(taken, (std::vector<Picoseconds>{50'000}));
  EXPECT_EQ(bench.triggers.answeredAt, (std::vector<Picoseconds>{50'000}));
}

// --- errors ---------------------------------------------------------------------------------

TEST(DmaEngineErrors, ASecondTriggerOfACommand) {
  Bench bench({});
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.triggers.send(bench.message(0));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(DmaEngineErrors, ASecondTriggerAfterTheCommandFinished) {
  Bench bench({});
  bench.program(0, {0, 1});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.triggers.send(bench.message(0));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(DmaEngineErrors, ATriggerOfAnUnprogrammedCommand) {
  Bench bench({});
  bench.program(5, {0, 1});
  bench.triggers.send(bench.message(3));
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(DmaEngineErrors, ATriggerOfASumThatGotAnUpdateTooMuch) {
  Bench bench({});
  bench.program(0, {1, 2});
  TriggerMessage message = bench.message(0);
  message.spoiled = true;
  bench.triggers.send(message);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(DmaEngineErrors, AReadThatTheMemoryDoesNotGive) {
  Bench bench({});
  bench.memory.brokenFrom = 0;
  bench.program(0, {0, 1});
  bench.dma.start(CommandId{0});
  EXPECT_THAT(errorOf([&] { bench.run(); }), testing::HasSubstr("dma.memory: a read of "));
}

TEST(DmaEngineErrors, AWriteThatTheLinkDoesNotTake) {
  Bench bench({});
  bench.link.brokenFrom = 0;
  bench.program(0, {0, 1});
  bench.dma.start(CommandId{0});
  EXPECT_THAT(errorOf([&] { bench.run(); }), testing::HasSubstr(": a write of "));
}

TEST(DmaEngineErrors, StartOfACommandThatRuns) {
  Bench bench({});
  bench.program(0, {0, 1});
  bench.dma.start(CommandId{0});
  EXPECT_THROW(bench.dma.start(CommandId{0}), sc_core::sc_report);
}

TEST(DmaEngineErrors, ProgrammingACommandThatRunsOrTilesThatDoNotExist) {
  Bench bench({});
  EXPECT_THROW(bench.program(0, {10, 3}), sc_core::sc_report);
  EXPECT_THROW(bench.program(0, {0, 0}), sc_core::sc_report);
  bench.program(0, {0, 1});
  bench.dma.start(CommandId{0});
  EXPECT_THROW(bench.program(0, {0, 1}), sc_core::sc_report);
}

// --- zeroing --------------------------------------------------------------------------------

TEST(DmaEngineFill, WritesZerosToExactlyTheGivenRanges) {
  Options setup;
  setup.mode = DataMode::Checked;
  setup.dma.fill_bytes = 4096;
  setup.dma.fill_outstanding_bytes = 10'000;
  Bench bench(setup);
  std::vector<unsigned char> ones(40'000, 0xFF);
  bench.memory.write(0x1000, ones.data(), ones.size());
  Picoseconds doneAt = 0;
  unsigned done = 0;
  bench.dma.fillZero({{0x1010, 9'001}, {0x5000, 7}, {0x6000, 0}, {0x6000, 4096}},
                     [&](Picoseconds when) {
                       doneAt = when;
                       ++done;
                       EXPECT_EQ(when, now());
                     });
  bench.run();
  EXPECT_EQ(done, 1u);
  EXPECT_EQ(doneAt, bench.memory.busyUntil() + 300'000);
  std::vector<unsigned char> after(40'000);
  bench.memory.read(0x1000, after.data(), after.size());
  for (std::uint64_t i = 0; i < after.size(); ++i) {
    const std::uint64_t address = 0x1000 + i;
    const bool inside = (address >= 0x1010 && address < 0x1010 + 9'001) ||
                        (address >= 0x5000 && address < 0x5007) ||
                        (address >= 0x6000 && address < 0x7000);
    ASSERT_EQ(after[i], inside ? 0 : 0xFF) << address;
  }
  EXPECT_EQ(bench.dma.zeroStatistics().fillBytes, 9'001u + 7 + 4096);
  for (const auto& request : bench.memory.requests()) {
    EXPECT_TRUE(request.write);
    EXPECT_EQ(request.phase, Phase::Gemm);
    EXPECT_EQ(request.stream, Stream::Communication);
    EXPECT_EQ(request.operation, MemoryOperation::Store);
    EXPECT_FALSE(request.tracked);
  }
}

TEST(DmaEngineFill, RunsAtTheMemorysRateWhenItsWritesInFlightCoverTheLatency) {
  Options setup;
  setup.dma.fill_bytes = 1 << 16;
  setup.dma.fill_outstanding_bytes = 1 << 20;
  Bench bench(setup);
  Picoseconds end = 0;
  bench.dma.fillZero({{0, 64 << 20}}, [&](Picoseconds when) { end = when; });
  bench.run();
  const double expected = (64 << 20) + 300'000.0;  // 1000 bytes per ns
  EXPECT_NEAR(static_cast<double>(end), expected, expected * 0.01);
}

TEST(DmaEngineFill, AFillOfNothingEndsAtOnceAndMayStartTheNext) {
  Bench bench({});
  unsigned done = 0;
  bench.dma.fillZero({}, [&](Picoseconds) {
    ++done;
    bench.dma.fillZero({{0, 64}}, [&](Picoseconds) { ++done; });
  });
  bench.run();
  EXPECT_EQ(done, 2u);
}

}  // namespace
}  // namespace t3::test::dma_engine_test
