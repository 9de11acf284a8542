// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/collectives/collective.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/graph.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/codec.h"

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
  /// What the GPU sends of a collective over its busiest link at that link's bandwidth, coded,
  /// flags and headers included. The last byte arrives one latency later, through a switch two.
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

/// Bytes of a collective over each link of a GPU. With a graph of links: a GPU's own bytes over
/// each wire of the graph, of which others may have their share. Behind a switch: to the switch,
/// and back. Where it adds or copies what goes through it, at best: all contributions to one home
/// are one.
std::vector<std::uint64_t> linkBytes(const SystemConfig& config, const Route& links, GpuId gpu,
                                     const CollectiveTraffic& traffic, bool adds = false,
                                     bool copies = false);

/// How writes of a collective go over links.
struct Writes {
  Protocol protocol = Protocol::Simple;
  Codec codec = {};
  std::uint64_t largest = ~std::uint64_t{0};  ///< bytes of one, in front of the codec
};
/// The least that the links carry for them: coded, with the flags of the protocol, the headers of
/// such writes, and the requests for sums, which are headers alone.
std::vector<std::uint64_t> onWire(const SystemConfig& config, GpuId gpu,
                                  const std::vector<std::uint64_t>& linkBytes,
                                  const CollectiveTraffic& traffic, const Writes& writes);

/// What a GPU's busiest link needs for so many bytes on the wire, `repeat` times over, to the
/// arrival of the last. Links that send nothing need no time.
double wireNs(const SystemConfig& config, std::uint32_t gpu,
              const std::vector<std::uint64_t>& onWire, std::uint32_t repeat = 1);

/// A machine whose packets have no headers, as the policies of arbitration and of what a link sends
/// first see it: they compare data, as long as a codec leaves it, not what is on the wire.
SystemConfig withoutHeaders(SystemConfig config);

/// `tracked`: as ModeKind::tracked. The chunks that the route lets a GPU send are then stored in
/// the next GPU's memory; a switch that merges sends their sums on. `gathers`: as
/// ModeKind::gathers. Such a switch then copies what is gathered.
BoundParts boundParts(const SystemConfig& config, const Route& route, const Tiling& tiling,
                      Collectives collectives, bool tracked, bool gathers = false);

/// What no machine can be faster than with a graph, in ns: on no GPU than the math of all its
/// GEMMs, their traffic to memory, or what its busiest link carries; nor than the longest chain of
/// nodes that stand behind one another.
double graphBound(const SystemConfig& config, const Route& route, const Graph& graph);

// What the driver tells the memory's arbitration at the launch of a GEMM. It knows the GEMM's math
// and what the collectives beside it send and store: the first one or, where the tracker `gathers`,
// all. `config` is the GPU's own, `bound` what it needs by itself.

/// Tiles that the ring of a GPU may lag behind its GEMM before communication goes first in the
/// memory (RingLag); 0 is no limit.
///
/// Where the GEMM is the longer part, the ring has time to catch up (`hbm.mca.lag_stages`). Where
/// the ring is (`hbm.mca.long_ring_ratio`), each delay of it makes the sublayer longer
/// (`hbm.mca.lag_stages_long_ring`).
std::uint64_t lagLimit(const SystemConfig& config, const GpuBound& bound, bool gathers);

/// Share of the memory's peak that the GEMM's stores and the collectives take while the GEMM
/// computes (Arbitration::expectTraffic).
double expectedTraffic(const GpuBound& bound, bool gathers);

// How parts add up. A collective has ended on all GPUs only when every GPU's bytes have arrived, so
// the last GPU that ends it is as late as the slowest sender. That GPU launches the next kernel
// after it and then sends all its bytes of the next collective. Which GPU that is nobody knows, so
// the next collective counts with the GPU that sends it fastest. Where all GPUs and chunks are
// equal this is the plain sum.
//
// Where sums leave contributions out, nobody waits for a GPU that is late, but for its own GEMM.
// For each owner of N some K - 1 others have sent their part, so some GPU has sent as much to K - 1
// others: the awaited share of a collective, on the fastest GPU at least.

/// One after the other, with a launch between them.
double inTurn(const BoundParts& parts);
/// The GEMM and the first collective at the same time, then the others.
double firstOverlapped(const BoundParts& parts);
/// The GEMM and its consumer and, beside them, what the links carry of all collectives.
double allOverlapped(const BoundParts& parts);

/// Fills in the bounds of a run of `mode`: the GEMM and each collective by itself, on the slowest
/// GPU, and what the mode makes of them. `config` is the scenario as the mode has configured it. Of
/// several sublayers the bounds are the sums; where GPUs differ, all but the first count with a
/// GEMM only, because a GPU may then find the collectives of the next sublayer done.
void addBounds(const SystemConfig& config, Mode mode, RunResult& result);
/// What is wrong with a run that is faster than its closed form; empty if it is not.
std::string belowClosedForm(const RunResult& result);

}  // namespace t3
