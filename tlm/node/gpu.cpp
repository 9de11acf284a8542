// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tlm/transport/numbered.h"

namespace t3 {
namespace {

/// The part of the GPU that the GEMM uses.
GpuConfig forGemm(GpuConfig config) {
  config.compute_units -= config.split_compute_units;
  return config;
}

ChunkPorts portsOf(const Route& route, GpuId gpu) {
  ChunkPorts ports{route.ports(), {}};
  for (std::uint32_t c = 0; c < route.chunks(); ++c) {
    ports.ofChunk.push_back(route.port(gpu, ChunkId{c}));
  }
  return ports;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, const GpuContext& context)
    : sc_module(name),
      array_(std::make_shared<ComputeArray>(forGemm(config))),
      norm(context.norms ? std::make_unique<NormKernel>(
                               "norm", config, context.tiling, context.layout, context.dataType,
                               context.data, context.gpu, context.pool, *array_)
                         : nullptr),
      gemm("gemm", forGemm(config), context.tiling, context.depth, context.layout, context.dataType,
           context.data, context.gpu, context.pool, portsOf(context.route, context.gpu),
           {.array = array_}),
      dma("dma", config.dma, context.tiling, context.layout, context.dataType, context.data,
          context.gpu, context.pool, {.links = context.route.ports()}),
      kernels(context.collectives) {
  gemm.guardUpdates(dma.zeros());
  if (const auto& plan = context.consumer) {
    GpuConfig own = config;
    own.compute_units -= config.gather_compute_units;
    // Where a collective takes compute units, it does so from one of the two GEMMs.
    const bool split = config.split_compute_units != 0 || config.gather_compute_units != 0;
    consumer = std::make_unique<GemmKernel>(
        "consumer", own, plan->tiling, plan->depth, plan->layout, context.dataType, context.data,
        context.gpu, context.pool, ChunkPorts{.ports = 0},
        GemmPlacement{.array = split ? nullptr : array_, .phase = Phase::Consumer});
    if (config.gather_compute_units != 0) {
      arrivals = std::make_unique<RowArrivals>(
          "arrivals", context.tiling, context.layout.gathered(),
          [this](std::uint32_t tileRow) { consumer->release(tileRow); });
    }
  }
  addKernels(config, context);
  addEntries(context);
}

void Gpu::addKernels(const GpuConfig& config, const GpuContext& context) {
  const Route& route = context.route;
  const std::uint32_t split = config.split_compute_units;
  for (std::uint32_t k = 0; k < route.kernels(); ++k) {
    for (auto& [collective, list] : kernels) {
      std::uint32_t units = config.collectiveUnits();
      if (split != 0 && collective == context.collectives.front()) units = split;
      if (arrivals && collective->gathers()) units = config.gather_compute_units;
      MemoryLayout layout = context.layout;
      if (collective->gathers()) layout.output = layout.gathered();
      addReceiver(collective->phase, list);
      list.push_back(std::make_unique<StepKernel>(
          numbered(collective->name, k).c_str(),
          collective->program(route, context.tiling, layout, context.gpu, k),
          sharedByKernels(config, units, route.kernels(), k), 0, context.dataType, context.data,
          context.gpu, context.pool));
    }
  }
}

/// The kernels of a collective send to one another in its phase.
void Gpu::addReceiver(Phase phase, const Kernels& list) {
  const Kernels*& receiver = receivers_[static_cast<std::size_t>(phase)];
  if (receiver != nullptr && receiver != &list) {
    throw std::invalid_argument("two collectives of a mode send in the same phase");
  }
  receiver = &list;
}

void Gpu::addEntries(const GpuContext& context) {
  for (std::uint32_t entry = 0; entry < context.entries; ++entry) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", entry).c_str(), Ingress::kUsualDepth,
        [this, kernel = context.route.kernelOf(entry)](const Payload& payload, Picoseconds when) {
          const TrafficExtension& extension = traffic(payload);
          if (extension.tracked) return;  // the tracker counts it; no kernel waits for it
          const Kernels* receiver = receivers_[static_cast<std::size_t>(extension.phase)];
          if (receiver != nullptr) (*receiver)[kernel]->arrived(payload, when);
          if (arrivals && extension.phase == Phase::AllGather) {
            arrivals->add(localAddress(payload.get_address()), payload.get_data_length(), when);
          }
        }));
    ingress.back()->guardUpdates(dma.zeros());
  }
}

bool Gpu::idle() const {
  const auto idle = [](const auto& part) { return part->idle(); };
  return gemm.idle() && (!consumer || consumer->idle()) && (!norm || norm->idle()) && dma.idle() &&
         std::ranges::all_of(ingress, idle) && std::ranges::all_of(kernels, [&](const auto& entry) {
           return std::ranges::all_of(entry.value, idle);
         });
}

}  // namespace t3
