// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/recordings.h"

#include <filesystem>
#include <iostream>

#include "testbench/config/mode_spelling.h"
#include "testbench/report/table_report.h"
#include "testbench/timeline/timeline_options.h"
#include "testbench/trace/transaction_options.h"
#include "testbench/wave/wave_options.h"

namespace t3 {

void addRecordingOptions(Options& options) {
  options.add("command-trace", "FILE", "write every DRAM command of every simulated GPU as CSV");
  addTimelineOptions(options);
  addTransactionOptions(options);
  addWaveOptions(options);
}

std::string differencePathOf(const Options& options) {
  return (std::filesystem::path(options.value("out").value_or("")) / "difference.fst").string();
}

Recordings::Recordings(const Options& options) {
  if (const auto path = options.value("command-trace")) commands_.emplace("--command-trace", *path);
  if (const auto wanted = waveOptionsOf(options)) wave_.emplace(*wanted);
}

Recordings::Recordings(const Options& options, const SystemConfig& scenario, Mode mode)
    : Recordings(options) {
  if (auto wanted = timelineOptionsOf(options)) {
    wanted->title = titleOf(scenario) + ", mode " + spelling(mode);
    timeline_.emplace(*wanted, scenario, mode);
  }
  if (const auto wanted = transactionOptionsOf(options)) {
    transactions_.emplace(*wanted, scenario, mode);
  }
}

Recordings::Recordings(const Options& options, const SystemConfig& scenario,
                       std::uint32_t workgroups)
    : Recordings(options) {
  if (auto wanted = timelineOptionsOf(options)) {
    wanted->title = options.value("collective").value_or("") + ": " +
                    std::to_string(scenario.collective.bytes) + " bytes on " +
                    std::to_string(scenario.gpus) + " GPUs, mode " +
                    options.value("mode").value_or(spelling(Mode(Mode::Sequential)));
    timeline_.emplace(*wanted);
  }
  if (const auto wanted = transactionOptionsOf(options)) {
    transactions_.emplace(*wanted, scenario, workgroups);
  }
}

void Recordings::observe(Observers& observers) {
  observers.commands = commands_ ? &*commands_ : nullptr;
  observers.wave = wave_ ? &*wave_ : nullptr;
  if (timeline_) observers.instruments.push_back(&*timeline_);
  if (transactions_) observers.instruments.push_back(&*transactions_);
}

void Recordings::sayWaveform(bool quiet) const {
  if (wave_ && (!quiet || !wave_->drawn())) std::cerr << wave_->summary() << std::endl;
}

void Recordings::finish() {
  if (commands_) commands_->finish();
}

}  // namespace t3
