// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/measured_shares.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/json_text.h"
#include "testbench/simulate/job_runner.h"

namespace t3 {
namespace {

/// GPUs that are all as this one, of which one is simulated if it can stand for all. Only the GEMM
/// matters, so its data is elided and nothing follows it.
SystemConfig allLike(const SystemConfig& scenario, std::uint32_t gpu) {
  SystemConfig alike = scenario.ofGpu(gpu);
  alike.overrides = {};
  alike.data = DataMode::Elided;
  alike.algorithm.reset();
  alike.workload.collective.clear();
  alike.workload.repeat = 1;
  alike.workload.contributions = 0;
  alike.workload.between = Between::None;
  alike.workload.consumer = {};
  alike.simulated_gpus = GpuSimulation::Symmetric;
  if (alike.check()) alike.simulated_gpus = GpuSimulation::Explicit;
  return alike;
}

}  // namespace

void measureShares(SystemConfig& scenario, Crew& crew) {
  if (scenario.workload.shares != WorkloadConfig::kMeasuredShares) return;
  std::vector<std::pair<double, std::uint32_t>> kinds;  // all that can differ
  std::vector<std::size_t> kindOf;
  std::vector<WorkerJob> jobs;
  for (std::uint32_t g = 0; g < scenario.gpus; ++g) {
    SystemConfig alike = allLike(scenario, g);
    const std::pair kind{alike.gpu.clock_mhz, alike.gpu.compute_units};
    const auto known = std::ranges::find(kinds, kind);
    kindOf.push_back(static_cast<std::size_t>(known - kinds.begin()));
    if (known != kinds.end()) continue;
    kinds.push_back(kind);
    WorkerJob job;
    job.scenario = std::move(alike);
    job.kind = JobKind::Gemm;
    job.tracker = TrackerKind::Model;
    jobs.push_back(std::move(job));
  }
  std::vector<double> times;
  for (const RunRecord& record : runJobs(jobs, crew, [](std::size_t, double) {})) {
    if (record.failed()) throw std::runtime_error("workload.shares: " + record.result.error);
    times.push_back(static_cast<double>(record.result.time_ps));
  }
  const double least = std::ranges::min(times);
  std::string& shares = scenario.workload.shares;
  shares.clear();
  for (const std::size_t kind : kindOf) {
    if (!shares.empty()) shares += ',';
    shares += formatNumber(std::round(1e4 * least / times[kind]) / 100);
  }
}

}  // namespace t3
