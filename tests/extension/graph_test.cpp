// SPDX-License-Identifier: Apache-2.0
// Method: graphs of this file's own, of two GEMMs whose outputs are summed and gathered, with
// checked data. What may overlap has to, and every GPU must hold both sums in the end.
#include "tlm/node/graph.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/extension/checked_run.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/run_result.h"

namespace t3::graph_test {
namespace {

OutputShape shapeOf(const SystemConfig& config, std::uint32_t columns) {
  return {.rows = config.workload.rows,
          .columns = columns,
          .depths = std::vector<std::uint32_t>(config.gpus, 128)};
}

NodeId gemmOf(Graph& graph, std::uint32_t output, GemmWork::Stores stores) {
  return graph.add({"gemm_" + std::to_string(output), Phase::Gemm,
                    GemmWork{.stores = stores, .output = output}});
}
NodeId kernelsOf(Graph& graph, std::uint32_t output, const Collective& collective) {
  return graph.add({std::string(collective.name) + "_" + std::to_string(output), collective.phase,
                    CollectiveWork{.collective = &collective, .output = output}});
}

/// The second GEMM begins behind the first one, beside the collectives of its output.
Graph twoPairs(const SystemConfig& config) {
  Graph graph;
  graph.outputs = {shapeOf(config, 512), shapeOf(config, 320)};
  const NodeId first = gemmOf(graph, 0, GemmWork::Stores::Cached);
  const NodeId second = gemmOf(graph, 1, GemmWork::Stores::Cached);
  graph.connect(first, Gate::After, second);
  NodeId before = first;
  for (const std::uint32_t output : {0U, 1U}) {
    const NodeId reduce = kernelsOf(graph, output, kReduceScatter);
    const NodeId gather = kernelsOf(graph, output, kAllGather);
    graph.connect(output == 0 ? first : second, Gate::After, reduce);
    if (output == 1) graph.connect(before, Gate::After, reduce);
    graph.connect(reduce, Gate::After, gather);
    before = gather;
  }
  return graph;
}

/// The same by trackers, which turn from the sums of the first output to those of the second.
Graph twoTracked(const SystemConfig& config) {
  Graph graph;
  graph.outputs = {shapeOf(config, 512), shapeOf(config, 320)};
  std::optional<NodeId> before;
  for (const std::uint32_t output : {0U, 1U}) {
    const NodeId gemm = gemmOf(graph, output, GemmWork::Stores::Tracked);
    if (before) graph.connect(*before, Gate::After, gemm);
    before = gemm;
    const NodeId reduce =
        graph.add({"reduce_scatter_" + std::to_string(output), Phase::ReduceScatter,
                   CollectiveWork{&kReduceScatter, true, output}});
    graph.connect(gemm, Gate::Chunks, reduce);
    const NodeId gather = kernelsOf(graph, output, kAllGather);
    graph.connect(gemm, Gate::After, gather);
    graph.connect(reduce, Gate::After, gather);
  }
  return graph;
}

double leastTime(const BoundParts&) { return 1; }

constexpr ModeKind kTwoPairs{.name = "two-pairs", .graph = twoPairs, .bound = leastTime};
constexpr ModeKind kTwoTracked{.name = "two-tracked",
                               .tracked = true,
                               .graph = twoTracked,
                               .bound = leastTime,
                               .repeats = true};

RunResult run(const SystemConfig& config, Mode mode, TrackerKind tracker = TrackerKind::Rtl) {
  EXPECT_EQ(config.check(), std::nullopt);
  RunResult result = System(config, mode, tracker).run();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.verification.mismatches, 0U);
  EXPECT_EQ(result.verification.elements, std::uint64_t{config.gpus} * config.workload.rows *
                                              (512 + 320) * config.workload.repeat);
  return result;
}

PhaseSpan phaseOf(const RunResult& result, const std::string& name) {
  for (const PhaseSpan& phase : result.phases) {
    if (phase.name == name) return phase;
  }
  ADD_FAILURE() << "no phase " << name;
  return {};
}

TEST(Graph, KernelsOfOneOutputOverlapTheGemmOfTheNext) {
  const RunResult result = run(test::tinyTp4(), Mode{kTwoPairs});
  const PhaseSpan second = phaseOf(result, "gemm_1"), reduce = phaseOf(result, "reduce_scatter_0");
  EXPECT_LT(second.start_ps, reduce.end_ps);
  EXPECT_LT(reduce.start_ps, second.end_ps);
}

class TwoTracked : public testing::TestWithParam<Topology> {};

TEST_P(TwoTracked, TrackersTurnFromOneOutputToTheNext) {
  SystemConfig config = test::tinyTp4();
  config.fabric.topology = GetParam();
  const RunResult result = run(config, Mode{kTwoTracked});
  EXPECT_LT(phaseOf(result, "gemm_1").start_ps, phaseOf(result, "all_gather_0").end_ps);
  EXPECT_GT(phaseOf(result, "gemm_1").start_ps, phaseOf(result, "reduce_scatter_0").end_ps)
      << "its sums are the next ones";
}

TEST_P(TwoTracked, SeveralTimes) {
  SystemConfig config = test::tinyTp4();
  config.fabric.topology = GetParam();
  config.workload.repeat = 3;
  run(config, Mode{kTwoTracked}, TrackerKind::Model);
}

INSTANTIATE_TEST_SUITE_P(Graph, TwoTracked,
                         testing::Values(Topology::Ring, Topology::BidirectionalRing,
                                         Topology::FullyConnected, Topology::Switch));

// What a fast GPU stores of its second output must not meet a tracker that still sums the first.
TEST(Graph, TrackersTurnWhereAGpuIsSlow) {
  SystemConfig config = test::tinyTp4();
  config.overrides.groups[2].launch_delay_us = 30;
  config.overrides.groups[2].clock_mhz = 200;
  config.gpu.kernel_launch_us = 0.1;
  run(config, Mode{kTwoTracked}, TrackerKind::Lockstep);
}

}  // namespace
}  // namespace t3::graph_test
