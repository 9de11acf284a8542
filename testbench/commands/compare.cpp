// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/run_workload.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/point_runner.h"

namespace t3 {
namespace {

/// FILE with the mode before its ending: commands.csv becomes commands.t3-mca.csv.
std::string fileOf(Mode mode, const std::filesystem::path& file) {
  std::error_code absent;
  const bool other =
      std::filesystem::exists(file, absent) && !std::filesystem::is_regular_file(file, absent);
  if (other || !file.has_filename()) {  // a device or a directory
    throw ConfigError("--command-trace", file.string(),
                      "expected the name of an ordinary file, from which each mode's is made");
  }
  if (!isUtf8(file.string())) {
    throw ConfigError("--command-trace", file.string(),
                      "expected a name in UTF-8, because processes are told of it");
  }
  std::string name = spelling(mode);
  std::ranges::replace(name, ':', '-');
  return (file.parent_path() / file.stem()).string() + "." + name + file.extension().string();
}

std::vector<RunRecord> runModes(const SystemConfig& scenario, const std::vector<Mode>& modes,
                                TrackerKind tracker, Crew& crew, bool showProgress,
                                const std::optional<std::string>& commandTrace) {
  std::vector<WorkerJob> jobs;
  std::vector<std::string> labels;
  for (const Mode mode : simulatedModes(scenario, modes)) {
    jobs.push_back({scenario, mode, tracker, commandTrace ? fileOf(mode, *commandTrace) : ""});
    // Checked before the simulation, not after it.
    if (commandTrace) OutputFile("--command-trace", jobs.back().command_trace);
    labels.push_back(spelling(mode));
  }
  ProgressBar bar(labels, showProgress);
  return assembleRuns(scenario, modes, runJobs(jobs, crew, [&](std::size_t job, double fraction) {
                        bar.update(job, fraction);
                      }));
}

Options compareOptions() {
  Options options("t3sim compare [OPTIONS]",
                  "Simulates several modes of a scenario, each in a process of its own, and puts\n"
                  "them side by side.");
  addScenarioOptions(options);
  addModesOption(options, "all");
  addTrackerOption(options);
  addJobsOption(options);
  addReportOptions(options, "t3sim/1");
  options.add("command-trace", "FILE",
              "write every DRAM command of every simulated GPU as CSV, one file for each mode: "
              "a.csv becomes a.t3-mca.csv");
  addWorkloadOptions(options);
  options.add("collective", "FILE", "of --workload: an MSCCL XML file for collectives of its kind");
  return options;
}

int runCompare(const Options& options) {
  if (hasWorkload(options)) {
    if (options.has("command-trace")) {
      throw ConfigError("--command-trace", "", "expected no --workload beside it");
    }
    return runWorkload(options, "compare", modesOf(options, "sequential,t3,t3-mca"));
  }
  if (options.has("collective")) {
    throw ConfigError("--collective", "", "expected --workload beside it");
  }

  const std::unique_ptr<Crew> crew = crewOf(options);
  if (crew == nullptr) return kDone;
  std::vector<Mode> modes = modesOf(options, "all");
  const TrackerKind tracker = trackerOf(options);
  Report report{scenarioOf(options), {}};
  if (!options.has("modes")) {  // all that the scenario allows
    std::erase_if(modes, [&report, tracker](Mode mode) {
      auto problem = trackerProblem(mode, report.scenario, tracker);
      if (!problem) problem = modeProblem(mode, report.scenario);
      if (problem && mode.kind->tracked) {
        std::cerr << "t3sim: " << spelling(mode) << " is left out: " << *problem << '\n';
      }
      return problem.has_value();
    });
  }
  for (const Mode mode : modes) checkMode(mode, report.scenario, tracker, "--modes");
  requireReadableByJobs(report.scenario);
  ReportFiles files(options, "compare");
  measureShares(report.scenario, *crew);
  report.runs = runModes(report.scenario, modes, tracker, *crew, !options.has("quiet"),
                         options.value("command-trace"));
  files.write(report);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

Command compareCommand() {
  return {"compare", "one scenario, every mode, side by side", compareOptions, runCompare, true};
}

}  // namespace t3
