// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/program.h"

#include <algorithm>
#include <string_view>

namespace t3 {
namespace {

double nanoseconds(Picoseconds from, Picoseconds to) {
  return static_cast<double>(to - from) * 1e-3;
}

double& exposedNs(RunResult& result, const Collective& collective) {
  if (&collective == &kReduceScatter) return result.phase_ns.reduce_scatter;
  if (&collective == &kAllGather) return result.phase_ns.all_gather;
  return result.other(collective.name).exposed_ns;
}

/// `part(gpu)`: its span on that GPU.
TimeSpan over(const Cluster& cluster, const auto& part) {
  TimeSpan all = part(0U);
  for (std::uint32_t g = 1; g < cluster.simulated(); ++g) {
    all.start = std::min(all.start, part(g).start);
    all.end = std::max(all.end, part(g).end);
  }
  return all;
}

}  // namespace

void Program::summarise(RunResult& result) const {
  Picoseconds end = gemmOfAll().end;
  result.phase_ns.gemm = nanoseconds(0, end);
  for (const Collective* collective : cluster_.collectives()) {
    result.time_ps = ofAll(*collective).end;
    const Picoseconds next = std::max(end, result.time_ps);
    exposedNs(result, *collective) = nanoseconds(end, next);
    end = next;
  }
}

void Program::gatherWhenReduced(std::uint32_t gpu) {
  const GpuProgress& progress = cluster_.progress(gpu);
  const Picoseconds reduced = progress.collectives.of(kReduceScatter).end;
  if (progress.gemm.end == 0 || reduced == 0) return;
  cluster_.at(std::max(progress.gemm.end, reduced) + cluster_.launchLatency(),
              [this, gpu] { cluster_.startCollective(gpu, kAllGather); });
}

TimeSpan Program::gemmOfAll() const {
  return over(cluster_, [this](std::uint32_t g) { return cluster_.progress(g).gemm; });
}

TimeSpan Program::ofAll(const Collective& collective) const {
  return over(cluster_,
              [&](std::uint32_t g) { return cluster_.progress(g).collectives.of(collective); });
}

}  // namespace t3
