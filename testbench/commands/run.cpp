// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/simulation.h"
#include "testbench/timeline/timeline.h"
#include "testbench/trace/transactions.h"
#include "testbench/wave/wave_options.h"

namespace t3 {
namespace {

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
  if (!options.parse(words)) return kDone;

  const Mode mode = modeOf(options);
  const TrackerKind tracker = trackerOf(options);
  Report report{scenarioOf(options, tracker), {}};
  checkMode(mode, report.scenario, "--mode");
  const auto timelineOptions = timelineOptionsOf(options);
  const auto transactionOptions = transactionOptionsOf(options);
  const auto waveOptions = waveOptionsOf(options);
  ReportFiles files(options, "run");
  std::optional<CommandTrace> commands;
  if (const auto path = options.value("command-trace")) commands.emplace("--command-trace", *path);
  std::optional<Timeline> timeline;
  if (timelineOptions) timeline.emplace(*timelineOptions, report.scenario, mode);
  std::optional<Transactions> transactions;
  if (transactionOptions) transactions.emplace(*transactionOptions, report.scenario);
  std::optional<Wave> wave;
  if (waveOptions) wave.emplace(*waveOptions);
  {
    ProgressBar bar({spelling(mode)}, !options.has("quiet"));
    Observers observers;
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    observers.answersInterrupts = true;
    observers.commands = commands ? &*commands : nullptr;
    observers.wave = wave ? &*wave : nullptr;
    observers.differencePath =
        (std::filesystem::path(options.value("out").value_or("")) / "difference.fst").string();
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
  files.write(report);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace

Command runCommand() { return {"run", "one scenario, one mode", run}; }

}  // namespace t3
