// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/node/cluster.h"
#include "tlm/node/gpu_figures.h"
#include "tlm/node/run_result.h"

namespace t3 {

/// What the host software of all GPUs does in one mode: which steps run, and when.
class Program {
 public:
  explicit Program(Cluster& cluster) : cluster_(cluster) {}
  virtual ~Program() = default;

  /// Starts what runs at time 0.
  virtual void start() = 0;
  /// Called when everything has drained; starts the next part and returns true, or returns false
  /// if there is none.
  virtual bool resume() { return false; }
  /// Fills in the times of a finished run, from what all GPUs did. By default they are exposed
  /// times: the GEMM's lasts to the end of the last GEMM; a collective's is the time by which it
  /// ends later than everything before it. Of several sublayers each is the sum. They add up to the
  /// time of the run.
  virtual void summarise(const std::vector<GpuFigures>& gpus, RunResult& result) const;

 protected:
  /// Starts the all-gather when this GPU's GEMM and reduce-scatter have both ended: it needs the
  /// compute units and the reduced chunk. To be called at the end of each of the two.
  void gatherWhenReduced(std::uint32_t gpu);

  Cluster& cluster_;
};

}  // namespace t3
