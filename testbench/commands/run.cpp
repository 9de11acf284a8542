// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/run_collective.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/parallel/mpi_peers.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/simulation.h"
#include "testbench/timeline/timeline.h"
#include "testbench/trace/transactions.h"
#include "testbench/wave/wave_options.h"

namespace t3 {
namespace {

/// What one simulation in many processes cannot do.
void checkPeers(const Peers& peers, const SystemConfig& scenario, const Options& options) {
  if (scenario.simulatedGpus() < peers.count()) {
    throw ConfigError("mpirun", "-n",
                      "expected at most one process for each simulated GPU, here " +
                          std::to_string(scenario.simulatedGpus()));
  }
  for (const char* option : {"command-trace", "timeline", "transactions", "wave"}) {
    if (options.has(option)) {
      throw ConfigError(std::string("--") + option, "", "expected one process, not mpirun");
    }
  }
}

int run(const std::vector<std::string>& words) {
  Options options("t3sim run [OPTIONS]", "Simulates one mode of a scenario in this process.");
  addScenarioOptions(options);
  addModeOption(options, alternatives(modeSpellings()));
  addTrackerOption(options);
  addReportOptions(options, "t3sim/1");
  options.add("command-trace", "FILE", "write every DRAM command of every simulated GPU as CSV");
  addTimelineOptions(options);
  addTransactionOptions(options);
  addWaveOptions(options);
  options.add("collective", "FILE",
              "run a collective from an MSCCL XML file and nothing else (docs/workloads.md)");
  if (!options.parse(words)) return kDone;
  if (options.has("collective")) return runCollective(options);

  const Mode mode = modeOf(options);
  const TrackerKind tracker = trackerOf(options);
  Report report{scenarioOf(options, tracker), {}};
  checkMode(mode, report.scenario, "--mode");
  const std::unique_ptr<Peers> launched = mpiPeers();
  Peers* const peers = launched && launched->count() > 1 ? &*launched : nullptr;
  if (peers != nullptr) checkPeers(*peers, report.scenario, options);
  const bool reports = peers == nullptr || peers->self() == 0;
  const auto timelineOptions = timelineOptionsOf(options);
  const auto transactionOptions = transactionOptionsOf(options);
  const auto waveOptions = waveOptionsOf(options);
  std::optional<ReportFiles> files;
  if (reports) files.emplace(options, "run");
  std::optional<CommandTrace> commands;
  if (const auto path = options.value("command-trace")) commands.emplace("--command-trace", *path);
  std::optional<Timeline> timeline;
  if (timelineOptions) timeline.emplace(*timelineOptions, report.scenario, mode);
  std::optional<Transactions> transactions;
  if (transactionOptions) transactions.emplace(*transactionOptions, report.scenario);
  std::optional<Wave> wave;
  if (waveOptions) wave.emplace(*waveOptions);
  {
    ProgressBar bar({spelling(mode)}, reports && !options.has("quiet"));
    Observers observers;
    observers.peers = peers;
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    // In many processes an interrupt ends each at once: launchers kill what takes longer.
    observers.answersInterrupts = peers == nullptr;
    observers.commands = commands ? &*commands : nullptr;
    observers.wave = wave ? &*wave : nullptr;
    if (peers == nullptr) {
      observers.differencePath =
          (std::filesystem::path(options.value("out").value_or("")) / "difference.fst").string();
    }
    if (timeline) observers.instruments.push_back(&*timeline);
    if (transactions) observers.instruments.push_back(&*transactions);
    report.runs.push_back(simulate(report.scenario, mode, tracker, observers));
  }
  // That there is no waveform is said in any case.
  if (wave && (!options.has("quiet") || !wave->drawn())) std::cerr << wave->summary() << std::endl;
  if (interruptAnswered()) {
    std::cerr << "t3sim: " << report.runs.back().result.error << std::endl;
    return kInterrupted;
  }
  if (commands) commands->finish();
  if (files) files->write(report);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

Command runCommand() { return {"run", "one scenario, one mode", run}; }

}  // namespace t3
