// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu.h"

#include <algorithm>
#include <string>

namespace t3 {
namespace {

/// Neighbour's writes that may wait for the local memory inside the GPU; the rest wait in the
/// link, whose credits then throttle the neighbour. A few are enough to keep the memory's queue
/// fed.
constexpr std::uint32_t kIngressDepth = 32;

/// What the GEMM has of the GPU.
GpuConfig forGemm(GpuConfig config) {
  config.compute_units -= config.split_compute_units;
  return config;
}

/// What a kernel of one of several rings has of `computeUnits`.
GpuConfig sharedBy(GpuConfig config, std::uint32_t computeUnits, const RingPath& ring) {
  const std::uint32_t more = ring.index < computeUnits % ring.rings ? 1 : 0;
  config.collective.compute_units = std::max(1U, computeUnits / ring.rings + more);
  return config;
}

GpuConfig forAllGather(const GpuConfig& config, const RingPath& ring) {
  const std::uint32_t some = config.collective.compute_units;
  return sharedBy(config, some != 0 ? some : config.compute_units, ring);
}

GpuConfig forReduceScatter(const GpuConfig& config, const RingPath& ring) {
  const std::uint32_t split = config.split_compute_units;
  return split != 0 ? sharedBy(config, split, ring) : forAllGather(config, ring);
}

std::string numbered(const char* name, const RingPath& ring) {
  return ring.index == 0 ? name : name + ("_" + std::to_string(ring.index));
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context)
    : sc_module(name),
      gemm("gemm", forGemm(config), context.tiling, context.depth, context.layout, context.dataType,
           context.data, context.gpu, context.pool,
           static_cast<std::uint32_t>(context.rings.size())),
      dma("dma", config.dma, context.tiling, context.layout, context.dataType, context.data,
          context.gpu, context.pool, static_cast<std::uint32_t>(context.rings.size())) {
  gemm.guardUpdates(dma.zeros());
  for (const RingPath& ring : context.rings) {
    const auto make = [&](RingKernel kernel, const char* called, const GpuConfig& own) {
      return std::make_unique<RingCollective>(numbered(called, ring).c_str(), kernel, own,
                                              context.tiling, context.layout, context.dataType,
                                              context.data, context.gpu, context.pool, ring);
    };
    reduceScatter.push_back(
        make(RingKernel::ReduceScatter, "reduce_scatter", forReduceScatter(config, ring)));
    allGather.push_back(make(RingKernel::AllGather, "all_gather", forAllGather(config, ring)));
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", ring).c_str(), kIngressDepth,
        [this, index = ring.index](const Payload& payload, Picoseconds when) {
          const TrafficExtension& extension = traffic(payload);
          if (extension.tracked) return;  // counted by the tracker, nobody else waits for it
          if (extension.phase == Phase::ReduceScatter) reduceScatter[index]->arrived(payload, when);
          if (extension.phase == Phase::AllGather) allGather[index]->arrived(payload, when);
        }));
    ingress.back()->guardUpdates(dma.zeros());
  }
}

bool Gpu::idle() const {
  const auto idle = [](const auto& part) { return part->idle(); };
  return gemm.idle() && dma.idle() && std::ranges::all_of(reduceScatter, idle) &&
         std::ranges::all_of(allGather, idle) && std::ranges::all_of(ingress, idle);
}

}  // namespace t3
