// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace t3 {

BoundParts collectiveBoundParts(const SystemConfig& config, const CollectivePlan& plan) {
  const GemmPlan& gemm = *plan.gemm();
  BoundParts parts{.launch = config.gpu.kernel_launch_us * 1e3, .gpus = {}};
  for (std::uint32_t g = 0; g < config.gpus; ++g) {
    const SystemConfig own = config.ofGpu(g);
    const LinkConfig link = config.fabric.linkOf(own.link, config.gpus);
    const double bytesPerNs = static_cast<double>(std::llround(link.bandwidth_gb_s * 1e9)) * 1e-9;
    const double latency = latencyNs(config, g);
    const double memoryPeak = own.hbm.peakBytesPerNs();
    const std::uint64_t stored = gemm.storedBytes(g);
    GpuBound gpu;
    gpu.start = config.overrideOf(g).launch_delay_us.value_or(0) * 1e3;
    gpu.gemm = gemmNs(own, gemm.tiling(), stored);
    gpu.stores = static_cast<double>(stored) / memoryPeak;
    gpu.collectives = gpu.memory = PerCollective<double>(gemm.collectives());
    auto sentByGemm = static_cast<double>(gemm.tiling().outputBytes() - stored);
    std::vector<std::uint64_t> all(plan.linksPerGpu());
    const auto add = [&](const Collective& collective, const std::vector<std::uint64_t>& bytes) {
      const auto most = static_cast<double>(std::ranges::max(bytes));
      gpu.collectives.of(collective) = most == 0 ? 0 : most / bytesPerNs + latency;
      const auto sent =
          static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}));
      gpu.memory.of(collective) = (2 * sent - std::exchange(sentByGemm, 0)) / memoryPeak;
      for (std::size_t l = 0; l < bytes.size(); ++l) all[l] += bytes[l];
    };
    add(gemm.collective(), plan.linkBytes(g));
    if (gemm.gathers()) add(kAllGather, plan.gatherBytes(g));
    const auto most = static_cast<double>(std::ranges::max(all));
    gpu.links = most == 0 ? 0 : most / bytesPerNs + latency;
    parts.gpus.push_back(std::move(gpu));
  }
  return parts;
}

}  // namespace t3
