// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/node/cluster.h"
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
  /// Fills in the times of a finished run. By default they are the exposed times: gemm up to the
  /// end of the last GEMM, of each collective what it takes beyond all before it; they add up to
  /// the whole.
  virtual void summarise(RunResult& result) const;

 protected:
  /// Starts the all-gather once the GEMM has ended, because it needs the compute units, and this
  /// GPU's chunk is reduced. To be called at both ends.
  void gatherWhenReduced(std::uint32_t gpu);

  /// From the first GPU that starts to the last that ends.
  TimeSpan gemmOfAll() const;
  TimeSpan ofAll(const Collective& collective) const;

  Cluster& cluster_;
};

}  // namespace t3
