// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/comparison.h"

#include <algorithm>

#include "tlm/node/system.h"

namespace t3 {
namespace {

bool derived(const std::vector<Mode>& modes, Mode mode) {
  return mode == Mode::IdealOverlap && std::ranges::find(modes, Mode::Sequential) != modes.end();
}

RunRecord overlapOf(const RunRecord& sequential) {
  RunRecord record = sequential;
  record.mode = Mode::IdealOverlap;
  record.derived_from = Mode::Sequential;
  if (sequential.failed()) {
    record.result.error = "the sequential run it is computed from failed";
  } else {
    record.result = idealOverlapOf(sequential.result);
  }
  return record;
}

}  // namespace

std::vector<Mode> simulatedModes(const std::vector<Mode>& modes) {
  std::vector<Mode> simulated;
  std::ranges::copy_if(modes, std::back_inserter(simulated),
                       [&](Mode mode) { return !derived(modes, mode); });
  return simulated;
}

std::vector<RunRecord> assembleRuns(const std::vector<Mode>& modes,
                                    const std::vector<RunRecord>& simulated) {
  std::vector<RunRecord> records;
  auto next = simulated.begin();
  for (const Mode mode : modes) {
    records.push_back(derived(modes, mode) ? overlapOf(*std::ranges::find(
                                                 simulated, Mode::Sequential, &RunRecord::mode))
                                           : *next++);
  }
  checkBounds(records);
  return records;
}

}  // namespace t3
