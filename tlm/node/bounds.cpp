// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace t3 {
namespace {

/// Models count whole picoseconds, and sums of doubles are not exact.
constexpr double kRoundingPs = 2;

/// Of all collectives but the first, with the launches in front of them.
double others(const BoundParts& parts) {
  double total = 0;
  const auto count = static_cast<std::ptrdiff_t>(parts.gpus.front().collectives.size());
  for (std::ptrdiff_t i = 1; i < count; ++i) {
    total += parts.launch +
             parts.least([i](const GpuBound& gpu) { return (gpu.collectives.begin() + i)->value; });
  }
  return total;
}

/// Of the consumer with the launch in front of it, where there is one. Whoever ends the all-gather
/// last may have the fastest.
double consumer(const BoundParts& parts) {
  const double least = parts.least([](const GpuBound& gpu) { return gpu.consumer; });
  return least == 0 ? 0 : parts.launch + least;
}

double first(const GpuBound& gpu) { return gpu.collectives.begin()->value; }
double last(const GpuBound& gpu) { return std::prev(gpu.collectives.end())->value; }
/// Of the first collective, where not all is.
double awaited(const BoundParts& parts) { return parts.awaited * parts.least(first); }

/// Of `repeat` sublayers, of which one takes at least `one`. GPUs that are not equal are a sublayer
/// apart at times, so what one of them waits for in the first, a delay of its launch or a slow
/// neighbour, it may find done in the next. Each still computes all its GEMMs, one after the other.
double ofAll(const BoundParts& parts, double one, double repeat, bool gpusAreEqual) {
  if (gpusAreEqual) return one * repeat;
  const double least = parts.least([](const GpuBound& gpu) { return gpu.gemm; });
  const double slowest =
      parts.most([repeat](const GpuBound& gpu) { return gpu.start + repeat * gpu.gemm; });
  return std::max(one + (repeat - 1) * least, slowest);
}

}  // namespace

double inTurn(const BoundParts& parts) {
  const double launch = parts.launch;
  const double slowest = parts.most(
      [launch](const GpuBound& gpu) { return gpu.start + gpu.gemm + launch + first(gpu); });
  const double alone = parts.most(
      [launch](const GpuBound& gpu) { return gpu.start + gpu.gemm + launch + gpu.links; });
  return std::max(slowest + others(parts), alone) + consumer(parts);
}

double allOverlapped(const BoundParts& parts) {
  if (parts.awaited < 1) {
    const double slowest = parts.most([](const GpuBound& gpu) { return gpu.start + gpu.pair; });
    const double gathered = parts.least([](const GpuBound& gpu) { return last(gpu); });
    return std::max({slowest, awaited(parts), gathered});
  }
  return parts.most([](const GpuBound& gpu) { return gpu.start + std::max(gpu.pair, gpu.links); });
}

double firstOverlapped(const BoundParts& parts) {
  if (parts.awaited < 1) {
    const double slowest = parts.most([](const GpuBound& gpu) { return gpu.start + gpu.gemm; });
    return std::max(slowest, awaited(parts)) + others(parts) + consumer(parts);
  }
  const double slowest =
      parts.most([](const GpuBound& gpu) { return gpu.start + std::max(gpu.gemm, first(gpu)); });
  const double alone = parts.most([](const GpuBound& gpu) { return gpu.start + gpu.links; });
  return std::max(slowest + others(parts), alone) + consumer(parts);
}

void addBounds(const SystemConfig& config, Mode mode, RunResult& result) {
  const ModeKind& kind = *mode.kind;
  if (config.graph != nullptr) {
    const auto links = config.makeRoute();
    result.bound_ns = graphBound(config, *links, mode.graph(config));
    return;
  }
  const std::vector<const Collective*> collectives = mode.collectives(config);
  const auto route = config.makeRoute();
  const BoundParts parts = boundParts(config, *route, config.makeTiling(*route), collectives,
                                      kind.tracked, kind.gathers);
  const double repeat = config.workload.repeat;
  const auto set = [&](Phase phase, const auto& part) {
    result.of(phase).bound_ns = repeat * parts.most(part);
  };
  set(Phase::Gemm, [](const GpuBound& gpu) { return gpu.gemm; });
  for (const Collective* collective : collectives) {
    set(collective->phase,
        [collective](const GpuBound& gpu) { return gpu.collectives.of(*collective); });
  }
  set(Phase::Consumer, [](const GpuBound& gpu) { return gpu.consumer; });
  result.bound_ns = ofAll(parts, kind.bound(parts), repeat, config.gpusAreEqual());
}

std::string belowClosedForm(const RunResult& result) {
  const double bound = result.bound_ns * 1e3;
  if (static_cast<double>(result.time_ps) + kRoundingPs >= bound) return {};
  return "faster than its closed form: " + std::to_string(result.time_ps) + " ps < " +
         std::to_string(std::llround(bound)) + " ps";
}

std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers) {
  const double first = bound.collectives.size() > 0 ? bound.collectives.begin()->value : 0;
  const McaConfig& mca = config.hbm.mca;
  const bool longRing = (gathers ? bound.links : first) > mca.long_ring_ratio * bound.gemm;
  const double stage =
      static_cast<double>(config.gpu.compute_units) * config.gpu.gemm.workgroups_per_cu;
  return static_cast<std::uint64_t>(
      std::ceil((longRing ? mca.lag_stages_long_ring : mca.lag_stages) * stage));
}

double expectedTraffic(const GpuBound& bound, bool gathers) {
  double traffic = bound.stores;
  for (const auto& [collective, time] : bound.memory) {
    traffic += time;
    if (!gathers) break;
  }
  return traffic / bound.gemm;
}

}  // namespace t3
