// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>
#include <limits>

namespace t3 {
namespace {

double& exposedNs(RunResult& result, const Collective& collective) {
  if (collective.reduceScatters()) return result.phase_ns.reduce_scatter;
  if (collective.gathers()) return result.phase_ns.all_gather;
  return result.other(collective.name).exposed_ns;
}

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
    const PhaseNs before = result.phase_ns;
    const TimeSpan gemm = over(cluster_, number, [](const GpuProgress& gpu) { return gpu.gemm; });
    result.phase_ns.gemm += nanoseconds(std::max(end, gemm.end) - end);
    end = std::max(end, gemm.end);
    for (const Collective* collective : cluster_.collectives()) {
      if (collective->gathers()) {
        const TimeSpan norm =
            over(cluster_, number, [](const GpuProgress& gpu) { return gpu.norm; });
        result.phase_ns.norm += nanoseconds(std::max(end, norm.end) - end);
        end = std::max(end, norm.end);
      }
      const TimeSpan span = over(cluster_, number, [&](const GpuProgress& gpu) {
        return gpu.collectives.of(*collective);
      });
      const Picoseconds next = std::max(end, span.end);
      exposedNs(result, *collective) += nanoseconds(next - end);
      end = next;
    }
    const TimeSpan consumer =
        over(cluster_, number, [](const GpuProgress& gpu) { return gpu.consumer; });
    result.phase_ns.consumer += nanoseconds(std::max(end, consumer.end) - end);
    end = std::max(end, consumer.end);
    const PhaseNs& all = result.phase_ns;
    result.sublayers.push_back({number == 0 ? 0 : gemm.start,
                                end,
                                {all.gemm - before.gemm, all.reduce_scatter - before.reduce_scatter,
                                 all.all_gather - before.all_gather, all.norm - before.norm,
                                 all.consumer - before.consumer}});
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
