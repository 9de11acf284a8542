// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/point_runner.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <map>
#include <numeric>
#include <string>

#include "testbench/config/described_json.h"
#include "testbench/report/progress_bar.h"
#include "testbench/simulate/comparison.h"
#include "testbench/simulate/job_runner.h"
#include "testbench/simulate/run_store.h"

namespace t3 {
namespace {

/// The different runs of all points, each once, and for each point the indices of its runs.
struct RunList {
  std::vector<WorkerJob> jobs;
  std::vector<std::vector<std::size_t>> ofPoint;
};

RunList listRuns(const std::vector<Point>& points, TrackerKind tracker) {
  RunList list;
  std::map<std::string, std::size_t> known;
  for (const Point& point : points) {
    std::vector<std::size_t> runs;
    for (const Mode mode : simulatedModes(point.scenario, point.modes)) {
      WorkerJob job{point.scenario, mode, tracker};
      // These two are only labels. Without them FC-1 and FC-2 are the same run, made once.
      job.scenario.workload.model = job.scenario.workload.sublayer = "";
      const auto [entry, isNew] =
          known.emplace(boost::json::serialize(toJson(job)), list.jobs.size());
      if (isNew) list.jobs.push_back(std::move(job));
      runs.push_back(entry->second);
    }
    list.ofPoint.push_back(std::move(runs));
  }
  return list;
}

/// A rough cost of a run, for the estimate of the time left: GPUs times elements of the output.
double weightOf(const WorkerJob& job) {
  const WorkloadConfig& work = job.scenario.workload;
  const double tracked = job.mode == Mode::Sequential ? 1 : 2;
  return tracked * job.scenario.gpus * work.rows * work.columns;
}

/// How many points have all their runs.
std::size_t complete(const RunList& list, const std::vector<bool>& done) {
  return static_cast<std::size_t>(
      std::ranges::count_if(list.ofPoint, [&](const std::vector<std::size_t>& runs) {
        return std::ranges::all_of(runs, [&](std::size_t run) { return done[run]; });
      }));
}

}  // namespace

std::vector<PointResult> runPoints(const std::vector<Point>& points, TrackerKind tracker,
                                   Crew& crew, const RunStore* store, bool showProgress) {
  const RunList list = listRuns(points, tracker);
  std::vector<RunRecord> records(list.jobs.size());
  std::vector<bool> done(list.jobs.size(), false);
  std::vector<WorkerJob> missing;
  std::vector<std::size_t> missingIndex;
  for (std::size_t i = 0; i < list.jobs.size(); ++i) {
    if (store != nullptr) {
      if (auto stored = store->load(list.jobs[i])) {
        records[i] = std::move(*stored);
        done[i] = true;
        continue;
      }
    }
    missing.push_back(list.jobs[i]);
    missingIndex.push_back(i);
  }

  {
    std::vector<double> weights;
    for (const WorkerJob& job : missing) weights.push_back(weightOf(job));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> fractions(missing.size(), 0.0);
    BatchBar bar(points.size(), showProgress);
    const auto show = [&] {
      const double made =
          std::inner_product(weights.begin(), weights.end(), fractions.begin(), 0.0);
      bar.update(complete(list, done), total > 0 ? made / total : 1.0);
    };
    show();
    runJobs(
        missing, crew,
        [&](std::size_t job, double fraction) {
          if (fractions[job] == fraction) return;
          fractions[job] = fraction;
          show();
        },
        [&](std::size_t job, const RunRecord& record) {
          records[missingIndex[job]] = record;
          done[missingIndex[job]] = true;
          if (store != nullptr && !record.failed()) store->save(missing[job], record);
          show();
        });
  }

  std::vector<PointResult> results;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::vector<RunRecord> simulated;
    for (const std::size_t run : list.ofPoint[p]) simulated.push_back(records[run]);
    results.push_back(
        {points[p],
         {points[p].scenario, assembleRuns(points[p].scenario, points[p].modes, simulated)}});
  }
  return results;
}

}  // namespace t3
