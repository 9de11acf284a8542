// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bound_parts.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "tlm/transport/clock.h"

namespace t3 {
namespace {

double nanoseconds(Picoseconds time) { return static_cast<double>(time) * 1e-3; }

/// What of the output a GPU's GEMM stores in its own memory.
std::uint64_t storedBytes(GpuId gpu, const Route& route, const Tiling& tiling, bool tracked) {
  std::uint64_t bytes = tiling.outputBytes();
  for (std::uint32_t c = 0; tracked && c < route.chunks(); ++c) {
    if (route.duty(gpu, ChunkId{c}) == Route::Duty::Sends) bytes -= tiling.chunkBytes(ChunkId{c});
  }
  return bytes;
}

}  // namespace

double gemmNs(const SystemConfig& config, const Tiling& tiling, std::uint64_t storedBytes) {
  const std::uint32_t computeUnits = config.gpu.compute_units - config.gpu.split_compute_units;
  const GemmConfig& gemm = config.gpu.gemm;
  const double tilesInTurn = std::ceil(static_cast<double>(tiling.tiles()) / computeUnits);
  const double cycles = tilesInTurn * static_cast<double>(gemm.tileCycles(config.workload.depth));
  const double math = cycles * nanoseconds(Clock(config.gpu.clock_mhz).period());

  const double element = bytesOf(config.workload.data_type);
  const double operands =
      element * config.workload.depth * (static_cast<double>(tiling.rows()) + tiling.columns());
  const double bytesPerClock = config.hbm.peakBytesPerNs() * 1e3 / config.hbm.clock_mhz;
  const double clocks = (operands + static_cast<double>(storedBytes)) / bytesPerClock;
  return std::max(math, clocks * nanoseconds(Clock(config.hbm.clock_mhz).period()));
}

double latencyNs(const SystemConfig& config, std::uint32_t from) {
  const auto latency = [&config](std::uint32_t gpu) {
    return nanoseconds(picosecondsFromNs(config.ofGpu(gpu).link.latency_ns));
  };
  if (!config.fabric.switched()) return latency(from);
  double way = latency(from == 0 ? 1 : 0);  // on from the switch: the nearest
  for (std::uint32_t to = 0; to < config.gpus; ++to) {
    if (to != from) way = std::min(way, latency(to));
  }
  return latency(from) + way;
}

namespace {

/// Bytes over each link of a GPU.
std::vector<double> linkBytes(const SystemConfig& config, const Route& route, GpuId gpu,
                              const CollectiveTraffic& traffic) {
  std::vector<double> bytes(config.fabric.switched() ? 1 : route.ports());
  for (std::uint32_t port = 0; port < route.ports(); ++port) {
    bytes[port % bytes.size()] += static_cast<double>(traffic.bytes(gpu, port));
  }
  return bytes;
}

}  // namespace

BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives, bool tracked) {
  BoundParts parts{.launch = config.gpu.kernel_launch_us * 1e3, .gpus = {}};
  std::vector<CollectiveTraffic> traffic;
  for (const Collective* collective : collectives) {
    traffic.emplace_back(*collective, route, tiling);
  }
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const SystemConfig own = config.ofGpu(g);
    const LinkConfig link = config.fabric.linkOf(own.link, config.gpus);
    const double bytesPerNs = static_cast<double>(std::llround(link.bandwidth_gb_s * 1e9)) * 1e-9;
    const double latency = latencyNs(config, g);
    GpuBound gpu;
    gpu.start = config.overrideOf(g).launch_delay_us.value_or(0) * 1e3;
    const std::uint64_t stored = storedBytes(GpuId{g}, route, tiling, tracked);
    const double memoryPeak = own.hbm.peakBytesPerNs();
    gpu.gemm = gemmNs(own, tiling, stored);
    gpu.stores = static_cast<double>(stored) / memoryPeak;
    gpu.collectives = gpu.memory = PerCollective<double>(collectives);
    auto sentByGemm = static_cast<double>(tiling.outputBytes() - stored);
    std::vector<double> all;
    auto part = gpu.collectives.begin();
    auto memory = gpu.memory.begin();
    for (const CollectiveTraffic& one : traffic) {
      const std::vector<double> bytes = linkBytes(config, route, GpuId{g}, one);
      (part++)->value = std::ranges::max(bytes) / bytesPerNs + latency;
      const double sent = std::reduce(bytes.begin(), bytes.end());
      (memory++)->value = (2 * sent - std::exchange(sentByGemm, 0)) / memoryPeak;
      all.resize(bytes.size());
      for (std::size_t l = 0; l < bytes.size(); ++l) all[l] += bytes[l];
    }
    // A mode without a collective sends nothing.
    if (!all.empty()) gpu.links = std::ranges::max(all) / bytesPerNs + latency;
    parts.gpus.push_back(std::move(gpu));
  }
  return parts;
}

}  // namespace t3
