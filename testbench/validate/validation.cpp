// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/validation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "silicon_data.h"
#include "testbench/collective/collective_file.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/reproduce/geomean.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

constexpr std::string_view kHeader = "collective,algorithm,file,bytes,time_us";

class Reader {
 public:
  explicit Reader(std::string source) : source_(std::move(source)) {}

  std::vector<Measurement> read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::vector<Measurement> all;
    while (std::getline(lines, line)) {
      ++line_;
      if (line.ends_with('\r')) line.pop_back();
      if (line_ == 1) {
        if (line != kHeader) fail("expected the line " + inQuotes(std::string(kHeader)));
      } else {
        all.push_back(measurement(line));
      }
    }
    if (all.empty()) throw ConfigError(source_, "", "expected a line of names and measured times");
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(source_, "line " + std::to_string(line_), problem);
  }

  template <typename T>
  T number(const std::string& word, const char* what) const {
    const auto value = numberFrom<T>(word);
    if (!value || !(*value > 0) || !std::isfinite(static_cast<double>(*value))) {
      fail(std::string(what) + ": expected a " + (std::is_integral_v<T> ? "whole " : "") +
           "number above 0, got " + inQuotes(word));
    }
    return *value;
  }

  Measurement measurement(const std::string& line) {
    const std::vector<std::string> words = split(line, ',');
    if (words.size() != 5) fail("expected 5 fields, got " + std::to_string(words.size()));
    if (words[0] != "allgather") fail("collective: expected allgather, got " + inQuotes(words[0]));
    const auto algorithm = MeasuredAlgorithm::named(words[2]);
    if (!algorithm) {
      fail(
          "file: expected ag_ring_PROTOCOL_CHANNELS_INSTANCES or ag_allpair_PROTOCOL_x_INSTANCES, "
          "got " +
          inQuotes(words[2]));
    }
    const bool isRing = algorithm->kind == MeasuredAlgorithm::Kind::Ring;
    const std::string kind = isRing ? "ring" : "allpair";
    if (words[1] != kind) {
      fail("algorithm: expected " + kind + ", as the file's name says, got " + inQuotes(words[1]));
    }
    Measurement result{words[2], *algorithm, number<std::uint64_t>(words[3], "bytes"),
                       number<double>(words[4], "time_us")};
    if (!seen_.emplace(result.file, result.bytes).second) {
      fail("expected each file and size once, got " + result.file + " with " + words[3] +
           " bytes again");
    }
    return result;
  }

  const std::string source_;
  std::size_t line_ = 0;
  std::set<std::pair<std::string, std::uint64_t>> seen_;
};

}  // namespace

std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source) {
  return Reader(source).read(text);
}

std::vector<Measurement> shippedMeasurements() {
  const std::string text(reinterpret_cast<const char*>(kSilicon0), sizeof kSilicon0);
  return readMeasurements(text, "data/silicon/mi300x-all-gather.csv");
}

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
  std::vector<WorkerJob> jobs;
  for (const Measurement& measurement : measurements) {
    jobs.push_back(jobOf(measurement, scenario));
    check(jobs.back());
  }
  const auto weight = [](const WorkerJob& job) {
    return static_cast<double>(job.scenario.collective.bytes);
  };
  const std::vector<RunRecord> records =
      runBatch(jobs, crew, {.store = store, .showProgress = showProgress, .weight = weight});
  std::vector<ValidationPoint> points;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    ValidationPoint& point = points.emplace_back();
    point.measurement = measurements[i];
    point.gaveSettings =
        std::ranges::find(machine.measured, measurements[i].file) != machine.measured.end();
    point.failure = records[i].result.error;
    point.simulated_us =
        static_cast<double>(records[i].result.time_ps) / 1e6 + launchUs(measurements[i], scenario);
  }
  return points;
}

}  // namespace t3
