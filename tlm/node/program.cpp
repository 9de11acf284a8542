// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>
#include <limits>

namespace t3 {
namespace {

/// Over all GPUs, in sublayer `number`.
TimeSpan over(const Cluster& cluster, std::uint32_t number, Phase phase) {
  TimeSpan all{std::numeric_limits<Picoseconds>::max(), 0};
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
    if (number >= cluster.history(g).size()) continue;  // of a run that did not end
    const TimeSpan& span = cluster.history(g)[number].of(phase);
    all.start = std::min(all.start, span.start);
    all.end = std::max(all.end, span.end);
  }
  return all;
}

}  // namespace

void Program::summarise(RunResult& result) const {
  Picoseconds end = 0;
  for (std::uint32_t number = 0; number < cluster_.sublayers(); ++number) {
    SublayerSpan sublayer;
    const auto add = [&](Phase phase) {
      const TimeSpan span = over(cluster_, number, phase);
      const Picoseconds next = std::max(end, span.end);
      sublayer.phase_ns[phase] += nanoseconds(next - end);
      end = next;
      return span.start;
    };
    const Picoseconds start = add(Phase::Gemm);
    sublayer.start_ps = number == 0 ? 0 : start;
    for (const Collective* collective : cluster_.collectives()) {
      if (collective->gathers()) add(Phase::Norm);
      add(collective->phase);
    }
    add(Phase::Consumer);
    sublayer.end_ps = end;
    result.add(sublayer);
  }
  if (cluster_.sublayers() > 1) {
    const Picoseconds first = result.sublayers.front().end_ps;
    result.steady_ns = nanoseconds(std::max(first, end) - first) / (cluster_.sublayers() - 1);
  }
  result.time_ps = end;
}

void Program::gatherWhenReduced(std::uint32_t gpu) {
  const GpuProgress& progress = cluster_.progress(gpu);
  const Picoseconds computed = progress.of(Phase::Gemm).end;
  const Picoseconds reduced = progress.of(Phase::ReduceScatter).end;
  if (computed == 0 || reduced == 0) return;
  cluster_.at(gpu, std::max(computed, reduced) + cluster_.launchLatency(),
              [this, gpu] { cluster_.startGather(gpu); });
}

TimeSpan Program::ofAll(Phase phase) const { return over(cluster_, 0, phase); }

}  // namespace t3
