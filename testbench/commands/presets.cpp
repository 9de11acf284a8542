// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/presets.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>

#include "testbench/commands/command.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/options.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/document.h"
#include "testbench/presets/scenario.h"

namespace t3 {
namespace {

namespace json = boost::json;

std::string listText() {
  std::string text;
  for (const Preset& preset : presets()) {
    std::string line = preset.name;
    line.resize(std::max<std::size_t>(line.size() + 2, 22), ' ');
    text += line + preset.summary + "\n";
  }
  return text + "\nt3sim presets --show NAME prints one in full, fit for --config.\n";
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
                    {"depth", work.depth}});
  }
  return {{"schema", "t3sim-presets/1"}, {"presets", std::move(list)}};
}

int run(const std::vector<std::string>& words) {
  Options options("t3sim presets [OPTIONS]", "Lists the scenarios that ship with the program.");
  options.add("show", "NAME", "print the whole scenario as JSON");
  options.addOptionalValue("json", "[FILE]", kStandardOutput, "as JSON, to a file if one is named");
  options.addFlag("document", "print docs/configuration.md: every setting, every preset");
  if (!options.parse(words)) return kDone;

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
  return {"presets", "the scenarios that ship; --show NAME prints one", run};
}

}  // namespace t3
