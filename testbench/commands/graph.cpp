// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "testbench/collective/graph_file.h"
#include "testbench/commands/command.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/output/output_file.h"
#include "tlm/node/graph.h"

namespace t3 {
namespace {

Options graphOptions() {
  Options options(
      "t3sim graph [OPTIONS]",
      "Writes the graph of kernels that a mode runs, which `t3sim run --graph` runs in\n"
      "the same time: a start for one's own (docs/graphs.md).");
  addScenarioOptions(options);
  addModeOption(options, alternatives(modeSpellings()));
  options.addFlag("dot", "a picture of it, for Graphviz's dot");
  options.add("write", "FILE", "the file, in place of standard output");
  return options;
}

int writeGraph(const Options& options) {
  const Mode mode = modeOf(options);
  const SystemConfig scenario = scenarioOf(options);
  if (const auto problem = modeProblem(mode, scenario)) {
    throw ConfigError("--mode", "", *problem + ", got " + inQuotes(spelling(mode)));
  }
  const Graph graph = mode.graph(mode.configured(scenario));
  if (mode.kind->ideal || graph.parts() > 1) {
    throw ConfigError("--mode", "",
                      "expected a mode that is no bound, got " + inQuotes(spelling(mode)));
  }
  const std::string text = options.has("dot") ? graphPictureOf(graph) : graphFileOf(graph);
  OutputFile("--write", options.value("write").value_or(kStandardOutput)).commit(text);
  return kDone;
}

}  // namespace

Command graphCommand() {
  return {"graph", "the graph of kernels of a mode as a file", graphOptions, writeGraph};
}

}  // namespace t3
