// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/scenario.h"

#include <tuple>

#include "testbench/collective/sublayer_file.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"
#include "testbench/presets/machines.h"

namespace t3 {

const Preset& presetNamed(const std::string& name, const std::string& option) {
  const Preset* preset = findPreset(name);
  if (preset != nullptr) return *preset;
  throw ConfigError(option, "",
                    "unknown preset " + inQuotes(name) + nearestNote(name, presetNames()) +
                        " (`t3sim presets` lists all)");
}

SystemConfig readScenarioFile(const std::string& path) {
  SystemConfig config;
  boost::json::value file = parseJsonFile(path);
  if (boost::json::object* object = file.if_object()) {
    object->erase("$schema");
    if (const boost::json::value* preset = object->if_contains("preset")) {
      if (!preset->is_string()) {
        throw ConfigError(path, "preset",
                          "expected the name of a preset (`t3sim presets` lists all)");
      }
      config = presetNamed(std::string(preset->get_string()), path + ": preset").config;
      object->erase("preset");
    }
  }
  readSettings(bindSettings(config), file, path);
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
  if (!scenario.check()) return;
  WorkloadConfig& work = scenario.workload;
  work.model = work.sublayer = "none";
  scenario.setSmallestOutput();
}

SystemConfig loadScenario(const ScenarioSource& source) {
  SystemConfig config;
  const Setting root = bindSettings(config);
  std::string origin;
  if (source.configFile) {
    origin = *source.configFile;
    config = readScenarioFile(origin);
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
  if (violated) throw ConfigError(culprit, "", *violated);
  readSublayerFile(config);
  dropForeignLabels(config);
  return config;
}

}  // namespace t3
