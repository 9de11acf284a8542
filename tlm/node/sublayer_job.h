// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/node/checked_data.h"
#include "tlm/node/conservation.h"
#include "tlm/node/executor.h"
#include "tlm/node/graph.h"
#include "tlm/node/job.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"
#include "tlm/node/system_rtl.h"

namespace t3 {

/// The sublayers of a scenario, in a mode.
class SublayerJob : public Job {
 public:
  SublayerJob(const SystemConfig& config, Mode mode, TrackerKind tracker, const SystemRtl& rtl,
              const Peers* peers);

  Machine& machine() { return machine_; }
  Fabric& fabric() override { return machine_.fabric(); }
  RunSubject& subject() override { return executor_; }
  void prepare() override;
  void check() override;
  Verification compare() override;
  GpuFigures figures(std::uint32_t gpu) const override;
  void report(const std::vector<GpuFigures>& gpus, RunResult& result) const override;
  void finish(RunResult& result, bool failed) const override;

 private:
  void watch(std::uint32_t gpu, const OutputPlan& output, OutputBuffer buffer);
  void over(std::uint32_t gpu);
  void checkThenWatch(std::uint32_t gpu, const OutputPlan& output, OutputBuffer buffer);
  std::vector<const OutputPlan*> trackedOutputs() const;
  SumsRule ruleOf(const OutputPlan& output) const;
  bool clears() const;
  void checkBufferIsZero();
  void addPhases(const std::vector<GpuFigures>& gpus, RunResult& result) const;

  const Mode mode_;
  const ModeKind& kind_;  ///< that is simulated
  const Graph graph_;
  Machine machine_;
  Executor executor_;
  CheckedData data_;
};

}  // namespace t3
