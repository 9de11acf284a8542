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

/// N-1 chunks over the busiest link; each of the rings has its share of the output.
double ringNs(const SystemConfig& config, const Tiling& tiling) {
  std::uint64_t kept = tiling.outputBytes();
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    kept = std::min(kept, tiling.chunkBytes(ChunkId{c}));
  }
  const double rings = config.fabric.rings();
  return (static_cast<double>(tiling.outputBytes()) / rings - static_cast<double>(kept)) /
             config.link.bandwidth_gb_s +
         config.link.latency_ns;
}

}  // namespace

BoundNs closedFormBound(const SystemConfig& config, const Tiling& tiling, Mode mode) {
  BoundNs bound;
  bound.gemm = gemmNs(config, tiling, config.gpu.compute_units - mode.split_units);
  bound.reduce_scatter = bound.all_gather = ringNs(config, tiling);
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
