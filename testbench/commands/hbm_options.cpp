// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/hbm_options.h"

#include <boost/describe/class.hpp>
#include <optional>

#include "testbench/config/config_error.h"
#include "testbench/config/setting.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/explanation.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "tlm/hbm/hbm_standard.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

/// The settings of a scenario that matter here, under the same keys. Any other key is an error:
/// nobody would notice that a setting has no effect.
struct MemoryScenario {
  HbmConfig hbm;

  static constexpr auto settings() { return std::tuple{settingGroup(&MemoryScenario::hbm, "hbm")}; }
};

std::vector<std::string> standards() {
  std::vector<std::string> names;
  for (const HbmStandard* standard : HbmStandard::table()) names.emplace_back(standard->name);
  return names;
}

HbmConfig presetMemory(const std::string& name) {
  if (const HbmStandard* standard = Choice<HbmStandard>::find(name)) return standard->config;
  if (const Preset* preset = findPreset(name)) return preset->config.hbm;
  std::vector<std::string> names = standards();
  for (const std::string& known : presetNames()) names.push_back(known);
  throw ConfigError("--preset", "",
                    "unknown preset " + inQuotes(name) + nearestNote(name, names) +
                        "; memories are " + alternatives(standards()));
}

}  // namespace

void addMemoryOptions(Options& options, const std::string& defaultPreset) {
  options.add("preset", "NAME",
              alternatives(standards()) +
                  ", or a scenario (t3sim presets) for its memory; default " + defaultPreset);
  options.add("config", "FILE", "a scenario in JSON, for its memory");
  options.addRepeatable("set", "KEY=VALUE", "change one setting, e.g. hbm.page_policy=closed");
  std::vector<std::string> names = standards();
  for (const std::string& name : presetNames()) names.push_back(name);
  options.offer("preset", std::move(names));
  std::vector<std::string> settings;
  for (const std::string& path : settingPaths()) {
    if (path.starts_with("hbm.")) settings.push_back(path + "=");
  }
  options.offer("set", std::move(settings));
}

HbmConfig memoryOf(const Options& options, const std::string& defaultPreset) {
  if (options.has("preset") && options.has("config")) {
    throw ConfigError("--preset", "",
                      "expected either --preset or --config, got both" +
                          (findPreset(*options.value("preset")) != nullptr
                               ? extensionNote(*options.value("preset"))
                               : std::string()));
  }
  MemoryScenario scenario;
  std::string origin = "--preset";
  std::optional<JsonFile> given;
  if (const auto file = options.value("config")) {
    keepInput("--config", *file);
    // All keys are known and in range; rules between settings are asked of the memory only.
    given.emplace(*file);
    scenario.hbm = readScenarioFile(*given).hbm;
    origin = *file;
  } else {
    scenario.hbm = presetMemory(options.value("preset").value_or(defaultPreset));
  }
  const Setting root = bindSettings(scenario);
  auto violated = crossCheckSettings(root);
  for (const std::string& assignment : options.all("set")) {
    if (!violated) origin = "--set";
    applyAssignment(root, assignment, "--set");
    violated = crossCheckSettings(root);
  }
  if (violated && given && origin == given->path) origin = given->placeOfRule(*violated);
  if (violated) throw ConfigError(origin, "", *violated);
  return scenario.hbm;
}

}  // namespace t3
