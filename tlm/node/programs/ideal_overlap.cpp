// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"

namespace t3 {
namespace {

/// max(GEMM, reduce-scatter) + all-gather of a sequential run: its own phases, overlapped for free.
void overlap(RunResult& result) {
  PhaseNs& phases = result.phase_ns;
  const double hidden = std::min(phases.gemm, phases.reduce_scatter);
  result.time_ps -= picosecondsFromNs(hidden);
  phases.reduce_scatter -= hidden;
  BoundNs& bound = result.bound_ns;
  bound.total -= std::min(bound.gemm, bound.reduce_scatter);
}

}  // namespace

constinit const ModeKind kIdealOverlap = {
    .name = "ideal-overlap", .ideal = true, .simulatedAs = &kSequential, .finish = overlap};

}  // namespace t3
