// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// What no GPU with these compute units, memory and links can be faster than, in ns, in closed form
/// and independent of the models.
struct GpuBound {
  double start = 0;  ///< of its first kernel
  /// The larger of the GEMM's math, ceil(tiles / compute units) tiles one after the other with
  /// every operand on time (GemmConfig::tileCycles), and its memory traffic at the memory's peak:
  /// both operands read once, and what of the output is stored in this GPU's memory written once,
  /// unless it may be dropped.
  double gemm = 0;
  /// The same of the consumer, whose operands and output are all in this GPU's memory; 0: none.
  double consumer = 0;
  /// Of both on the same compute units, however they overlap.
  double pair = 0;
  /// What the GPU sends of a collective over its busiest link at that link's bandwidth, flags and
  /// headers included. The last byte arrives one latency later, through a switch two.
  PerCollective<double> collectives;
  /// The same of all collectives together: they share the link, however they overlap.
  double links = 0;
  /// What the memory at its peak needs for the output that the GEMM stores in it, and for each
  /// collective where a tracker drives it: a DMA engine reads what the GPU sends, and as much
  /// arrives. The GEMM itself sends what the route lets it store in other GPUs.
  double stores = 0;
  PerCollective<double> memory;
};

/// What no machine of such GPUs can be faster than. How a mode puts the parts together is the
/// mode's business (ModeKind::bound). The GPUs may differ, and each sends what its chunks ask for.
struct BoundParts {
  double launch = 0;  ///< from the end of one kernel to the start of the next
  /// Of what GPUs send of the first collective on average, this share is waited for.
  double awaited = 1;
  std::vector<GpuBound> gpus;

  /// The largest and the least `part(gpu)`.
  double most(const auto& part) const { return extreme(part, 1); }
  double least(const auto& part) const { return -extreme(part, -1); }

 private:
  double extreme(const auto& part, double sign) const {
    double result = sign * part(gpus.front());
    for (const GpuBound& gpu : gpus) result = std::max(result, sign * part(gpu));
    return result;
  }
};

/// What a GPU sends of a collective over each of its links, in bytes. Where a switch adds and
/// copies, more or less comes back than is sent: then the link back is the second one.
struct SentBytes {
  const Collective* collective;
  std::vector<std::uint64_t> ofLink;  ///< data
  std::vector<std::uint64_t> onWire;  ///< with flags and headers
};

/// Bytes of a collective over each link of a GPU. With a graph of links: a GPU's own bytes over
/// each wire of the graph, of which others may have their share. Behind a switch: to the switch,
/// and back. Where it adds or copies what goes through it, at best: all contributions to one home
/// are one.
std::vector<std::uint64_t> linkBytes(const SystemConfig& config, const Route& links, GpuId gpu,
                                     const CollectiveTraffic& traffic, bool adds = false,
                                     bool copies = false);

/// The least that the links carry for them: with the flags of `protocol`, the headers of writes of
/// at most `largest` bytes, and the requests for sums, which are headers alone.
std::vector<std::uint64_t> onWire(const SystemConfig& config, GpuId gpu,
                                  const std::vector<std::uint64_t>& linkBytes,
                                  const CollectiveTraffic& traffic, Protocol protocol,
                                  std::uint64_t largest = ~std::uint64_t{0});

/// What a GPU's busiest link needs for so many bytes on the wire, `repeat` times over, to the
/// arrival of the last. Links that send nothing need no time.
double wireNs(const SystemConfig& config, std::uint32_t gpu,
              const std::vector<std::uint64_t>& onWire, std::uint32_t repeat = 1);

/// A machine whose packets have no headers. The policies of arbitration and of what a link sends
/// first compare data, not what is on the wire.
SystemConfig withoutHeaders(SystemConfig config);

/// Of GPU `gpu`, whose GEMM stores `storedBytes` of its output in its own memory and sends the
/// rest.
GpuBound gpuBound(const SystemConfig& config, std::uint32_t gpu, const Tiling& tiling,
                  std::uint64_t storedBytes, const std::vector<SentBytes>& sent);

/// `tracked`: as ModeKind::tracked. The chunks that the route lets a GPU send are then stored in
/// the next GPU's memory; a switch that merges sends their sums on. `gathers`: as
/// ModeKind::gathers. Such a switch then copies what is gathered.
BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives, bool tracked, bool gathers = false);

/// What no machine can be faster than with a graph, in ns: on no GPU than the math of all its
/// GEMMs, their traffic to memory, or what its busiest link carries; nor than the longest chain of
/// nodes that stand behind one another.
double graphBound(const SystemConfig& config, const Route& route, const Graph& graph);

}  // namespace t3
