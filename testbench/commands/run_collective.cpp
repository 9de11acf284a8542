// SPDX-License-Identifier: Apache-2.0
#include "testbench/commands/run_collective.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "testbench/collective/collective_file.h"
#include "testbench/commands/one_run.h"
#include "testbench/commands/scenario_options.h"
#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/parallel/mpi_launch.h"
#include "testbench/presets/scenario.h"
#include "testbench/presets/scenario_files.h"
#include "testbench/report/collective_report.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

Mode collectiveMode(const Options& options) {
  const Mode mode = options.has("mode") ? modeOf(options) : Mode(Mode::Sequential);
  requireTakesFile(mode, "--mode", "--collective");
  return mode;
}

/// What a schedule is to become.
const Promise* promiseOf(const Options& options) {
  const auto as = options.value("as");
  if (!as) return nullptr;
  for (const Promise* promise : {&kReduceScatterPromise, &kAllReducePromise}) {
    if (*as == promise->name) return promise;
  }
  throw ConfigError("--as", "", "expected reduce_scatter or allreduce, got " + inQuotes(*as));
}

/// The scenario with the GPUs of the file. What is not simulated then, a GEMM whose output they
/// share, becomes one that the settings allow.
SystemConfig scenarioFor(const Options& options, Mode mode, TrackerKind tracker,
                         const CollectiveFile& file) {
  SystemConfig scenario = scenarioOf(options, kDefaultPreset, OwnGemm::Idle);
  const std::uint32_t gpus = file.algorithm().gpuCount();
  refuseOtherGpus(options, scenario, gpus, "the GPUs of " + file.path());
  if (!scenario.workload.collective.empty()) {
    throw ConfigError("--collective", "workload.collective",
                      "expected either, got both: --collective runs a file alone");
  }
  if (!scenario.workload.graph.empty()) {
    throw ConfigError("--collective", "workload.graph",
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

}  // namespace

int runCollective(const Options& options) {
  const Mode mode = collectiveMode(options);
  const TrackerKind tracker = trackerOf(options);
  const std::string path = *options.value("collective");
  keepInput("--collective", path);
  const CollectiveFile file(path, promiseOf(options));
  Report report{scenarioFor(options, mode, tracker, file), {}};
  if (mpiLaunch().self == 0) sayNotes(file, report.scenario.collective.bytes);
  const auto write = [&](ReportFiles& files) {
    const CollectiveSummary summary = summaryOf(file, report);
    std::string failures;
    for (const RunRecord& run : report.runs) {
      if (run.failed()) failures += spelling(run.mode) + ": " + run.result.error + "\n";
    }
    files.write({formatJson(collectiveJson(report, summary)), collectiveCsv(report, summary),
                 [&](std::size_t) { return collectiveTable(report, summary); }},
                failures);
  };
  return runOne(options, report, mode,
                {.record =
                     [&] {
                       return std::make_unique<Recordings>(
                           options, report.scenario, workgroupsOf(report.scenario, file, mode));
                     },
                 .simulate =
                     [&](const Observers& observers) {
                       return simulateCollective(report.scenario, file.meaning(), mode, tracker,
                                                 observers);
                     },
                 .write = write});
}

}  // namespace t3
