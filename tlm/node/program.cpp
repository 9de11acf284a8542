// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>

namespace t3 {

void Program::summarise(const std::vector<GpuFigures>& gpus, RunResult& result) const {
  Picoseconds end = 0;
  for (std::uint32_t number = 0; number < cluster_.sublayers(); ++number) {
    const TimeSpan gemm = spanOf(gpus, number, Phase::Gemm);
    if (!gemm.begun()) break;  // the run has failed before
    SublayerSpan sublayer;
    sublayer.start_ps = number == 0 ? 0 : gemm.start;
    const auto add = [&](Phase phase) {
      const TimeSpan span = spanOf(gpus, number, phase);
      const Picoseconds next = std::max(end, span.end);
      sublayer.phase_ns[phase] += nanoseconds(next - end);
      end = next;
    };
    add(Phase::Gemm);
    for (const Collective* collective : cluster_.collectives()) {
      if (collective->gathers()) add(Phase::Norm);
      add(collective->phase);
    }
    add(Phase::Consumer);
    sublayer.end_ps = std::max(end, sublayer.start_ps);
    result.add(sublayer);
  }
  result.time_ps = end;
  addSteady(gpus, result);
}

void Program::gatherWhenReduced(std::uint32_t gpu) {
  const GpuProgress& progress = cluster_.progress(gpu);
  const Picoseconds computed = progress.of(Phase::Gemm).end;
  const Picoseconds reduced = progress.of(Phase::ReduceScatter).end;
  if (computed == 0 || reduced == 0) return;
  cluster_.at(gpu, std::max(computed, reduced) + cluster_.launchLatency(),
              [this, gpu] { cluster_.startGather(gpu); });
}

}  // namespace t3
