// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bound_parts.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "tlm/transport/clock.h"

namespace t3 {
namespace {

/// What of the output a GPU's GEMM stores in its own memory.
std::uint64_t storedBytes(GpuId gpu, const Route& route, const Tiling& tiling, bool tracked) {
  std::uint64_t bytes = tiling.outputBytes();
  for (std::uint32_t c = 0; tracked && c < route.chunks(); ++c) {
    if (route.duty(gpu, ChunkId{c}) == Route::Duty::Sends) bytes -= tiling.chunkBytes(ChunkId{c});
  }
  return bytes;
}

/// The math of so many tiles, one after the other.
double mathNs(const SystemConfig& config, std::uint32_t depth, double tiles) {
  return tiles * static_cast<double>(config.gpu.gemm.tileCycles(depth)) *
         nanoseconds(Clock(config.gpu.clock_mhz).period());
}

/// A GEMM alone that stores so many bytes in its own memory: `GpuBound::gemm`. `config` is the
/// GPU's own.
double gemmNs(const SystemConfig& config, const Tiling& tiling, std::uint32_t depth,
              std::uint32_t computeUnits, std::uint64_t storedBytes) {
  const double tilesInTurn = std::ceil(static_cast<double>(tiling.tiles()) / computeUnits);
  const double math = mathNs(config, depth, tilesInTurn);

  const double element = bytesOf(config.workload.data_type);
  const double operands = element * depth * (static_cast<double>(tiling.rows()) + tiling.columns());
  const double bytesPerClock = config.hbm.peakBytesPerNs() * 1e3 / config.hbm.clock_mhz;
  const double clocks = (operands + static_cast<double>(storedBytes)) / bytesPerClock;
  return std::max(math, clocks * nanoseconds(Clock(config.hbm.clock_mhz).period()));
}

/// From the last bit sent by a GPU on one of its links to the last bit at the farthest end.
double latencyNs(const SystemConfig& config, std::uint32_t from, std::uint32_t link) {
  const auto latency = [&config, link](std::uint32_t gpu) {
    return nanoseconds(picosecondsFromNs(config.linkOf(gpu, link).latency_ns));
  };
  if (!config.fabric.switched()) return latency(from);
  double way = latency(from == 0 ? 1 : 0);  // on from the switch: the nearest
  for (std::uint32_t to = 0; to < config.gpus; ++to) {
    if (to != from) way = std::min(way, latency(to));
  }
  return latency(from) + way;
}

}  // namespace

std::vector<std::uint64_t> linkBytes(const SystemConfig& config, const Route& links, GpuId gpu,
                                     const CollectiveTraffic& traffic, bool adds, bool copies) {
  std::vector<std::uint64_t> bytes(config.fabric.switched() ? 1 : links.ports());
  std::uint64_t received = 0;
  for (std::uint32_t port = 0; port < links.ports(); ++port) {
    bytes[port % bytes.size()] += traffic.bytes(gpu, port);
    received += traffic.bytes(links.source(gpu, port), port);
  }
  if (!config.merges()) return bytes;
  const std::uint64_t others = links.gpus() - 1;
  const std::uint64_t sent = bytes.front();
  return {traffic.toSwitch(gpu) + (copies ? sent / others : sent),
          traffic.fromSwitch(gpu) + (adds ? received / others : received)};
}

GpuBound gpuBound(const SystemConfig& config, std::uint32_t gpu, const Tiling& tiling,
                  std::uint64_t storedBytes, const std::vector<SentBytes>& sent) {
  const SystemConfig own = config.ofGpu(gpu);
  const double memoryPeak = own.hbm.peakBytesPerNs();
  /// Links that send nothing need no time.
  const auto onWire = [&](const std::vector<std::uint64_t>& bytes) {
    double longest = 0;
    for (std::uint32_t l = 0; l < bytes.size(); ++l) {
      if (bytes[l] == 0) continue;
      const LinkConfig link = config.linkOf(gpu, l);
      const double bytesPerNs = static_cast<double>(std::llround(link.bandwidth_gb_s * 1e9)) * 1e-9;
      longest =
          std::max(longest, static_cast<double>(bytes[l]) / bytesPerNs + latencyNs(config, gpu, l));
    }
    return longest;
  };
  GpuBound bound;
  bound.start = config.overrideOf(gpu).launch_delay_us.value_or(0) * 1e3;
  const std::uint32_t depth = own.workload.depth;
  const std::uint32_t computeUnits = own.gpu.compute_units;
  const std::uint32_t ofGemm = computeUnits - own.gpu.split_compute_units;
  bound.gemm = bound.pair = gemmNs(own, tiling, depth, ofGemm, storedBytes);
  if (const auto consumer = own.makeConsumer(tiling, {})) {
    bound.consumer = gemmNs(own, consumer->tiling, consumer->depth, computeUnits,
                            consumer->tiling.outputBytes());
    const double math =
        mathNs(own, depth, tiling.tiles()) + mathNs(own, consumer->depth, consumer->tiling.tiles());
    bound.pair = std::max({bound.gemm, bound.consumer, math / computeUnits});
  }
  bound.stores = static_cast<double>(storedBytes) / memoryPeak;
  std::vector<const Collective*> collectives;
  for (const SentBytes& one : sent) collectives.push_back(one.collective);
  bound.collectives = bound.memory = PerCollective<double>(collectives);
  auto sentByGemm = static_cast<double>(tiling.outputBytes() - storedBytes);
  std::vector<std::uint64_t> all;
  for (const SentBytes& one : sent) {
    bound.collectives.of(*one.collective) = onWire(one.ofLink);
    const auto bytes = static_cast<double>(
        std::accumulate(one.ofLink.begin(), one.ofLink.end(), std::uint64_t{0}));
    const double moved = config.merges() ? bytes : 2 * bytes;  // the link back is in `bytes`
    bound.memory.of(*one.collective) = (moved - std::exchange(sentByGemm, 0)) / memoryPeak;
    all.resize(one.ofLink.size());
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += one.ofLink[l];
  }
  bound.links = onWire(all);
  return bound;
}

BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives, bool tracked, bool gathers) {
  BoundParts parts{.launch = config.gpu.kernel_launch_us * 1e3, .gpus = {}};
  std::vector<CollectiveTraffic> traffic;
  for (const Collective* collective : collectives) {
    traffic.emplace_back(*collective, route, tiling);
  }
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    std::vector<SentBytes> sent;
    for (std::size_t c = 0; c < traffic.size(); ++c) {
      const bool adds = tracked && collectives[c] == &kReduceScatter;
      const bool copies = gathers && collectives[c] == &kAllGather;
      sent.push_back(
          {collectives[c], linkBytes(config, route, GpuId{g}, traffic[c], adds, copies)});
    }
    parts.gpus.push_back(
        gpuBound(config, g, tiling, storedBytes(GpuId{g}, route, tiling, tracked), sent));
  }
  return parts;
}

}  // namespace t3
