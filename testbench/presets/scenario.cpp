// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/scenario.h"

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/setting.h"

namespace t3 {

const Preset& presetNamed(const std::string& name, const std::string& option) {
  const Preset* preset = findPreset(name);
  if (preset != nullptr) return *preset;
  std::vector<std::string> names;
  for (const Preset& known : presets()) names.push_back(known.name);
  throw ConfigError(option, "",
                    "unknown preset " + inQuotes(name) + "; the nearest is '" +
                        nearest(name, names) + "' (`t3sim presets` lists all)");
}

SystemConfig loadScenario(const ScenarioSource& source) {
  SystemConfig config;
  const Setting root = bindSettings(config);
  std::string origin;
  if (source.configFile) {
    origin = *source.configFile;
    boost::json::value file = parseJsonFile(origin);
    // By this key editors find the schema (t3sim schema scenario).
    if (file.is_object()) file.as_object().erase("$schema");
    readSettings(root, file, origin);
  } else {
    const Preset& preset = presetNamed(source.preset.value_or(kDefaultPreset), "--preset");
    origin = preset.name;
    config = preset.config;
  }
  // The culprit is the last assignment that broke rules which held before it.
  std::string culprit = origin;
  auto violated = crossCheckSettings(root);
  for (const ScenarioSource::Assignment& assignment : source.assignments) {
    if (!violated) culprit = assignment.option;
    applyAssignment(root, assignment.text, assignment.option);
    violated = crossCheckSettings(root);
  }
  if (violated) throw ConfigError(culprit, "", *violated);
  return config;
}

}  // namespace t3
