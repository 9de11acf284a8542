// SPDX-License-Identifier: Apache-2.0
// Method: every model of a small t3 run is listened to. What is announced must tell the same story
// as the report and as closed forms of the scenario: each tile, chunk and command begins and ends
// once and in order, and the bytes of all requests are those that the memories counted.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/presets/presets.h"
#include "tests/system/checked_commands.h"
#include "tlm/node/system.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/transport/probe.h"

namespace t3::probe_test {
namespace {

class Listener : public EventSink, public RequestSink {
 public:
  Listener() {
    for (const PublishedModel& model : publishedModels()) {
      model.model->subscribe(static_cast<EventSink*>(this), static_cast<unsigned>(names_.size()));
      model.model->subscribe(static_cast<RequestSink*>(this), static_cast<unsigned>(names_.size()));
      names_.push_back(model.name);
    }
  }

  void happened(const Event& event) override { events_.push_back(event); }
  void moved(const RequestStep& step) override {
    bytes_[static_cast<std::size_t>(step.phase)] += step.bytes;
    EXPECT_GE(step.when, now());
    EXPECT_LE(step.entered, step.when) << "the DRAM queue, before it is served";
    EXPECT_TRUE(step.entered == 0 || step.phase == RequestPhase::Served);
  }

  /// Times by number of the events of one model.
  std::map<std::uint64_t, std::vector<Picoseconds>> times(const std::string& source,
                                                          EventKind kind) const {
    std::map<std::uint64_t, std::vector<Picoseconds>> list;
    for (const Event& event : events_) {
      if (names_[event.source] == source && event.kind == kind) {
        list[event.number].push_back(event.when);
      }
    }
    return list;
  }
  /// The time between events of one model that take turns.
  Picoseconds pairs(const std::string& source, EventKind begin, EventKind end) const {
    Picoseconds sum = 0;
    std::optional<Picoseconds> from;
    for (const Event& event : events_) {
      if (names_[event.source] != source || (event.kind != begin && event.kind != end)) continue;
      EXPECT_EQ(from.has_value(), event.kind == end) << source;
      if (from) sum += event.when - *from;
      from = from ? std::nullopt : std::optional(event.when);
    }
    EXPECT_FALSE(from);
    return sum;
  }
  std::uint64_t bytes(RequestPhase phase) const { return bytes_[static_cast<std::size_t>(phase)]; }

 private:
  std::vector<std::string> names_;
  std::vector<Event> events_;
  std::array<std::uint64_t, static_cast<std::size_t>(RequestPhase::Served) + 1> bytes_{};
};

using Times = std::map<std::uint64_t, std::vector<Picoseconds>>;

std::uint64_t count(const Times& times) {
  std::uint64_t sum = 0;
  for (const auto& [number, list] : times) sum += list.size();
  return sum;
}

/// Every number occurs in both, once each, in the order of time.
void expectPairs(const Times& before, const Times& after) {
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [number, list] : before) {
    ASSERT_TRUE(after.contains(number)) << number;
    ASSERT_EQ(list.size(), 1U) << number;
    ASSERT_EQ(after.at(number).size(), 1U) << number;
    EXPECT_LE(list[0], after.at(number)[0]) << number;
  }
}

TEST(Probe, EventsAndRequestsOfARunAddUpToItsReport) {
  const SystemConfig config = findPreset("tiny-tp4")->config;
  System system(config, Mode::T3Mca, TrackerKind::Rtl);
  const test::CheckedCommands commands(system);
  const Listener listener;
  const RunResult result = system.run();
  ASSERT_EQ(result.error, "");
  commands.expectRulesKept(result);

  const std::uint64_t tiles = (config.workload.rows / config.gpu.gemm.tile_rows) *
                              (config.workload.columns / config.gpu.gemm.tile_columns);
  std::uint64_t triggers = 0;
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const std::string gpu = "gpu" + std::to_string(g);
    const std::string gemm = gpu + ".gpu.gemm";
    const std::string dma = gpu + ".gpu.dma";
    EXPECT_EQ(count(listener.times(gemm, EventKind::TileBegin)), tiles);
    EXPECT_EQ(count(listener.times(gemm, EventKind::TileStore)), tiles);
    EXPECT_EQ(count(listener.times(gemm, EventKind::TileEnd)), tiles);
    EXPECT_EQ(count(listener.times(gemm, EventKind::BandStore)),
              tiles * config.gpu.gemm.wavefronts);
    for (const char* part : {".gpu.gemm", ".gpu.ingress"}) {
      EXPECT_EQ(listener.pairs(gpu + part, EventKind::ZeroWaitBegin, EventKind::ZeroWaitEnd),
                part == std::string(".gpu.gemm") ? result.per_gpu[g].store_zero_wait_ps
                                                 : result.per_gpu[g].ingress_zero_wait_ps);
    }
    expectPairs(listener.times(gemm, EventKind::ChunkBegin),
                listener.times(gemm, EventKind::ChunkEnd));
    EXPECT_EQ(listener.times(gemm, EventKind::ChunkBegin).size(), config.gpus);
    expectPairs(listener.times(gemm, EventKind::KernelBegin),
                listener.times(gemm, EventKind::KernelEnd));
    EXPECT_EQ(listener.times(gemm, EventKind::KernelEnd).at(0)[0], result.per_gpu[g].gemm_end_ps);
    const std::string gather = gpu + ".gpu.all_gather";
    expectPairs(listener.times(gather, EventKind::StepBegin),
                listener.times(gather, EventKind::StepEnd));
    EXPECT_EQ(listener.times(gather, EventKind::StepBegin).size(), config.gpus - 1);
    Times issued = listener.times(gpu + ".tracker", EventKind::Trigger);
    triggers += count(issued);
    const Times taken = listener.times(dma, EventKind::CommandTaken);
    // Those of the own chunk say that its sums are there, and send nothing.
    EXPECT_EQ(std::erase_if(issued, [&](const auto& one) { return !taken.contains(one.first); }),
              tiles / config.gpus);
    expectPairs(issued, taken);
    expectPairs(taken, listener.times(dma, EventKind::CommandBegin));
    expectPairs(listener.times(dma, EventKind::CommandBegin),
                listener.times(dma, EventKind::CommandEnd));
    EXPECT_EQ(listener.times(dma, EventKind::ZeroEnd).at(0)[0], result.per_gpu[g].zeroed_ps);
  }
  EXPECT_EQ(triggers, result.tracker_stats.triggers);

  double cleared = 0;
  for (const MemoryFigure& figure : result.memory.figures) {
    if (figure.name != "cleared_bytes") continue;
    for (const double bytes : figure.per_gpu) cleared += bytes;
  }
  // The reads of the DMA engine clear what they read; the rest was asked for by clears.
  const auto byClears =
      static_cast<std::uint64_t>(cleared) - config.gpus * result.of(Phase::ReduceScatter).dram_read;
  EXPECT_EQ(listener.bytes(RequestPhase::Served), config.gpus * result.totalBytes() + byClears);
  EXPECT_EQ(listener.bytes(RequestPhase::Sent), result.link_bytes);
  EXPECT_EQ(listener.bytes(RequestPhase::Delivered), result.link_bytes);
  // Whatever a port was given has been offered, taken and answered.
  EXPECT_EQ(listener.bytes(RequestPhase::BeginRequest), listener.bytes(RequestPhase::Created));
  EXPECT_EQ(listener.bytes(RequestPhase::EndRequest), listener.bytes(RequestPhase::Created));
  EXPECT_EQ(listener.bytes(RequestPhase::BeginResponse), listener.bytes(RequestPhase::Created));
  // Of the two updates of each element, all but those of the first chunks are counted here.
  const std::uint64_t output = std::uint64_t{config.workload.rows} * config.workload.columns * 2;
  EXPECT_EQ(listener.bytes(RequestPhase::Counted), 2 * output * (config.gpus - 1));
}

TEST(Probe, CommandsOfAnEarlierSlabGoFirstWhereAConsumerWaitsForRows) {
  SystemConfig config = findPreset("tiny-pair-tp4")->config;
  config.link.bandwidth_gb_s = 4;  // so that commands wait
  config.gpu.dma.channels = 1;
  const SystemConfig configured = Mode(Mode::T3Ag).configured(config);
  ASSERT_EQ(configured.gpu.gemm.slab_rows, 1U);
  const auto route = configured.makeRoute();
  const Tiling tiling = configured.makeTiling(*route);
  System system(config, Mode::T3Ag, TrackerKind::Model);
  const Listener listener;
  ASSERT_EQ(system.run().error, "");
  const Picoseconds latency = picosecondsFromNs(config.gpu.dma.command_latency_ns);
  std::size_t overtaken = 0;
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const std::string dma = "gpu" + std::to_string(g) + ".gpu.dma";
    const Times taken = listener.times(dma, EventKind::CommandTaken);
    const Times begun = listener.times(dma, EventKind::CommandBegin);
    struct Command {
      Phase phase;
      std::uint32_t slab;
      Picoseconds waits, begins;
    };
    std::vector<Command> commands;
    const TrackerUse use{.readsClear = true, .gathers = true, .releases = true, .norms = true};
    for (const auto& [slot, transfer] :
         planTracker(*route, tiling, GpuId{g}, configured.tracker.block_log2, use).commands) {
      if (!transfer.moves()) continue;  // it stays here
      const std::uint32_t first = transfer.tiles.first;
      const TileRange chunk = tiling.chunk(tiling.chunkOf(WorkgroupId{first}));
      commands.push_back({transfer.phase, (first - chunk.first) / tiling.tilesAcross(),
                          taken.at(slot.value).at(0) + latency, begun.at(slot.value).at(0)});
    }
    for (const Command& one : commands) {
      for (const Command& other : commands) {
        if (one.phase != other.phase || other.waits >= one.begins) continue;
        if (other.begins <= one.begins) continue;
        EXPECT_LE(one.slab, other.slab) << "GPU " << g << " at " << one.begins << " ps";
        overtaken += one.waits > other.waits ? 1 : 0;
      }
    }
  }
  EXPECT_GT(overtaken, 0U) << "or the order of triggers would do";
}

}  // namespace
}  // namespace t3::probe_test
