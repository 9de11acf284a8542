// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/scenario_options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "testbench/config/config_error.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/parallel/mpi_session.h"
#include "testbench/presets/explanation.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "testbench/workload/model_graph.h"
#include "testbench/workload/trace_graph.h"
#include "testbench/workload/workload.h"
#include "tlm/collectives/collective.h"
#include "tlm/node/graph.h"
#include "tlm/node/output_plan.h"
#include "tlm/node/tracker_plan.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3 {
namespace {

Mode readMode(const std::string& word, const std::string& option) {
  Mode mode;
  if (!readSpelling(word, mode)) {
    throw ConfigError(option, "",
                      "expected " + alternatives(modeSpellings()) + ", got " + inQuotes(word) +
                          nearestNote(word, modeSpellings()));
  }
  return mode;
}

/// As they are typed, up to the number of those that take one.
std::vector<std::string> modeWords() {
  std::vector<std::string> words = modeSpellings();
  for (std::string& word : words) {
    if (word.ends_with(":K")) word.pop_back();
  }
  return words;
}

}  // namespace

void addMachineOption(Options& options) {
  options.add("machine", "NAME",
              "settings of a published machine, applied before --set: " +
                  alternatives(machineNames()) + " (docs/silicon.md, docs/paper-machine.md)");
  options.offer("machine", machineNames());
}

void addScenarioOptions(Options& options) {
  options.add("preset", "NAME",
              std::string("a scenario that ships (t3sim presets); default ") + kDefaultPreset);
  options.add("config", "FILE",
              "a scenario in JSON, comments allowed (t3sim presets --show); its key "
              "\"preset\" names one that it extends");
  addMachineOption(options);
  options.addRepeatable(
      "set", "KEY=VALUE",
      "change one setting, e.g. link.latency_ns=700 or =0.7us; may be given several times, for any "
      "setting (t3sim explain)");
  options.add(
      "graph", "FILE",
      "a graph of kernels that runs in place of the mode's own (docs/graphs.md), or a trace "
      "as for --workload, all on one machine; short for --set workload.graph=FILE");
  options.add("model", "NAME",
              "the prefill of a model as a graph: " + alternatives(modelNames()) +
                  " (docs/models.md); short, with the next three, for --set "
                  "workload.graph=NAME/SCHEDULE/TOKENS/SEQUENCE");
  options.add("schedule", "HOW", alternatives(spellings<Schedule>()) + "; default dense");
  options.add("tokens", "N", "of all sequences together; default 4096");
  options.add("sequence", "N", "tokens of a sequence; default all");
  options.add("workload-layers", "N",
              "of a trace or a model: the first N layers only; short for --set trace.layers=N; "
              "default of a trace all, of a model 3, which stand for all");
  options.add("data", "KIND", "elided or checked; short for --set data=KIND");
  options.add("gpus", "HOW",
              "explicit: all GPUs are simulated (the default); symmetric: one stands for all, with "
              "elided data; short for --set simulated_gpus=HOW");
  options.add("seed", "N", "of the operands of checked data; short for --set seed=N");
  options.offer("preset", presetNames());
  offerSettings(options, "set");
  options.offer("graph", iterationNames());
  options.offer("model", modelNames());
  options.offer("schedule", spellings<Schedule>());
  options.offer("data", spellings<DataMode>());
  options.offer("gpus", spellings<GpuSimulation>());
}

void offerSettings(Options& options, const std::string& name) {
  std::vector<std::string> words = settingPaths();
  for (std::string& word : words) word += '=';
  options.offer(name, std::move(words));
}

namespace {

/// What --model, --schedule and --tokens are short for.
std::optional<std::string> modelOf(const Options& options) {
  const auto model = options.value("model");
  if (!model) {
    for (const char* other : {"schedule", "tokens", "sequence"}) {
      if (options.has(other)) {
        throw ConfigError(std::string("--") + other, "", "expected --model with it");
      }
    }
    return std::nullopt;
  }
  if (options.has("graph")) {
    throw ConfigError("--model", "", "expected either --model or --graph, got both");
  }
  if (const auto names = modelNames(); std::ranges::find(names, *model) == names.end()) {
    throw ConfigError("--model", "",
                      "unknown model " + inQuotes(*model) + nearestNote(*model, names) +
                          "; there is " + alternatives(names));
  }
  std::string word = *model + "/" + options.value("schedule").value_or("dense") + "/" +
                     options.value("tokens").value_or("4096");
  if (const auto sequence = options.value("sequence")) word += "/" + *sequence;
  return word;
}

}  // namespace

SystemConfig scenarioOf(const Options& options, const char* standard, OwnGemm gemm) {
  if (options.has("preset") && options.has("config")) {
    throw ConfigError(
        "--preset", "",
        "expected either --preset or --config, got both" + extensionNote(*options.value("preset")));
  }
  const auto gpus = options.value("gpus");
  if (gpus && !fromSpelling<GpuSimulation>(*gpus)) {
    throw ConfigError("--gpus", "",
                      "expected " + alternatives(spellings<GpuSimulation>()) + ", got " +
                          inQuotes(*gpus) + " (their number is --set gpus=N)");
  }
  const auto model = modelOf(options);
  const auto graph = model ? model : options.value("graph");
  const bool trace = graph && !model && namesTrace(*graph);
  if (trace && shippedAs(*graph) != nullptr) standard = shippedAs(*graph)->preset;
  ScenarioSource source{options.value("preset").value_or(standard),
                        options.value("config"),
                        options.value("machine"),
                        {},
                        trace || model || gemm == OwnGemm::Idle};
  if (source.configFile) keepInput("--config", *source.configFile);
  for (const std::string& assignment : options.all("set")) {
    source.assignments.push_back({"--set", assignment});
  }
  for (const char* key : {"data", "seed"}) {
    if (const auto value = options.value(key)) {
      source.assignments.push_back({std::string("--") + key, std::string(key) + "=" + *value});
    }
  }
  if (graph) {
    source.assignments.push_back({model ? "--model" : "--graph", "workload.graph=" + *graph});
  }
  if (const auto layers = options.value("workload-layers")) {
    if (!trace && !model && gemm == OwnGemm::Runs) {
      throw ConfigError("--workload-layers", "",
                        "expected a trace or a model with it (--graph, --model, --workload)");
    }
    source.assignments.push_back({"--workload-layers", "trace.layers=" + *layers});
  }
  if (gpus) source.assignments.push_back({"--gpus", "simulated_gpus=" + *gpus});
  SystemConfig scenario = loadScenario(source);
  if (gemm == OwnGemm::Idle) return scenario;
  if (model) {
    takeIdleGemm(scenario);
    checkScenario(scenario, "--model");
  }
  if (!trace) return scenario;
  scenario.gpus = gpusOfTrace(options, *graph, scenario);
  takeIdleGemm(scenario);
  checkScenario(scenario, "--graph");
  for (const std::string& note : readTraceGraphs(scenario).notes) {
    std::cerr << "t3sim: " << *graph << ": " << note << '\n';
  }
  return scenario;
}

std::uint32_t gpusOfTrace(const Options& options, const std::string& trace,
                          const SystemConfig& scenario) {
  const std::uint32_t gpus = traceGpus(trace, scenario.gpus);
  refuseOtherGpus(options, scenario, gpus, "the files of " + trace);
  if (scenario.gpus == gpus || shippedAs(trace) != nullptr) return gpus;
  // A file that is missing must not make another machine.
  for (const char* option : {"machine", "config", "preset"}) {
    const auto named = options.value(option);
    if (!named) continue;
    throw ConfigError(trace, "",
                      "expected the files of " + std::to_string(scenario.gpus) + " GPUs, which --" +
                          option + " " + *named + " has, got " + std::to_string(gpus) +
                          ", the last one " + Workload::filesOf(trace).back() +
                          " (--set gpus=" + std::to_string(gpus) + " if this is all)");
  }
  return gpus;
}

void refuseOtherGpus(const Options& options, const SystemConfig& scenario, std::uint32_t gpus,
                     const std::string& whose) {
  if (scenario.gpus == gpus) return;
  for (const std::string& assignment : options.all("set")) {
    if (!assignment.starts_with("gpus=")) continue;
    throw ConfigError("--set", "gpus",
                      "expected " + std::to_string(gpus) + ", " + whose + ", got " +
                          std::to_string(scenario.gpus));
  }
}

void checkScenario(SystemConfig& scenario, const std::string& source) {
  if (const auto violated = crossCheckSettings(bindSettings(scenario))) {
    throw ConfigError(source, "", *violated);
  }
  readScenarioFiles(scenario);
}

void addTrackerOption(Options& options) {
  options.add(
      "tracker", "KIND",
      "rtl (default), model (its behavioural twin), lockstep (both, compared) or netlist (of "
      "standard cells, compared with the RTL in every clock: only in t3sim_netlist)");
  std::vector<std::string> kinds = spellings<TrackerKind>();
  if (!hasNetlist()) std::erase(kinds, spelling(TrackerKind::Netlist));
  options.offer("tracker", std::move(kinds));
}

TrackerKind trackerOf(const Options& options) {
  const TrackerKind kind =
      options.value("tracker", choiceOf<TrackerKind>).value_or(TrackerKind::Rtl);
  if (kind == TrackerKind::Netlist && !hasNetlist()) {
    throw ConfigError("--tracker netlist", "",
                      "expected the program t3sim_netlist, made by cmake --build build/release "
                      "--target t3sim_netlist; this one has no netlist");
  }
  return kind;
}

void addModesOption(Options& options, const std::string& standard) {
  const std::string note = standard == "all" ? " (the ones without K)" : "";
  options.add("modes", "LIST",
              "of " + alternatives(modeSpellings()) + ", with commas; default " + standard + note);
  std::vector<std::string> words = modeWords();
  words.emplace_back("all");
  options.offer("modes", std::move(words));
}

std::vector<Mode> modesOf(const Options& options, const std::string& standard) {
  const std::string list = options.value("modes").value_or(standard);
  std::vector<Mode> modes;
  if (list == "all") return modesWithoutNumber();
  for (const std::string& word : split(list, ',')) {
    const Mode mode = readMode(word, "--modes");
    if (std::ranges::find(modes, mode) != modes.end()) {
      throw ConfigError("--modes", "", inQuotes(word) + " occurs twice");
    }
    modes.push_back(mode);
  }
  return modes;
}

void addModeOption(Options& options, const std::string& which) {
  options.add("mode", "MODE", which + "; default " + spelling(Mode(Mode::T3Mca)));
  options.offer("mode", modeWords());
}

Mode modeOf(const Options& options) {
  return options.value("mode", readMode).value_or(Mode::T3Mca);
}

std::optional<std::string> trackerProblem(Mode mode, const SystemConfig& scenario,
                                          TrackerKind tracker) {
  if (!mode.simulated().tracked) return std::nullopt;
  if (auto problem = mode.configured(scenario).checkTracked()) return problem;
  const auto problem = checkTracker(tracker, scenario.tracker);
  if (!problem) return std::nullopt;
  return "--tracker " + spelling(tracker) + ": tracker." + *problem +
         "; --tracker model, the behavioural twin, takes any";
}

namespace {

/// The same of `workload.graph`.
std::optional<std::string> graphProblem(Mode mode, const SystemConfig& scenario) {
  if (namesTrace(scenario.workload.graph)) {
    if (auto problem = traceModeProblem(mode)) return problem;
  }
  if (mode.kind->ideal) return "expected a mode that is no bound with workload.graph";
  const SystemConfig config = mode.configured(scenario);
  const Graph graph = mode.graph(config);
  if (auto problem = alikeProblem(config, graph)) return problem;
  if (!graph.trackings.empty() && !mode.kind->tracked) {
    return "expected t3, t3-mca or t3-ag, because " +
           inQuotes(graph.nodes[graph.firstOf(graph.trackings.front())].name) +
           " of workload.graph is done by trackers";
  }
  for (const GraphNode& node : graph.nodes) {
    const auto* work = node.as<CollectiveWork>();
    if (work == nullptr) continue;
    if (work->holdsUnits() && mode.kind->takesNumber) {
      return "expected a mode without K, because " + inQuotes(node.name) +
             " of workload.graph holds compute units";
    }
    if (servedBySwitch(*work->collective) && !config.merges()) {
      return "expected fabric.topology = switch with switch.merge for " + inQuotes(node.name) +
             " of workload.graph, by loads";
    }
  }
  const auto route = config.makeRoute();
  for (const Tracking& tracking : graph.trackings) {
    const Tiling tiling =
        tilingOf(config, graph.outputs[graph.outputOf(tracking)], route->chunks());
    const std::uint32_t rows =
        (tracking.use.releases || tracking.use.norms ? tiling.tilesDown() : 0) +
        (tracking.use.norms ? tiling.mostTilesOfAChunk() / tiling.tilesAcross() : 0);
    if (rows > config.tracker.rows) {
      return "expected tracker.rows of at least " + std::to_string(rows) +
             " for workload.graph, got " + std::to_string(config.tracker.rows);
    }
    if (auto problem = checkPlan(config.tracker, *route, tiling, tracking.use)) return problem;
    const std::uint32_t needed =
        slotsNeeded(*route, tiling, config.tracker.block_log2, tracking.use);
    if (needed > config.tracker.slots) {
      return "expected tracker.slots of at least " + std::to_string(needed) +
             " for workload.graph, got " + std::to_string(config.tracker.slots);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> traceModeProblem(Mode mode) {
  const std::array able = {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::T3Ag};
  if (std::ranges::find(able, mode) != able.end()) return std::nullopt;
  std::vector<std::string> words;
  for (const Mode& one : able) words.push_back(spelling(one));
  return "expected " + alternatives(words) + " with a trace";
}

std::optional<std::string> modeProblem(Mode mode, const SystemConfig& scenario) {
  if (scenario.graph != nullptr) return graphProblem(mode, scenario);
  if (mode.kind->check == nullptr) return std::nullopt;
  return mode.kind->check(scenario, mode.number);
}

void checkMode(Mode mode, const SystemConfig& scenario, TrackerKind tracker,
               const std::string& option) {
  const ModeKind& simulated = mode.simulated();
  if (scenario.workload.repeat > 1 && !simulated.repeats && !simulated.ideal) {
    throw ConfigError(option, "",
                      "expected a mode that runs several sublayers, because workload.repeat is " +
                          std::to_string(scenario.workload.repeat) + ", got " +
                          inQuotes(spelling(mode)));
  }
  if (const auto problem = scenario.checkBuiltIn()) throw ConfigError(option, "", *problem);
  if (const auto problem = trackerProblem(mode, scenario, tracker)) {
    throw ConfigError(option + " " + spelling(mode), "", *problem);
  }
  if (const auto problem = modeProblem(mode, scenario)) {
    throw ConfigError(option, "", *problem + ", got " + inQuotes(spelling(mode)));
  }
}

void addJobsOption(Options& options) {
  options.add("jobs", "N",
              "processes at a time; default one per core. Not with mpirun, whose -n says how many");
}

std::unique_ptr<Crew> crewOf(const Options& options) {
  const auto jobs = options.value("jobs", WholeNumber{1, 1024});
  if (jobs && mpiLaunch().count > 1) {
    throw ConfigError("--jobs", "", "expected one process, not mpirun");
  }
  if (std::unique_ptr<Post> post = mpiPost(); post != nullptr && post->count() > 1) {
    if (post->self() == 0) return std::make_unique<DealtCrew>(std::move(post));
    serveJobs(*post);
    return nullptr;
  }
  return std::make_unique<LocalCrew>(
      jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));
}

std::unique_ptr<Peers> peersOf(const SystemConfig& scenario) {
  const auto check = [&scenario](std::uint32_t processes) {
    if (processes > 1 && scenario.leavesOut() && scenario.data == DataMode::Checked) {
      throw ConfigError("mpirun", "-n",
                        "expected 1 with workload.contributions and data = checked, because a "
                        "process does not know whose contributions the GPUs of others have added");
    }
    if (processes <= std::max(1U, scenario.simulatedGpus())) return;
    throw ConfigError("mpirun", "-n",
                      "expected at most one process for each simulated GPU, here " +
                          std::to_string(scenario.simulatedGpus()));
  };
  check(mpiLaunch().count);  // not every launcher's environment says it
  std::unique_ptr<Peers> peers = mpiPeers();
  if (peers == nullptr || peers->count() == 1) return nullptr;
  check(peers->count());
  return peers;
}

}  // namespace t3
