// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/presets/presets.h"
#include "tlm/node/mode.h"
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

/// The scenario of a file. Two keys are no settings: "preset" names the one that the file extends,
/// and by "$schema" editors find the schema. Checks no rules between settings. Throws ConfigError.
SystemConfig readScenarioFile(JsonFile file);

/// For an error: that a file may extend a preset.
std::string extensionNote(const std::string& preset);

/// Takes the labels of a preset (workload.model and workload.sublayer) away from a scenario with
/// another GEMM or other GPUs. Labels of no preset stay.
void dropForeignLabels(SystemConfig& scenario);

/// A scenario's own GEMM, which plays no part, becomes the smallest one if it is not allowed.
void takeIdleGemm(SystemConfig& scenario);

/// The scenario, with all its rules checked, and its labels its own. Throws ConfigError.
SystemConfig loadScenario(const ScenarioSource& source);

/// The file, or the name of the algorithm, that `workload.collective` stands for; "" if it is
/// empty. Throws ConfigError if it is `nccl` and a file has the graph.
std::string collectiveFileOf(const SystemConfig& scenario);

/// Reads the files that the scenario names: `fabric.links`, `workload.collective` into `algorithm`
/// and `workload.graph` into `graph`. Throws ConfigError if a file is wrong or does not fit the
/// scenario.
void readScenarioFiles(SystemConfig& scenario);
/// Why one GPU does not stand for all that run a graph, in words that follow the file's name;
/// nothing if it does, or need not.
std::optional<std::string> alikeProblem(const SystemConfig& scenario, const Graph& graph);

/// The files of a `workload.graph`: of a trace several, of one that ships none.
std::vector<std::string> graphFiles(const std::string& graph);
/// Throws ConfigError if the processes that simulate the scenario could not read these files.
void requireReadableByJobs(const SystemConfig& scenario);

/// Throws ConfigError unless `mode` can run a collective from a file alone (`with`).
void requireTakesFile(Mode mode, const std::string& option, const std::string& with);

}  // namespace t3
