// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "testbench/collective/named_algorithms.h"
#include "testbench/commands/command.h"
#include "testbench/commands/crew_options.h"
#include "testbench/commands/one_run.h"
#include "testbench/commands/recordings.h"
#include "testbench/commands/run_collective.h"
#include "testbench/commands/run_workload.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/simulate/local_crew.h"
#include "testbench/simulate/measured_shares.h"
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
              "run a collective from an MSCCL XML file or a schedule of TE-CCL, or one that ships "
              "by its name, such as ring-all-reduce-8, and nothing else (docs/workloads.md)");
  options.offer("collective", shippedCollectives());
  options.add("as", "COLL",
              "of --collective with a schedule that is an all-gather: its way back, "
              "reduce_scatter, or both, allreduce");
  options.offer("as", {"reduce_scatter", "allreduce"});
  addWorkloadOptions(options);
  addJobsOption(options);
  return options;
}

int runOneMode(const Options& options) {
  if (hasWorkload(options)) return runWorkload(options, "run", {modeOf(options)});
  if (options.has("jobs")) throw ConfigError("--jobs", "", "expected --workload beside it");
  if (options.has("collective")) return runCollective(options);
  if (options.has("as")) throw ConfigError("--as", "", "expected --collective beside it");

  const Mode mode = modeOf(options);
  const TrackerKind tracker = trackerOf(options);
  Report report{scenarioOf(options), {}};
  checkMode(mode, report.scenario, tracker, "--mode");
  LocalCrew crew(1);
  measureShares(report.scenario, crew);
  return runOne(
      options, report, mode,
      {.record = [&] { return std::make_unique<Recordings>(options, report.scenario, mode); },
       .simulate =
           [&](const Observers& observers) {
             return simulate(report.scenario, mode, tracker, observers);
           },
       .write = [&](ReportFiles& files) { files.write(report); }});
}

}  // namespace

Command runCommand() { return {"run", "one scenario, one mode", runOptions, runOneMode, true}; }

}  // namespace t3
