// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/node/bound_parts.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/graph.h"
#include "tlm/node/system_config.h"

namespace t3 {

// A bound that no real machine of equal GPUs can beat. Three parts run, each when the one before
// has drained: t3's GEMM alone (its remote stores cost nothing), the reduce-scatter by DMA and
// near-memory ALUs alone, and the all-gather, of which the start counts as hidden. The first two
// count as overlapped.
//
// The DMA engine reads from memory what t3 stores straight into other GPUs. On a ring that is less
// than the stores that t3 has to do beside it. Where t3 stores all but its own chunk so, the reads
// could make a tight memory slower than t3's. And GPUs that all start at once meet at the ports of
// a switch in an order that may cost them a request (4 us at 2 GB/s), while those of a real run,
// which start a little apart, miss each other. Rings in nodes and through them share a GPU's DMA
// engine, which alone sends all first hops before the second ones, so that the rails begin late.
// So in both (`Route::fastestAlone`) the links alone bound the two collectives.

/// The first two parts: the GEMM, and what others add to its output. The local update of every
/// element is in memory already; the others complete it.
Graph gemmThenSums();
/// What the tracker lacks for its reduce-scatter.
std::optional<std::string> checkOthersSums(const SystemConfig& config, std::uint32_t number);

/// Times of parts that ran alone.
class PartTimes {
 public:
  /// `gathersByTracker`: whether trackers did the all-gather, and not kernels.
  PartTimes(const SystemConfig& config, const std::vector<GpuFigures>& gpus, bool gathersByTracker);

  Picoseconds of(Phase phase) const { return spanOf(gpus_, 0, phase).length(); }
  Picoseconds reduce() const;
  /// `launch`: what of its start has not been measured.
  Picoseconds gather(Picoseconds launch) const;
  const BoundParts& bounds() const { return bounds_; }
  /// Whether the parts bound the collectives, and not the links alone.
  bool measured() const { return measured_; }

 private:
  Picoseconds closedForm(const Collective& collective) const;

  const std::vector<GpuFigures>& gpus_;
  bool measured_ = false;
  BoundParts bounds_;
};

}  // namespace t3
