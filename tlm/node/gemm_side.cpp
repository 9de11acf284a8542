// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gemm_side.h"

#include <algorithm>

#include "tlm/collectives/collective.h"
#include "tlm/transport/numbered.h"

namespace t3 {

GemmSide::GemmSide(const sc_core::sc_module_name& name, const SystemConfig& config, GpuId gpu,
                   const CollectivePlan& plan, PayloadPool& pool)
    : sc_module(name),
      gemm("gemm", config.gpu, plan.gemm()->tiling(), config.workload.depth, plan.gemm()->layout(),
           config.workload.data_type, config.data, gpu, pool, plan.chunkPorts(gpu.value)) {
  if (plan.gemm()->gathers()) addGather(config, gpu, plan, pool);
}

void GemmSide::addGather(const SystemConfig& config, GpuId gpu, const CollectivePlan& plan,
                         PayloadPool& pool) {
  const Route& route = plan.gatherRoute();
  MemoryLayout layout = plan.gemm()->layout();
  layout.output = plan.result();
  const std::uint32_t units = config.gpu.collectiveUnits();
  for (std::uint32_t k = 0; k < route.kernels(); ++k) {
    gather.push_back(
        std::make_unique<StepKernel>(numbered(kAllGather.name, k).c_str(),
                                     kAllGather.program(route, plan.gatherTiling(), layout, gpu, k),
                                     sharedByKernels(config.gpu, units, route.kernels(), k), 0,
                                     config.workload.data_type, config.data, gpu, pool));
  }
  kernelOfEntry_.resize(plan.linksPerGpu());
  for (std::uint32_t p = 0; p < route.ports(); ++p) {
    // A link that leaves by a port ends at the entry of the same number.
    const std::uint32_t port = plan.gatherPort(route.source(gpu, p).value, p);
    kernelOfEntry_[port % plan.linksPerGpu()] = route.kernelOf(p);
  }
}

bool GemmSide::idle() const {
  return gemm.idle() &&
         std::ranges::all_of(gather, [](const auto& kernel) { return kernel->idle(); });
}

}  // namespace t3
