// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/scenario_files.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/graph_file.h"
#include "testbench/collective/links_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "testbench/workload/shipped_iterations.h"
#include "testbench/workload/trace_graph.h"
#include "testbench/workload/workload.h"
#include "tlm/collectives/algorithm_error.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/graph_rules.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/symmetric_loop.h"

namespace t3 {

namespace {

void readAlgorithm(SystemConfig& scenario) {
  const std::string& path = scenario.workload.collective;
  scenario.algorithm.reset();
  if (path.empty()) {
    if (scenario.fabric.graph == nullptr) return;
    if (const auto problem = scenario.check()) throw ConfigError("", "", *problem);
    return;
  }
  keepInput("workload.collective", path);
  const auto file = std::make_shared<const CollectiveFile>(path, &kAllReducePromise);
  scenario.algorithm = {file, &file->meaning()};
  try {
    if (const auto problem = scenario.check()) throw ConfigError(path, "", *problem);
  } catch (const AlgorithmError& error) {
    throw ConfigError(path, lineOf(error), error.what());
  }
}

/// One GPU stands for all.
void requireAlike(const SystemConfig& scenario, const Graph& graph) {
  const std::uint32_t chunks = scenario.makeRoute()->chunks();
  for (const OutputShape& shape : graph.outputs) {
    const std::string text =
        std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " elements";
    const std::string& path = scenario.workload.graph;
    if (shape.chunked && !SymmetricLoop::chunksAreAlike(tilingOf(scenario, shape, chunks))) {
      throw ConfigError(path, "",
                        "expected simulated_gpus = explicit, because the chunks of " + text +
                            " differ in size or in the place of their cut tiles");
    }
    if (std::ranges::count(shape.depths, shape.depths.front()) != std::ssize(shape.depths)) {
      throw ConfigError(path, "",
                        "expected simulated_gpus = explicit, because K of the output of " + text +
                            " differs between GPUs");
    }
  }
}

void checkGraph(const SystemConfig& scenario, const Graph& graph) {
  const std::string& path = scenario.workload.graph;
  if (const auto problem = problemOf(graph)) throw ConfigError(path, "", *problem);
  for (const GraphEdge& edge : graph.edges) {
    const bool once = !graph.nodes[edge.from].tracked() || graph.nodes[edge.to].as<RowsWork>();
    if (edge.gate != Gate::Rows || !once || scenario.workload.repeat == 1) continue;
    throw ConfigError(path, "",
                      "expected workload.repeat = 1 with " + inQuotes(graph.nodes[edge.to].name) +
                          " on rows of " + inQuotes(graph.nodes[edge.from].name) + ", got " +
                          std::to_string(scenario.workload.repeat));
  }
  const std::uint64_t end =
      planOutputs(scenario, graph.outputs, *scenario.makeRoute()).back().layout.end;
  if (end > scenario.hbm.capacityBytes()) {
    throw ConfigError(path, "",
                      "expected outputs that fit into hbm.capacity_gib = " +
                          std::to_string(scenario.hbm.capacity_gib) + " GiB, got " +
                          std::to_string(end) + " bytes" +
                          (namesTrace(path) ? "; --workload-layers N takes the first layers, and "
                                              "--workload needs no room for all"
                                            : ""));
  }
  if (scenario.simulated_gpus == GpuSimulation::Symmetric) requireAlike(scenario, graph);
}

void readGraph(SystemConfig& scenario) {
  const std::string& path = scenario.workload.graph;
  scenario.graph.reset();
  if (path.empty()) return;
  for (const std::string& file : graphFiles(path)) keepInput("workload.graph", file);
  if (scenario.leavesOut()) {
    throw ConfigError(path, "", "expected workload.contributions = 0 with a graph from a file");
  }
  if (scenario.workload.shares != WorkloadConfig::kEqualShares) {
    throw ConfigError(
        path, "",
        "expected workload.shares = equal with a graph from a file, whose outputs say "
        "K of each GPU");
  }
  FileGraphs graphs;
  if (namesTrace(path)) {
    graphs = readTraceGraphs(scenario).graphs;
  } else {
    graphs.byKernels = readGraphFile(path, scenario);
    graphs.trackedSums = graphs.tracked = graphs.byKernels;
  }
  for (const Graph* graph : {&graphs.byKernels, &graphs.trackedSums, &graphs.tracked}) {
    // What trackers do follows from what a mode sets up, too.
    checkGraph(scenario, completed(*graph, scenario));
  }
  scenario.graph = std::make_shared<const FileGraphs>(std::move(graphs));
}

}  // namespace

std::vector<std::string> graphFiles(const std::string& graph) {
  if (!namesTrace(graph)) return {graph};
  if (shippedAs(graph) != nullptr) return {};
  return Workload::filesOf(graph);
}

void readScenarioFiles(SystemConfig& scenario) {
  readLinksFile(scenario);
  readAlgorithm(scenario);
  readGraph(scenario);
}

void requireReadableByJobs(const SystemConfig& scenario) {
  const auto require = [](const char* setting, const std::string& path) {
    if (!path.empty()) requireReadableAgain(setting, path);
  };
  require("fabric.links", scenario.fabric.links);
  require("workload.collective", scenario.workload.collective);
  for (const std::string& file : graphFiles(scenario.workload.graph)) {
    require("workload.graph", file);
  }
}

void requireTakesFile(Mode mode, const std::string& option, const std::string& with) {
  if (mode.kind->takesFile) return;
  std::vector<std::string> able;
  for (const ModeKind* kind : ModeKind::table()) {
    if (kind->takesFile) able.emplace_back(kind->name);
  }
  throw ConfigError(
      option, "",
      "expected " + alternatives(able) + " with " + with + ", got " + inQuotes(spelling(mode)));
}

}  // namespace t3
