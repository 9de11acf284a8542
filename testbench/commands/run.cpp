// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/crew_options.h"
#include "testbench/commands/peer_options.h"
#include "testbench/commands/recordings.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/run_collective.h"
#include "testbench/commands/run_workload.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/simulation.h"

namespace t3 {
namespace {

Options runOptions() {
  Options options("t3sim run [OPTIONS]", "Simulates one mode of a scenario in this process.");
  addScenarioOptions(options);
  addModeOption(options, alternatives(modeSpellings()));
  addTrackerOption(options);
  addReportOptions(options, "t3sim/1");
  addRecordingOptions(options);
  options.add("collective", "FILE",
              "run a collective from an MSCCL XML file and nothing else (docs/workloads.md)");
  addWorkloadOptions(options);
  addJobsOption(options);
  return options;
}

int runOneMode(const Options& options) {
  if (hasWorkload(options)) return runWorkload(options, "run", {modeOf(options)});
  if (options.has("jobs")) throw ConfigError("--jobs", "", "expected --workload beside it");
  if (options.has("collective")) return runCollective(options);

  const Mode mode = modeOf(options);
  const TrackerKind tracker = trackerOf(options);
  Report report{scenarioOf(options, tracker), {}};
  checkMode(mode, report.scenario, "--mode");
  const std::unique_ptr<Peers> launched = peersOf(report.scenario);
  Peers* const peers = launched.get();
  const bool reports = peers == nullptr || peers->self() == 0;
  std::optional<ReportFiles> files;
  if (reports) files.emplace(options, "run");
  std::optional<Recordings> recordings;
  if (reports) recordings.emplace(options, report.scenario, mode);
  {
    ProgressBar bar({spelling(mode)}, reports && !options.has("quiet"));
    Observers observers;
    observers.peers = peers;
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    // In many processes an interrupt ends each at once: launchers kill what takes longer.
    observers.answersInterrupts = peers == nullptr;
    if (peers == nullptr) observers.differencePath = differencePathOf(options);
    if (recordings) recordings->observe(observers);
    report.runs.push_back(simulate(report.scenario, mode, tracker, observers));
  }
  if (recordings) recordings->sayWaveform(options.has("quiet"));
  if (interruptAnswered()) {
    std::cerr << "t3sim: " << report.runs.back().result.error << std::endl;
    return kInterrupted;
  }
  if (recordings) recordings->finish();
  if (files) files->write(report);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

Command runCommand() { return {"run", "one scenario, one mode", runOptions, runOneMode, true}; }

}  // namespace t3
