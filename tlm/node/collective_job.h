// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/collective_data.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/job.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_rtl.h"

namespace t3 {

/// A collective alone, `workload.repeat` times: in mode `sequential` by kernels, in modes with
/// tracking by trackers and DMA engines.
///
/// Time 0 is the first instruction of the kernels, or the moment when trackers and DMA engines may
/// begin. A further round begins a kernel launch after the one before on the same GPU, or later
/// (Executor), with the inputs of the first in their places again.
class CollectiveJob : public Job {
 public:
  /// `meaning` outlives the job.
  CollectiveJob(const SystemConfig& config, const AlgorithmMeaning& meaning, Mode mode,
                TrackerKind tracker, const SystemRtl& rtl, const Peers* peers);

  Fabric& fabric() override { return machine_.fabric(); }
  RunSubject& subject() override { return executor_; }
  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& /*result*/, bool /*failed*/) const override {}

 private:
  void fillMemory(std::uint32_t gpu);
  void compare(std::uint32_t gpu);
  double boundNs() const;

  const SystemConfig config_;
  const AlgorithmMeaning& meaning_;
  const CollectivePlan plan_;
  const Graph graph_;
  Machine machine_;
  Executor executor_;
  CollectiveData data_;
  Verification verification_;
};

}  // namespace t3
