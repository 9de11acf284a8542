// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/node/checked_data.h"
#include "tlm/node/conservation.h"
#include "tlm/node/judge.h"
#include "tlm/node/machine.h"
#include "tlm/node/mode.h"

namespace t3 {

/// Of the outputs of GEMMs.
class OutputJudge : public Judge {
 public:
  /// After its executor.
  OutputJudge(Mode mode, Machine& machine);

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

  const Mode mode_;
  const ModeKind& kind_;  ///< that is simulated
  Machine& machine_;
  CheckedData data_;
};

}  // namespace t3
