// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/validation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/measured_algorithm.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/presets/scenario.h"
#include "testbench/reproduce/geomean.h"
#include "testbench/workload/model_graph.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

void checkCollective(const WorkerJob& job) {
  const CollectiveFile file(mscclText(algorithmNamed(job.algorithm, job.scenario.gpus)),
                            job.algorithm);
  if (const auto problem = CollectivePlan::check(job.scenario, file.meaning(), job.mode)) {
    throw ConfigError(job.algorithm, "", *problem);
  }
}

WorkerJob jobOf(const Measurement& measurement, const ValidationScenarios& scenarios) {
  WorkerJob job;
  const auto* collective = std::get_if<CollectiveRun>(&measurement.run);
  const auto algorithm =
      collective ? MeasuredAlgorithm::named(collective->algorithm) : std::nullopt;
  const auto* prefill = std::get_if<PrefillRun>(&measurement.run);
  const bool multimem =
      (algorithm && algorithm->kind == "multimem") || (prefill != nullptr && prefill->multimem);
  job.scenario = multimem ? scenarios.multimem : scenarios.plain;
  if (measurement.gpus != 0) job.scenario.gpus = measurement.gpus;
  if (collective != nullptr) {
    takeIdleGemm(job.scenario);
    job.kind = JobKind::Collective;
    job.algorithm = collective->algorithm;
    job.collective = algorithm->promise->name;
    job.scenario.collective.bytes = measurement.size;
    job.scenario.collective.data_type = collective->type;
    checkCollective(job);
    return job;
  }
  WorkloadConfig& work = job.scenario.workload;
  work.data_type = DataType::Bf16;
  if (prefill != nullptr) {
    takeIdleGemm(job.scenario);
    // All GPUs do the same, and a layer is long.
    job.scenario.simulated_gpus = GpuSimulation::Symmetric;
    job.scenario.data = DataMode::Elided;
    work.graph = prefill->graph;
    if (prefill->multimem) {
      job.mode = Mode::Nvls;
      job.scenario.gpu.collective.compute_units = kMultimemBlocks;
    } else {
      work.collective = WorkloadConfig::kNccl;
    }
  } else {
    const auto& gemm = std::get<GemmRun>(measurement.run);
    work.model = work.sublayer = measurement.name;
    work.rows = gemm.rows;
    work.columns = gemm.columns;
    work.depth = gemm.depth;
    const std::uint64_t bytes = std::uint64_t{gemm.rows} * gemm.columns * bytesOf(work.data_type);
    work.collective = ncclAlgorithm(kReduceScatterPromise, job.scenario.gpus, bytes) + "-" +
                      std::to_string(job.scenario.gpus);
  }
  if (const auto problem = job.scenario.check()) throw ConfigError(measurement.name, "", *problem);
  readScenarioFiles(job.scenario);
  return job;
}

/// A benchmark launches one after another, so a launch counts with what it launches.
double simulatedUs(const Measurement& measurement, const SystemConfig& scenario,
                   const RunResult& result) {
  if (const auto* run = std::get_if<PrefillRun>(&measurement.run)) {
    return prefillNs(*ModelRun::named(run->graph), result) / 1e3;
  }
  const auto* collective = std::get_if<CollectiveRun>(&measurement.run);
  const std::string& file = scenario.workload.collective;  // the name, and "-" with the GPUs
  const std::string algorithm =
      collective != nullptr ? collective->algorithm : file.substr(0, file.rfind('-'));
  const Protocol protocol = MeasuredAlgorithm::named(algorithm)->protocol;
  Picoseconds end = collective != nullptr ? result.time_ps : 0;
  for (const PhaseSpan& span : result.phases) {
    if (span.name == "reduce_scatter") end = std::max(end, span.end_ps);
  }
  return static_cast<double>(end) / 1e6 + scenario.gpu.kernel_launch_us +
         scenario.gpu.collective.of(protocol).launch_us;
}

}  // namespace

ErrorFigures errorFigures(std::string name, const std::vector<ValidationPoint>& points,
                          const std::function<bool(const ValidationPoint&)>& counts) {
  constexpr double kLeast = 0.001;
  ErrorFigures figures{.name = std::move(name)};
  Geomean geomean;
  double sum = 0;
  for (const ValidationPoint& point : points) {
    if (!point.failure.empty() || !counts(point)) continue;
    const double error = std::abs(point.error());
    geomean.add(std::max(error, kLeast));
    sum += error;
    figures.most = std::max(figures.most, error);
  }
  figures.points = geomean.count();
  if (figures.points == 0) return figures;
  figures.geomean = geomean.mean();
  figures.mean = sum / static_cast<double>(figures.points);
  return figures;
}

std::vector<ErrorFigures> errorsBySet(const std::vector<ValidationPoint>& points) {
  const auto groupOf = [](const ValidationPoint& point) {
    const Measurement& one = point.measurement;
    if (!one.isCollective()) return one.set;
    return one.set + (one.size >= kLargeBytes ? " from 8 MiB on" : " below 8 MiB");
  };
  std::vector<ErrorFigures> groups;
  for (const ValidationPoint& point : points) {
    const std::string name = groupOf(point);
    if (std::ranges::find(groups, name, &ErrorFigures::name) != groups.end()) continue;
    groups.push_back(errorFigures(name, points, [&](const ValidationPoint& other) {
      return !other.gaveSettings && groupOf(other) == name;
    }));
  }
  return groups;
}

std::optional<ErrorFigures> worstName(const std::vector<ValidationPoint>& points) {
  std::optional<ErrorFigures> worst;
  for (const ValidationPoint& one : points) {
    const std::string& name = one.measurement.name;
    ErrorFigures figures = errorFigures(name, points, [&](const ValidationPoint& point) {
      return !point.gaveSettings && point.measurement.name == name;
    });
    if (figures.points == 0 || (worst && worst->mean >= figures.mean)) continue;
    worst = std::move(figures);
  }
  return worst;
}

std::vector<ValidationPoint> validate(const std::vector<Measurement>& measurements,
                                      const KnownMachine& machine,
                                      const ValidationScenarios& scenarios, Crew& crew,
                                      const RunStore* store, bool showProgress) {
  std::vector<WorkerJob> jobs;
  for (const Measurement& measurement : measurements) jobs.push_back(jobOf(measurement, scenarios));
  const auto weight = [](const WorkerJob& job) {
    return static_cast<double>(job.kind == JobKind::Collective ? job.scenario.collective.bytes
                                                               : std::uint64_t{1} << 28);
  };
  const std::vector<RunRecord> records =
      runBatch(jobs, crew, {.store = store, .showProgress = showProgress, .weight = weight});
  std::vector<ValidationPoint> points;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    ValidationPoint& point = points.emplace_back();
    point.measurement = measurements[i];
    const auto gave = [&](const std::string& one) {
      return one == measurements[i].name ||
             one == measurements[i].name + " " + std::to_string(measurements[i].size);
    };
    point.gaveSettings = std::ranges::any_of(machine.measured, gave);
    point.failure = records[i].result.error;
    point.simulated_us = simulatedUs(measurements[i], jobs[i].scenario, records[i].result);
  }
  return points;
}

}  // namespace t3
