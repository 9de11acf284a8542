// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/presets/presets.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Where a scenario comes from: a preset or a file, which may name the preset that it extends, but
/// not both (neither means the default preset), then a machine, then assignments in their order.
struct ScenarioSource {
  struct Assignment {
    std::string option;  ///< as named in errors, "--set" or a short form like "--seed"
    std::string text;    ///< key.path=value
  };

  std::optional<std::string> preset;
  std::optional<std::string> configFile;
  std::optional<std::string> machine;
  std::vector<Assignment> assignments;
  /// Its own GEMM plays no part, so one that the other settings do not allow is no error. Nor is
  /// the number of GPUs known: whoever sets it reads the scenario's files.
  bool gemmIsIdle = false;
};

/// The preset called `name`; throws ConfigError, with the nearest one, if there is none.
const Preset& presetNamed(const std::string& name, const std::string& option);

/// The scenario of a file. Two keys of it are no settings: "preset" names the one whose values are
/// those that the file does not have, and by "$schema" editors find the schema. No rules between
/// settings are checked. Throws ConfigError.
SystemConfig readScenarioFile(JsonFile file);

/// For an error: that a file may extend a preset.
std::string extensionNote(const std::string& preset);

/// The labels of a preset (workload.model and workload.sublayer) stand for its GEMM on its GPUs:
/// takes them away from a scenario with another GEMM or other GPUs. Labels that are of no preset
/// stay.
void dropForeignLabels(SystemConfig& scenario);

/// Where a scenario's own GEMM plays no part: if the settings do not allow it on these GPUs, it
/// becomes the smallest one that they allow.
void takeIdleGemm(SystemConfig& scenario);

/// The scenario, with all its rules checked, and its labels its own. Throws ConfigError.
SystemConfig loadScenario(const ScenarioSource& source);

}  // namespace t3
