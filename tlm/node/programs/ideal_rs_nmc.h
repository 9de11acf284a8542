// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/bounds.h"
#include "tlm/node/program.h"

namespace t3 {

/// A bound that no real machine of equal GPUs can beat. Three parts run, each when the one before
/// has drained: t3's GEMM alone (its remote stores cost nothing), the reduce-scatter by DMA and
/// near-memory ALUs alone, and the all-gather, of which the start counts as hidden. The first two
/// count as overlapped.
///
/// The DMA engine reads from memory what t3 stores straight into other GPUs. On a ring that is less
/// than the stores that t3 has to do beside it. Where t3 stores all but its own chunk so, the reads
/// could make a tight memory slower than t3's. And GPUs that all start at once meet at the ports of
/// a switch in an order that may cost them a request (4 us at 2 GB/s), while those of a real run,
/// which start a little apart, miss each other. Rings in nodes and through them share a GPU's DMA
/// engine, which alone sends all first hops before the second ones, so that the rails begin late.
/// So in both (`Route::fastestAlone`) the links alone bound the two collectives.
class IdealRsNmc : public Program {
 public:
  using Program::Program;

  void start() override;
  bool resume() override;
  void summarise(const std::vector<GpuFigures>& gpus, RunResult& result) const override;

 protected:
  /// The all-gather of all GPUs alone, by kernels.
  virtual void gather();
  /// Whether trackers do it, and not kernels.
  virtual bool gathersByTracker() const { return false; }
  /// The norm, and the consumer, of all GPUs alone; false if there is none.
  bool norm();
  bool consume();

  /// Of the parts that ran alone.
  static Picoseconds gemmTime(const std::vector<GpuFigures>& gpus) {
    return spanOf(gpus, 0, Phase::Gemm).length();
  }
  Picoseconds reduceTime(const std::vector<GpuFigures>& gpus) const;
  /// `launch`: what of its start has not been measured.
  Picoseconds gatherTime(const std::vector<GpuFigures>& gpus, Picoseconds launch) const;
  BoundParts bounds() const;

 private:
  Picoseconds closedForm(const Collective& collective) const;

  int part_ = 0;
};

/// What the tracker lacks for its reduce-scatter.
std::optional<std::string> checkOthersSums(const SystemConfig& config, std::uint32_t number);

}  // namespace t3
