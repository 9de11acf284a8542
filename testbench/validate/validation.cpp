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
  job.scenario = scenarios.plain;
  if (const auto* run = std::get_if<CollectiveRun>(&measurement.run)) {
    if (MeasuredAlgorithm::named(run->algorithm)->kind == "multimem") {
      job.scenario = scenarios.multimem;
    }
    takeIdleGemm(job.scenario);
    job.kind = JobKind::Collective;
    job.algorithm = run->algorithm;
    job.collective = MeasuredAlgorithm::named(run->algorithm)->promise->name;
    job.scenario.collective.bytes = measurement.size;
    job.scenario.collective.data_type = run->type;
    checkCollective(job);
    return job;
  }
  if (measurement.gpus != 0) job.scenario.gpus = measurement.gpus;
  WorkloadConfig& work = job.scenario.workload;
  work.data_type = DataType::Bf16;
  const auto library = [&](const Promise& promise, std::uint64_t columns) {
    const std::uint64_t bytes = measurement.size * columns * bytesOf(work.data_type);
    const std::string gpus = std::to_string(job.scenario.gpus);
    return ncclAlgorithm(promise, job.scenario.gpus, bytes) + "-" + gpus;
  };
  if (const auto* run = std::get_if<PrefillRun>(&measurement.run)) {
    takeIdleGemm(job.scenario);
    const ModelRun model = *ModelRun::named(run->graph);
    // All GPUs do the same, and a layer is long.
    job.scenario.simulated_gpus = GpuSimulation::Symmetric;
    job.scenario.data = DataMode::Elided;
    work.graph = run->graph;
    work.collective = library(kAllReducePromise, model.model->hidden);
  } else {
    const auto& gemm = std::get<GemmRun>(measurement.run);
    work.model = work.sublayer = measurement.name;
    work.rows = gemm.rows;
    work.columns = gemm.columns;
    work.depth = gemm.depth;
    work.collective = library(kReduceScatterPromise, gemm.columns);
  }
  if (const auto problem = job.scenario.check()) throw ConfigError(measurement.name, "", *problem);
  readScenarioFiles(job.scenario);
  return job;
}

/// A benchmark launches one after another, so a launch counts with what it launches.
double simulatedUs(const Measurement& measurement, const SystemConfig& scenario,
                   const RunResult& result) {
  const double launch = scenario.gpu.kernel_launch_us;
  const auto protocolUs = [&](const std::string& algorithm) {
    return scenario.gpu.collective.of(MeasuredAlgorithm::named(algorithm)->protocol).launch_us;
  };
  if (const auto* run = std::get_if<CollectiveRun>(&measurement.run)) {
    return static_cast<double>(result.time_ps) / 1e6 + launch + protocolUs(run->algorithm);
  }
  if (const auto* run = std::get_if<PrefillRun>(&measurement.run)) {
    return prefillNs(*ModelRun::named(run->graph), result) / 1e3;
  }
  Picoseconds end = 0;
  for (const PhaseSpan& span : result.phases) {
    if (span.name == "reduce_scatter") end = std::max(end, span.end_ps);
  }
  return static_cast<double>(end) / 1e6 + launch;
}

}  // namespace

ErrorFigures errorFigures(const std::vector<ValidationPoint>& points,
                          const std::function<bool(const ValidationPoint&)>& counts) {
  constexpr double kLeast = 0.001;
  ErrorFigures figures;
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

std::vector<ErrorGroup> errorGroups(const std::vector<ValidationPoint>& points) {
  const auto groupOf = [](const ValidationPoint& point) {
    const Measurement& one = point.measurement;
    if (!one.isCollective()) return one.set;
    return one.set + (one.size >= kLargeBytes ? " from 8 MiB on" : " below 8 MiB");
  };
  std::vector<ErrorGroup> groups;
  for (const ValidationPoint& point : points) {
    const std::string name = groupOf(point);
    if (std::ranges::find(groups, name, &ErrorGroup::name) != groups.end()) continue;
    groups.push_back({name, errorFigures(points, [&](const ValidationPoint& other) {
                        return !other.gaveSettings && groupOf(other) == name;
                      })});
  }
  return groups;
}

std::optional<WorstName> worstName(const std::vector<ValidationPoint>& points) {
  std::optional<WorstName> worst;
  for (const ValidationPoint& one : points) {
    const ErrorFigures figures = errorFigures(points, [&](const ValidationPoint& point) {
      return !point.gaveSettings && point.measurement.name == one.measurement.name;
    });
    if (figures.points == 0 || (worst && worst->mean >= figures.mean)) continue;
    worst = {one.measurement.name, figures.mean};
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
