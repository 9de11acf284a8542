// SPDX-License-Identifier: Apache-2.0
// Method: a small schedule and a small topology file, and each with one thing wrong: it is refused
// with the line that says what. What a schedule becomes is checked as any collective is, before it
// runs.
#include "testbench/collective/collective_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "testbench/collective/graph_file.h"
#include "testbench/config/config_error.h"
#include "tests/support/seed.h"
#include "tests/testbench/refused.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/algorithm_trees.h"

namespace t3::schedule_file_test {
namespace {

using Flows = std::vector<std::string>;

// GPUs 1, 2 and 4 in a line; 0 and 3 are switches.
const Flows kLine = {"Chunk 0 from 1 traveled over 1->2 in epoch 0",
                     "Chunk 0 from 2 traveled over 2->1 in epoch 0",
                     "Chunk 0 from 2 traveled over 2->4 in epoch 0 via switches 0 -> 3",
                     "Chunk 0 from 4 traveled over 4->2 in epoch 0 via switches 3",
                     "Chunk 0 from 4 traveled over 2->1 in epoch 1",
                     "Chunk 0 from 1 traveled over 2->4 in epoch 1 via switches 0 -> 3"};

std::string textOf(const Flows& flows) {
  std::string text = "{\n\"1-Epoch_Duration\": 0.5,\n\"7-Flows\": [";
  for (const std::string& flow : flows) text += (&flow == &flows[0] ? "\"" : ", \"") + flow + "\"";
  return text + "]}";
}

std::string refusal(const std::string& text, const Promise* promise = nullptr) {
  return test::refusalOf([&] { readSchedule(text, "s.json", promise); });
}

std::string refusalWith(std::size_t entry, const std::string& flow) {
  Flows flows = kLine;
  flows[entry] = flow;
  return refusal(textOf(flows));
}

TEST(Schedule, KeepsItsPromiseAsAllGatherAndOnTheWayBack) {
  for (const Promise* promise : {&kAllGatherPromise, &kReduceScatterPromise, &kAllReducePromise}) {
    const Algorithm algorithm = readSchedule(textOf(kLine), "s.json", promise);
    ASSERT_EQ(algorithm.gpuCount(), 3U) << "switches are no GPUs";
    const AlgorithmForm form(algorithm);
    const AlgorithmMeaning meaning(form);
    const AlgorithmTrees trees(meaning);
    for (std::uint32_t c = 0; c < 3; ++c) EXPECT_EQ(trees.owner(c), c) << promise->name;
    if (promise == &kAllGatherPromise) continue;
    // Chunk 0, of GPU 1, comes from GPU 4 by way of GPU 2, as it goes there.
    ASSERT_TRUE(trees.at(2, 0).sumTo && trees.at(1, 0).sumTo);
    EXPECT_EQ(trees.at(2, 0).sumTo->peer, 1U);
    EXPECT_EQ(trees.at(1, 0).sumTo->peer, 0U);
  }
}

TEST(Schedule, WithVolumesIsAnAllToAll) {
  const Flows flows = {"Chunk 1 from 0 traveled over 0->1 with volume 1.0 in epoch 0",
                       "Chunk 2 from 0 traveled over 0->1 with volume 1.0 in epoch 1",
                       "Chunk 2 from 0 traveled over 1->2 with volume 1.0 in epoch 2",
                       "Chunk 0 from 1 traveled over 1->0 with volume 1.0 in epoch 0",
                       "Chunk 2 from 1 traveled over 1->2 with volume 1.0 in epoch 0",
                       "Chunk 0 from 2 traveled over 2->0 with volume 1.0 in epoch 0",
                       "Chunk 1 from 2 traveled over 2->1 with volume 1.0 in epoch 0"};
  std::string text = textOf(flows);
  text.replace(text.find("7-Flows"), 1, "6");  // as it is where nothing is told of demands
  const Algorithm algorithm = readSchedule(text, "s.json");
  EXPECT_EQ(algorithm.promise, &kAllToAllPromise);
  const AlgorithmForm form(algorithm);
  const AlgorithmMeaning meaning(form);
  EXPECT_EQ(
      refusal(textOf(flows), &kAllReducePromise),
      "s.json: expected a schedule that is or makes an allreduce (an all-gather's way back is "
      "a reduce_scatter), got an alltoall");
}

TEST(Schedule, IsRefusedWithTheEntryThatIsWrong) {
  EXPECT_EQ(refusal(textOf(kLine)), "");
  EXPECT_EQ(refusal("{"),
            "s.json: line 1, column 2: expected a key in double quotes or '}', found the end");
  EXPECT_EQ(refusal("{\"7-flows\": []}"),
            "s.json: 7-Flows: expected a list of flows, as TE-CCL writes it");
  EXPECT_EQ(refusalWith(1, "Chunk 0 from 2 over 2->1"),
            "s.json: 7-Flows[1]: expected \"Chunk C from S traveled over A->B in epoch E\", got "
            "\"Chunk 0 from 2 over 2->1\"");
  EXPECT_EQ(refusalWith(1, "Chunk 0 from 2 traveled over 2->1 in epoch 0 via"),
            "s.json: 7-Flows[1]: expected \"Chunk C from S traveled over A->B in epoch E\", got "
            "\"Chunk 0 from 2 traveled over 2->1 in epoch 0 via\"");
  EXPECT_EQ(
      refusalWith(1, "Chunk 0 from 2 traveled over 2->1 with volume 0.5 in epoch 0"),
      "s.json: 7-Flows[1]: expected whole chunks, because parts of a chunk have no names in a "
      "schedule, got volume 0.5");
  EXPECT_EQ(refusalWith(1, "Chunk 0 from 2 traveled over 2->1 with volume 1.0 in epoch 0"),
            "s.json: 7-Flows[1]: expected a volume in all flows, an all-to-all, or in none, an "
            "all-gather");
  EXPECT_EQ(refusalWith(4, "Chunk 0 from 4 traveled over 1->2 in epoch 1"),
            "s.json: 7-Flows[4]: expected a GPU that has the chunk before that epoch, got 1");
  EXPECT_EQ(refusalWith(4, "Chunk 0 from 1 traveled over 1->2 in epoch 1"),
            "s.json: 7-Flows[4]: expected a GPU that has not had the chunk, got 2");
  EXPECT_EQ(refusalWith(4, "Chunk 0 from 4 traveled over 2->0 in epoch 1"),
            "s.json: 7-Flows[4]: expected GPUs with chunks of their own, got 0");
  EXPECT_EQ(refusalWith(2, "Chunk 0 from 2 traveled over 2->4 in epoch 0 via switches 1"),
            "s.json: 7-Flows[2]: expected switches, got GPU 1");
  EXPECT_EQ(refusalWith(1, "Chunk 1024 from 2 traveled over 2->1 in epoch 0"),
            "s.json: 7-Flows[1]: expected a chunk below 1024, got 1024");
}

/// Every chunk along a random tree, all flows in the order of random epochs.
Flows randomFlows(std::mt19937_64& random, std::uint32_t gpus, std::uint32_t share) {
  std::vector<std::pair<std::uint32_t, std::string>> flows;
  for (std::uint32_t source = 0; source < gpus; ++source) {
    for (std::uint32_t c = 0; c < share; ++c) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> there = {{source, 0}};  // since epoch
      std::vector<std::uint32_t> others;
      for (std::uint32_t g = 0; g < gpus; ++g) {
        if (g != source) others.push_back(g);
      }
      std::ranges::shuffle(others, random);
      for (const std::uint32_t to : others) {
        const auto [from, since] = there[random() % there.size()];
        const auto epoch = static_cast<std::uint32_t>(since + random() % 4);
        flows.emplace_back(epoch, "Chunk " + std::to_string(c) + " from " + std::to_string(source) +
                                      " traveled over " + std::to_string(from) + "->" +
                                      std::to_string(to) + " in epoch " + std::to_string(epoch));
        there.emplace_back(to, epoch + 1);
      }
    }
  }
  std::ranges::shuffle(flows, random);
  std::ranges::stable_sort(flows, {}, [](const auto& flow) { return flow.first; });
  Flows texts;
  for (const auto& [epoch, text] : flows) texts.push_back(text);
  return texts;
}

TEST(Schedule, OfRandomTreesKeepsItsPromise) {
  std::mt19937_64 random(test::seed(3));
  for (int round = 0; round < 60; ++round) {
    const auto gpus = static_cast<std::uint32_t>(2 + random() % 9);
    const auto share = static_cast<std::uint32_t>(1 + random() % 3);
    SCOPED_TRACE(std::to_string(gpus) + " GPUs, round " + std::to_string(round));
    const std::string text = textOf(randomFlows(random, gpus, share));
    for (const Promise* promise :
         {&kAllGatherPromise, &kReduceScatterPromise, &kAllReducePromise}) {
      const Algorithm algorithm = readSchedule(text, "s.json", promise);
      const AlgorithmForm form(algorithm);
      const AlgorithmMeaning meaning(form);  // throws if it does not keep its promise
      const AlgorithmTrees trees(meaning);
      for (std::uint32_t c = 0; c < trees.chunks(); ++c) EXPECT_EQ(trees.owner(c), c / share);
    }
  }
}

const std::string kCube =
    R"({"name": "c", "gpus_per_node": 8, "nics_per_node": 1, "alpha": 0.5,
"node_betas_list": [20, 40], "node_invbws_list": [20.5, 40.5],
"remote_alpha": 4, "remote_beta": 100, "remote_invbw": 104})";

/// The scenario of a topology file, with `text` in place of `what` in it.
SystemConfig scenarioWith(std::uint32_t gpus, const std::string& what = "",
                          const std::string& text = "") {
  const test::TemporaryDirectory directory;
  SystemConfig scenario;
  scenario.gpus = gpus;
  scenario.fabric.topology = Topology::Links;
  scenario.fabric.links = directory.path("l.json");
  std::string file = kCube;
  file.replace(file.find(what), what.size(), text);
  std::ofstream(scenario.fabric.links) << file;
  readLinksFile(scenario);
  return scenario;
}

std::string linksRefusal(std::uint32_t gpus, const std::string& what, const std::string& text) {
  const std::string line = test::refusalOf([&] { scenarioWith(gpus, what, text); });
  return line.empty() ? line : line.substr(line.find("l.json"));
}

TEST(LinksFile, TwoBetasAreTheDoubleAndSingleLinksOfACubeMesh) {
  const auto graph = scenarioWith(8).fabric.graph;
  EXPECT_EQ(graph->switches(), 0U);
  EXPECT_EQ(graph->ports(), 4U);
  std::vector<double> rates;
  for (const std::uint32_t wire : graph->leaving(0)) {
    rates.push_back(graph->wires()[wire].bandwidth_gb_s);
    EXPECT_EQ(graph->wires()[wire].latency_ns, 500);
  }
  EXPECT_EQ(rates, (std::vector<double>{50, 25, 25, 50}));  // to 1, 2, 3 and 4
  EXPECT_TRUE(graph->way(0, 5).empty());
}

TEST(LinksFile, GpusOfANodeShareItsAdapters) {
  const auto graph = scenarioWith(16).fabric.graph;
  const auto first = graph->way(0, 9), second = graph->way(7, 12);
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(second.size(), 4U);
  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(first[1], second[1]);
  EXPECT_EQ(first[2], second[2]);
  EXPECT_EQ(graph->wires()[first[1]].bandwidth_gb_s, 10);
  EXPECT_EQ(graph->wires()[first[1]].latency_ns, 1000) << "a quarter of the way";
  EXPECT_TRUE(graph->way(0, 5).empty()) << "adapters are between nodes";
}

TEST(LinksFile, IsRefusedWithTheKeyThatIsWrong) {
  EXPECT_EQ(linksRefusal(12, "", ""),
            "l.json: line 1: gpus_per_node: expected a number that divides the 12 GPUs, got 8");
  EXPECT_EQ(linksRefusal(8, "\"alpha\"", "\"alfa\""),
            "l.json: line 1: alfa: is no key of a topology file; the nearest is 'alpha'");
  EXPECT_EQ(linksRefusal(8, "\"alpha\": 0.5,", ""), "l.json: alpha: expected a value, got none");
  EXPECT_EQ(linksRefusal(8, "\"alpha\": 0.5", "\"alpha\": -1"),
            "l.json: line 1: alpha: expected a number of at least 0, got -1");
  EXPECT_EQ(linksRefusal(8, "[20, 40]", "[20, 0]"),
            "l.json: line 2: node_betas_list: expected times of links of 0.001 to 100000 GB/s for "
            "fabric.links_bytes = 1000000.0, got 0");
  EXPECT_EQ(linksRefusal(8, "[20, 40]", "[20, 40, 60]"),
            "l.json: line 2: node_betas_list: expected one beta, of a switch between the GPUs of a "
            "node, or two, of the double and the single links of a DGX-1 of 8 GPUs, or \"links\" "
            "and \"betas\", got 3 betas and 8 GPUs");
  EXPECT_EQ(linksRefusal(16, "\"nics_per_node\": 1", "\"nics_per_node\": 9"),
            "l.json: line 1: nics_per_node: expected a whole number from 1 to 8, got 9");
  EXPECT_EQ(linksRefusal(8, "\"node_betas_list\"", "\"links\": [[0]], \"node_betas_list\""),
            "l.json: line 2: links: expected 8 rows of 8 values");
}

}  // namespace
}  // namespace t3::schedule_file_test
