// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/node/cluster.h"
#include "tlm/node/mode.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What the host software of all GPUs does in one mode: which steps run, and when.
/// A new mode is one file in programs/ and one line in `makeProgram`.
class Program {
 public:
  explicit Program(Cluster& cluster) : cluster_(cluster) {}
  virtual ~Program() = default;

  /// Starts what runs at time 0.
  virtual void start() = 0;
  /// Called when everything has drained; starts the next part and returns true, or returns false
  /// if there is none.
  virtual bool resume() { return false; }
  /// Whether the output is tracked: then its conservation is checked as well.
  virtual bool tracked() const = 0;
  /// Fills in the times of a finished run. By default the phases are the exposed times: gemm up
  /// to the end of the last GEMM, reduce_scatter what the reduction takes beyond it, all_gather
  /// the rest; they add up to the whole.
  virtual void summarise(RunResult& result) const;

 protected:
  /// Starts the all-gather once the GEMM has ended, because it needs the compute units, and this
  /// GPU's chunk is reduced. To be called at both ends.
  void gatherWhenReduced(std::uint32_t gpu);

  Picoseconds earliest(Picoseconds GpuProgress::*time) const;
  Picoseconds latest(Picoseconds GpuProgress::*time) const;

  Cluster& cluster_;
};

std::unique_ptr<Program> makeSequential(Cluster& cluster);
std::unique_ptr<Program> makeCuSplit(Cluster& cluster);
std::unique_ptr<Program> makeFused(Cluster& cluster);
std::unique_ptr<Program> makeIdealRsNmc(Cluster& cluster);

std::unique_ptr<Program> makeProgram(Mode mode, Cluster& cluster);

}  // namespace t3
