// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <vector>

namespace t3 {
namespace {

/// Those of the sublayer, and those that the collectives bring.
PhaseNames phaseNames(Collectives collectives, bool norms, bool consumer) {
  PhaseNames names = kPhaseNames;
  if (norms) names[static_cast<std::size_t>(Phase::Norm)] = "norm";
  if (consumer) names[static_cast<std::size_t>(Phase::Consumer)] = "consumer";
  for (const Collective* collective : collectives) {
    const char*& name = names[static_cast<std::size_t>(collective->phase)];
    if (name == nullptr) name = collective->shortName;
  }
  return names;
}

}  // namespace

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const TrackerChoice& choice, const GpuContext& context)
    : FabricNode(name, config,
                 phaseNames(context.collectives, context.norms, context.consumer.has_value()),
                 choice),
      gpu("gpu", config.gpu, context) {
  gpu.dma.onFinished([this](const DmaDescriptor& command) {
    if (command.phase == Phase::ReduceScatter) ringLag.through(command.tiles.count);
    if (sent_) sent_(command.tiles.count);
  });
  hbm.onArrival([this](std::uint64_t address, std::uint64_t bytes) {
    gpu.gemm.storedByOthers(address, bytes);
    // It has read nothing of a row that is still arriving, but perhaps the row before, in whose
    // last line of the L2 this one may begin.
    if (gpu.consumer) gpu.consumer->storedByOthers(address, bytes);
  });
  const auto waits = [this](bool begins) { ringLag.waitsForZeros(begins); };
  gpu.gemm.onUpdateWait(waits);
  for (const auto& entry : gpu.ingress) entry->onUpdateWait(waits);
  std::vector<MemoryPort*> ports = {&gpu.gemm.memory, &gpu.dma.memory};
  if (gpu.norm) ports.push_back(&gpu.norm->memory);
  if (gpu.consumer) ports.push_back(&gpu.consumer->memory);
  for (const auto& [collective, kernels] : gpu.kernels) {
    for (const auto& kernel : kernels) ports.push_back(&kernel->memory);
  }
  for (const auto& entry : gpu.ingress) ports.push_back(&entry->memory);
  for (MemoryPort* port : ports) port->socket.bind(hbm.target);
  tracker->commands.bind(gpu.dma.trigger);
  addLinks(config, context.gpu, context.links);
  const Route& route = context.route;
  const std::uint32_t kernelPorts = route.ports() / route.kernels();
  for (std::uint32_t p = 0; p < route.ports(); ++p) {
    std::vector<MemoryPort*> senders = {&gpu.gemm.egress.port(p), &gpu.dma.egress.port(p)};
    for (const auto& [collective, kernels] : gpu.kernels) {
      senders.push_back(&kernels[route.kernelOf(p)]->egress.port(p % kernelPorts));
    }
    if (gpu.dma.gatherEgress.ports() != 0) senders.push_back(&gpu.dma.gatherEgress.port(p));
    const std::uint32_t link = config.fabric.linkOfPort(context.gpu.value, p, links.size());
    for (MemoryPort* port : senders) port->socket.bind(links[link]->in);
  }
  for (const auto& [collective, kernels] : gpu.kernels) {
    for (const auto& kernel : kernels) connectToSwitch(*kernel, config, context.gpu, context.pool);
  }
}

}  // namespace t3
