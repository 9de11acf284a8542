// SPDX-License-Identifier: Apache-2.0
// Method: graphs that a program builds, which no file has checked.
#include "tlm/node/graph.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>

#include "tlm/node/system_config.h"

namespace t3::graph_test {
namespace {

TEST(Graph, HasAsManyNodesAsRequestsCanNumber) {
  const SystemConfig config;
  Graph graph;
  graph.nodes.resize(kMostNodes, {.name = "wait", .work = DelayWork{}});
  EXPECT_EQ(completed(graph, config).nodes.size(), kMostNodes);
  // One too many, and so many that a number of 16 bits never reaches them.
  for (const std::size_t nodes : {kMostNodes + 1, std::size_t{1} << 16}) {
    graph.nodes.resize(nodes, graph.nodes.front());
    EXPECT_THROW(completed(graph, config), std::invalid_argument) << nodes;
  }
}

}  // namespace
}  // namespace t3::graph_test
