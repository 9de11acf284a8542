// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/node/collective_data.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/judge.h"
#include "tlm/node/machine.h"

namespace t3 {

/// Of a collective alone, by its definition.
class AlgorithmJudge : public Judge {
 public:
  /// After its executor. `meaning` and `plan` outlive it.
  AlgorithmJudge(const AlgorithmMeaning& meaning, const CollectivePlan& plan, Machine& machine);

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

  const AlgorithmMeaning& meaning_;
  const CollectivePlan& plan_;
  Machine& machine_;
  const SystemConfig& config_;
  CollectiveData data_;
  Verification verification_;
};

}  // namespace t3
