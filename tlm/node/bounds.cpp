// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"

#include <algorithm>
#include <cmath>

#include "tlm/transport/clock.h"

namespace t3 {
namespace {

double gemmNs(const SystemConfig& config, const Tiling& tiling, std::uint32_t computeUnits) {
  const GemmConfig& gemm = config.gpu.gemm;
  const double macsPerTile =
      static_cast<double>(gemm.tile_rows) * gemm.tile_columns * config.workload.depth;
  const double tilesInTurn = std::ceil(static_cast<double>(tiling.tiles()) / computeUnits);
  const double cycles =
      tilesInTurn * macsPerTile / (gemm.macs_per_cu_per_cycle * gemm.issue_efficiency);
  const double math = cycles * static_cast<double>(Clock(config.gpu.clock_mhz).period()) * 1e-3;

  const double element = bytesOf(config.workload.data_type);
  const double operands =
      element * config.workload.depth * (static_cast<double>(tiling.rows()) + tiling.columns());
  const double traffic = operands + static_cast<double>(tiling.outputBytes());
  return std::max(math, traffic / config.hbm.peakBytesPerNs());
}

/// What the busiest link carries of a collective.
double collectiveNs(const SystemConfig& config, const Route& route, const Tiling& tiling,
                    Phase phase) {
  const std::uint32_t links = config.fabric.switched() ? 1 : route.ports();
  std::uint64_t busiest = 0;
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    for (std::uint32_t link = 0; link < links; ++link) {
      std::uint64_t bytes = 0;
      for (std::uint32_t port = link; port < route.ports(); port += links) {
        for (const ChunkId chunk : route.sent(GpuId{g}, port, phase)) {
          bytes += tiling.chunkBytes(chunk);
        }
      }
      busiest = std::max(busiest, bytes);
    }
  }
  const LinkConfig link = config.fabric.linkOf(config.link, config.gpus);
  const double latency = link.latency_ns * (config.fabric.switched() ? 2 : 1);
  return static_cast<double>(busiest) / link.bandwidth_gb_s + latency;
}

}  // namespace

BoundNs closedFormBound(const SystemConfig& config, const Route& route, const Tiling& tiling,
                        Mode mode) {
  BoundNs bound;
  bound.gemm = gemmNs(config, tiling, config.gpu.compute_units - mode.split_units);
  bound.reduce_scatter = collectiveNs(config, route, tiling, Phase::ReduceScatter);
  bound.all_gather = collectiveNs(config, route, tiling, Phase::AllGather);
  const double launch = config.gpu.kernel_launch_us * 1e3;
  const bool inTurn = mode.kind == ModeKind::Sequential || mode.kind == ModeKind::IdealOverlap;
  // ideal-overlap is a sequential run whose overlap is taken off afterwards (idealOverlapOf).
  bound.total = (inTurn ? bound.gemm + launch + bound.reduce_scatter
                        : std::max(bound.gemm, bound.reduce_scatter)) +
                bound.all_gather;
  // The isolated parts of ideal-rs-nmc count no launch between them.
  if (mode.kind != ModeKind::IdealRsNmc) bound.total += launch;
  return bound;
}

}  // namespace t3
