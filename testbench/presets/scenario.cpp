// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/scenario.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/graph_file.h"
#include "testbench/collective/measured_algorithm.h"
#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/presets.h"
#include "testbench/workload/model_graph.h"
#include "testbench/workload/trace_graph.h"
#include "testbench/workload/workload.h"
#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/graph.h"
#include "tlm/node/loop.h"
#include "tlm/node/output_plan.h"

namespace t3 {
const Preset& presetNamed(const std::string& name, const std::string& option) {
  const Preset* preset = findPreset(name);
  if (preset != nullptr) return *preset;
  throw ConfigError(option, "",
                    "unknown preset " + inQuotes(name) + nearestNote(name, presetNames()) +
                        " (`t3sim presets` lists all)");
}

SystemConfig readScenarioFile(JsonFile file) {
  SystemConfig config;
  if (boost::json::object* object = file.value.if_object()) {
    object->erase("$schema");
    if (const boost::json::value* preset = object->if_contains("preset")) {
      if (!preset->is_string()) {
        throw ConfigError(file.placeOf("preset"), "preset",
                          "expected the name of a preset (`t3sim presets` lists all)");
      }
      config = presetNamed(std::string(preset->get_string()), file.placeOf("preset") + ": preset")
                   .config;
      object->erase("preset");
    }
  }
  readSettings(bindSettings(config), file.value, file);
  return config;
}

std::string extensionNote(const std::string& preset) {
  return R"(; a file extends a preset with "preset": ")" + preset + R"(" in it)";
}

void dropForeignLabels(SystemConfig& scenario) {
  WorkloadConfig& work = scenario.workload;
  const auto labels = [](const WorkloadConfig& of) { return std::tie(of.model, of.sublayer); };
  const auto gemm = [](const SystemConfig& of) {
    const WorkloadConfig& its = of.workload;
    return std::tuple(of.gpus, its.rows, its.columns, its.depth, its.data_type, its.between,
                      its.consumer.columns);
  };
  bool known = false;
  for (const Preset& preset : presets()) {
    if (labels(preset.config.workload) != labels(work)) continue;
    if (gemm(preset.config) == gemm(scenario)) return;
    known = true;
  }
  if (known) work.model = work.sublayer = "";
}

void takeIdleGemm(SystemConfig& scenario) {
  if (!scenario.check() && !scenario.checkTracked()) return;
  WorkloadConfig& work = scenario.workload;
  work.model = work.sublayer = "none";
  scenario.setSmallestOutput();
}

SystemConfig loadScenario(const ScenarioSource& source) {
  SystemConfig config;
  const Setting root = bindSettings(config);
  std::string origin;
  std::optional<JsonFile> file;
  if (source.configFile) {
    origin = *source.configFile;
    file.emplace(origin);
    config = readScenarioFile(*file);
  } else {
    const Preset& preset = presetNamed(source.preset.value_or(kDefaultPreset), "--preset");
    origin = preset.name;
    config = preset.config;
  }
  if (source.machine) {
    for (const MachineSetting& setting : machineNamed(*source.machine, "--machine").settings) {
      applyAssignment(root, setting.assignment, "--machine");
    }
    origin = "--machine " + *source.machine;
  }
  // The culprit is the last assignment that broke rules which held before it.
  std::string culprit = origin;
  auto violated = crossCheckSettings(root);
  for (const ScenarioSource::Assignment& assignment : source.assignments) {
    if (!violated) culprit = assignment.option;
    applyAssignment(root, assignment.text, assignment.option);
    violated = crossCheckSettings(root);
  }
  if (violated && source.gemmIsIdle) {
    takeIdleGemm(config);
    violated = crossCheckSettings(root);
  }
  if (violated && file && culprit == file->path) culprit = file->placeOfRule(*violated);
  if (violated) throw ConfigError(culprit, "", *violated);
  config.coverTiles();
  if (!source.gemmIsIdle) readScenarioFiles(config);  // else for the GPUs that there will be
  dropForeignLabels(config);
  return config;
}

std::optional<std::string> alikeProblem(const SystemConfig& scenario, const Graph& graph) {
  if (scenario.simulated_gpus != GpuSimulation::Symmetric) return std::nullopt;
  const std::uint32_t chunks = scenario.makeRoute()->chunks();
  for (const OutputShape& shape : graph.outputs) {
    const std::string text =
        std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " elements";
    if (shape.chunked && !SymmetricLoop::chunksAreAlike(tilingOf(scenario, shape, chunks))) {
      return "expected simulated_gpus = explicit, because the chunks of " + text +
             " differ in size or in the place of their cut tiles";
    }
    if (std::ranges::count(shape.depths, shape.depths.front()) != std::ssize(shape.depths)) {
      return "expected simulated_gpus = explicit, because K of the output of " + text +
             " differs between GPUs";
    }
  }
  return std::nullopt;
}

std::string collectiveFileOf(const SystemConfig& scenario) {
  const WorkloadConfig& work = scenario.workload;
  if (!scenario.usesLibrary()) return work.collective;
  std::uint64_t bytes = std::uint64_t{work.rows} * work.columns * bytesOf(work.data_type);
  if (const auto model = ModelRun::named(work.graph)) {
    bytes = model->summedBytes(work.data_type);
  } else if (!work.graph.empty()) {
    throw ConfigError("workload.collective", "",
                      "expected none or a file with a graph from a file, whose collectives have "
                      "sizes of their own, got " +
                          inQuotes(work.collective));
  }
  return ncclAlgorithm(kAllReducePromise, scenario.gpus, bytes) + "-" +
         std::to_string(scenario.gpus);
}

namespace {

void readAlgorithm(SystemConfig& scenario) {
  const std::string path = collectiveFileOf(scenario);
  scenario.algorithm.reset();
  if (path.empty()) {
    if (scenario.fabric.graph == nullptr) return;
    if (const auto problem = scenario.check()) throw ConfigError("", "", *problem);
    return;
  }
  keepInput("workload.collective", path);
  if (scenario.usesLibrary()) {
    SystemConfig others = scenario;  // as modes run it that have collectives of their own
    others.workload.collective.clear();
    if (const auto problem = others.check()) throw ConfigError("", "", *problem);
  }
  const auto file = std::make_shared<const CollectiveFile>(path, &kAllReducePromise);
  scenario.algorithm = {file, &file->meaning()};
  try {
    if (const auto problem = scenario.check()) throw ConfigError(path, "", *problem);
  } catch (const AlgorithmError& error) {
    throw ConfigError(path, lineOf(error), error.what());
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
  if (const auto model = ModelRun::named(path)) {
    graphs = modelGraphs(*model, scenario);
  } else if (namesTrace(path)) {
    graphs = readTraceGraphs(scenario).graphs;
  } else {
    graphs.byKernels = readGraphFile(path, scenario);
    graphs.trackedSums = graphs.tracked = graphs.byKernels;
  }
  for (const ModeKind* kind : {&kSequential, &kNvls, &kT3, &kT3Ag}) {
    // What trackers do follows from what a mode sets up, too.
    checkGraph(scenario, completed(graphs.of(*kind), scenario));
  }
  if (const auto problem = alikeProblem(scenario, graphs.byKernels)) {
    throw ConfigError(path, "", *problem);
  }
  scenario.graph = std::make_shared<const FileGraphs>(std::move(graphs));
}

}  // namespace

std::vector<std::string> graphFiles(const std::string& graph) {
  if (ModelRun::named(graph)) return {};
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
  require("workload.collective", collectiveFileOf(scenario));
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
