// SPDX-License-Identifier: Apache-2.0
// Method: a collective of this file's own, a broadcast, behind those of the baseline. Before it
// begins, the outputs of all GPUs but the root are overwritten with values that are no numbers, so
// that the sums are right only if the broadcast brings every byte.
#include "tlm/gpu/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/report/csv_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/table_report.h"
#include "tests/extension/checked_run.h"
#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/program.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

constexpr GpuId kRoot{0};
constexpr Phase kPhase = extraPhase(0);

/// The root's whole output, chunk by chunk, along the first port of every GPU to all others.
CollectiveProgram broadcast(const Route& route, GpuId gpu, std::uint32_t /*kernel*/,
                            const MemoryLayout& layout) {
  CollectiveProgram program;
  const bool last = route.peer(gpu, 0) == kRoot;
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    if (gpu != kRoot) program.arrivals.push_back({ChunkId{c}, layout.output, false});
    if (last) continue;
    CollectiveStep step;
    step.chunk = ChunkId{c};
    if (gpu != kRoot) step.waitsFor = {c};
    step.sends = {{0, globalAddress(route.peer(gpu, 0), layout.output), false, c}};
    program.steps.push_back(std::move(step));
  }
  program.threadBlocks = {{0, static_cast<std::uint32_t>(program.steps.size())}};
  return std::move(program).inPhase(kPhase);
}

constexpr Collective kBroadcast{"broadcast", "bcast", kPhase, broadcast};

/// The baseline, then the broadcast.
class WithBroadcast : public Program {
 public:
  using Program::Program;

  void start() override {
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      cluster_.startGemm(g, OutputMap{}, Cluster::Order::Free, [this, g](Picoseconds) {
        cluster_.startCollective(
            g, kReduceScatter, [this, g](Picoseconds) { cluster_.startCollective(g, kAllGather); });
      });
    }
  }

  bool resume() override {
    if (std::exchange(broadcast_, true)) return false;
    for (std::uint32_t g = 0; g < cluster_.simulated(); ++g) {
      if (GpuId{g} != kRoot) overwriteOutput(g);
      cluster_.startCollective(g, kBroadcast);
    }
    return true;
  }

 private:
  void overwriteOutput(std::uint32_t gpu) {
    std::vector<unsigned char> nans(cluster_.tiling().outputBytes(), 0xff);
    cluster_.node(gpu).debugAccess(tlm::TLM_WRITE_COMMAND, cluster_.layout().output, nans.data(),
                                   static_cast<std::uint32_t>(nans.size()));
  }

  bool broadcast_ = false;
};

constexpr std::array<const Collective*, 3> kThree{&kReduceScatter, &kAllGather, &kBroadcast};

constexpr ModeKind kWithBroadcast{.name = "with-broadcast",
                                  .collectives = kThree,
                                  .program = [](Cluster& cluster) -> std::unique_ptr<Program> {
                                    return std::make_unique<WithBroadcast>(cluster);
                                  },
                                  .bound = inTurn};

TEST(Extension, ACollectiveOfOnesOwnBringsItsBytesItsNamesAndItsBound) {
  const SystemConfig config = test::tinyTp4();
  const RunResult result = test::checkedRun(config, Mode{kWithBroadcast});

  const std::uint64_t output = test::outputBytes(config);
  const std::uint64_t others = config.gpus - 1;
  EXPECT_EQ(result.link_bytes, (2 + 1) * others * output);
  EXPECT_EQ(result.phases.back().name, "broadcast");
  EXPECT_EQ(result.time_ps, result.phases.back().end_ps);

  const PhaseFigures& figures = result.by_phase.of(kBroadcast);
  EXPECT_EQ(figures.name, "broadcast");
  EXPECT_EQ(figures.dram_read, others * output / config.gpus) << "by all that send";
  EXPECT_EQ(figures.dram_write, others * output / config.gpus) << "at all that receive";
  EXPECT_EQ(test::memoryFigure(result, "bcast_read_bytes"), static_cast<double>(output));
  EXPECT_EQ(test::memoryFigure(result, "bcast_write_bytes"), 0) << "of the root";
  EXPECT_DOUBLE_EQ(figures.bound_ns, static_cast<double>(output) / 75 + 500);
  EXPECT_GT(figures.exposed_ns, figures.bound_ns);
  EXPECT_EQ(result.by_phase.of(Phase::AllGather).dram_write, others * output / config.gpus)
      << "as without it";
}

TEST(Extension, ReportsHaveACollectiveOfOnesOwnWithoutALineMore) {
  Report report;
  report.scenario = test::tinyTp4();
  RunRecord& run = report.runs.emplace_back();
  run.mode = Mode{kWithBroadcast};
  run.result = test::checkedRun(report.scenario, run.mode);
  const PhaseFigures& figures = run.result.by_phase.of(kBroadcast);

  const std::string table = tableReport(report, 100);
  for (const char* row : {"  + broadcast ", "  broadcast read ", "  broadcast write "}) {
    EXPECT_THAT(table, testing::HasSubstr(row));
  }

  const auto others = jsonReport(report).at("runs").at(0).at("other_collectives").as_array();
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].at("name").as_string(), "broadcast");
  EXPECT_EQ(others[0].at("exposed_ns").as_double(), figures.exposed_ns);
  EXPECT_EQ(others[0].at("bound_ns").as_double(), figures.bound_ns);
  EXPECT_EQ(others[0].at("dram_read").to_number<std::uint64_t>(), figures.dram_read);
  EXPECT_EQ(others[0].at("dram_write").to_number<std::uint64_t>(), figures.dram_write);

  const CsvRow row = csvRows(report).at(0);
  const auto cell =
      std::ranges::find(row, "other_collectives.broadcast.dram_read", &CsvRow::value_type::first);
  ASSERT_NE(cell, row.end());
  EXPECT_EQ(cell->second, std::to_string(figures.dram_read));
}

}  // namespace
}  // namespace t3
