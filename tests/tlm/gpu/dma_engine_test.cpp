// SPDX-License-Identifier: Apache-2.0
// The DMA engine between a test memory and a test memory that stands for the link. The expected
// requests come from walking the output element by element: each element of a command must be read
// once, sent once, with the ids of the wavefront tile that owns it.
#include "tlm/gpu/dma_engine.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tests/support/seed.h"
#include "tests/tlm/gpu/test_memory.h"

namespace {

using namespace t3;
using t3::test::TestMemory;

constexpr GpuId kSelf{2}, kNext{3};

/// The tracker's side of the command stream.
class TriggerSource : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TriggerSource> socket{"socket"};
  std::vector<Picoseconds> takenAt;

  TriggerSource(const sc_core::sc_module_name& name, PayloadPool& pool)
      : sc_module(name), pool_(pool), next_("next", [this](int) { pump(); }) {
    socket.register_nb_transport_bw(this, &TriggerSource::backward);
  }
  void send(const TriggerMessage& message) {
    messages_.push_back(message);
    if (messages_.size() == 1 && waiting_ == nullptr) next_.post(now(), 0);
  }
  bool done() const { return messages_.empty() && waiting_ == nullptr; }

 private:
  void pump() {
    while (!messages_.empty() && waiting_ == nullptr) {
      const TriggerMessage message = messages_.front();
      messages_.pop_front();
      Payload& payload =
          pool_.allocate(tlm::TLM_WRITE_COMMAND, message.command.value, sizeof message, true);
      std::memcpy(payload.get_data_ptr(), &message, sizeof message);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      waiting_ = &payload;
      if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) taken();
    }
  }
  void taken() {
    waiting_->release();
    waiting_ = nullptr;
    takenAt.push_back(now());
  }
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    EXPECT_EQ(&payload, waiting_);
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    taken();
    next_.post(now(), 0);
    return tlm::TLM_COMPLETED;
  }

  PayloadPool& pool_;
  std::deque<TriggerMessage> messages_;
  Payload* waiting_ = nullptr;
  TimedQueue<int> next_;
};

struct Options {
  DmaConfig dma;
  Tiling tiling{300, 200, 2, 128, 64, 8, 1};  // 3 x 4 tiles, lower and right edge cut
  Picoseconds memoryLatency = 300'000;
  double memoryRate = 1000;  // bytes per ns
  Picoseconds linkLatency = 0;
  double linkRate = 75;
  std::size_t linkQueue = 4;
  DataMode mode = DataMode::Elided;
  double railRate = 0;  // of a second port; 0: there is none
};

struct Bench {
  explicit Bench(const Options& s)
      : setup(s),
        memory("local", s.memoryLatency, s.memoryRate),
        link("remote", s.linkLatency, s.linkRate, s.linkQueue),
        triggers("triggers", pool),
        dma("dma", s.dma, s.tiling, layout(), DataType::Fp16, s.mode, kSelf, pool,
            {s.railRate == 0 ? 1U : 2U}) {
    dma.memory.socket.bind(memory.target);
    dma.egress.port(0).socket.bind(link.target);
    triggers.socket.bind(dma.trigger);
    if (s.railRate == 0) return;
    rail = std::make_unique<TestMemory>("rail", s.linkLatency, s.railRate, s.linkQueue);
    dma.egress.port(1).socket.bind(rail->target);
  }
  static MemoryLayout layout() {
    MemoryLayout layout;
    layout.output = 0x300000;
    layout.accumulation = 0x900000;
    return layout;
  }
  void program(std::uint32_t command, TileRange tiles) {
    dma.program(CommandId{command}, {.tiles = tiles, .targets = {{0, kNext}}});
  }
  static TriggerMessage message(std::uint32_t command) { return {CommandId{command}}; }
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(dma.idle()) << dma.describe();
    EXPECT_TRUE(triggers.done());
    EXPECT_EQ(pool.inUse(), 0u);
    EXPECT_EQ(dma.statistics().readBytes, dma.statistics().sentBytes);
    EXPECT_EQ(dma.statistics().commandsTaken, dma.statistics().commandsFinished);
  }
  /// Every byte of `tiles` read once and sent once, as its own wavefront tile, nothing else.
  void expectExactlyOnce(const std::vector<TileRange>& tiles) {
    using Ids = std::pair<std::uint32_t, std::uint32_t>;
    std::map<std::uint64_t, Ids> owner;  // element address -> wavefront tile
    const Tiling& t = setup.tiling;
    for (const TileRange& range : tiles) {
      for (std::uint32_t wg = range.first; wg < range.end(); ++wg) {
        const Rectangle tile = t.tile(WorkgroupId{wg});
        for (std::uint32_t r = 0; r < tile.rows; ++r) {
          for (std::uint32_t c = 0; c < tile.columns; ++c) {
            const std::uint64_t element =
                (std::uint64_t{tile.row} + r) * t.columns() + tile.column + c;
            owner[layout().output + element * 2] = {wg, r / 16};  // 128 rows / 8 wavefronts
          }
        }
      }
    }
    std::map<std::uint64_t, unsigned> reads, sends;
    for (const auto& request : memory.requests()) {
      ASSERT_FALSE(request.write);
      ASSERT_EQ(request.stream, Stream::Communication);
      ASSERT_EQ(request.phase, Phase::ReduceScatter);
      ASSERT_FALSE(request.tracked);
      for (std::uint32_t i = 0; i < request.bytes; i += 2) {
        ++reads[request.address + i];
        ASSERT_EQ(owner[request.address + i],
                  Ids(request.workgroup.value, request.wavefront.value));
      }
    }
    for (const auto& request : link.requests()) {
      ASSERT_TRUE(request.write);
      ASSERT_EQ(request.stream, Stream::Communication);
      ASSERT_EQ(request.phase, Phase::ReduceScatter);
      ASSERT_EQ(request.operation, MemoryOperation::Add);
      ASSERT_TRUE(request.tracked);
      ASSERT_EQ(request.source, kSelf);
      ASSERT_EQ(gpuOf(request.address), kNext);
      for (std::uint32_t i = 0; i < request.bytes; i += 2) {
        const std::uint64_t local = localAddress(request.address) + i;
        ++sends[local];
        ASSERT_EQ(owner[local], Ids(request.workgroup.value, request.wavefront.value));
      }
    }
    EXPECT_EQ(reads.size(), owner.size());
    EXPECT_EQ(sends.size(), owner.size());
    for (const auto& [address, count] : reads) ASSERT_EQ(count, 1u);
    for (const auto& [address, count] : sends) ASSERT_EQ(count, 1u);
  }

  Options setup;
  PayloadPool pool;
  TestMemory memory, link;
  std::unique_ptr<TestMemory> rail;
  TriggerSource triggers;
  DmaEngine dma;
};

TEST(DmaEngine, SendsEveryElementOfABlockOnceWithTheIdsOfItsTile) {
  Bench bench({});
  bench.program(0, {0, 5});
  bench.program(7, {5, 7});  // corner and edge tiles
  bench.triggers.send(bench.message(7));
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  for (const auto& request : bench.memory.requests()) EXPECT_TRUE(request.triggered);
}

TEST(DmaEngine, GatheredTilesAreReadOnceAndStoredIntoEveryTarget) {
  Bench bench({});
  DmaDescriptor copy;
  copy.tiles = {0, 12};
  copy.operation = MemoryOperation::Store;
  copy.phase = Phase::AllGather;
  copy.targets = {{0, GpuId{3}}, {0, GpuId{5}}, {0, GpuId{7}}};
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
    DmaDescriptor command{{i, 1}, {{0, kNext}}};
    if (i >= 2 && i < 8) command.phase = Phase::AllGather;
    bench.dma.program(CommandId{i}, command);
  }
  for (std::uint32_t i = 0; i < 12; ++i) bench.triggers.send(bench.message(i));
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

TEST(DmaEngine, WhatGathersWaitsForWhatReducesOnChannelsThatTheyShare) {
  const std::vector<Phase> phases = phasesSent(0);
  // All triggers are in when the first channel is free again: what reduces goes first.
  const auto firstGathered = std::ranges::find(phases, Phase::AllGather);
  EXPECT_EQ(std::count(phases.begin(), firstGathered, Phase::ReduceScatter),
            std::ranges::count(phases, Phase::ReduceScatter));
}

TEST(DmaEngine, WhatGathersHasChannelsAndAPortOfItsOwnIfItIsGivenThem) {
  for (const Phase phase : phasesSent(2)) EXPECT_EQ(phase, Phase::ReduceScatter);
}

TEST(DmaEngine, ASlowLinkHoldsNothingBackThatGoesByTheOtherOneAlone) {
  Options setup;
  setup.dma.outstanding_bytes = 8192;
  setup.railRate = 1;
  Bench bench(setup);
  for (std::uint32_t i = 0; i < 12; ++i) {
    DmaDescriptor command{{i, 1}, {{0, kNext}}};
    if (i % 2 == 0) {  // both ways
      command.targets.push_back({1, GpuId{5}});
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

TEST(DmaEngine, OfTheCommandsThatWaitTheLowestRankGoesFirst) {
  Options setup;
  setup.dma.channels = 1;
  Bench bench(setup);
  // The first has the channel before others are there. Of equal ranks the first is first.
  const std::vector<std::uint32_t> ranks = {9, 2, 1, 2, 0, 1};
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    DmaDescriptor command{{i, 1}, {{0, kNext}}};
    command.rank = ranks[i];
    bench.dma.program(CommandId{i}, command);
  }
  for (std::uint32_t i = 0; i < ranks.size(); ++i) bench.triggers.send(bench.message(i));
  sc_core::sc_start();
  std::vector<std::uint32_t> order;
  for (const auto& request : bench.link.requests()) {
    if (order.empty() || order.back() != request.workgroup.value) {
      order.push_back(request.workgroup.value);
    }
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 4, 2, 5, 1, 3}));
}

TEST(DmaEngine, LongRowsAreCutAtTheReadSize) {
  Options setup;
  setup.dma.read_bytes = 48;
  Bench bench(setup);
  bench.program(0, {0, 12});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 12}});
  for (const auto& request : bench.memory.requests()) EXPECT_LE(request.bytes, 48u);
}

TEST(DmaEngine, FullWidthWavefrontTilesAreReadAsOneRun) {
  Options setup;
  setup.tiling = Tiling{256, 100, 2, 128, 128, 8, 1};
  Bench bench(setup);
  bench.program(0, {0, 2});
  bench.triggers.send(bench.message(0));
  bench.run();
  bench.expectExactlyOnce({{0, 2}});
  ASSERT_EQ(bench.memory.requests().size(), 16u);
  for (const auto& request : bench.memory.requests()) EXPECT_EQ(request.bytes, 16u * 100 * 2);
}

TEST(DmaEngine, CarriesTheValuesThatWereRead) {
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

TEST(DmaEngine, ReadsFromOneBufferAndSendsIntoAnotherAndClearsWhatItHasRead) {
  Bench bench({});
  const MemoryLayout layout = Bench::layout();
  bench.dma.program(CommandId{0}, {.tiles = {0, 1},
                                   .targets = {{0, kNext}},
                                   .from = OutputBuffer::Accumulation,
                                   .to = OutputBuffer::Output,
                                   .clears = true});
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

TEST(DmaEngine, TheFirstReadFollowsTheTriggerByTheCommandLatency) {
  Options setup;
  setup.dma.command_latency_ns = 123;
  Bench bench(setup);
  bench.program(0, {0, 1});
  sc_core::sc_start(1, sc_core::SC_US);
  bench.triggers.send(bench.message(0));
  bench.run();
  EXPECT_EQ(bench.memory.requests().front().time, 1'000'000u + 123'000);
}

TEST(DmaEngine, NothingIsSentBeforeItsReadIsDue) {
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

TEST(DmaEngine, ASlowLinkThrottlesTheReads) {
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

TEST(DmaEngine, RequestsOutstandingAreBoundedToo) {
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

TEST(DmaEngine, AFastPathKeepsTheLinkBusy) {
  Options setup;
  setup.tiling = Tiling{1024, 1024, 2, 128, 128, 8, 1};
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

TEST(DmaEngine, ChannelsShareTheReadsRequestByRequest) {
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
  ASSERT_EQ(bench.triggers.takenAt.size(), 12u);
  EXPECT_EQ(bench.triggers.takenAt[1], 0u);
  EXPECT_GT(bench.triggers.takenAt[3], bench.triggers.takenAt[2]);
  EXPECT_GT(bench.triggers.takenAt[2], 0u);
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
