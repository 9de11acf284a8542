// SPDX-License-Identifier: Apache-2.0
// Method: small graphs by hand, and random ones: ports are permutations of the GPUs, each way is at
// one port, and there are no more ports than the GPU with most ways has.
#include "tlm/collectives/link_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace t3::link_graph_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

void expectPortsOfAllWays(const LinkGraph& graph) {
  Numbers sends(graph.gpus()), receives(graph.gpus());
  std::set<std::pair<std::uint32_t, std::uint32_t>> ways, atPorts;
  for (std::uint32_t from = 0; from < graph.gpus(); ++from) {
    for (std::uint32_t to = 0; to < graph.gpus(); ++to) {
      if (from == to || graph.way(from, to).empty()) continue;
      ways.emplace(from, to);
      ++sends[from];
      ++receives[to];
    }
  }
  EXPECT_EQ(graph.ports(), std::max(std::ranges::max(sends), std::ranges::max(receives)));
  for (std::uint32_t port = 0; port < graph.ports(); ++port) {
    for (std::uint32_t gpu = 0; gpu < graph.gpus(); ++gpu) {
      const std::uint32_t peer = graph.peer(gpu, port);
      EXPECT_EQ(graph.source(peer, port), gpu);
      if (!graph.leads(gpu, port)) continue;
      EXPECT_TRUE(atPorts.emplace(gpu, peer).second);
    }
  }
  EXPECT_EQ(atPorts, ways);
}

TEST(LinkGraph, AWayLeadsOverSwitchesAndNotOverGpus) {
  // 0 -> 1 -> 2 by links, 0 -> switch 3 -> switch 4 -> 2
  const LinkGraph graph(3, 2,
                        {{0, 1, 1, 1}, {1, 2, 1, 1}, {0, 3, 1, 1}, {3, 4, 1, 1}, {4, 2, 1, 1}}, {});
  EXPECT_EQ(graph.way(0, 1), (Numbers{0}));
  EXPECT_EQ(graph.way(0, 2), (Numbers{2, 3, 4}));
  EXPECT_EQ(graph.way(1, 2), (Numbers{1}));
  EXPECT_TRUE(graph.way(2, 0).empty());
  EXPECT_FALSE(graph.reachesAll());
  EXPECT_EQ(graph.placeAtBegin(2), 1U);
  EXPECT_EQ(graph.placeAtEnd(4), 1U);
  expectPortsOfAllWays(graph);
}

TEST(LinkGraph, ALinkComesBeforeASwitch) {
  const LinkGraph graph(2, 1, {{0, 2, 1, 1}, {2, 1, 1, 1}, {0, 1, 1, 1}}, {});
  EXPECT_EQ(graph.way(0, 1), (Numbers{2}));
}

TEST(LinkGraph, ANetworkIsBetweenNodesOnly) {
  std::vector<LinkGraph::Wire> wires;
  for (std::uint32_t g = 0; g < 4; ++g) {
    wires.push_back({g, 4, 1, 1});
    wires.push_back({4, g, 1, 1});
  }
  const LinkGraph nodes(4, 1, wires, {.first = 4, .gpusPerNode = 2});
  EXPECT_TRUE(nodes.way(0, 1).empty());
  EXPECT_EQ(nodes.way(0, 2), (Numbers{0, 5}));
  EXPECT_FALSE(nodes.reachesAll());
  EXPECT_TRUE(LinkGraph(4, 1, wires, {}).reachesAll());
}

TEST(LinkGraph, HasAsFewPortsAsTheGpuWithMostWaysNeeds) {
  std::mt19937_64 random(test::seed(11));
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("graph " + std::to_string(round));
    const auto gpus = static_cast<std::uint32_t>(2 + random() % 12);
    const auto switches = static_cast<std::uint32_t>(random() % 3);
    std::vector<LinkGraph::Wire> wires = {{0, 1, 1, 1}};
    const std::uint64_t density = 1 + random() % 9;
    for (std::uint32_t from = 0; from < gpus + switches; ++from) {
      for (std::uint32_t to = 0; to < gpus + switches; ++to) {
        if (from != to && random() % 10 < density) wires.push_back({from, to, 1, 1});
      }
    }
    expectPortsOfAllWays(LinkGraph(gpus, switches, wires, {}));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace t3::link_graph_test
