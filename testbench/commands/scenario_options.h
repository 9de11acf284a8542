// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/presets/presets.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// Makes the shell complete the value of --name, KEY=VALUE, to settings.
void offerSettings(Options& options, const std::string& name);

/// --machine.
void addMachineOption(Options& options);

/// --preset, --config, --machine, --set, --data, --gpus, --seed.
void addScenarioOptions(Options& options);
/// What becomes of the GEMM of a scenario: beside a trace or a collective's file it plays no part.
enum class OwnGemm { Runs, Idle };

/// The scenario; `standard` is the preset if none is named. Throws ConfigError, also if `tracker`
/// cannot run it.
SystemConfig scenarioOf(const Options& options, TrackerKind tracker,
                        const char* standard = kDefaultPreset, OwnGemm gemm = OwnGemm::Runs);

/// Throws ConfigError if --set gives another number of GPUs than `whose` are.
void refuseOtherGpus(const Options& options, const SystemConfig& scenario, std::uint32_t gpus,
                     const std::string& whose);
/// Throws ConfigError naming `source` if the scenario breaks a rule or `tracker` cannot run it.
void checkScenario(SystemConfig& scenario, TrackerKind tracker, const std::string& source);

/// --tracker.
void addTrackerOption(Options& options);
TrackerKind trackerOf(const Options& options);

/// --mode; t3-mca if it is not given. `which` lists the choices in the help.
void addModeOption(Options& options, const std::string& which);
Mode modeOf(const Options& options);

/// Throws ConfigError if `scenario` cannot run `mode`.
void checkMode(Mode mode, const SystemConfig& scenario, const std::string& option);

/// --modes. `standard` is the list if the option is not given; "all" stands for every mode without
/// a number.
void addModesOption(Options& options, const std::string& standard);
std::vector<Mode> modesOf(const Options& options, const std::string& standard);

}  // namespace t3
