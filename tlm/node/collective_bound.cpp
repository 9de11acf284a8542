// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_bound.h"

#include <vector>

namespace t3 {

BoundParts collectiveBoundParts(const SystemConfig& config, const CollectivePlan& plan) {
  const GemmPlan& gemm = *plan.gemm();
  BoundParts parts{.launch = config.gpu.kernel_launch_us * 1e3, .gpus = {}};
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    std::vector<SentBytes> sent = {{&gemm.collective(), plan.linkBytes(g)}};
    if (gemm.gathers()) sent.push_back({&kAllGather, plan.gatherBytes(g)});
    parts.gpus.push_back(gpuBound(config, g, gemm.tiling(), gemm.storedBytes(g), sent));
  }
  return parts;
}

}  // namespace t3
