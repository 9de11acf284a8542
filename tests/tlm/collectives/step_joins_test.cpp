// SPDX-License-Identifier: Apache-2.0
// Method: joins with a DMA engine between two memories, one of them in place of the link. The test
// plays the tracker: it says which blocks are complete, and what must not be said. Whole
// collectives run in tests/system/collective_file_test.cpp.
#include "tlm/collectives/step_joins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tests/support/error_of.h"
#include "tests/support/source.h"
#include "tests/support/test_memory.h"
#include "tests/support/watched.h"

namespace t3::step_joins_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kChunk = 256;  ///< bytes; one slice

struct Bench {
  explicit Bench(const TrackedProgram& program, Picoseconds linkLatency = 0)
      : grid(*TrackedGrid::make(program.rows, kChunk, 32768, 64)),
        link("link", linkLatency, 1000),
        dma("dma", DmaConfig{}, {GpuId{0}, DataType::Fp16, DataMode::Elided, pool},
            {.links = 1, .local = true}),
        joins("joins", program, grid, dma) {
    dma.memory.socket.bind(memory.target);
    dma.egress.port(0).socket.bind(link.target);
    tracker.port.socket.bind(dma.trigger);
  }
  /// At once: without a simulation, and errors are the caller's.
  void complete(std::uint32_t slot, bool spoiled = false) {
    const TriggerMessage message{CommandId{slot}, spoiled};
    Payload& payload = tracker.make(slot, std::as_bytes(std::span(&message, 1)));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(tracker.port.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    payload.release();
  }
  bool missing(std::uint32_t blocks) const {
    const auto lines = test::published(joins);
    return std::ranges::count(
               lines, "blocks_missing: level of 16 bits, blocks = " + std::to_string(blocks)) == 1;
  }

  TrackedGrid grid;
  PayloadPool pool;
  test::TestMemory memory{"memory", 100'000, 1000}, link;
  test::Source tracker{"tracker", pool};
  DmaEngine dma;
  StepJoins joins;
};

/// `count` thread blocks, each of which waits for one message.
TrackedProgram receivers(std::uint32_t count) {
  TrackedProgram program;
  program.chunkBytes = kChunk;
  program.sentBytes = {0};
  program.rows = count;
  for (std::uint32_t b = 0; b < count; ++b) {
    program.arrivals.push_back({.address = b * kChunk, .chunks = 1, .row = b});
    TrackedProgram::Step& step = program.threadBlocks.emplace_back().emplace_back();
    step.chunks = 1;
    step.arrival = b;
  }
  return program;
}

TEST(StepJoins, EndsWhenTheLastMessageIsComplete) {
  Bench bench(receivers(2));
  int done = 0;
  bench.joins.launch([&](Picoseconds) { ++done; });
  EXPECT_EQ(bench.joins.slicesToDo(), 2U);
  EXPECT_TRUE(bench.missing(2));
  bench.complete(1);
  EXPECT_EQ(bench.joins.slicesDone(), 1U);
  EXPECT_FALSE(bench.joins.finished());
  EXPECT_EQ(done, 0);
  bench.complete(0);
  EXPECT_TRUE(bench.joins.finished());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(bench.joins.describe(), "joins: done");
}

/// "StepBegin of thread block 1, step 0".
struct StepWatch : EventSink {
  std::vector<std::string> events;
  void happened(const Event& event) override {
    if (event.kind == EventKind::KernelBegin || event.kind == EventKind::KernelEnd) return;
    events.push_back(std::string(boost::describe::enum_to_string(event.kind, "")) +
                     " of thread block " + std::to_string(event.threadBlock) + ", step " +
                     std::to_string(event.number));
  }
};

TEST(StepJoins, AnnouncesEachStepOnceFromItsFirstTransferToTheEndOfItsLastOne) {
  TrackedProgram program = receivers(2);
  DmaTransfer transfer{.source = 0, .triggered = true};
  transfer.local = {.destination = 0x8000};
  program.threadBlocks[1][0].after = transfer;
  Bench bench(program);
  StepWatch watch;
  bench.joins.subscribe(&watch, 0);
  bench.dma.subscribe(&watch, 0);
  bench.joins.launch([](Picoseconds) {});
  EXPECT_THAT(watch.events, ElementsAre());
  bench.complete(0);
  EXPECT_THAT(watch.events, ElementsAre("StepBegin of thread block 0, step 0",
                                        "StepEnd of thread block 0, step 0"));
  watch.events.clear();
  bench.complete(1);
  sc_core::sc_start();
  EXPECT_TRUE(bench.joins.finished());
  EXPECT_THAT(
      watch.events,
      ElementsAre("StepBegin of thread block 1, step 0", "CommandTaken of thread block 1, step 0",
                  "CommandBegin of thread block 1, step 0", "CommandEnd of thread block 1, step 0",
                  "StepEnd of thread block 1, step 0"));
}

TEST(StepJoins, ABlockThatIsCompleteTwiceOrOfNobodyIsAnError) {
  Bench bench(receivers(2));
  bench.joins.launch([](Picoseconds) {});
  bench.complete(0);
  EXPECT_EQ(test::errorOf([&] { bench.complete(0); }), "joins: command 0 came twice");
  EXPECT_EQ(test::errorOf([&] { bench.complete(2); }), "joins: command 2 was never programmed");
  EXPECT_EQ(test::errorOf([&] { bench.complete(1, true); }),
            "joins: command 1 received an update when it was complete");
}

TEST(StepJoins, SaysWhatTheFirstFourWaitersWaitFor) {
  Bench bench(receivers(6));
  bench.joins.launch([](Picoseconds) {});
  bench.complete(1);
  const std::string text = bench.joins.describe();
  EXPECT_THAT(text, HasSubstr("1 of 6 slices of steps done, 0 commands queued or at work, 5 "
                              "blocks have not arrived"));
  for (const char* block : {"0", "2", "3", "4"}) {
    EXPECT_THAT(text, HasSubstr("thread block " + std::string(block) +
                                ", step 0, slice 0 waits for 1 blocks of another GPU"));
  }
  EXPECT_THAT(text, Not(HasSubstr("thread block 1,")));
  EXPECT_THAT(text, Not(HasSubstr("thread block 5,")));
}

TEST(StepJoins, SendsWhatHasArrivedAndStoresItToo) {
  TrackedProgram program = receivers(1);
  DmaTransfer transfer{.source = 0, .triggered = true};
  transfer.local = {.destination = 0x8000};
  transfer.remote.emplace_back();
  transfer.remote.front().destination = globalAddress(GpuId{1}, 0x4000);
  transfer.remote.front().operation = MemoryOperation::Add;
  transfer.remote.front().row = 7;
  program.threadBlocks[0][0].after = transfer;
  Bench bench(program);
  bench.joins.launch([](Picoseconds) {});
  bench.complete(0);
  sc_core::sc_start();
  EXPECT_TRUE(bench.joins.finished());
  EXPECT_TRUE(bench.joins.idle());
  EXPECT_EQ(bench.pool.inUse(), 0U);
  std::uint64_t read = 0, stored = 0, sent = 0;
  for (const auto& request : bench.memory.requests()) {
    EXPECT_EQ(request.triggered, !request.write);
    EXPECT_EQ(request.address, request.write ? 0x8000 + stored : read);
    (request.write ? stored : read) += request.bytes;
  }
  for (const auto& request : bench.link.requests()) {
    EXPECT_EQ(request.address, globalAddress(GpuId{1}, 0x4000) + sent);
    EXPECT_EQ(request.operation, MemoryOperation::Add);
    EXPECT_TRUE(request.tracked);
    EXPECT_EQ(request.workgroup, WorkgroupId{7});
    sent += request.bytes;
  }
  EXPECT_THAT((std::array{read, stored, sent}), ElementsAre(kChunk, kChunk, kChunk));
}

TEST(StepJoins, AWriteToAnotherGpuIsDoneWhenTheLinkHasIt) {
  TrackedProgram program = receivers(1);
  DmaTransfer transfer{.source = 0, .triggered = true};
  transfer.remote.emplace_back();
  transfer.remote.front().destination = globalAddress(GpuId{1}, 0x4000);
  program.threadBlocks[0][0].after = transfer;
  Bench bench(program, 10'000'000);
  Picoseconds done = 0;
  bench.joins.launch([&](Picoseconds when) { done = when; });
  bench.complete(0);
  sc_core::sc_start();
  EXPECT_TRUE(bench.joins.finished());
  EXPECT_GT(done, 0U);
  EXPECT_LT(done, 10'000'000U) << "before the other GPU answers";
  EXPECT_THAT(test::published(bench.dma), Contains("sent: counter of 64 bits, bytes = 256"));
}

}  // namespace
}  // namespace t3::step_joins_test
