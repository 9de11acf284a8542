// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <utility>
#include <vector>

#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/explanation.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/text.h"
#include "testbench/workload/workload.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// What stands above the presets of one model and number of GPUs.
std::string headingOf(const Preset& preset) {
  const std::string gpus = std::to_string(preset.config.gpus) + " GPUs";
  if (preset.hidden == 0) return "Small ones for tests, on " + gpus;
  return preset.config.workload.model + " on " + gpus + ": hidden size " +
         std::to_string(preset.hidden) + ", " + std::to_string(preset.layers) + " layers" +
         (preset.config.fabric.hasNodes()
              ? ", nodes of " + std::to_string(preset.config.fabric.gpus_per_node)
              : "") +
         (preset.pair        ? "; two GEMMs with a norm between them"
          : preset.evaluated ? ""
                             : " (not in the paper)");
}

std::string listText() {
  constexpr std::size_t kWidth = 80;
  std::string group;
  TextTable list;
  list.add({"", "rows", "columns", "K"});
  std::vector<std::pair<std::string, std::string>> roles;
  for (const Preset& preset : presets()) {
    const WorkloadConfig& work = preset.config.workload;
    if (const std::string heading = headingOf(preset); heading != group) {
      if (!group.empty()) list.add({""});
      list.add({heading});
      group = heading;
    }
    std::vector<std::string> line = {"  " + preset.name, std::to_string(work.rows),
                                     std::to_string(work.columns), std::to_string(work.depth)};
    if (preset.hidden == 0) line.push_back(preset.summary);
    list.add(std::move(line));
    const std::pair role(work.sublayer, preset.role);
    if (preset.hidden != 0 && std::ranges::find(roles, role) == roles.end()) roles.push_back(role);
  }
  std::string text = list.text() + "\n";
  for (const auto& [sublayer, role] : roles) text += sublayer + ": " + role + "\n";
  text += wrapped(std::string("Each is the GEMM of one sublayer under tensor parallelism and the "
                              "all-reduce that follows. Rows and columns are those of its output; "
                              "K is the depth that each GPU has of it. Default: ") +
                      kDefaultPreset +
                      ". t3sim presets --show NAME prints one in full, fit for --config.",
                  kWidth);
  text += "\nIterations of training, for --graph and --workload, on the machine of a preset:\n";
  std::size_t longest = 0;
  for (const ShippedIteration& one : shippedIterations()) {
    longest = std::max(longest, std::string_view(one.name).size());
  }
  for (const ShippedIteration& one : shippedIterations()) {
    std::string name = one.name;
    name.resize(longest + 2, ' ');
    text += "  " + name + one.summary + ", on " + one.preset + "\n";
  }
  return text;
}

json::value listJson() {
  json::array list;
  for (const Preset& preset : presets()) {
    const WorkloadConfig& work = preset.config.workload;
    list.push_back({{"name", preset.name},
                    {"summary", preset.summary},
                    {"model", work.model},
                    {"sublayer", work.sublayer},
                    {"layers", preset.layers},
                    {"gpus", preset.config.gpus},
                    {"rows", work.rows},
                    {"columns", work.columns},
                    {"depth", work.depth},
                    {"consumer_columns", work.consumer.columns}});
  }
  json::array iterations;
  for (const ShippedIteration& iteration : shippedIterations()) {
    iterations.push_back({{"name", iteration.name},
                          {"summary", iteration.summary},
                          {"preset", iteration.preset},
                          {"gpus", iteration.gpus}});
  }
  return {{"schema", "t3sim-presets/1"},
          {"presets", std::move(list)},
          {"iterations", std::move(iterations)}};
}

Options presetsOptions() {
  Options options("t3sim presets [OPTIONS]", "Lists the scenarios that ship with the program.");
  options.add("show", "NAME", "print the whole scenario as JSON");
  options.offer("show", presetNames());
  options.addOptionalValue("json", "[FILE]", kStandardOutput, "as JSON, to a file if one is named");
  options.addFlag("document", "print docs/configuration.md: every setting, every preset");
  return options;
}

int runPresets(const Options& options) {
  if (options.has("document") && (options.has("show") || options.has("json"))) {
    throw ConfigError("--document", "", "expected neither --show nor --json with it");
  }
  std::string text;
  if (const auto name = options.value("show")) {
    text = formatJson(toJson(presetNamed(*name, "--show").config));
  } else if (options.has("document")) {
    text = configurationDocument();
  } else {
    text = options.has("json") ? formatJson(listJson()) : listText();
  }
  if (const auto path = options.value("json")) {
    OutputFile("--json", *path).commit(text);
  } else {
    std::cout << text;
  }
  return kDone;
}

}  // namespace

Command presetsCommand() {
  return {"presets", "the scenarios that ship; --show NAME prints one", presetsOptions, runPresets};
}

namespace {

Options explainOptions() {
  Options options("t3sim explain [KEY...] [OPTIONS]",
                  "What settings are: default, legal values, meaning, and the presets that set\n"
                  "another value. KEY is a setting (hbm.channels), a group of them (hbm.mca) or\n"
                  "a part of names (lag). Without one, all settings and their defaults.");
  options.offer("", settingPaths());
  options.takeOperands();
  return options;
}

int runExplain(const Options& options) {
  std::vector<std::string> keys = options.operands();
  if (keys.empty()) keys.emplace_back();
  std::string text;
  for (const std::string& key : keys) text += explanation(key);
  std::cout << text;
  return kDone;
}

}  // namespace

Command explainCommand() {
  return {"explain", "what a setting is, and what is legal", explainOptions, runExplain};
}

}  // namespace t3
