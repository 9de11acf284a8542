// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/point_runner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "testbench/config/mode_spelling.h"
#include "tlm/node/bounds.h"

namespace t3 {
namespace {

/// The mode whose run becomes the one of `mode`.
Mode simulatedFor(Mode mode) { return {mode.simulated(), mode.number}; }

bool derived(const SystemConfig& scenario, const std::vector<Mode>& modes, Mode mode) {
  const Mode simulated = simulatedFor(mode);
  return mode != simulated && sameCollectives(scenario, mode, simulated) &&
         std::ranges::find(modes, simulated) != modes.end();
}

RunRecord derive(const SystemConfig& scenario, Mode mode, const std::vector<RunRecord>& simulated) {
  RunRecord record = *std::ranges::find(simulated, simulatedFor(mode), &RunRecord::mode);
  record.derived_from = std::exchange(record.mode, mode);
  if (record.failed()) {
    record.result.error =
        "the " + spelling(*record.derived_from) + " run it is computed from failed";
  } else {
    mode.kind->finish(record.result);
    const SystemConfig config = mode.configured(scenario);
    addBounds(config, mode, record.result);
    record.result.error = belowClosedForm(record.result);
  }
  return record;
}

}  // namespace

std::vector<Mode> simulatedModes(const SystemConfig& scenario, const std::vector<Mode>& modes) {
  std::vector<Mode> simulated;
  std::ranges::copy_if(modes, std::back_inserter(simulated),
                       [&](Mode mode) { return !derived(scenario, modes, mode); });
  return simulated;
}

std::vector<RunRecord> assembleRuns(const SystemConfig& scenario, const std::vector<Mode>& modes,
                                    const std::vector<RunRecord>& simulated) {
  std::vector<RunRecord> records;
  auto next = simulated.begin();
  for (const Mode mode : modes) {
    records.push_back(derived(scenario, modes, mode) ? derive(scenario, mode, simulated) : *next++);
  }
  checkBounds(scenario, records);
  return records;
}

namespace {

/// A rough cost of a run, for the estimate of the time left: GPUs times elements of the output.
double weightOf(const WorkerJob& job) {
  const WorkloadConfig& work = job.scenario.workload;
  const double tracked = job.mode == Mode::Sequential ? 1 : 2;
  return tracked * job.scenario.gpus * work.rows * work.columns;
}

}  // namespace

std::vector<PointResult> runPoints(const std::vector<Point>& points, TrackerKind tracker,
                                   Crew& crew, const RunStore* store, bool showProgress) {
  JobList list;
  std::vector<std::vector<std::size_t>> runs;  // of each point, in the list
  for (const Point& point : points) {
    std::vector<std::size_t>& own = runs.emplace_back();
    for (const Mode mode : simulatedModes(point.scenario, point.modes)) {
      WorkerJob job{point.scenario, mode, tracker};
      // These two are only labels. Without them FC-1 and FC-2 are the same run, made once.
      job.scenario.workload.model = job.scenario.workload.sublayer = "";
      own.push_back(list.add(std::move(job)));
    }
  }
  const auto complete = [&runs](const std::vector<bool>& done) {
    const auto isDone = [&done](std::size_t run) { return done[run]; };
    return static_cast<std::size_t>(std::ranges::count_if(
        runs, [&](const auto& own) { return std::ranges::all_of(own, isDone); }));
  };
  const std::vector<RunRecord> records = runBatch(list.jobs(), crew,
                                                  {.store = store,
                                                   .showProgress = showProgress,
                                                   .weight = weightOf,
                                                   .points = points.size(),
                                                   .complete = complete});
  std::vector<PointResult> results;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::vector<RunRecord> simulated;
    for (const std::size_t run : runs[p]) simulated.push_back(records[run]);
    results.push_back(
        {points[p],
         {points[p].scenario, assembleRuns(points[p].scenario, points[p].modes, simulated)}});
  }
  return results;
}

}  // namespace t3
