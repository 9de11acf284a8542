// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "testbench/workload/trace_node.h"

namespace t3 {

/// A node of one GPU.
struct NodePlace {
  std::uint32_t gpu = 0, node = 0;
  // clang-tidy takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const NodePlace&) const = default;
};

/// A collective: the nodes of all GPUs that take part, by GPU.
struct CollectiveMeeting {
  CommType type = CommType::AllReduce;
  std::uint64_t bytes = 0;  ///< comm_size
  std::vector<NodePlace> members;
};

/// A message: a send node and the receive node that takes it.
struct MessageMeeting {
  std::uint64_t bytes = 0;
  NodePlace from, to;
};

}  // namespace t3
