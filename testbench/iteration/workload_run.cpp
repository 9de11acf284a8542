// SPDX-License-Identifier: Apache-2.0
#include "testbench/iteration/workload_run.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <map>
#include <numeric>
#include <set>

#include "testbench/config/described_json.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/job_runner.h"

namespace t3 {
namespace {

/// The different jobs of all parts and modes, and where each is needed.
struct JobList {
  std::vector<WorkerJob> jobs;
  std::map<std::string, std::size_t> known;

  std::size_t add(const WorkerJob& job) {
    const auto [entry, isNew] = known.emplace(boost::json::serialize(toJson(job)), jobs.size());
    if (isNew) {
      jobs.push_back(job);
    }
    return entry->second;
  }
};

struct PartUse {
  PartJobs made;
  std::vector<std::size_t> jobs;  ///< in the list
};

std::vector<RunRecord> simulateAll(const std::vector<WorkerJob>& jobs, Crew& crew,
                                   bool showProgress) {
  BatchBar bar(jobs.size(), showProgress);
  std::vector<double> fractions(jobs.size(), 0.0);
  std::size_t done = 0;
  const auto show = [&] {
    bar.update(done, std::reduce(fractions.begin(), fractions.end()) /
                         static_cast<double>(std::max<std::size_t>(jobs.size(), 1)));
  };
  return runJobs(
      jobs, crew,
      [&](std::size_t job, double fraction) {
        if (fractions[job] == fraction) return;
        fractions[job] = fraction;
        show();
      },
      [&](std::size_t, const RunRecord&) {
        ++done;
        show();
      });
}

}  // namespace

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
  report.simulations = list.jobs.size();
  const std::vector<RunRecord> records = simulateAll(list.jobs, crew, showProgress);

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
