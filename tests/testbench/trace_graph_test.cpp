// SPDX-License-Identifier: Apache-2.0
// Method: small traces whose graph can be written down by hand, line by line. What runs in it, and
// for how long, is the business of tests/system/trace_graph_test.
#include "testbench/workload/trace_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "testbench/presets/presets.h"
#include "testbench/workload/trace_file.h"
#include "testbench/workload/workload.h"
#include "tests/testbench/refused.h"
#include "tests/testbench/workload_bytes.h"
#include "tlm/node/graph.h"

namespace t3::trace_graph_test {
namespace {

using test::Bytes;
using test::collective;
using test::gemm;
using test::node;
using test::trace;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kReduce = 0, kGather = 2, kToAll = 6, kScatter = 7, kBarrier = 9;
constexpr std::uint64_t kOutput = 512 * 512 * 2;

SystemConfig tiny() { return findPreset("tiny-tp4")->config; }

SystemConfig streams() {
  SystemConfig config = tiny();
  config.trace.overlap = TraceOverlap::Streams;
  return config;
}

Bytes timed(std::uint64_t id, const std::string& name, std::uint64_t micros,
            const std::vector<std::uint64_t>& after = {}) {
  return node(id, name, test::kCompute, after).number(7, micros);
}

std::vector<std::string> same(const std::vector<Bytes>& nodes) {
  return std::vector<std::string>(4, trace(nodes));
}

Workload workload(const std::vector<std::string>& traces) { return {test::filesOf(traces), false}; }

TraceGraphs graphsOf(const std::vector<std::string>& traces, const SystemConfig& config = tiny()) {
  TraceGraphs made = traceGraphs(workload(traces), config);
  for (const Graph* graph :
       {&made.graphs.byKernels, &made.graphs.trackedSums, &made.graphs.tracked}) {
    EXPECT_EQ(problemOf(completed(*graph, config)), std::nullopt);
  }
  return made;
}

/// "sum < fc; chunks fc": what a node waits for.
std::vector<std::string> linesOf(const Graph& graph) {
  std::vector<std::string> lines;
  for (NodeId n = 0; n < graph.nodes.size(); ++n) {
    std::string line = graph.nodes[n].name;
    for (const auto& [gate, text] :
         {std::pair(Gate::After, " < "), std::pair(Gate::Chunks, "; chunks ")}) {
      std::string separator = text;
      for (const GraphEdge& edge : graph.edges) {
        if (edge.to != n || edge.gate != gate) continue;
        line += separator + graph.nodes[edge.from].name;
        separator = ", ";
      }
    }
    lines.push_back(line);
  }
  return lines;
}

std::string refusal(const std::vector<std::string>& traces, const SystemConfig& config = tiny()) {
  return test::refusalOf([&] { traceGraphs(workload(traces), config); });
}

// ---- nodes ------------------------------------------------------------------------------------

TEST(TraceGraph, APairIsWhatTheModeMakesOfIt) {
  const auto made =
      graphsOf(same({gemm(1, "fc", 512, 512, 64), collective(2, "sum", kReduce, kOutput, {1}),
                     timed(3, "norm", 5, {2})}));
  EXPECT_THAT(linesOf(made.graphs.byKernels),
              ElementsAre("fc", "sum.reduce_scatter < fc", "sum.all_gather < sum.reduce_scatter",
                          "norm < sum.all_gather"));
  EXPECT_THAT(linesOf(made.graphs.trackedSums),
              ElementsAre("fc", "sum.reduce_scatter; chunks fc",
                          "sum.all_gather < fc, sum.reduce_scatter", "norm < sum.all_gather"));
  EXPECT_THAT(linesOf(made.graphs.tracked),
              ElementsAre("fc", "sum.reduce_scatter; chunks fc",
                          "sum.all_gather; chunks sum.reduce_scatter",
                          "norm < fc, sum.reduce_scatter, sum.all_gather"));
  const Graph& graph = made.graphs.trackedSums;
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_TRUE(graph.outputs[0].chunked);
  EXPECT_THAT(graph.outputs[0].depths, ElementsAre(64, 64, 64, 64));
  EXPECT_EQ(graph.nodes[0].as<GemmWork>()->stores, GemmWork::Stores::Tracked);
  EXPECT_EQ(graph.nodes[3].as<DelayWork>()->time, 5'000'000U);
}

TEST(TraceGraph, APairWithAReduceScatterHasNoAllGather) {
  const auto made =
      graphsOf(same({gemm(1, "fc", 512, 512, 64), collective(2, "sum", kScatter, kOutput, {1})}));
  EXPECT_THAT(linesOf(made.graphs.byKernels), ElementsAre("fc", "sum < fc"));
  EXPECT_THAT(linesOf(made.graphs.tracked), ElementsAre("fc", "sum; chunks fc"));
}

TEST(TraceGraph, ACollectiveAloneHasAnOutputOfItsBytes) {
  const auto made = graphsOf(same(
      {collective(1, "gather", kGather, kOutput / 4), collective(2, "sum", kReduce, 1000, {1})}));
  const Graph& graph = made.graphs.tracked;
  EXPECT_THAT(linesOf(graph), ElementsAre("gather", "sum < gather"));
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_TRUE(graph.outputs[0].given);
  EXPECT_EQ(std::uint64_t{graph.outputs[0].rows} * graph.outputs[0].columns * 2, kOutput)
      << "comm_size of an all-gather is a GPU's share";
  EXPECT_EQ(std::uint64_t{graph.outputs[1].rows} * graph.outputs[1].columns * 2, 1024U);
  EXPECT_THAT(made.notes, ElementsAre("1 collectives that follow no GEMM: padded to whole rows"));
}

TEST(TraceGraph, NodesThatTakeNoTimeAreLeftOutAndTheirWaitsKept) {
  SystemConfig config = tiny();
  config.trace.host_time = false;
  const auto made = graphsOf(
      same({gemm(1, "a", 512, 512, 64), node(2, "meta", 1, {1}),
            node(3, "cpu", test::kCompute, {2}).number(7, 9).attribute("is_cpu_op", test::kBool, 1),
            timed(4, "b", 5, {3})}),
      config);
  EXPECT_THAT(linesOf(made.graphs.byKernels), ElementsAre("a", "b < a"));
}

TEST(TraceGraph, TheHostBeginsAtOnceAndBesideTheGpu) {
  const auto host = [](std::uint64_t id, std::uint64_t micros,
                       const std::vector<std::uint64_t>& after) {
    return node(id, "cpu" + std::to_string(id), test::kCompute, after)
        .number(7, micros)
        .attribute("is_cpu_op", test::kBool, 1);
  };
  const auto made = graphsOf(same({host(1, 9, {}), host(2, 9, {}), gemm(3, "fc", 512, 512, 64)}));
  const Graph& graph = made.graphs.byKernels;
  EXPECT_THAT(linesOf(graph), ElementsAre("cpu1", "cpu2 < cpu1", "fc"));
  EXPECT_EQ(graph.nodes[0].as<DelayWork>()->time, 9'000'000U);
  EXPECT_EQ(graph.nodes[1].as<DelayWork>()->time, 7'000'000U) << "and a launch of 2 us";
}

TEST(TraceGraph, NamesAreUnique) {
  const auto made = graphsOf(same({gemm(1, "mm", 512, 512, 64), gemm(2, "mm", 512, 512, 64)}));
  EXPECT_THAT(linesOf(made.graphs.byKernels), ElementsAre("mm", "mm#2 < mm"));
}

// ---- order ------------------------------------------------------------------------------------

/// Of two layers: the gradient of the second one's weights can hide the first one's all-reduce.
std::vector<std::string> backward() {
  return same({gemm(1, "dgrad1", 512, 512, 64), collective(2, "sum1", kReduce, kOutput, {1}),
               gemm(3, "wgrad1", 512, 512, 64), gemm(4, "dgrad0", 512, 512, 64, {2}),
               collective(5, "sum0", kReduce, kOutput, {4}),
               collective(6, "gradients", kReduce, kOutput, {3})});
}

TEST(TraceGraph, OneStreamRunsOneNodeAtATimeAndPairsToTheirEnd) {
  const auto made = graphsOf(backward());
  EXPECT_THAT(
      linesOf(made.graphs.byKernels),
      ElementsAre("dgrad1", "sum1.reduce_scatter < dgrad1", "sum1.all_gather < sum1.reduce_scatter",
                  "wgrad1 < sum1.all_gather", "gradients.reduce_scatter < wgrad1",
                  "gradients.all_gather < gradients.reduce_scatter",
                  "dgrad0 < gradients.all_gather", "sum0.reduce_scatter < dgrad0",
                  "sum0.all_gather < sum0.reduce_scatter"));
}

TEST(TraceGraph, StreamsRunCollectivesBesideGemms) {
  const auto made = graphsOf(backward(), streams());
  EXPECT_THAT(
      linesOf(made.graphs.byKernels),
      ElementsAre("dgrad1", "sum1.reduce_scatter < dgrad1", "sum1.all_gather < sum1.reduce_scatter",
                  "wgrad1 < dgrad1", "gradients.reduce_scatter < sum1.all_gather, wgrad1",
                  "gradients.all_gather < gradients.reduce_scatter",
                  "dgrad0 < sum1.all_gather, wgrad1",
                  "sum0.reduce_scatter < gradients.all_gather, dgrad0",
                  "sum0.all_gather < sum0.reduce_scatter"));
  EXPECT_THAT(
      linesOf(made.graphs.trackedSums),
      ElementsAre("dgrad1", "sum1.reduce_scatter; chunks dgrad1",
                  "sum1.all_gather < dgrad1, sum1.reduce_scatter", "wgrad1 < dgrad1",
                  "gradients.reduce_scatter; chunks wgrad1",
                  "gradients.all_gather < sum1.all_gather, wgrad1, gradients.reduce_scatter",
                  "dgrad0 < sum1.all_gather, wgrad1", "sum0.reduce_scatter; chunks dgrad0",
                  "sum0.all_gather < gradients.all_gather, dgrad0, sum0.reduce_scatter"));
}

// ---- what is refused --------------------------------------------------------------------------

TEST(TraceGraph, RefusesWhatDoesNotRunOnOneMachine) {
  const Bytes fc = gemm(1, "fc", 512, 512, 64);
  EXPECT_THAT(refusal({trace({fc}), trace({gemm(1, "fc", 512, 512, 32)})}),
              HasSubstr("t.1.et: node 1 'fc': expected node 1 'fc' of t.0.et, with its sizes"));
  EXPECT_THAT(refusal({trace({fc}), trace({fc, timed(2, "b", 1)})}),
              HasSubstr("t.1.et: node 2 'b': expected the end of t.0.et"));
  EXPECT_THAT(refusal({trace({fc, timed(2, "b", 1)}), trace({fc})}),
              HasSubstr("t.1.et: its end: expected node 2 'b' of t.0.et"));
  const auto in = [&](const std::string& group) {
    return trace({fc, collective(2, "sum", kReduce, 4096).attribute("pg_name", group)});
  };
  EXPECT_THAT(refusal({in("x"), in("x"), in("y"), in("y")}),
              HasSubstr("t.0.et: node 2 'sum': expected a collective of all 4 GPUs on one machine, "
                        "got one of 2, group 'x'; --workload"));
  for (const auto& [type, name] :
       {std::pair(kToAll, "all-to-all"), std::pair(kBarrier, "barrier")}) {
    SystemConfig config = tiny();
    config.fabric.topology = Topology::FullyConnected;
    EXPECT_THAT(
        refusal(same({fc, collective(2, "x", type, 4096)}), config),
        HasSubstr(std::string("t.0.et: node 2 'x': expected an all-reduce, a reduce-scatter "
                              "or an all-gather on one machine, got ") +
                  name));
  }
  const auto neighbours = [](std::uint64_t other) {
    return trace({node(1, "to", test::kSend)
                      .attribute("comm_size", test::kInt64, 64)
                      .attribute("comm_dst", test::kInt32, other),
                  node(2, "from", test::kReceive)
                      .attribute("comm_size", test::kInt64, 64)
                      .attribute("comm_src", test::kInt32, other)});
  };
  EXPECT_THAT(refusal({neighbours(1), neighbours(0)}),
              HasSubstr("t.0.et: node 1 'to': expected no message between two GPUs"));
  EXPECT_THAT(refusal(same({gemm(1, "wide", 512, 512, 64).attribute("gemm_type", "fp32")})),
              HasSubstr("node 1 'wide': expected elements of fp16, workload.data_type"));
  EXPECT_THAT(refusal(same({timed(1, "alone", 1)})), HasSubstr("expected a GEMM or a collective"));
}

TEST(TraceGraph, RefusesMoreKernelsThanOneMachineRuns) {
  std::vector<Bytes> nodes = {gemm(1, "fc", 512, 512, 64)};
  while (nodes.size() < kMostTraceKernels) {
    nodes.push_back(timed(nodes.size() + 1, "n" + std::to_string(nodes.size()), 1));
  }
  EXPECT_EQ(refusal(same(nodes)), "");
  nodes.push_back(timed(nodes.size() + 1, "one more", 1));
  EXPECT_THAT(refusal(same(nodes)),
              HasSubstr("expected at most 1000 kernels on one machine; --workload-layers N"));
}

// ---- layers -----------------------------------------------------------------------------------

TEST(FirstLayers, AreThoseThatNamesSay) {
  EXPECT_EQ(layerOf("layer0.fc2"), 0U);
  EXPECT_EQ(layerOf("layer12.fc1.dgrad.sum"), 12U);
  EXPECT_EQ(layerOf("model.layers.3.mlp"), 3U);
  EXPECT_EQ(layerOf("transformer.h.7.attn"), 7U);
  EXPECT_EQ(layerOf("h.0.attn"), 0U);
  EXPECT_EQ(layerOf("layernorm2"), std::nullopt);
  EXPECT_EQ(layerOf("path.3"), std::nullopt);
  EXPECT_EQ(layerOf("optimizer"), std::nullopt);
}

TEST(FirstLayers, LeaveOutLaterOnesAndWhatNeedsThem) {
  const Workload all = workload({trace(
      {timed(1, "embedding", 1), timed(2, "layer0.fc", 1, {1}), timed(3, "layer1.fc", 1, {2}),
       timed(4, "loss", 1, {3}), timed(5, "layer1.fc.grad", 1, {4}),
       timed(6, "layer0.fc.grad", 1, {5, 2}), timed(7, "optimizer", 1, {6, 5})})});
  const auto kept = [&](std::uint32_t layers) {
    std::map<std::string, std::vector<std::uint64_t>> nodes;
    for (const TraceNode& one : firstLayers(all.gpu(0), layers).nodes) {
      std::vector<std::uint64_t> waits = one.dataDependencies;
      waits.insert(waits.end(), one.controlDependencies.begin(), one.controlDependencies.end());
      nodes[one.name] = waits;
    }
    return nodes;
  };
  using Kept = std::map<std::string, std::vector<std::uint64_t>>;
  EXPECT_EQ(kept(1), (Kept{{"embedding", {}}, {"layer0.fc", {1}}, {"layer0.fc.grad", {2, 2}}}))
      << "the gradient waits for what is left of all before it";
  EXPECT_EQ(kept(2).size(), 7U);
}

TEST(FirstLayers, NeedNamesThatSayOne) {
  const Workload all = workload({trace({timed(1, "a", 1)})});
  EXPECT_THROW(firstLayers(all.gpu(0), 1), ConfigError);
}

}  // namespace
}  // namespace t3::trace_graph_test
