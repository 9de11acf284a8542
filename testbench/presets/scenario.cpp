// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/scenario.h"

#include <optional>
#include <tuple>

#include "testbench/config/config_error.h"
#include "testbench/config/setting.h"
#include "testbench/presets/machines.h"
#include "testbench/presets/scenario_files.h"

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

}  // namespace t3
