// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"

#include <algorithm>
#include <cmath>

#include "tlm/transport/clock.h"

namespace t3 {
namespace {

double gemmNs(const SystemConfig& config, const Tiling& tiling) {
  const std::uint32_t computeUnits = config.gpu.compute_units - config.gpu.split_compute_units;
  const GemmConfig& gemm = config.gpu.gemm;
  const double tilesInTurn = std::ceil(static_cast<double>(tiling.tiles()) / computeUnits);
  const double cycles = tilesInTurn * static_cast<double>(gemm.tileCycles(config.workload.depth));
  const double math = cycles * static_cast<double>(Clock(config.gpu.clock_mhz).period()) * 1e-3;

  const double element = bytesOf(config.workload.data_type);
  const double operands =
      element * config.workload.depth * (static_cast<double>(tiling.rows()) + tiling.columns());
  const double traffic = operands + static_cast<double>(tiling.outputBytes());
  return std::max(math, traffic / config.hbm.peakBytesPerNs());
}

/// What the busiest link carries of a collective.
double collectiveNs(const SystemConfig& config, const Route& route, const Tiling& tiling,
                    const Collective& collective) {
  const CollectiveTraffic traffic(collective, route, tiling);
  const std::uint32_t links = config.fabric.switched() ? 1 : route.ports();
  std::uint64_t busiest = 0;
  for (std::uint32_t g = 0; g < route.gpus(); ++g) {
    for (std::uint32_t link = 0; link < links; ++link) {
      std::uint64_t bytes = 0;
      for (std::uint32_t port = link; port < route.ports(); port += links) {
        bytes += traffic.bytes(GpuId{g}, port);
      }
      busiest = std::max(busiest, bytes);
    }
  }
  const LinkConfig link = config.fabric.linkOf(config.link, config.gpus);
  const double latency = link.latency_ns * (config.fabric.switched() ? 2 : 1);
  return static_cast<double>(busiest) / link.bandwidth_gb_s + latency;
}

/// Of all collectives but the first, with the launches in front of them.
double withTheOthers(double total, const BoundParts& parts) {
  for (auto part = parts.collectives.begin() + 1; part != parts.collectives.end(); ++part) {
    total += part->value;
  }
  return total + parts.launch * static_cast<double>(parts.collectives.size() - 1);
}

}  // namespace

BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives) {
  BoundParts parts{gemmNs(config, tiling), config.gpu.kernel_launch_us * 1e3,
                   PerCollective<double>(collectives)};
  for (auto& [collective, ns] : parts.collectives) {
    ns = collectiveNs(config, route, tiling, *collective);
  }
  return parts;
}

double inTurn(const BoundParts& parts) {
  return withTheOthers(parts.gemm + parts.launch + parts.collectives.begin()->value, parts);
}

double firstOverlapped(const BoundParts& parts) {
  return withTheOthers(std::max(parts.gemm, parts.collectives.begin()->value), parts);
}

}  // namespace t3
