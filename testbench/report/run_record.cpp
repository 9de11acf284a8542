// SPDX-License-Identifier: Apache-2.0
#include "testbench/report/run_record.h"

#include <algorithm>
#include <string>

#include "testbench/workload/model_graph.h"

namespace t3 {
namespace {

const RunRecord* usable(std::span<const RunRecord> runs, Mode mode) {
  const auto found = std::ranges::find(runs, mode, &RunRecord::mode);
  return found != runs.end() && !found->failed() && found->result.time_ps > 0 ? &*found : nullptr;
}

/// Refreshes and row conflicts fall otherwise into a part that runs alone: equal GPUs of one ideal
/// end as much as that apart (docs/modes.md).
constexpr Picoseconds kRefreshes = 500'000;

/// Whether all GPUs do the same, as far as that is in the hands of who sets up the machine.
bool inStep(const SystemConfig& scenario) {
  const Tiling tiling = scenario.makeTiling(*scenario.makeRoute());
  return scenario.gpusAreEqual() && tiling.chunksHaveEqualTiles();
}

}  // namespace

bool Report::failed() const { return std::ranges::any_of(runs, &RunRecord::failed); }

std::optional<double> Report::speedup(const RunRecord& run) const {
  const RunRecord* sequential = usable(runs, Mode::Sequential);
  if (sequential == nullptr || run.failed() || run.result.time_ps == 0) return std::nullopt;
  return static_cast<double>(sequential->result.time_ps) / static_cast<double>(run.result.time_ps);
}

std::optional<double> prefillOf(const Report& report, const RunRecord& run) {
  if (run.failed() || report.scenario.workload.graph.empty()) return std::nullopt;
  const auto model = ModelRun::named(report.scenario.workload.graph);
  if (!model) return std::nullopt;
  return prefillNs(*model, run.result);
}

void checkBounds(const SystemConfig& scenario, std::vector<RunRecord>& runs) {
  if (!inStep(scenario)) return;
  for (RunRecord& run : runs) {
    for (const ModeKind* ideal : run.mode.kind->boundedBy) {
      const RunRecord* bound = usable(runs, Mode{*ideal});
      // An all-reduce as it is may take less than its two halves.
      const bool alike = sameCollectives(scenario, Mode{*ideal}, run.mode);
      if (bound == nullptr || !alike || run.failed() ||
          run.result.time_ps + kRefreshes >= bound->result.time_ps) {
        continue;
      }
      run.result.error = std::string("faster than its bound ") + ideal->name + ": " +
                         std::to_string(run.result.time_ps) + " ps < " +
                         std::to_string(bound->result.time_ps) + " ps";
    }
  }
}

}  // namespace t3
