// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>
#include <limits>

namespace t3 {
namespace {

/// `part(progress)`: its span on a GPU, in sublayer `number`.
TimeSpan over(const Cluster& cluster, std::uint32_t number, const auto& part) {
  TimeSpan all{std::numeric_limits<Picoseconds>::max(), 0};
  for (std::uint32_t g = 0; g < cluster.simulated(); ++g) {
    if (number >= cluster.history(g).size()) continue;  // of a run that did not end
    const TimeSpan& span = part(cluster.history(g)[number]);
    all.start = std::min(all.start, span.start);
    all.end = std::max(all.end, span.end);
  }
  return all;
}

}  // namespace

void Program::summarise(RunResult& result) const {
  Picoseconds end = 0;
  for (std::uint32_t number = 0; number < cluster_.sublayers(); ++number) {
    const PhaseRows before = result.by_phase;
    const auto add = [&](const PhaseName& phase, const TimeSpan& span) {
      const Picoseconds next = std::max(end, span.end);
      result.by_phase.row(phase).exposed_ns += nanoseconds(next - end);
      end = next;
    };
    const auto ofAllGpus = [&](const auto& part) { return over(cluster_, number, part); };
    const TimeSpan gemm = ofAllGpus([](const GpuProgress& gpu) { return gpu.gemm; });
    add(Phase::Gemm, gemm);
    for (const Collective* collective : cluster_.collectives()) {
      if (collective == &kAllGather && cluster_.config().workload.norms()) {
        add(Phase::Norm, ofAllGpus([](const GpuProgress& gpu) { return gpu.norm; }));
      }
      add(*collective,
          ofAllGpus([&](const GpuProgress& gpu) { return gpu.collectives.of(*collective); }));
    }
    if (cluster_.consumer()) {
      add(Phase::Consumer, ofAllGpus([](const GpuProgress& gpu) { return gpu.consumer; }));
    }
    result.sublayers.push_back(
        {number == 0 ? 0 : gemm.start, end, result.by_phase.exposedSince(before)});
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

TimeSpan Program::gemmOfAll() const {
  return over(cluster_, 0, [](const GpuProgress& gpu) { return gpu.gemm; });
}

TimeSpan Program::normOfAll() const {
  return over(cluster_, 0, [](const GpuProgress& gpu) { return gpu.norm; });
}

TimeSpan Program::consumerOfAll() const {
  return over(cluster_, 0, [](const GpuProgress& gpu) { return gpu.consumer; });
}

TimeSpan Program::ofAll(const Collective& collective) const {
  return over(cluster_, 0, [&](const GpuProgress& gpu) { return gpu.collectives.of(collective); });
}

}  // namespace t3
