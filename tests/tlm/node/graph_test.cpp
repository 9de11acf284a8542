// SPDX-License-Identifier: Apache-2.0
// Method: graphs that a program builds, which no file has checked.
#include "tlm/node/graph.h"

#include <gtest/gtest.h>

namespace t3::graph_test {
namespace {

TEST(Graph, HasAsManyNodesAsRequestsCanNumber) {
  Graph graph;
  graph.nodes.resize(kMostNodes, {.name = "wait", .work = DelayWork{}});
  const auto most = problemOf(graph);
  graph.nodes.push_back(graph.nodes.front());
  EXPECT_EQ(problemOf(graph), "expected at most 10000 nodes, got 10001");
  EXPECT_EQ(most, std::nullopt);
}

}  // namespace
}  // namespace t3::graph_test
