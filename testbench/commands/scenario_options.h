// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/config/options.h"
#include "testbench/presets/presets.h"
#include "testbench/simulate/crew.h"
#include "tlm/node/mode.h"
#include "tlm/node/peers.h"
#include "tlm/node/system_config.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// Makes the shell complete the value of --name, KEY=VALUE, to settings.
void offerSettings(Options& options, const std::string& name);

/// --machine.
void addMachineOption(Options& options);

/// --preset, --config, --machine, --set, --data, --gpus, --seed.
void addScenarioOptions(Options& options);
/// What becomes of the GEMM of a scenario: beside a trace or a collective's file it plays no part.
enum class OwnGemm { Runs, Idle };

/// The scenario; `standard` is the preset if none is named. Throws ConfigError.
SystemConfig scenarioOf(const Options& options, const char* standard = kDefaultPreset,
                        OwnGemm gemm = OwnGemm::Runs);

/// The GPUs of a trace (--workload, --graph) on the machine of a scenario. Throws ConfigError if
/// the user has named another number, or a machine with more GPUs than have a file.
std::uint32_t gpusOfTrace(const Options& options, const std::string& trace,
                          const SystemConfig& scenario);
/// Throws ConfigError if --set gives another number of GPUs than `whose` are.
void refuseOtherGpus(const Options& options, const SystemConfig& scenario, std::uint32_t gpus,
                     const std::string& whose);
/// Throws ConfigError naming `source` if the scenario breaks a rule.
void checkScenario(SystemConfig& scenario, const std::string& source);

/// --tracker.
void addTrackerOption(Options& options);
TrackerKind trackerOf(const Options& options);

/// --mode; t3-mca if it is not given. `which` lists the choices in the help.
void addModeOption(Options& options, const std::string& which);
Mode modeOf(const Options& options);

/// Why a tracker cannot run a mode; nothing if it can, or if the mode uses none.
std::optional<std::string> trackerProblem(Mode mode, const SystemConfig& scenario,
                                          TrackerKind tracker);
/// The same of a trace (--workload, --graph).
std::optional<std::string> traceModeProblem(Mode mode);
/// What a mode expects of a scenario, or of its graph from a file, and does not find: "expected …".
std::optional<std::string> modeProblem(Mode mode, const SystemConfig& scenario);
/// Throws ConfigError if `scenario` and `tracker` cannot run `mode`.
void checkMode(Mode mode, const SystemConfig& scenario, TrackerKind tracker,
               const std::string& option);

/// --modes; `standard` is the default list, "all" every mode without a number.
void addModesOption(Options& options, const std::string& standard);
std::vector<Mode> modesOf(const Options& options, const std::string& standard);

/// --jobs: processes at a time.
void addJobsOption(Options& options);

/// Who simulates the jobs of a command: processes of this machine, or those that `mpirun` started.
/// Null in those that have served process 0: then the command is done. To be called before anything
/// is opened.
std::unique_ptr<Crew> crewOf(const Options& options);

/// The processes that simulate a scenario together; null for one. Throws ConfigError.
std::unique_ptr<Peers> peersOf(const SystemConfig& scenario);

}  // namespace t3
