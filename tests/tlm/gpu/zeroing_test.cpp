// SPDX-License-Identifier: Apache-2.0
// Method: the frontier alone against a list of bytes kept by the test; then the GEMM, the DMA
// engine and a real memory stack, whose ledger reports a zero that comes after an update. Each run,
// with zeros that are written and with clears, is made with the guard and without it: without, the
// ledger must end it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/support/error_of.h"
#include "tests/support/seed.h"
#include "tests/support/source.h"
#include "tests/tlm/gpu/gemm_bench.h"
#include "tlm/gpu/dma_engine.h"
#include "tlm/gpu/ingress.h"
#include "tlm/hbm/hbm_stack.h"

namespace t3::test::zeroing_test {
namespace {

TEST(ZeroFrontier, LetsPassWhatIsZeroAndWhatNeedsNoZeros) {
  std::mt19937_64 random(seed(7));
  ZeroFrontier frontier;
  // Areas around a ring: descending addresses with a gap, then a jump up.
  const ZeroFrontier::Areas areas = {{3000, 500}, {2000, 1000}, {1000, 700}, {5000, 900}};
  std::vector<std::uint64_t> inFillOrder;
  for (const auto& [address, bytes] : areas) {
    for (std::uint64_t i = 0; i < bytes; ++i) inFillOrder.push_back(address + i);
  }
  std::vector<bool> waits(7000, false);
  for (const std::uint64_t address : inFillOrder) waits[address] = true;
  unsigned calls = 0, held = 0, passed = 0;
  frontier.whenChanged([&] { ++calls; });
  frontier.begin(areas);
  for (std::size_t zeroed = 0; zeroed < inFillOrder.size();) {
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t address = random() % 6500;
      const std::uint64_t bytes = 1 + random() % 400;
      const auto begin = waits.begin() + static_cast<std::ptrdiff_t>(address);
      const bool free = std::find(begin, begin + static_cast<std::ptrdiff_t>(bytes), true) ==
                        begin + static_cast<std::ptrdiff_t>(bytes);
      ASSERT_EQ(frontier.ready(address, bytes), free) << address << "+" << bytes;
      ++(free ? passed : held);
    }
    const std::size_t step = std::min<std::size_t>(1 + random() % 200, inFillOrder.size() - zeroed);
    frontier.advance(step);
    for (std::size_t i = 0; i < step; ++i) waits[inFillOrder[zeroed++]] = false;
  }
  EXPECT_TRUE(frontier.ready(0, 7000));
  EXPECT_GT(calls, 10U);
  EXPECT_GT(held, 100U);
  EXPECT_GT(passed, 100U);
}

HbmConfig smallMemory() {
  HbmConfig config;
  config.arbitration = kRoundRobinArbitration;
  return config;
}

/// A kernel that updates its whole output while an engine zeroes it: a few bytes at a time, or with
/// clears of rows that begin when updates have long come.
struct Zeroing {
  explicit Zeroing(bool guarded, bool byClears = false)
      : config(smallGpu()),
        tiling(tilingOf(config, shape, DataType::Fp16)),
        layout(layoutOf(config, shape, DataType::Fp16)),
        clears(byClears),
        hbm("hbm", smallMemory(), 1),
        link("link", 0, 75),
        kernel("kernel", config, {tiling, shape.depth, layout},
               {GpuId{0}, DataType::Fp16, DataMode::Elided, pool}),
        dma("dma", slowFill(), {GpuId{0}, DataType::Fp16, DataMode::Elided, pool}),
        tracker("tracker", pool) {
    kernel.memory.socket.bind(hbm.target);
    dma.memory.socket.bind(hbm.target);
    kernel.egress.port(0).socket.bind(link.target);
    dma.egress.port(0).socket.bind(link.target);
    tracker.port.socket.bind(dma.trigger);
    if (guarded) kernel.guardUpdates(dma.zeros());
    using Start = UpdateLedger::Start;
    hbm.watchUpdates(layout.output, tiling.outputBytes(), 1,
                     clears ? Start::Uncleared : Start::Free);
  }
  static DmaConfig slowFill() {
    DmaConfig dma;
    dma.fill_bytes = dma.fill_outstanding_bytes = 512;
    return dma;
  }
  void run() {
    OutputMap output;
    output.dmaMap({0, tiling.tiles()});
    kernel.launch({.output = std::move(output),
                   .chunkOrder = {},
                   .done = [](Picoseconds) {},
                   .firstStageDone = {}});
    const auto done = [this](Picoseconds when) { zeroed = when; };
    if (clears) {
      const auto rows = static_cast<std::uint32_t>(hbm.rowsBytes());
      dma.clear({{layout.output, (tiling.outputBytes() + rows - 1) / rows * rows}}, rows, done,
                kClearsBegin);
    } else {
      dma.fillZero({{layout.output, tiling.outputBytes()}}, done);
    }
    sc_core::sc_start();
  }
  static constexpr Picoseconds kClearsBegin = 200'000'000;

  Shape shape{256, 256, 64, 1};
  PayloadPool pool;
  GpuConfig config;
  Tiling tiling;
  MemoryLayout layout;
  bool clears;
  HbmStack hbm;
  TestMemory link;
  GemmKernel kernel;
  DmaEngine dma;
  Source tracker;  // sends nothing
  Picoseconds zeroed = 0;
};

TEST(Zeroing, NoUpdateIsAheadOfItsZerosHoweverSlowTheyAre) {
  Zeroing bench(true);
  bench.run();
  EXPECT_TRUE(bench.hbm.everyBurstUpdated(bench.layout.output, bench.tiling.outputBytes(), 1));
  EXPECT_GT(bench.zeroed, 0U);
  EXPECT_GE(bench.kernel.statistics().end, bench.zeroed) << "the last tile waits for the last zero";
  EXPECT_GT(bench.kernel.statistics().zeroWait, bench.zeroed / 2);
  EXPECT_EQ(bench.dma.zeroStatistics().fillBytes, bench.tiling.outputBytes());
  EXPECT_EQ(bench.pool.inUse(), 0U);
}

TEST(Zeroing, WithoutTheGuardTheMemoryReportsTheLateZero) {
  Zeroing bench(false);
  EXPECT_THAT(errorOf([&] { bench.run(); }), testing::HasSubstr("store over an update at "));
}

TEST(Zeroing, NoUpdateIsAheadOfItsClearHoweverLateItIs) {
  Zeroing bench(true, true);
  bench.run();
  EXPECT_TRUE(bench.hbm.everyBurstUpdated(bench.layout.output, bench.tiling.outputBytes(), 1));
  EXPECT_TRUE(bench.hbm.everyBurstCleared(bench.layout.output, bench.tiling.outputBytes(), 1));
  EXPECT_GT(bench.zeroed, Zeroing::kClearsBegin);
  EXPECT_GE(bench.kernel.statistics().end, bench.zeroed);
  EXPECT_GT(bench.kernel.statistics().zeroWait, 0U);
  EXPECT_EQ(bench.dma.zeroStatistics().fillBytes, 0U);
  EXPECT_EQ(bench.hbm.statistics().bytes(Phase::Gemm, true), bench.tiling.outputBytes())
      << "updates, no zeros";
  EXPECT_EQ(bench.pool.inUse(), 0U);
}

TEST(Zeroing, WithoutTheGuardTheMemoryReportsTheUpdateThatIsAheadOfItsClear) {
  Zeroing bench(false, true);
  EXPECT_THAT(errorOf([&] { bench.run(); }),
              testing::HasSubstr("update before its burst is cleared at "));
}

TEST(Zeroing, AWriteComesToTheIngressWhenItsAnnotatedDelayHasPassed) {
  PayloadPool pool;
  TestMemory memory("memory", 100'000, 1000);
  Ingress ingress("ingress", 32, [](const Payload&, Picoseconds) {});
  Source sender("sender", pool);
  ingress.memory.socket.bind(memory.target);
  sender.port.socket.bind(ingress.link);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Payload& payload = sender.make(tlm::TLM_WRITE_COMMAND, 0x1000, 256);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(50, sc_core::SC_NS);
  EXPECT_EQ(sender.port.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_ACCEPTED);
  EXPECT_FALSE(ingress.idle());
  sc_core::sc_start();
  EXPECT_THAT(sender.answeredAt, testing::ElementsAre(50'000));
  EXPECT_EQ(memory.requests().at(0).time, 50'000U);
  EXPECT_EQ(pool.inUse(), 0U);
}

TEST(Zeroing, AWriteOfAnotherGpuThatTheMemoryDoesNotTakeEndsTheRun) {
  PayloadPool pool;
  TestMemory memory("memory", 100'000, 1000);
  memory.brokenFrom = 0x1000;
  Ingress ingress("ingress", 32, [](const Payload&, Picoseconds) {});
  Source sender("sender", pool);  // the link's side
  ingress.memory.socket.bind(memory.target);
  sender.port.socket.bind(ingress.link);
  sender.write(globalAddress(GpuId{5}, 0x1000), 256);
  EXPECT_EQ(errorOf([] { sc_core::sc_start(); }),
            "ingress.memory: a write of 256 bytes at 0x1000 was answered with "
            "TLM_ADDRESS_ERROR_RESPONSE");
}

TEST(Zeroing, TheIngressHoldsAWriteUntilItsZerosAreThereAndOthersNever) {
  PayloadPool pool;
  ZeroFrontier zeros;
  TestMemory memory("memory", 100'000, 1000);
  Ingress ingress("ingress", 32, [](const Payload&, Picoseconds) {});
  Source sender("sender", pool);  // the link's side
  ingress.memory.socket.bind(memory.target);
  sender.port.socket.bind(ingress.link);
  ingress.guardUpdates(zeros);
  zeros.begin({{0x1000, 0x1000}});
  const auto write = [&](std::uint64_t address, MemoryOperation operation) {
    sender.write(globalAddress(GpuId{5}, address), 256, {.operation = operation});
  };
  TimedQueue<int> script("script", [&](int step) {
    if (step == 0) write(0x3000, MemoryOperation::Add);  // in no area
    if (step == 1) write(0x1100, MemoryOperation::Add);
    if (step == 2) zeros.advance(0x1ff);  // one byte short
    if (step == 3) zeros.advance(1);
    if (step == 4) write(0x1200, MemoryOperation::Store);  // zeros would come over it
    if (step == 5) zeros.advance(0x100);
  });
  for (int step = 0; step < 6; ++step) {
    script.post(static_cast<Picoseconds>(step + 1) * 1'000'000, step);
  }
  sc_core::sc_start();
  EXPECT_THAT(sender.answeredAt, testing::ElementsAre(1'000'000, 4'000'000, 6'000'000));
  EXPECT_EQ(ingress.zeroWait(), 3'000'000U);
  EXPECT_EQ(memory.bytesWritten(), 768U);
  EXPECT_TRUE(ingress.idle());
  EXPECT_EQ(pool.inUse(), 0U);
}

}  // namespace
}  // namespace t3::test::zeroing_test
