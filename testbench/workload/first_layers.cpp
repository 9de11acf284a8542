// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/first_layers.h"

#include <algorithm>
#include <regex>
#include <set>
#include <vector>

#include "testbench/config/config_error.h"

namespace t3 {

std::optional<std::uint64_t> layerOf(const std::string& name) {
  static const std::regex kLayer(R"((?:^|[^A-Za-z0-9])(?:[Ll]ayers?[._]?|h\.)(\d{1,9})(?!\d))");
  std::smatch found;
  if (!std::regex_search(name, found, kLayer)) return std::nullopt;
  return std::stoull(found[1].str());
}

TraceFile firstLayers(const GpuTrace& trace, std::uint32_t layers) {
  const std::vector<TraceNode>& nodes = trace.file->nodes;
  std::vector<bool> leftOut(nodes.size()), lacks(nodes.size());
  std::vector<std::set<std::uint32_t>> behind(nodes.size());  // of a node that is left out: kept
  std::set<std::uint64_t> gone;
  bool named = false;
  for (const std::uint32_t i : trace.order()) {
    const auto layer = layerOf(nodes[i].name);
    named = named || layer;
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      if (leftOut[earlier] || lacks[earlier]) lacks[i] = true;
    }
    leftOut[i] = layer ? *layer >= layers : lacks[i];
    if (!leftOut[i]) continue;
    gone.insert(nodes[i].id);
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      if (leftOut[earlier]) {
        behind[i].insert(behind[earlier].begin(), behind[earlier].end());
      } else {
        behind[i].insert(earlier);
      }
    }
  }
  if (!named) {
    throw ConfigError(trace.file->path, "trace.layers",
                      "expected nodes whose names say a layer, such as layer3.fc2, layers.3.mlp or "
                      "h.3.attn");
  }
  TraceFile kept = *trace.file;
  kept.nodes.clear();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (leftOut[i]) continue;
    TraceNode& node = kept.nodes.emplace_back(nodes[i]);
    std::erase_if(node.dataDependencies, [&](std::uint64_t id) { return gone.contains(id); });
    std::erase_if(node.controlDependencies, [&](std::uint64_t id) { return gone.contains(id); });
    for (const std::uint32_t earlier : trace.dependencies[i]) {
      for (const std::uint32_t instead : behind[earlier]) {
        node.controlDependencies.push_back(nodes[instead].id);
      }
    }
  }
  return kept;
}

}  // namespace t3
