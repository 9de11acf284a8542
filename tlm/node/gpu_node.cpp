// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <vector>

namespace t3 {
namespace {

/// Those of the sublayer, and those that the nodes bring.
PhaseNames phaseNames(const Graph& graph) {
  PhaseNames names = kPhaseNames;
  for (const GraphNode& node : graph.nodes) {
    const char*& name = names[static_cast<std::size_t>(node.phase)];
    if (node.phase == Phase::Norm) name = "norm";
    if (node.phase == Phase::Consumer) name = "consumer";
    const auto* collective = node.as<CollectiveWork>();
    if (collective != nullptr && name == nullptr) name = collective->collective->shortName;
  }
  return names;
}

}  // namespace

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const TrackerChoice& choice, const GpuContext& context)
    : FabricNode(name, config, phaseNames(context.graph), choice), gpu("gpu", config.gpu, context) {
  gpu.dma.onFinished([this](const DmaDescriptor& command) {
    if (command.phase == Phase::ReduceScatter) ringLag.through(command.tiles.count);
    if (sent_) sent_(command.tiles.count);
  });
  const auto waits = [this](bool begins) { ringLag.waitsForZeros(begins); };
  std::vector<GemmKernel*> gemms;
  std::vector<NormKernel*> norms;
  std::vector<StepKernel*> steps;
  for (const Gpu::Kernels& kernels : gpu.nodes) {
    if (kernels.gemm) gemms.push_back(kernels.gemm.get());
    if (kernels.norm) norms.push_back(kernels.norm.get());
    for (const auto& step : kernels.steps) steps.push_back(step.get());
  }
  // A GEMM that reads what arrives has read nothing of a row that is still arriving, but perhaps
  // the row before, in whose last line of the L2 this one may begin.
  hbm.onArrival([gemms](std::uint64_t address, std::uint64_t bytes) {
    for (GemmKernel* gemm : gemms) gemm->storedByOthers(address, bytes);
  });
  for (GemmKernel* gemm : gemms) gemm->onUpdateWait(waits);
  for (const auto& entry : gpu.ingress) entry->onUpdateWait(waits);
  connectMemory(context.graph);
  addLinks(config, context.gpu, context.links);
  connectLinks(config, context);
  for (StepKernel* step : steps) connectToSwitch(*step, config, context.gpu, context.pool);
}

/// In this order they take turns at the memory: GEMMs with operands of their own, the DMA engine,
/// norms, other GEMMs, collectives, what comes from other GPUs.
void GpuNode::connectMemory(const Graph& graph) {
  const auto bind = [this](MemoryPort& port) { port.socket.bind(hbm.target); };
  const auto gemms = [&](bool read) {
    for (NodeId n = 0; n < graph.nodes.size(); ++n) {
      const auto* work = graph.nodes[n].as<GemmWork>();
      if (work != nullptr && work->reads.has_value() == read) bind(gpu.nodes[n].gemm->memory);
    }
  };
  gemms(false);
  bind(gpu.dma.memory);
  for (const Gpu::Kernels& kernels : gpu.nodes) {
    if (kernels.norm) bind(kernels.norm->memory);
  }
  gemms(true);
  for (const Gpu::Kernels& kernels : gpu.nodes) {
    for (const auto& step : kernels.steps) bind(step->memory);
  }
  for (const auto& entry : gpu.ingress) bind(entry->memory);
  tracker->commands.bind(gpu.dma.trigger);
}

void GpuNode::connectLinks(const SystemConfig& config, const GpuContext& context) {
  const Route& route = context.route;
  const std::uint32_t kernelPorts = route.ports() / route.kernels();
  for (std::uint32_t p = 0; p < route.ports(); ++p) {
    Link& link = *links[config.fabric.linkOfPort(context.gpu.value, p, links.size())];
    const auto bind = [&link](MemoryPort& port) { port.socket.bind(link.in); };
    for (const Gpu::Kernels& kernels : gpu.nodes) {
      if (kernels.gemm && kernels.gemm->egress.ports() != 0) bind(kernels.gemm->egress.port(p));
    }
    bind(gpu.dma.egress.port(p));
    for (const Gpu::Kernels& kernels : gpu.nodes) {
      if (kernels.steps.empty()) continue;
      bind(kernels.steps[route.kernelOf(p)]->egress.port(p % kernelPorts));
    }
    if (gpu.dma.gatherEgress.ports() != 0) bind(gpu.dma.gatherEgress.port(p));
  }
}

}  // namespace t3
