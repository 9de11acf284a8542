// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/presets/presets.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Where a scenario comes from: a preset or a file, but not both (neither means the default
/// preset), then assignments in their order.
struct ScenarioSource {
  struct Assignment {
    std::string option;  ///< as named in errors, "--set" or a short form like "--seed"
    std::string text;    ///< key.path=value
  };

  std::optional<std::string> preset;
  std::optional<std::string> configFile;
  std::vector<Assignment> assignments;
};

/// The preset called `name`; throws ConfigError, with the nearest one, if there is none.
const Preset& presetNamed(const std::string& name, const std::string& option);

/// The scenario, with all its rules checked. Throws ConfigError.
SystemConfig loadScenario(const ScenarioSource& source);

}  // namespace t3
