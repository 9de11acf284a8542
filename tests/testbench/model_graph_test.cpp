// SPDX-License-Identifier: Apache-2.0
// Method: the graphs of models are held against the published sizes of their layers, and what waits
// for what against the words of the schedules. Small ones run in every mode.
#include "testbench/workload/model_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbench/presets/presets.h"
#include "tests/testbench/refused.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/mode.h"

namespace t3::model_graph_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SystemConfig machine() {
  SystemConfig scenario = findPreset(kDefaultPreset)->config;
  scenario.gpus = 8;
  scenario.workload.data_type = DataType::Bf16;
  return scenario;
}

Graph graphOf(const std::string& word, std::uint32_t layers = 3) {
  SystemConfig scenario = machine();
  scenario.trace.layers = layers;
  return modelGraphs(*ModelRun::named(word), scenario).byKernels;
}

/// The names of the nodes behind which a node stands.
std::vector<std::string> before(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const GraphEdge& edge : graph.edges) {
    if (graph.nodes[edge.to].name == name) names.push_back(graph.nodes[edge.from].name);
  }
  std::ranges::sort(names);
  return names;
}

std::size_t collectivesOf(const Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.nodes, [](const GraphNode& node) { return node.as<CollectiveWork>() != nullptr; }));
}

TEST(ModelRun, IsAModelAScheduleAndTokens) {
  const ModelRun run = *ModelRun::named("llama-3-70b/ladder/4096/1024");
  EXPECT_STREQ(run.model->name, "llama-3-70b");
  EXPECT_EQ(run.schedule, Schedule::Ladder);
  EXPECT_EQ(run.tokens, 4096U);
  EXPECT_EQ(run.sequence, 1024U);
  EXPECT_EQ(ModelRun::named("llama-3-70b/none/2")->sequence, 2U);
  for (const char* file : {"", "graph.json", "llama-3-70b", "models/llama-3-70b/dense/4096"}) {
    EXPECT_FALSE(ModelRun::named(file)) << file;
  }
}

TEST(ModelRun, WhatIsNoneIsRefused) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"llama-3-8b/dense", "expected MODEL/SCHEDULE/TOKENS or MODEL/SCHEDULE/TOKENS/SEQUENCE"},
      {"llama-3-8b/dense/1/1/1",
       "expected MODEL/SCHEDULE/TOKENS or MODEL/SCHEDULE/TOKENS/SEQUENCE"},
      {"llama-3-8b/fused/8", "expected a schedule dense, ladder, none or halves, got 'fused'"},
      {"llama-3-8b/dense/1", "expected tokens from 2 to 1048576, got '1'"},
      {"llama-3-8b/dense/1048577", "expected tokens from 2 to 1048576, got '1048577'"},
      {"llama-3-8b/dense/1000/300",
       "expected whole sequences, got 1000 tokens in sequences of 300"},
      {"llama-3-8b/halves/1025", "expected an even number of tokens for halves, got 1025"},
  };
  for (const auto& [word, expected] : bad) {
    EXPECT_EQ(test::refusalOf([&] { ModelRun::named(word); }), word + ": " + expected);
  }
}

// Of Llama-3-70B on 8 GPUs: query, key and value M x 1280 x 8192, wo M x 8192 x 1024, w1 and w3 M x
// 7168 x 8192 together, w2 M x 8192 x 3584.
TEST(ModelGraph, HasTheGemmsOfALayer) {
  const Graph graph = graphOf("llama-3-70b/dense/4096", 1);
  std::vector<std::vector<std::uint32_t>> gemms;
  for (const GraphNode& node : graph.nodes) {
    const auto* work = node.as<GemmWork>();
    if (work == nullptr) continue;
    const OutputShape& shape = graph.outputs[work->output];
    gemms.push_back({shape.rows, shape.columns, shape.depths.front()});
  }
  EXPECT_THAT(gemms, ElementsAre(ElementsAre(4096, 1280, 8192), ElementsAre(4096, 8192, 1024),
                                 ElementsAre(4096, 7168, 8192), ElementsAre(4096, 8192, 3584)));
  EXPECT_EQ(collectivesOf(graph), 2U);
}

TEST(ModelGraph, SumsAreWhatTheTokensHaveAndAtMostTwoPercentMore) {
  for (const char* tokens : {"1024", "4096", "65536"}) {
    const Graph graph = graphOf(std::string("llama-3-70b/dense/") + tokens, 1);
    const double bytes = std::stod(tokens) * 8192;
    for (const GraphNode& node : graph.nodes) {
      const auto* work = node.as<CollectiveWork>();
      if (work == nullptr) continue;
      const OutputShape& shape = graph.outputs[work->output];
      EXPECT_TRUE(shape.given);
      const double elements = double{1} * shape.rows * shape.columns;
      EXPECT_GE(elements, bytes);
      EXPECT_LE(elements, 1.02 * bytes);
    }
  }
}

TEST(ModelGraph, ADenseBlockWaitsForTheSumBeforeIt) {
  const Graph graph = graphOf("llama-3-70b/dense/1024");
  EXPECT_THAT(before(graph, "layer0_norm_1"), IsEmpty());
  EXPECT_THAT(before(graph, "layer0_norm_2"), ElementsAre("layer0_wo", "layer0_wo_all_reduce"));
  EXPECT_THAT(before(graph, "layer1_norm_1"), ElementsAre("layer0_down", "layer0_down_all_reduce"));
}

TEST(ModelGraph, ABlockOfALadderWaitsForTheSumBeforeThatOne) {
  const Graph graph = graphOf("llama-3-70b/ladder/1024");
  EXPECT_THAT(before(graph, "layer0_norm_2"), ElementsAre("layer0_wo"));
  EXPECT_THAT(before(graph, "layer1_norm_1"), ElementsAre("layer0_down", "layer0_wo_all_reduce"));
  EXPECT_THAT(before(graph, "layer1_norm_2"), ElementsAre("layer0_down_all_reduce", "layer1_wo"));
  EXPECT_THAT(before(graph, "layer1_wo_all_reduce"),
              ElementsAre("layer0_down_all_reduce", "layer1_wo"));
}

TEST(ModelGraph, WithoutCommunicationThereIsNone) {
  const Graph graph = graphOf("llama-3-70b/none/1024");
  EXPECT_EQ(collectivesOf(graph), 0U);
  EXPECT_THAT(before(graph, "layer1_norm_1"), ElementsAre("layer0_down"));
}

TEST(ModelGraph, HalvesTakeTurns) {
  const Graph graph = graphOf("llama-3-70b/halves/1024");
  EXPECT_THAT(before(graph, "layer0_norm_1_2"), ElementsAre("layer0_wo"));
  EXPECT_THAT(before(graph, "layer0_norm_2"), ElementsAre("layer0_wo_2", "layer0_wo_all_reduce"));
  EXPECT_THAT(before(graph, "layer0_norm_2_2"),
              ElementsAre("layer0_down", "layer0_wo_2_all_reduce"));
  EXPECT_EQ(graph.outputs.front().rows, 512U);
}

TEST(ModelGraph, ReducesAsTheModeSays) {
  const auto reducers = [](const Graph& graph) {
    std::vector<std::string> names;
    for (const GraphNode& node : graph.nodes) {
      const auto* work = node.as<CollectiveWork>();
      if (work == nullptr || !node.name.starts_with("layer0_wo")) continue;
      names.push_back(std::string(work->tracked                       ? "tracked "
                                  : servedBySwitch(*work->collective) ? "loads "
                                                                      : "kernels ") +
                      work->collective->name + " " + std::to_string(work->units));
    }
    return names;
  };
  SystemConfig scenario = machine();
  scenario.gpu.collective.compute_units = 6;  // that kernels keep
  const FileGraphs graphs = modelGraphs(*ModelRun::named("llama-3-8b/dense/64"), scenario);
  EXPECT_THAT(reducers(graphs.byKernels), ElementsAre("kernels all_reduce 6"));
  EXPECT_THAT(reducers(graphs.bySwitch), ElementsAre("loads all_reduce 6"));
  EXPECT_THAT(reducers(graphs.trackedSums),
              ElementsAre("tracked reduce_scatter 0", "kernels all_gather 6"));
  EXPECT_THAT(reducers(graphs.tracked),
              ElementsAre("tracked reduce_scatter 0", "tracked all_gather 0"));
  EXPECT_EQ(&graphs.of(kSequential), &graphs.byKernels);
  EXPECT_EQ(&graphs.of(kNvls), &graphs.bySwitch);
  EXPECT_EQ(&graphs.of(kT3), &graphs.trackedSums);
  EXPECT_EQ(&graphs.of(kT3Ag), &graphs.tracked);
}

TEST(ModelGraph, NormsTakeTheTimeOfTheirBytes) {
  const SystemConfig scenario = machine();
  const Graph graph = graphOf("llama-3-70b/dense/4096", 1);
  const auto norm = std::ranges::find(graph.nodes, "layer0_norm_1", &GraphNode::name);
  const double ns = 4.0 * 4096 * 8192 * 2 / scenario.hbm.peakBytesPerNs();
  EXPECT_NEAR(static_cast<double>(norm->as<DelayWork>()->time), ns * 1e3, 1);
}

TEST(ModelGraph, OfGpusThatCannotShareTheHeadsIsRefused) {
  SystemConfig scenario = machine();
  scenario.gpus = 16;
  scenario.workload.graph = "llama-3-8b/dense/64";
  EXPECT_EQ(
      test::refusalOf([&] { modelGraphs(*ModelRun::named("llama-3-8b/dense/64"), scenario); }),
      "llama-3-8b/dense/64: gpus: expected a divisor of the 8 heads of keys and values, got 16");
}

// From the second layer to the third stands for the other 29.
TEST(Prefill, ContinuesTheLastLayer) {
  RunResult result;
  const auto add = [&](const std::string& name, Picoseconds end) {
    NodeFigures& node = result.nodes.emplace_back();
    node.name = name;
    node.end_ps = end;
  };
  add("layer0_down", 10'000'000);
  add("layer1_down", 22'000'000);
  add("layer2_down", 35'000'000);
  add("layer2_down_all_reduce", 37'000'000);
  EXPECT_NEAR(prefillNs(*ModelRun::named("llama-3-8b/dense/64"), result), 37'000 + 29 * 13'000,
              1e-6);
  result.nodes.resize(1);
  EXPECT_NEAR(prefillNs(*ModelRun::named("llama-3-8b/dense/64"), result), 32 * 10'000, 1e-6);
}

// A ladder is never slower than the dense model, and never faster than one without communication.
TEST(Models, RunInEveryScheduleAndMode) {
  const test::TemporaryDirectory directory;
  double dense = 0, none = 0;
  for (const std::string schedule : {"dense", "none", "ladder", "halves"}) {
    const std::string file = directory.path(schedule + ".json");
    test::mustRun(
        {"compare --model llama-3-8b --tokens 256 --workload-layers 2 --gpus symmetric "
         "--tracker model --set fabric.topology=switch --set switch.merge=model "
         "--modes sequential,nvls,t3,t3-ag --schedule",
         schedule, "--json", file});
    const auto report = test::readJson(file);
    for (const auto& run : report.at("runs").as_array()) {
      const double time = run.at("prefill_ns").to_number<double>();
      EXPECT_GT(time, 8 * run.at("time_ns").to_number<double>());
      if (run.at("mode").as_string() != "sequential") continue;
      if (schedule == "dense") dense = time;
      if (schedule == "none") none = time;
      if (schedule != "ladder") continue;
      EXPECT_LT(time, dense);
      EXPECT_GT(time, none);
    }
  }
}

// 128 tokens have 1 MiB of sums, for which the library takes LL.
TEST(Models, NcclIsTheAlgorithmOfTheSizeForKernelsAndNothingForTrackers) {
  const test::TemporaryDirectory directory;
  const auto times = [&](const std::string& settings, const std::string& modes) {
    const std::string file = directory.path("report.json");
    test::mustRun(
        {"compare --machine h100-x8 --model llama-3-8b --tokens 256 --schedule halves "
         "--workload-layers 1 --gpus symmetric --tracker model --modes",
         modes, settings, "--json", file});
    const auto report = test::readJson(file);
    std::vector<double> all;
    for (const auto& run : report.at("runs").as_array()) {
      all.push_back(run.at("time_ns").to_number<double>());
    }
    return all;
  };
  const auto nccl = times("--set workload.collective=nccl", "sequential,t3");
  EXPECT_EQ(nccl[0], times("--set workload.collective=ar_nccl_ll_24_1-8", "sequential")[0]);
  EXPECT_NE(nccl[0], times("--set workload.repeat=1", "sequential")[0]);
  EXPECT_EQ(nccl[1], times("--set workload.repeat=1", "t3")[0]);
}

TEST(Models, WhatCannotRunIsRefusedInOneLine) {
  const test::TemporaryDirectory directory;
  const std::string graph = directory.write(
      "g.json", R"({"outputs": [{"name": "y", "rows": 128, "columns": 1024, "depth": 128}],
                    "nodes": [{"name": "gemm", "gemm": "y"}]})");
  test::expectRefused("run --set workload.collective=nccl --graph " + graph,
                      {"workload.collective: expected none or a file with a graph from a file"});
  test::expectRefused("run --model llama-2", {"--model: unknown model 'llama-2'", "llama-3-8b"});
  test::expectRefused("run --tokens 64", {"--tokens: expected --model with it"});
  test::expectRefused("run --model llama-3-8b --graph g.json",
                      {"--model: expected either --model or --graph, got both"});
  test::expectRefused("run --model llama-3-8b --schedule eager",
                      {"llama-3-8b/eager/4096: expected a schedule dense, ladder, none or halves"});
}

}  // namespace
}  // namespace t3::model_graph_test
