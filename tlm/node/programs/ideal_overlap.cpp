// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"

namespace t3 {
namespace {

/// max(GEMM, reduce-scatter) + all-gather of a sequential run: its own phases, overlapped for free.
void overlap(RunResult& result) {
  double hidden = 0;  // in the sublayers up to here
  for (SublayerSpan& span : result.sublayers) {
    span.start_ps -= picosecondsFromNs(hidden);
    const double own = std::min(span.phase_ns.gemm, span.phase_ns.reduce_scatter);
    span.phase_ns.reduce_scatter -= own;
    hidden += own;
    span.end_ps -= picosecondsFromNs(hidden);
  }
  result.time_ps -= picosecondsFromNs(hidden);
  result.phase_ns.reduce_scatter -= hidden;
  if (result.steady_ns) {
    const Picoseconds first = result.sublayers.front().end_ps;
    *result.steady_ns = static_cast<double>(result.sublayers.back().end_ps - first) * 1e-3 /
                        static_cast<double>(result.sublayers.size() - 1);
  }
  BoundNs& bound = result.bound_ns;
  bound.total -= std::min(bound.gemm, bound.reduce_scatter);
}

}  // namespace

constinit const ModeKind kIdealOverlap = {
    .name = "ideal-overlap", .ideal = true, .simulatedAs = &kSequential, .finish = overlap};

}  // namespace t3
