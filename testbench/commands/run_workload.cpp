// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/run_workload.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "testbench/collective/collective_file.h"
#include "testbench/commands/command.h"
#include "testbench/commands/crew_options.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/scenario.h"
#include "testbench/workload/iteration_timeline.h"
#include "testbench/workload/meetings.h"
#include "testbench/workload/shipped_iterations.h"
#include "testbench/workload/work_plan.h"
#include "testbench/workload/workload.h"
#include "testbench/workload/workload_report.h"
#include "testbench/workload/workload_run.h"

namespace t3 {
namespace {

void checkModes(const std::vector<Mode>& modes, const std::string& option) {
  const std::array able = {Mode::Sequential, Mode::T3, Mode::T3Mca, Mode::T3Ag};
  std::vector<std::string> words;
  for (const Mode& mode : able) words.push_back(spelling(mode));
  for (const Mode mode : modes) {
    if (std::ranges::find(able, mode) != able.end()) continue;
    throw ConfigError(
        option, "",
        "expected " + alternatives(words) + " with --workload, got " + inQuotes(spelling(mode)));
  }
}

/// What records one simulation has nothing to record here: there are many.
void refuseRecordings(const Options& options) {
  for (const char* option : {"command-trace", "transactions", "wave", "timeline-scope",
                             "timeline-window", "timeline-sample"}) {
    if (!options.has(option)) continue;
    throw ConfigError(std::string("--") + option, "", "expected no --workload beside it");
  }
}

/// A file that is missing must not make another machine: throws ConfigError if the user has named a
/// scenario with other GPUs than those that have a file.
void refuseMissingFiles(const Options& options, const SystemConfig& scenario,
                        const std::vector<std::string>& files) {
  if (scenario.gpus == files.size()) return;
  for (const char* option : {"machine", "config", "preset"}) {
    const auto named = options.value(option);
    if (!named) continue;
    throw ConfigError(*options.value("workload"), "",
                      "expected the files of " + std::to_string(scenario.gpus) + " GPUs, which --" +
                          option + " " + *named + " has, got " + std::to_string(files.size()) +
                          ", the last one " + files.back() +
                          " (--set gpus=" + std::to_string(files.size()) + " if this is all)");
  }
}

/// The scenario with the GPUs of the trace. Its own GEMM plays no part; one that the settings do
/// not allow becomes one that they do.
SystemConfig scenarioFor(const Options& options, const Workload& workload,
                         const std::vector<std::string>& files, SystemConfig scenario) {
  const std::uint32_t gpus = workload.gpus();
  refuseOtherGpus(options, scenario, gpus, "the files of " + *options.value("workload"));
  if (workload.numbered()) refuseMissingFiles(options, scenario, files);
  if (!scenario.gpusAreEqual()) {
    throw ConfigError("--workload", "",
                      "expected GPUs without settings of their own, and workload.shares = equal");
  }
  if (!scenario.workload.collective.empty()) {
    throw ConfigError("--workload", "workload.collective",
                      "expected none: pairs have the built-in collectives");
  }
  if (!scenario.workload.graph.empty()) {
    throw ConfigError("--workload", "workload.graph",
                      "expected none: the trace says which kernels run");
  }
  if (scenario.fabric.topology == Topology::Links) {
    throw ConfigError("--workload", "fabric.topology",
                      "expected any but links: messages and pairs have the built-in routes");
  }
  if (gpus < 2) return scenario;
  scenario.gpus = gpus;
  takeIdleGemm(scenario);
  checkScenario(scenario, "--workload");
  return scenario;
}

/// The iteration that a word names which is no file.
const ShippedIteration* shippedAs(const std::string& word) {
  std::error_code absent;
  return std::filesystem::exists(word, absent) ? nullptr : findIteration(word);
}

CollectiveFiles collectiveFilesOf(const Options& options) {
  CollectiveFiles files;
  if (const auto path = options.value("collective")) {
    keepInput("--collective", *path);
    requireReadableAgain("--collective", *path);  // by the processes that simulate parts
    const CollectiveFile file(*path);
    files[{file.algorithm().promise, file.algorithm().gpuCount()}] = *path;
  }
  return files;
}

}  // namespace

void addWorkloadOptions(Options& options) {
  options.add("workload", "FILE",
              "run an iteration from a Chakra trace: PREFIX.0.et of PREFIX.N.et, one file for all "
              "GPUs, or the name of one that ships (t3sim presets); --collective then gives an "
              "algorithm for its collectives (docs/workloads.md)");
  std::vector<std::string> names;
  for (const ShippedIteration& iteration : shippedIterations()) names.emplace_back(iteration.name);
  options.offer("workload", std::move(names));
  options.add("workload-groups", "FILE",
              "groups of its GPUs as JSON, {\"1\": [0, 1], …}; default: those in the trace");
}

bool hasWorkload(const Options& options) { return options.hasWithItsCompanions("workload"); }

int runWorkload(const Options& options, const std::string& command,
                const std::vector<Mode>& modes) {
  const std::unique_ptr<Crew> crew = crewOf(options);
  if (crew == nullptr) return kDone;
  const std::string modeOption = command == "run" ? "--mode" : "--modes";
  checkModes(modes, modeOption);
  const bool draws = command == "run";
  if (draws) refuseRecordings(options);
  const TrackerKind tracker = trackerOf(options);
  const std::string path = *options.value("workload");
  const ShippedIteration* shipped = shippedAs(path);
  const SystemConfig asked =
      scenarioOf(options, shipped != nullptr ? shipped->preset : kDefaultPreset, OwnGemm::Idle);
  WorkloadReport report;
  report.files = shipped != nullptr ? std::vector{path} : Workload::filesOf(path);
  for (const std::string& file : report.files) {
    if (shipped == nullptr) keepInput("--workload", file);
  }
  const bool ignoreMissing = asked.trace.missing_dependency == MissingDependency::Ignore;
  const Workload workload = shipped != nullptr ? Workload(*shipped, ignoreMissing)
                                               : Workload(path, asked.gpus, ignoreMissing);
  report.scenario = scenarioFor(options, workload, report.files, asked);
  for (const Mode mode : modes) checkMode(mode, report.scenario, tracker, modeOption);
  GroupTable groups;
  if (const auto file = options.value("workload-groups")) {
    keepInput("--workload-groups", *file);
    groups = readGroupFile(*file);
  }
  const Meetings meetings(workload, groups);
  const WorkPlan plan = planWork(workload, meetings, report.scenario, collectiveFilesOf(options));
  ReportFiles files(options, command);
  std::optional<TraceEvents> timeline;
  if (draws && options.has("timeline")) {
    timeline.emplace(
        "--timeline", *options.value("timeline"),
        path + " on " + std::to_string(workload.gpus()) + " GPUs, mode " + spelling(modes.front()));
  }

  report.workload = &workload;
  report.plan = &plan;
  report.tracker = tracker;
  runWorkload(report, modes, *crew, !options.has("quiet"));
  if (timeline) drawIteration(*timeline, workload, report.runs.front().iteration);
  const WorkloadForm form = workloadForm(report);
  std::string failures;
  for (const WorkloadRun& run : report.runs) {
    if (!run.error.empty()) failures += spelling(run.mode) + ": " + run.error + "\n";
  }
  files.write({formatJson(toJson(form)), workloadCsv(form),
               [&](std::size_t width) { return workloadTable(form, width); }},
              failures);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace t3
