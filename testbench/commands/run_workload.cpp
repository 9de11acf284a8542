// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/run_workload.h"

#include <memory>
#include <optional>

#include "testbench/collective/collective_file.h"
#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "testbench/iteration/iteration.h"
#include "testbench/iteration/workload_report.h"
#include "testbench/iteration/workload_run.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/scenario.h"
#include "testbench/workload/meetings.h"
#include "testbench/workload/work_plan.h"
#include "testbench/workload/workload.h"

namespace t3 {
namespace {

void checkModes(const std::vector<Mode>& modes, const std::string& option) {
  for (const Mode mode : modes) {
    if (const auto problem = traceModeProblem(mode)) {
      throw ConfigError(option, "", *problem + ", got " + inQuotes(spelling(mode)));
    }
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

/// The scenario with the GPUs of the trace. Its own GEMM becomes one that the settings allow.
SystemConfig scenarioFor(const Options& options, const std::string& trace, SystemConfig scenario) {
  const std::uint32_t gpus = gpusOfTrace(options, trace, scenario);
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
                      "expected none: the trace says which kernels run (--graph TRACE alone runs "
                      "them on one machine)");
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
  options.add(
      "workload", "FILE",
      "time an iteration from a Chakra trace by its parts, which do not contend: PREFIX.0.et "
      "of PREFIX.N.et, one file for all GPUs, or the name of one that ships (t3sim "
      "presets); --collective then gives an algorithm for its collectives "
      "(docs/workloads.md). --graph runs it on one machine");
  options.offer("workload", iterationNames());
  options.add("workload-groups", "FILE",
              "groups of its GPUs as JSON, {\"1\": [0, 1], …}; default: those in the trace");
}

bool hasWorkload(const Options& options) {
  if (options.has("workload")) return true;
  if (options.has("workload-groups")) {
    throw ConfigError("--workload-groups", "", "expected --workload FILE with it");
  }
  return false;
}

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
  report.files = Workload::filesOf(path);
  for (const std::string& file : report.files) {
    if (shipped == nullptr) keepInput("--workload", file);
  }
  const Workload workload(path, asked.gpus, asked.trace);
  report.scenario = scenarioFor(options, path, asked);
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
