// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// What a GPU sends on: one of its links, or with a graph one of all wires.
LinkConfig wireOf(const SystemConfig& config, std::uint32_t gpu, std::uint32_t link) {
  return config.fabric.graph != nullptr ? config.fabric.wireOf(config.link, link)
                                        : config.linkOf(gpu, link);
}

/// From the last bit sent by a GPU on one of its links to the last bit at the farthest end.
double latencyNs(const SystemConfig& config, std::uint32_t from, std::uint32_t link) {
  if (config.fabric.graph != nullptr) {
    return nanoseconds(picosecondsFromNs(wireOf(config, from, link).latency_ns));
  }
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

/// What leaves a GPU's memory: on a graph's way of several wires, on the first.
std::uint64_t sentFrom(const SystemConfig& config, std::uint32_t gpu,
                       const std::vector<std::uint64_t>& ofLink) {
  const LinkGraph* graph = config.fabric.graph.get();
  if (graph == nullptr) return std::accumulate(ofLink.begin(), ofLink.end(), std::uint64_t{0});
  std::uint64_t bytes = 0;
  for (const std::uint32_t wire : graph->leaving(gpu)) bytes += ofLink[wire];
  return bytes;
}

}  // namespace

std::vector<std::uint64_t> linkBytes(const SystemConfig& config, const Route& links, GpuId gpu,
                                     const CollectiveTraffic& traffic, bool adds, bool copies) {
  if (const LinkGraph* graph = config.fabric.graph.get()) {
    std::vector<std::uint64_t> bytes(graph->wires().size());
    for (std::uint32_t port = 0; port < links.size().ports; ++port) {
      if (!links.leads(gpu, port)) continue;
      for (const std::uint32_t wire : graph->way(gpu.value, graph->peer(gpu.value, port))) {
        bytes[wire] += traffic.bytes(gpu, port);
      }
    }
    return bytes;
  }
  std::vector<std::uint64_t> bytes(config.fabric.switched() ? 1 : links.size().ports);
  std::uint64_t received = 0;
  for (std::uint32_t port = 0; port < links.size().ports; ++port) {
    bytes[port % bytes.size()] += traffic.bytes(gpu, port);
    received += traffic.bytes(links.source(gpu, port), port);
  }
  if (!config.fabric.switched()) return bytes;
  if (!config.merges()) return {bytes.front(), received};
  const std::uint64_t others = links.gpus() - 1;
  const std::uint64_t sent = bytes.front();
  return {traffic.toSwitch(gpu) + (copies ? sent / others : sent),
          traffic.fromSwitch(gpu) + (adds ? received / others : received)};
}

std::vector<std::uint64_t> onWire(const SystemConfig& config, GpuId gpu,
                                  const std::vector<std::uint64_t>& linkBytes,
                                  const CollectiveTraffic& traffic, const Writes& writes) {
  std::vector<std::uint64_t> bytes(linkBytes.size());
  // What a switch adds has no flags: answers to it, and sums from it.
  std::vector<std::uint64_t> sums(linkBytes.size());
  for (std::uint32_t g = 0; config.merges() && g < config.gpus; ++g) {
    const std::uint64_t requests = config.linkOf(g, 0).headersOf(traffic.sums(GpuId{g}));
    sums.front() += traffic.sums(GpuId{g});
    bytes.back() += requests;  // the switch copies each to all
    if (g != gpu.value) continue;
    sums.back() = traffic.sums(gpu);
    bytes.front() += requests;
  }
  for (std::uint32_t l = 0; l < linkBytes.size(); ++l) {
    const LinkConfig link = wireOf(config, gpu.value, l);
    const std::uint64_t coded = writes.codec.leastBytes(linkBytes[l] - sums[l], config.data);
    bytes[l] += link.wireBytes(writes.protocol, coded, writes.largest) +
                link.wireBytes(Protocol::Simple, sums[l], writes.largest);
  }
  return bytes;
}

double wireNs(const SystemConfig& config, std::uint32_t gpu,
              const std::vector<std::uint64_t>& onWire, std::uint32_t repeat) {
  double longest = 0;
  for (std::uint32_t l = 0; l < onWire.size(); ++l) {
    if (onWire[l] == 0) continue;
    const LinkConfig link = wireOf(config, gpu, l);
    const double bytesPerNs = static_cast<double>(std::llround(link.bandwidth_gb_s * 1e9)) * 1e-9;
    longest = std::max(
        longest, repeat * static_cast<double>(onWire[l]) / bytesPerNs + latencyNs(config, gpu, l));
  }
  return longest;
}

SystemConfig withoutHeaders(SystemConfig config) {
  config.link.header_bytes = 0;
  config.data = DataMode::Elided;  // nor do they know what data decides
  return config;
}

namespace {

/// What a GPU sends of a collective over each of its links, in bytes. Where a switch adds and
/// copies, more or less comes back than is sent: then the link back is the second one.
struct SentBytes {
  const Collective* collective;
  std::vector<std::uint64_t> ofLink;  ///< data
  std::vector<std::uint64_t> onWire;  ///< with flags and headers
};

/// Of GPU `gpu`, whose GEMM stores `storedBytes` of its output in its own memory and sends the
/// rest.
GpuBound gpuBound(const SystemConfig& config, std::uint32_t gpu, const Tiling& tiling,
                  std::uint64_t storedBytes, const std::vector<SentBytes>& sent) {
  const SystemConfig own = config.ofGpu(gpu);
  const double memoryPeak = own.hbm.peakBytesPerNs();
  GpuBound bound;
  bound.start = config.overrideOf(gpu).launch_delay_us.value_or(0) * 1e3;
  const std::uint32_t depth = own.workload.depth;
  const std::uint32_t computeUnits = own.gpu.compute_units;
  const std::uint32_t ofGemm = computeUnits - own.gpu.split_compute_units;
  bound.gemm = bound.pair =
      gemmNs(own, tiling, depth, ofGemm, config.leavesOut() ? 0 : storedBytes);
  if (own.workload.consumer.any()) {
    const OutputShape shape = own.outputs().back();
    const Tiling consumer = tilingOf(own, shape, 1);
    bound.consumer =
        gemmNs(own, consumer, shape.depths.front(), computeUnits, consumer.outputBytes());
    const double math =
        mathNs(own, depth, tiling.tiles()) + mathNs(own, shape.depths.front(), consumer.tiles());
    bound.pair = std::max({bound.gemm, bound.consumer, math / computeUnits});
  }
  bound.stores = static_cast<double>(storedBytes) / memoryPeak;
  std::vector<const Collective*> collectives;
  for (const SentBytes& one : sent) collectives.push_back(one.collective);
  bound.collectives = bound.memory = PerCollective<double>(collectives);
  auto sentByGemm = static_cast<double>(tiling.outputBytes() - storedBytes);
  std::vector<std::uint64_t> all;
  for (const SentBytes& one : sent) {
    bound.collectives.of(*one.collective) = wireNs(config, gpu, one.onWire);
    const auto bytes = static_cast<double>(sentFrom(config, gpu, one.ofLink));
    const double moved = config.merges() ? bytes : 2 * bytes;  // the link back is in `bytes`
    bound.memory.of(*one.collective) = (moved - std::exchange(sentByGemm, 0)) / memoryPeak;
    all.resize(one.onWire.size());
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += one.onWire[l];
  }
  bound.links = wireNs(config, gpu, all);
  return bound;
}

}  // namespace

BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives, bool tracked, bool gathers) {
  BoundParts parts{.launch = config.gpu.kernel_launch_us * 1e3, .gpus = {}};
  if (config.leavesOut()) parts.awaited = (config.workload.contributions - 1.0) / (config.gpus - 1);
  std::vector<CollectiveTraffic> traffic;
  for (const Collective* collective : collectives) {
    traffic.emplace_back(*collective, route, tiling);
  }
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    std::vector<SentBytes> sent;
    for (std::size_t c = 0; c < traffic.size(); ++c) {
      const bool adds = tracked && collectives[c] == &kReduceScatter;
      const bool copies = gathers && collectives[c] == &kAllGather;
      SentBytes one{
          collectives[c], linkBytes(config, route, GpuId{g}, traffic[c], adds, copies), {}};
      // What comes to a GPU that is late may be there before its kernel begins.
      if (!config.merges() && config.fabric.switched()) one.ofLink.resize(1);
      // DMA engines send no flags, and kernels those of the algorithm that they follow.
      const AlgorithmMeaning* whole =
          adds || copies ? nullptr : route.whole(*collectives[c]->promise);
      const Protocol protocol =
          whole == nullptr ? Protocol::Simple : whole->form().algorithm().protocol;
      one.onWire = onWire(config, GpuId{g}, one.ofLink, traffic[c],
                          {.protocol = protocol, .codec = config.gpu.codec(adds || copies)});
      sent.push_back(std::move(one));
    }
    parts.gpus.push_back(
        gpuBound(config, g, tiling, storedBytes(GpuId{g}, route, tiling, tracked), sent));
  }
  return parts;
}

namespace {

/// What the nodes of a graph need on one GPU.
class NodeBounds {
 public:
  NodeBounds(const SystemConfig& config, const Route& route, const Graph& graph, std::uint32_t gpu)
      : config_(config), own_(config.ofGpu(gpu)), route_(route), graph_(graph), gpu_(gpu) {
    for (const GraphNode& node : graph.nodes) {
      if (const auto* gemm = node.as<GemmWork>()) {
        addGemm(*gemm);
      } else if (const auto* work = node.as<CollectiveWork>()) {
        addCollective(*work);
      } else {
        const auto* delay = node.as<DelayWork>();
        alone_.push_back(delay == nullptr ? 0 : nanoseconds(delay->time));
      }
    }
  }

  /// Of a node by itself; of one that trackers drive beside others: nothing.
  double alone(NodeId node) const { return alone_[node]; }
  double all() const {
    const double start = config_.overrideOf(gpu_).launch_delay_us.value_or(0) * 1e3;
    const std::uint32_t rounds = config_.workload.repeat;
    return start +
           std::max({rounds * math_, rounds * memory_, wireNs(config_, gpu_, onWire_, rounds)});
  }

 private:
  void addGemm(const GemmWork& work) {
    const OutputShape& shape = graph_.outputs[work.output];
    const Tiling tiling = tilingOf(own_, shape, route_.chunks());
    const bool tracked = work.stores == GemmWork::Stores::Tracked;
    const std::uint64_t stored = storedBytes(GpuId{gpu_}, route_, tiling, tracked);
    const std::uint32_t depth = shape.depths[gpu_];
    alone_.push_back(gemmNs(own_, tiling, depth, own_.gpu.compute_units, stored));
    math_ += mathNs(own_, depth, tiling.tiles()) / own_.gpu.compute_units;
    const double operands = 1.0 * tiling.elementBytes() * depth * tiling.columns();
    memory_ += (operands + static_cast<double>(stored)) / own_.hbm.peakBytesPerNs();
  }
  void addCollective(const CollectiveWork& work) {
    const Tiling tiling = tilingOf(own_, graph_.outputs[work.output], route_.chunks());
    const CollectiveTraffic traffic(*work.collective, route_, tiling);
    const Collective& what = *work.collective;
    auto bytes = linkBytes(config_, route_, GpuId{gpu_}, traffic,
                           work.tracked && what.reduceScatters(), work.tracked && what.gathers());
    if (!config_.merges() && config_.fabric.switched()) bytes.resize(1);
    const auto wire =
        onWire(config_, GpuId{gpu_}, bytes, traffic, {.codec = config_.gpu.codec(work.tracked)});
    onWire_.resize(std::max(onWire_.size(), wire.size()));
    for (std::size_t l = 0; l < wire.size(); ++l) onWire_[l] += wire[l];
    alone_.push_back(work.tracked ? 0 : wireNs(config_, gpu_, wire));
  }

  const SystemConfig& config_;
  const SystemConfig own_;
  const Route& route_;
  const Graph& graph_;
  const std::uint32_t gpu_;
  std::vector<double> alone_;  ///< by node
  double math_ = 0, memory_ = 0;
  std::vector<std::uint64_t> onWire_;  ///< of all collectives, by link
};

}  // namespace

double graphBound(const SystemConfig& config, const Route& route, const Graph& graph) {
  double bound = 0;
  std::vector<double> least(graph.nodes.size(), std::numeric_limits<double>::infinity());
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const NodeBounds gpu(config, route, graph, g);
    bound = std::max(bound, gpu.all());
    for (NodeId n = 0; n < least.size(); ++n) least[n] = std::min(least[n], gpu.alone(n));
  }
  // Relaxed as often as there are nodes: the graph has no circle.
  std::vector<double> begin(graph.nodes.size());
  const double launch = config.gpu.kernel_launch_us * 1e3;
  for (NodeId round = 0; round < graph.nodes.size(); ++round) {
    for (const GraphEdge& edge : graph.edges) {
      const double ready =
          begin[edge.from] + (edge.gate == Gate::After ? least[edge.from] + launch : 0);
      begin[edge.to] = std::max(begin[edge.to], ready);
    }
  }
  const double rounds = config.workload.repeat;
  for (NodeId n = 0; n < least.size(); ++n) {
    bound = std::max(bound, rounds * (begin[n] + least[n]) + (rounds - 1) * launch);
  }
  return bound;
}

}  // namespace t3
