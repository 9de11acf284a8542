// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/trace_node.h"

#include <array>

#include "testbench/config/spelling.h"

namespace t3 {

const char* nameOf(CommType type) {
  static constexpr std::array kNames = {
      "all-reduce", "reduce",     "all-gather",     "gather",         "scatter",
      "broadcast",  "all-to-all", "reduce-scatter", "reduce-scatter", "barrier"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::string placeOf(const TraceNode& node) {
  return "node " + std::to_string(node.id) + " " + inQuotes(node.name);
}

}  // namespace t3
