// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/commands/command.h"
#include "testbench/commands/report_files.h"
#include "testbench/commands/run_workload.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/options.h"
#include "testbench/config/spelling.h"
#include "testbench/output/interrupt.h"
#include "testbench/output/output_file.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/presets/scenario.h"
#include "testbench/report/collective_summary.h"
#include "testbench/report/progress_bar.h"
#include "testbench/report/run_record.h"
#include "testbench/report/table_report.h"
#include "testbench/simulate/crew.h"
#include "testbench/simulate/simulation.h"
#include "testbench/timeline/timeline.h"
#include "testbench/trace/command_trace.h"
#include "testbench/trace/transactions.h"
#include "testbench/wave/wave.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_config.h"

namespace t3 {
namespace {

// ---- one run, whatever it runs ----------------------------------------------------------------

/// What a run writes while it goes on: DRAM commands, a timeline, transactions, a waveform; each
/// only if its option is there.
struct Recordings {
  std::optional<CommandTrace> commands;
  std::optional<Wave> wave;
  std::unique_ptr<Instrument> timeline, transactions;

  /// Throws ConfigError for a bad option and for a file that cannot be written.
  explicit Recordings(const Options& options) {
    if (const auto path = options.value("command-trace"))
      commands.emplace("--command-trace", *path);
    if (const auto wanted = waveOptionsOf(options)) wave.emplace(*wanted);
  }

  void observe(Observers& observers) {
    observers.commands = commands ? &*commands : nullptr;
    observers.wave = wave ? &*wave : nullptr;
    if (timeline) observers.instruments.push_back(timeline.get());
    if (transactions) observers.instruments.push_back(transactions.get());
  }
};

/// What a sublayer and a collective from a file do each in their own way.
struct OneRun {
  std::function<std::unique_ptr<Recordings>()> record;
  std::function<RunRecord(const Observers&)> simulate;
  std::function<void(ReportFiles&)> write;
};

/// Runs in this process or in those that `mpirun` started, with progress and recordings, adds the
/// run to the report, and has process 0 write. Returns the exit code.
int runOne(const Options& options, Report& report, Mode mode, const OneRun& run) {
  const std::unique_ptr<Peers> peers = peersOf(report.scenario);
  const bool reports = peers == nullptr || peers->self() == 0;
  const bool quiet = options.has("quiet");
  std::optional<ReportFiles> files;
  if (reports) files.emplace(options, "run");
  const std::unique_ptr<Recordings> recordings = reports ? run.record() : nullptr;
  {
    ProgressBar bar({spelling(mode)}, reports && !quiet);
    Observers observers;
    observers.peers = peers.get();
    observers.progress = [&](double fraction) { bar.update(0, fraction); };
    // In many processes an interrupt ends each at once: launchers kill what takes longer.
    observers.answersInterrupts = peers == nullptr;
    if (peers == nullptr) {
      observers.differencePath =
          (std::filesystem::path(options.value("out").value_or("")) / "difference.fst").string();
    }
    if (recordings) recordings->observe(observers);
    report.runs.push_back(run.simulate(observers));
  }
  if (recordings && recordings->wave && (!quiet || !recordings->wave->drawn())) {
    std::cerr << recordings->wave->summary() << std::endl;
  }
  if (interruptAnswered()) {
    std::cerr << "t3sim: " << report.runs.back().result.error << std::endl;
    return kInterrupted;
  }
  if (recordings && recordings->commands) recordings->commands->finish();
  if (files) run.write(*files);
  return report.failed() ? kCheckFailed : kDone;
}

// ---- a collective from a file -----------------------------------------------------------------

Mode collectiveMode(const Options& options) {
  const Mode mode = options.has("mode") ? modeOf(options) : Mode(Mode::Sequential);
  requireTakesFile(mode, "--mode", "--collective");
  return mode;
}

/// What a schedule becomes (--as).
const Promise* promiseOf(const Options& options) {
  const auto as = options.value("as");
  if (!as) return nullptr;
  for (const Promise* promise : {&kReduceScatterPromise, &kAllReducePromise}) {
    if (*as == promise->name) return promise;
  }
  throw ConfigError("--as", "", "expected reduce_scatter or allreduce, got " + inQuotes(*as));
}

/// The scenario with the GPUs of the file. Its own GEMM becomes one that the settings allow.
SystemConfig scenarioFor(const Options& options, Mode mode, TrackerKind tracker,
                         const CollectiveFile& file) {
  SystemConfig scenario = scenarioOf(options, kDefaultPreset, OwnGemm::Idle);
  const std::uint32_t gpus = file.algorithm().gpuCount();
  refuseOtherGpus(options, scenario, gpus, "the GPUs of " + file.path());
  const WorkloadConfig& work = scenario.workload;
  for (const auto& [key, other] : {std::pair("workload.collective", &work.collective),
                                   std::pair("workload.graph", &work.graph)}) {
    if (other->empty()) continue;
    throw ConfigError("--collective", key,
                      "expected either, got both: --collective runs a file alone");
  }
  scenario.gpus = gpus;
  takeIdleGemm(scenario);
  checkScenario(scenario, "--collective");
  if (const auto problem = trackerProblem(mode, scenario, tracker)) {
    throw ConfigError("--mode " + spelling(mode), "", *problem);
  }
  if (const auto missing = CollectivePlan::check(scenario, file.meaning(), mode)) {
    throw ConfigError(file.path(), "", *missing);
  }
  return scenario;
}

CollectiveSummary summaryOf(const CollectiveFile& file, const Report& report) {
  const Algorithm& algorithm = file.algorithm();
  CollectiveSummary summary;
  summary.file = file.path();
  summary.name = algorithm.name;
  summary.coll = algorithm.promise->name;
  summary.in_place = algorithm.inPlace;
  summary.gpus = algorithm.gpuCount();
  summary.chunks = algorithm.chunks;
  summary.thread_blocks = algorithm.threadBlocks();
  summary.steps = algorithm.steps();
  summary.bytes = report.scenario.collective.chunkBytes(algorithm.chunks) * algorithm.chunks;
  const RunResult& result = report.runs.back().result;
  const double ns = result.steady_ns.value_or(nanoseconds(result.time_ps));
  if (ns > 0) summary.algbw_gb_s = static_cast<double>(summary.bytes) / ns;
  if (algorithm.promise->busFactor != nullptr) {
    summary.busbw_gb_s = summary.algbw_gb_s * algorithm.promise->busFactor(summary.gpus);
  }
  return summary;
}

/// Says what of the file plays no part, once the run can begin.
void sayNotes(const CollectiveFile& file, std::uint64_t bytes) {
  const MscclNotes& notes = file.notes();
  for (const std::string& key : notes.unread) {
    std::cerr << "t3sim: " << file.path() << ": " << key << " changes nothing here\n";
  }
  const bool large = notes.maxBytes != 0 && bytes > notes.maxBytes;
  if (bytes >= notes.minBytes && !large) return;
  std::cerr << "t3sim: " << file.path() << ": a runtime would take another algorithm for " << bytes
            << " bytes, because of " << (large ? "maxBytes " : "minBytes ")
            << (large ? notes.maxBytes : notes.minBytes) << '\n';
}

/// The blocks of messages that trackers count, of the GPU that has most.
std::uint32_t workgroupsOf(const SystemConfig& scenario, const CollectiveFile& file, Mode mode) {
  if (!mode.kind->tracked) return 0;
  const CollectivePlan plan(mode.configured(scenario), file.meaning(), true);
  std::uint32_t rows = 0;
  for (std::uint32_t g = 0; g < scenario.gpus; ++g) rows = std::max(rows, plan.program(g).rows);
  return rows * plan.grid().slices();
}

int runCollective(const Options& options) {
  const Mode mode = collectiveMode(options);
  const TrackerKind tracker = trackerOf(options);
  const std::string path = *options.value("collective");
  keepInput("--collective", path);
  const CollectiveFile file(path, promiseOf(options));
  Report report{scenarioFor(options, mode, tracker, file), {}};
  const SystemConfig& scenario = report.scenario;
  if (mpiLaunch().self == 0) sayNotes(file, scenario.collective.bytes);
  const auto record = [&] {
    auto recordings = std::make_unique<Recordings>(options);
    if (auto wanted = timelineOptionsOf(options)) {
      wanted->title = path + ": " + std::to_string(scenario.collective.bytes) + " bytes on " +
                      std::to_string(scenario.gpus) + " GPUs, mode " + spelling(mode);
      recordings->timeline = makeTimeline(*wanted);
    }
    recordings->transactions =
        transactionsOf(options, scenario, workgroupsOf(scenario, file, mode));
    return recordings;
  };
  const auto simulated = [&](const Observers& observers) {
    return simulateCollective(scenario, file.meaning(), mode, tracker, observers);
  };
  const auto write = [&](ReportFiles& files) {
    const CollectiveSummary summary = summaryOf(file, report);
    files.write({formatJson(collectiveJson(report, summary)), collectiveCsv(report, summary),
                 [&](std::size_t) { return collectiveTable(report, summary); }},
                failuresOf(report));
  };
  return runOne(options, report, mode, {record, simulated, write});
}

// ---- the command ------------------------------------------------------------------------------

Options runOptions() {
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
  SystemConfig& scenario = report.scenario;
  checkMode(mode, scenario, tracker, "--mode");
  LocalCrew crew(1);
  measureShares(scenario, crew);
  const auto record = [&] {
    auto recordings = std::make_unique<Recordings>(options);
    if (auto wanted = timelineOptionsOf(options)) {
      wanted->title = titleOf(scenario) + ", mode " + spelling(mode);
      recordings->timeline = makeTimeline(*wanted, scenario, mode);
    }
    recordings->transactions = transactionsOf(options, scenario, mode);
    return recordings;
  };
  const auto simulated = [&](const Observers& observers) {
    return simulate(scenario, mode, tracker, observers);
  };
  const auto write = [&](ReportFiles& files) { files.write(report); };
  return runOne(options, report, mode, {record, simulated, write});
}

}  // namespace

Command runCommand() { return {"run", "one scenario, one mode", runOptions, runOneMode, true}; }

}  // namespace t3
