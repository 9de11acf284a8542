// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gpu.h"

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

/// What the reduce-scatter has.
GpuConfig forReduceScatter(GpuConfig config) {
  if (config.split_compute_units != 0) {
    config.collective.compute_units = config.split_compute_units;
  }
  return config;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context)
    : sc_module(name),
      gemm("gemm", forGemm(config), context.tiling, context.depth, context.layout, context.dataType,
           context.data, context.gpu, context.pool),
      dma("dma", config.dma, context.tiling, context.layout, context.dataType, context.data,
          context.gpu, context.pool),
      reduceScatter("reduce_scatter", forReduceScatter(config), context.tiling, context.layout,
                    context.dataType, context.data, context.gpu, context.pool),
      allGather("all_gather", config, context.tiling, context.layout, context.dataType,
                context.data, context.gpu, context.pool),
      ingress("ingress", kIngressDepth, [this](const Payload& payload, Picoseconds when) {
        const TrafficExtension& extension = traffic(payload);
        if (extension.tracked) return;  // counted by the tracker, nobody else waits for it
        if (extension.phase == Phase::ReduceScatter) reduceScatter.arrived(payload, when);
        if (extension.phase == Phase::AllGather) allGather.arrived(payload, when);
      }) {
  gemm.guardUpdates(dma.zeros());
  ingress.guardUpdates(dma.zeros());
}

bool Gpu::idle() const {
  return gemm.idle() && dma.idle() && reduceScatter.idle() && allGather.idle() && ingress.idle();
}

}  // namespace t3
