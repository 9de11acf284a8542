// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace t3 {
namespace {

/// `part(progress)`: its span on a GPU, in sublayer `number`.
TimeSpan over(const Cluster& cluster, std::uint32_t number, const auto& part) {
  TimeSpan all{std::numeric_limits<Picoseconds>::max(), 0};
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
    if (number >= cluster.history(g).size()) continue;  // of a run that did not end
    const TimeSpan& span = std::invoke(part, cluster.history(g)[number]);
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
    const auto add = [&](Phase phase, const auto& part) {
      const TimeSpan span = over(cluster_, number, part);
      const Picoseconds next = std::max(end, span.end);
      sublayer.phase_ns[phase] += nanoseconds(next - end);
      end = next;
      return span.start;
    };
    const Picoseconds start = add(Phase::Gemm, &GpuProgress::gemm);
    sublayer.start_ps = number == 0 ? 0 : start;
    for (const Collective* collective : cluster_.collectives()) {
      if (collective->gathers()) add(Phase::Norm, &GpuProgress::norm);
      add(collective->phase,
          [&](const GpuProgress& gpu) { return gpu.collectives.of(*collective); });
    }
    add(Phase::Consumer, &GpuProgress::consumer);
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
  const Picoseconds reduced = progress.collectives.of(kReduceScatter).end;
  if (progress.gemm.end == 0 || reduced == 0) return;
  cluster_.at(gpu, std::max(progress.gemm.end, reduced) + cluster_.launchLatency(),
              [this, gpu] { cluster_.startGather(gpu); });
}

TimeSpan Program::gemmOfAll() const { return over(cluster_, 0, &GpuProgress::gemm); }

TimeSpan Program::normOfAll() const { return over(cluster_, 0, &GpuProgress::norm); }

TimeSpan Program::consumerOfAll() const { return over(cluster_, 0, &GpuProgress::consumer); }

TimeSpan Program::ofAll(const Collective& collective) const {
  return over(cluster_, 0, [&](const GpuProgress& gpu) { return gpu.collectives.of(collective); });
}

}  // namespace t3
