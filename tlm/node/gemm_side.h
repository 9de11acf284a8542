// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tlm/collectives/step_kernel.h"
#include "tlm/gpu/gemm_kernel.h"
#include "tlm/node/collective_plan.h"
#include "tlm/node/system_config.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// What a GPU that runs a collective from a file behind a GEMM has beside it: the GEMM
/// and the kernels of the all-gather that follows a reduce-scatter.
class GemmSide : public sc_core::sc_module {
 public:
  GemmKernel gemm;
  std::vector<std::unique_ptr<StepKernel>> gather;  ///< that run side by side; or none

  GemmSide(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
           const CollectivePlan& plan, PayloadPool& pool);

  /// The all-gather's kernel for what comes in there.
  StepKernel& gatherAt(std::uint32_t entry) { return *gather[kernelOfEntry_[entry]]; }
  bool idle() const;

 private:
  void addGather(const SystemConfig& config, GpuId gpu, const CollectivePlan& plan,
                 PayloadPool& pool);

  std::vector<std::uint32_t> kernelOfEntry_;
};

}  // namespace t3
