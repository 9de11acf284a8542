// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/node/bounds.h"
#include "tlm/node/mode.h"
#include "tlm/node/modes/blocks.h"
#include "tlm/node/run_result.h"

namespace t3 {
namespace {

/// max(GEMM, reduce-scatter) + all-gather of a sequential run: its own phases, each with the launch
/// in front of it, overlapped for free. So no sequential run is faster. A mode with a GEMM of its
/// own may be, because its stores need not pass the L2.
void overlap(RunResult& result) {
  double hidden = 0;  // in the sublayers up to here
  for (SublayerSpan& span : result.sublayers) {
    span.start_ps -= picosecondsFromNs(hidden);
    const double own = std::min(span.phase_ns[Phase::Gemm], span.phase_ns[Phase::ReduceScatter]);
    span.phase_ns[Phase::ReduceScatter] -= own;
    hidden += own;
    span.end_ps -= picosecondsFromNs(hidden);
  }
  result.time_ps -= picosecondsFromNs(hidden);
  result.of(Phase::ReduceScatter).exposed_ns -= hidden;
  if (result.steady_ns) {
    const Picoseconds first = result.sublayers.front().end_ps;
    *result.steady_ns = nanoseconds(result.sublayers.back().end_ps - first) /
                        static_cast<double>(result.sublayers.size() - 1);
  }
}

/// The same of the closed forms. Where GPUs differ, the reduce-scatter that follows the last GEMM
/// is that of the GPU whose GEMM it is, and may be the fastest.
double boundOfIdealOverlap(const BoundParts& parts) {
  const double gemm = parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
  const double reduce =
      parts.least([](const GpuBound& gpu) { return gpu.collectives.of(kReduceScatter); });
  const double gather =
      parts.least([](const GpuBound& gpu) { return gpu.collectives.of(kAllGather); });
  const double consumer = parts.least([](const GpuBound& gpu) { return gpu.consumer; });
  return std::max(gemm, parts.launch + reduce) + parts.launch + gather +
         (consumer == 0 ? 0 : parts.launch + consumer);
}

}  // namespace

constinit const ModeKind kIdealOverlap = {
    .name = "ideal-overlap",
    .ideal = true,
    .simulatedAs = &kSequential,
    .graph =
        [](const SystemConfig& config) { return inTurnGraph(config, kReduceScatterAndAllGather); },
    .bound = boundOfIdealOverlap,
    .finish = overlap};

}  // namespace t3
