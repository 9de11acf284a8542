// SPDX-License-Identifier: Apache-2.0
// Method: small runs in which memory and links count the bytes of each node of the graph, and by
// phase, and the kernels count what they send: the three must agree to the byte. Times that nodes
// have to themselves are computed from spans that are written down here.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tlm/node/small_ring.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/job.h"
#include "tlm/node/run_loop.h"

namespace t3::gpu_figures_test {
namespace {

struct Scenario {
  const char* name;
  Mode mode;
  Topology topology = Topology::Ring;
  InitialValue initialValue = InitialValue::ZeroOverBus;
  Between between = Between::None;
  std::uint32_t consumerColumns = 0;
  std::uint32_t repeat = 1;
};

SystemConfig configOf(const Scenario& scenario) {
  SystemConfig config = test::smallRing();
  config.fabric.topology = scenario.topology;
  config.switched.merge = scenario.mode.kind->needsMerging ? SwitchMerge::Model : SwitchMerge::Off;
  config.hbm.initial_value = scenario.initialValue;
  config.workload.between = scenario.between;
  config.workload.consumer.columns = scenario.consumerColumns;
  config.workload.repeat = scenario.repeat;
  return config;
}

class BytesOfNodes : public testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    job_.judge().prepare();
    runToEnd(job_.executor(), {});
    job_.judge().check();
  }
  const Graph& graph() { return job_.machine().graph(); }

  Job job_{configOf(GetParam()), GetParam().mode, TrackerKind::Model};
};

TEST_P(BytesOfNodes, AddUpToWhatMemoryAndLinksCount) {
  for (const std::uint32_t g : job_.machine().own()) {
    const GpuFigures figures = job_.judge().figures(g);
    ASSERT_EQ(figures.nodes.size(), graph().nodes.size());
    PhaseBytes ofNodes;
    std::uint64_t sent = 0;
    for (NodeId n = 0; n < figures.nodes.size(); ++n) {
      ofNodes[graph().nodes[n].phase][0] += figures.nodes[n].read;
      ofNodes[graph().nodes[n].phase][1] += figures.nodes[n].written;
      sent += figures.nodes[n].sent;
    }
    EXPECT_EQ(ofNodes.values, figures.result.dram_bytes.values) << "GPU " << g;
    EXPECT_EQ(sent, figures.result.link_bytes) << "GPU " << g;
  }
}

TEST_P(BytesOfNodes, AreThoseThatItsKernelsCount) {
  for (const std::uint32_t g : job_.machine().own()) {
    const GpuFigures figures = job_.judge().figures(g);
    const Gpu& gpu = job_.machine().node(g).gpu;
    std::uint64_t fills = gpu.dma.zeroStatistics().fillBytes;  // of the first GEMM
    for (NodeId n = 0; n < figures.nodes.size(); ++n) {
      const NodeOnGpu& node = figures.nodes[n];
      const auto what = [&](const char* bytes) {
        return "GPU " + std::to_string(g) + ", " + graph().nodes[n].name + ": " + bytes;
      };
      if (const auto& gemm = gpu.nodes[n].gemm) {
        if (GetParam().repeat > 1) continue;  // it counts one launch
        const GemmStatistics& counted = gemm->statistics();
        EXPECT_EQ(node.read, counted.readBytes) << what("read");
        EXPECT_EQ(node.written, counted.updateBytes + counted.writeBackBytes + fills)
            << what("written");
        EXPECT_EQ(node.sent, 0U) << what("sent: what it stores elsewhere is the collective's");
        fills = 0;
      } else if (!graph().nodes[n].tracked() && !gpu.nodes[n].steps.empty()) {
        CollectiveStatistics all;
        for (const auto& kernel : gpu.nodes[n].steps) {
          const CollectiveStatistics& counted = kernel->statistics();
          all.loadBytes += counted.loadBytes;
          all.localStoreBytes += counted.localStoreBytes;
          all.remoteStoreBytes += counted.remoteStoreBytes;
          all.arrivedBytes += counted.arrivedBytes;
        }
        if (gpu.nodes[n].steps.front()->loadsSums()) continue;
        EXPECT_EQ(node.read, all.loadBytes) << what("read");
        EXPECT_EQ(node.written, all.localStoreBytes + all.arrivedBytes) << what("written");
        EXPECT_EQ(node.sent, all.remoteStoreBytes) << what("sent");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    GpuFigures, BytesOfNodes,
    testing::Values(
        Scenario{"Sequential", Mode::Sequential},
        Scenario{"CuSplitFullyConnected", Mode::cuSplit(3), Topology::FullyConnected},
        Scenario{"T3OfThreeSublayers", Mode::T3, Topology::Ring, InitialValue::ZeroOverBus,
                 Between::None, 0, 3},
        Scenario{"T3McaWithClears", Mode::T3Mca, Topology::Ring, InitialValue::InMemory},
        Scenario{"T3AgOnBothWays", Mode::T3Ag, Topology::BidirectionalRing, InitialValue::InMemory},
        Scenario{"T3AgWithNormAndConsumer", Mode::T3Ag, Topology::FullyConnected,
                 InitialValue::ZeroOverBus, Between::Norm, 256},
        Scenario{"AgSplitWithConsumer", Mode::agSplit(2), Topology::Ring, InitialValue::ZeroOverBus,
                 Between::None, 256},
        Scenario{"Nvls", Mode::Nvls, Topology::Switch}),
    [](const auto& test) { return test.param.name; });

/// GEMM 0 and the collectives behind it; GEMM 3 comes last in the list.
Graph fourNodes() {
  Graph graph;
  graph.add({"gemm", Phase::Gemm, GemmWork{}});
  graph.add({"sum", Phase::ReduceScatter, CollectiveWork{&kReduceScatter}});
  graph.add({"gather", Phase::AllGather, CollectiveWork{&kAllGather}});
  graph.add({"next", Phase::Gemm, GemmWork{.output = 1}});
  return graph;
}

SublayerTimes roundOf(std::vector<TimeSpan> nodes) {
  SublayerTimes times;
  times.nodes = std::move(nodes);
  return times;
}

using Times = std::vector<Picoseconds>;

TEST(ExposedTimes, ATimeIsThatOfTheFirstNodeThatRunsAndCollectivesComeLast) {
  // 0    10   20   30   40   50   60   70
  // gemm gemm
  //      sum  sum  sum  sum
  //                gather    gather
  //           next next      (20 … 35)          nothing runs from 60 to 65
  const auto history = {roundOf({{0, 20}, {10, 50}, {30, 60}, {20, 35}})};
  EXPECT_EQ(exposedTimes(fourNodes(), history), (Times{20, 15, 10, 15}));
}

TEST(ExposedTimes, OfSeveralRoundsAreSums) {
  const auto history = {roundOf({{0, 20}, {20, 30}, {30, 40}, {0, 10}}),
                        roundOf({{45, 60}, {45, 70}, {70, 80}, {60, 61}})};
  EXPECT_EQ(exposedTimes(fourNodes(), history), (Times{35, 19, 20, 1}))
      << "they add up to 75 of 80: nothing runs from 40 to 45";
}

TEST(ExposedTimes, OfNodesThatHaveNotRunOrNotEndedAreNone) {
  const auto history = {roundOf({{5, 5}, {10, 0}, {}, {20, 30}})};
  EXPECT_EQ(exposedTimes(fourNodes(), history), (Times{0, 0, 0, 10}));
  EXPECT_EQ(exposedTimes(fourNodes(), {}), (Times{0, 0, 0, 0}));
}

TEST(Nodes, AreListedWithMeansOfTheGpusAndTheSpanOfAllOfThem) {
  const Graph graph = fourNodes();
  std::vector<GpuFigures> gpus(2);
  gpus[0].history = {roundOf({{10'000, 20'000}, {20'000, 30'000}, {}, {}}),
                     roundOf({{50'000, 60'000}, {60'000, 70'000}, {}, {}})};
  gpus[1].history = {roundOf({{5'000, 25'000}, {25'000, 30'000}, {}, {}}),
                     roundOf({{50'000, 60'000}, {60'000, 75'000}, {}, {}})};
  gpus[0].nodes = {{20'000, 100, 10, 0}, {20'000, 8, 6, 4}, {}, {}};
  gpus[1].nodes = {{30'000, 300, 11, 0}, {20'000, 8, 6, 6}, {}, {}};
  RunResult result;
  addNodes(graph, gpus, result);
  ASSERT_EQ(result.nodes.size(), 4U);
  const NodeFigures& gemm = result.nodes[0];
  EXPECT_EQ(gemm.name + " " + gemm.kind, "gemm gemm");
  EXPECT_EQ(gemm.start_ps, 5'000U);
  EXPECT_EQ(gemm.end_ps, 60'000U);
  EXPECT_DOUBLE_EQ(gemm.exposed_ns, 25);
  EXPECT_EQ(gemm.dram_read, 200U);
  EXPECT_EQ(gemm.dram_write, 10U) << "rounded down";
  EXPECT_EQ(result.nodes[1].kind, "collective");
  EXPECT_EQ(result.nodes[1].end_ps, 75'000U);
  EXPECT_EQ(result.nodes[1].link_bytes, 5U);
  EXPECT_EQ(result.nodes[2].end_ps, 0U) << "of a run that failed before";
  // The same spans, round by round.
  ASSERT_EQ(result.phases.size(), 4U);
  EXPECT_EQ(result.phases[2].name, "gemm");
  EXPECT_EQ(result.phases[2].sublayer, 1U);
  EXPECT_EQ(result.phases[3].end_ps, 75'000U);
}

GpuFigures withWindows(Picoseconds length, const std::vector<std::uint64_t>& reads) {
  GpuFigures gpu;
  gpu.memory.window_ns = static_cast<double>(length) / 1e3;
  for (const std::uint64_t bytes : reads) gpu.memory.bytes_over_time.push_back({{{{bytes, 0}}}});
  return gpu;
}

TEST(MemoryReport, BytesOverTimeAreTheMeanOfTheGpus) {
  const MemoryReport report =
      memoryReport({withWindows(2'000, {10, 20}), withWindows(2'000, {30, 40, 50})});
  EXPECT_DOUBLE_EQ(report.window_ns, 2);
  ASSERT_EQ(report.bytes_over_time.size(), 3U);
  EXPECT_EQ(report.bytes_over_time[0][Phase::Gemm][0], 20U);
  EXPECT_EQ(report.bytes_over_time[1][Phase::Gemm][0], 30U);
  EXPECT_EQ(report.bytes_over_time[2][Phase::Gemm][0], 25U);
}

TEST(MemoryReport, WindowsAreAsLongAsTheLongestOfAGpu) {
  const MemoryReport report =
      memoryReport({withWindows(1'000, {2, 4, 6, 8, 10}), withWindows(4'000, {100})});
  EXPECT_DOUBLE_EQ(report.window_ns, 4);
  ASSERT_EQ(report.bytes_over_time.size(), 2U);
  EXPECT_EQ(report.bytes_over_time[0][Phase::Gemm][0], (2U + 4 + 6 + 8 + 100) / 2);
  EXPECT_EQ(report.bytes_over_time[1][Phase::Gemm][0], 5U);
}

}  // namespace

}  // namespace t3::gpu_figures_test
