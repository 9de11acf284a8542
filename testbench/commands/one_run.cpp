// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/one_run.h"

#include <iostream>
#include <optional>

#include "testbench/commands/command.h"
#include "testbench/commands/peer_options.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/report/progress_bar.h"

namespace t3 {

int runOne(const Options& options, Report& report, Mode mode, const OneRun& run) {
  const std::unique_ptr<Peers> peers = peersOf(report.scenario);
  const bool reports = peers == nullptr || peers->self() == 0;
  std::optional<ReportFiles> files;
  if (reports) files.emplace(options, "run");
  const std::unique_ptr<Recordings> recordings = reports ? run.record() : nullptr;
  {
    ProgressBar bar({spelling(mode)}, reports && !options.has("quiet"));
    Observers observers;
    observers.peers = peers.get();
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    // In many processes an interrupt ends each at once: launchers kill what takes longer.
    observers.answersInterrupts = peers == nullptr;
    if (peers == nullptr) observers.differencePath = differencePathOf(options);
    if (recordings) recordings->observe(observers);
    report.runs.push_back(run.simulate(observers));
  }
  if (recordings) recordings->sayWaveform(options.has("quiet"));
  if (interruptAnswered()) {
    std::cerr << "t3sim: " << report.runs.back().result.error << std::endl;
    return kInterrupted;
  }
  if (recordings) recordings->finish();
  if (files) run.write(*files);
  return report.failed() ? kCheckFailed : kDone;
}

}  // namespace t3
