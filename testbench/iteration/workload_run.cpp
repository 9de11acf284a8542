// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/workload_run.h"

#include <algorithm>
#include <set>
#include <utility>

namespace t3 {
namespace {

bool scatters(const WorkPart& part) { return part.collective == &kReduceScatterPromise; }

/// What a run of a mode says about a reduce-scatter alone ends before its all-gather; where that is
/// part of the same overlap, the mode without it is asked.
Mode modeFor(const WorkPart& part, Mode mode) {
  return scatters(part) && mode.kind->gathers ? Mode(Mode::T3Mca) : mode;
}

Picoseconds latest(const RunResult& result, Picoseconds GpuResult::*end) {
  Picoseconds last = 0;
  for (const GpuResult& gpu : result.per_gpu) last = std::max(last, gpu.*end);
  return last;
}

/// `partProblem` has found nothing. Parts without a pair are the same in all modes.
PartJobs jobsOf(const WorkPart& part, const SystemConfig& scenario, Mode mode,
                TrackerKind tracker) {
  PartJobs made;
  const auto add = [&](std::uint64_t bytes) {
    WorkerJob job;
    job.scenario = partScenario(part, scenario, bytes);
    job.tracker = tracker;
    if (part.kind == PartKind::Pair) job.mode = modeFor(part, mode);
    if (part.kind == PartKind::Gemm) job.kind = JobKind::Gemm;
    if (part.kind == PartKind::Collective) {
      job.kind = JobKind::Collective;
      job.collective = part.collective->name;
      job.collective_file = part.file;
    }
    made.jobs.push_back(std::move(job));
  };
  if (part.kind != PartKind::Collective) {
    add(0);
    return made;
  }
  for (const std::uint64_t bytes : sizesOf(part, scenario)) add(bytes);
  made.chunks = chunksOf(part, made.jobs.front().scenario);
  return made;
}

struct PartUse {
  PartJobs made;
  std::vector<std::size_t> jobs;  ///< in the list
};

}  // namespace

PartTime PartJobs::timeOf(const WorkPart& part, const std::vector<RunRecord>& records) const {
  const RunResult& result = records.front().result;
  switch (part.kind) {
    case PartKind::Gemm:
      return {result.time_ps, result.time_ps};
    case PartKind::Pair: {
      // A tracker may see the last update some cycles before the kernel's last workgroup ends.
      const Picoseconds gemm = latest(result, &GpuResult::gemm_end_ps);
      const Picoseconds scatter = latest(result, &GpuResult::reduce_scatter_end_ps);
      return {gemm, scatters(part) ? std::max(gemm, scatter) : result.time_ps};
    }
    case PartKind::Collective:
      break;
  }
  if (records.size() == 1) return {0, result.time_ps};
  // Of whole chunks, as they were simulated.
  const auto moved = [this](AlgorithmConfig size, std::uint64_t bytes) {
    size.bytes = bytes;
    return static_cast<double>(size.chunkBytes(chunks) * chunks);
  };
  const AlgorithmConfig& size = jobs.front().scenario.collective;
  const double first = moved(size, size.bytes);
  const double step = first - moved(size, jobs.back().scenario.collective.bytes);
  const double more = moved(size, part.bytes) - first;
  // The start, refreshes and the like weigh more or less in one of the two, so the line through
  // both may end below what link and memory need for all bytes.
  const RunResult& smaller = records.back().result;
  // Where chunks are so many that both sizes are the same bytes, all of the time is theirs.
  const auto along = [&](double ofFirst, double ofSmaller) {
    return ofFirst + (step == 0 ? ofFirst / first : (ofFirst - ofSmaller) / step) * more;
  };
  const auto inMemory = [memory =
                             jobs.front().scenario.hbm.peakBytesPerNs()](const RunResult& one) {
    const PhaseFigures figures = one.others().front();
    return static_cast<double>(figures.dram_read + figures.dram_write) / memory;
  };
  const double time = std::max({along(nanoseconds(result.time_ps), nanoseconds(smaller.time_ps)),
                                along(result.bound_ns, smaller.bound_ns),
                                along(inMemory(result), inMemory(smaller))});
  return {0, std::max(result.time_ps, picosecondsFromNs(time))};
}

bool WorkloadReport::failed() const {
  return std::ranges::any_of(runs, [](const WorkloadRun& run) { return !run.error.empty(); });
}

void runWorkload(WorkloadReport& report, const std::vector<Mode>& modes, Crew& crew,
                 bool showProgress) {
  const WorkPlan& plan = *report.plan;
  JobList list;
  std::vector<std::vector<PartUse>> uses;  // [mode][part]
  for (const Mode mode : modes) {
    std::vector<PartUse>& ofMode = uses.emplace_back();
    for (const WorkPart& part : plan.parts) {
      PartUse use{jobsOf(part, report.scenario, mode, report.tracker), {}};
      for (const WorkerJob& job : use.made.jobs) use.jobs.push_back(list.add(job));
      ofMode.push_back(std::move(use));
    }
  }
  report.simulations = list.jobs().size();
  const std::vector<RunRecord> records =
      runBatch(list.jobs(), crew, {.showProgress = showProgress});

  for (std::size_t m = 0; m < modes.size(); ++m) {
    WorkloadRun run;
    run.mode = modes[m];
    std::set<std::size_t> mine;
    for (const PartUse& use : uses[m]) {
      std::vector<RunRecord> own;
      for (const std::size_t job : use.jobs) {
        own.push_back(records[job]);
        mine.insert(job);
      }
      run.parts.push_back({});
      const auto failed = std::ranges::find_if(own, &RunRecord::failed);
      if (failed == own.end()) {
        run.parts.back() = use.made.timeOf(plan.parts[run.parts.size() - 1], own);
      } else if (run.error.empty()) {
        run.error = plan.parts[run.parts.size() - 1].text() + ": " + failed->result.error;
      }
    }
    for (const std::size_t job : mine) {
      run.wall_s += records[job].host.wall_s;
      run.peak_rss_mb = std::max(run.peak_rss_mb, records[job].host.peak_rss_mb);
    }
    if (run.error.empty()) {
      run.iteration = walk(*report.workload, plan, run.parts, report.scenario, run.mode);
    }
    report.runs.push_back(std::move(run));
  }
}

}  // namespace t3
