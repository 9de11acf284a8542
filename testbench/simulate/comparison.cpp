// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/comparison.h"

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

}  // namespace t3
