// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <thread>

#include "testbench/commands/command.h"
#include "testbench/commands/options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/worker.h"

namespace t3 {
namespace {

std::vector<Mode> modesOf(const std::string& list) {
  std::vector<Mode> modes;
  if (list == "all") return modesWithoutNumber();
  std::istringstream words(list + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const Mode mode = modeOf(word, "--modes");
    if (std::ranges::find(modes, mode) != modes.end()) {
      throw ConfigError("--modes", "", inQuotes(word) + " occurs twice");
    }
    modes.push_back(mode);
  }
  return modes;
}

/// `ideal-overlap` from the phases of a `sequential` run that exists anyway: the simulation of its
/// own that it would otherwise be is the very same one.
RunRecord overlapOf(const RunRecord& sequential) {
  RunRecord record = sequential;
  record.mode = Mode::IdealOverlap;
  record.derived_from = Mode::Sequential;
  if (sequential.failed()) {
    record.result.error = "the sequential run it is computed from failed";
  } else {
    record.result = idealOverlapOf(sequential.result);
  }
  return record;
}

std::vector<RunRecord> runModes(const SystemConfig& scenario, const std::vector<Mode>& modes,
                                TrackerKind tracker, unsigned parallel, bool showProgress) {
  const bool derive = std::ranges::find(modes, Mode::Sequential) != modes.end();
  std::vector<WorkerJob> jobs;
  std::vector<std::string> labels;
  for (const Mode mode : modes) {
    if (derive && mode == Mode::IdealOverlap) continue;
    jobs.push_back({scenario, mode, tracker});
    labels.push_back(spelling(mode));
  }
  ProgressBar bar(labels, showProgress);
  std::vector<RunRecord> simulated =
      runJobs(jobs, parallel, [&](std::size_t job, double fraction) { bar.update(job, fraction); });

  std::vector<RunRecord> records;
  auto next = simulated.begin();
  for (const Mode mode : modes) {
    if (derive && mode == Mode::IdealOverlap) {
      records.push_back(
          overlapOf(*std::ranges::find(simulated, Mode::Sequential, &RunRecord::mode)));
    } else {
      records.push_back(*next++);
    }
  }
  checkBounds(records);
  return records;
}

int run(const std::vector<std::string>& words) {
  Options options("t3sim compare [OPTIONS]",
                  "Simulates several modes of a scenario, each in a process of its own, and puts\n"
                  "them side by side.");
  addScenarioOptions(options);
  options.add(
      "modes", "LIST",
      "of " + alternatives(modeSpellings()) + ", with commas; default all (the ones without K)");
  addTrackerOption(options);
  options.add("jobs", "N", "processes at a time; default one per core");
  addReportOptions(options);
  if (!options.parse(words)) return kDone;

  const std::vector<Mode> modes = modesOf(options.value("modes").value_or("all"));
  const TrackerKind tracker = trackerOf(options);
  const auto jobs = options.value("jobs");
  const unsigned parallel =
      jobs ? countOf(*jobs, "--jobs") : std::max(1U, std::thread::hardware_concurrency());
  Report report{scenarioOf(options, tracker), {}};
  for (const Mode mode : modes) checkMode(mode, report.scenario, "--modes");
  exitOnInterrupt();
  ReportFiles files(options, "compare");
  report.runs = runModes(report.scenario, modes, tracker, parallel, !options.has("quiet"));
  files.write(report);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

Command compareCommand() { return {"compare", "one scenario, every mode, side by side", run}; }

}  // namespace t3
