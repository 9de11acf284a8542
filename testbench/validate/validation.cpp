// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/validation.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/msccl_writer.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/report/progress_bar.h"
#include "testbench/reproduce/geomean.h"
#include "testbench/simulate/job_runner.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

WorkerJob jobOf(const Measurement& measurement, const SystemConfig& scenario) {
  WorkerJob job;
  job.scenario = scenario;
  job.scenario.collective.bytes = measurement.bytes;
  job.scenario.collective.data_type = DataType::Fp32;
  job.kind = JobKind::Collective;
  job.collective = kAllGatherPromise.name;
  job.algorithm = measurement.file;
  return job;
}

void check(const WorkerJob& job) {
  if (const std::uint32_t repeat = job.scenario.workload.repeat; repeat != 1) {
    throw ConfigError(
        "validate", "workload.repeat",
        "expected 1, because one collective was measured, got " + std::to_string(repeat));
  }
  const CollectiveFile file(mscclText(algorithmNamed(job.algorithm, job.scenario.gpus)),
                            job.algorithm);
  if (const auto problem = CollectivePlan::check(job.scenario, file.meaning(), job.mode)) {
    throw ConfigError(job.algorithm, "", *problem);
  }
}

double launchUs(const Measurement& measurement, const SystemConfig& scenario) {
  return scenario.gpu.kernel_launch_us +
         scenario.gpu.collective.of(measurement.algorithm.protocol).launch_us;
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

std::optional<WorstFile> worstFile(const std::vector<ValidationPoint>& points) {
  std::optional<WorstFile> worst;
  for (const ValidationPoint& one : points) {
    const ErrorFigures figures = errorFigures(points, [&](const ValidationPoint& point) {
      return !point.gaveSettings && point.measurement.file == one.measurement.file;
    });
    if (figures.points == 0 || (worst && worst->mean >= figures.mean)) continue;
    worst = {one.measurement.file, figures.mean};
  }
  return worst;
}

std::vector<ValidationPoint> validate(const std::vector<Measurement>& measurements,
                                      const KnownMachine& machine, const SystemConfig& scenario,
                                      Crew& crew, const RunStore* store, bool showProgress) {
  std::vector<ValidationPoint> points;
  std::vector<WorkerJob> jobs;
  std::vector<std::size_t> pointOf;
  const auto take = [&](ValidationPoint& point, const RunRecord& record) {
    point.failure = record.result.error;
    point.simulated_us =
        static_cast<double>(record.result.time_ps) / 1e6 + launchUs(point.measurement, scenario);
  };
  for (const Measurement& measurement : measurements) {
    ValidationPoint& point = points.emplace_back();
    point.measurement = measurement;
    point.gaveSettings = std::ranges::any_of(machine.measured, [&](const char* file) {
      return measurement.file == std::string_view(file);
    });
    WorkerJob job = jobOf(measurement, scenario);
    check(job);
    if (store != nullptr) {
      if (const auto record = store->load(job)) {
        take(point, *record);
        continue;
      }
    }
    pointOf.push_back(points.size() - 1);
    jobs.push_back(std::move(job));
  }
  BatchBar bar(jobs.size(), showProgress);
  std::vector<double> fractions(jobs.size());
  std::size_t done = 0;
  const auto show = [&] {
    double all = 0, made = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto bytes = static_cast<double>(jobs[i].scenario.collective.bytes);
      all += bytes;
      made += bytes * fractions[i];
    }
    bar.update(done, made / all);
  };
  runJobs(
      jobs, crew,
      [&](std::size_t job, double fraction) {
        fractions[job] = fraction;
        show();
      },
      [&](std::size_t job, const RunRecord& record) {
        fractions[job] = 1;
        ++done;
        take(points[pointOf[job]], record);
        if (store != nullptr && !record.failed()) store->save(jobs[job], record);
        show();
      });
  return points;
}

}  // namespace t3
