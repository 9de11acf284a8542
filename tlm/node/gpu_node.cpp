// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <vector>

#include "tlm/collectives/tracked_program.h"
#include "tlm/node/collective_plan.h"

namespace t3 {
namespace {

/// Those of the sublayer, and those that the nodes bring.
PhaseNames phaseNames(const Graph& graph, bool hasOutput) {
  PhaseNames names{};
  if (hasOutput) names = kPhaseNames;
  for (const GraphNode& node : graph.nodes) {
    const char*& name = names[static_cast<std::size_t>(node.phase)];
    if (node.phase == Phase::Norm) name = "norm";
    if (node.phase == Phase::Consumer) name = "consumer";
    const auto* collective = node.as<CollectiveWork>();
    if (collective == nullptr || name != nullptr) continue;
    name = collective->plan != nullptr ? "collective" : collective->collective->shortName;
  }
  return names;
}

}  // namespace

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const std::optional<TrackerChoice>& choice, const GpuContext& context)
    : FabricNode(name, config, phaseNames(context.graph, !context.outputs.empty()), choice),
      gpu("gpu", config, context),
      gpu_(context.gpu) {
  gpu.dma.onFinished([this](const DmaDescriptor& command) {
    if (command.phase == Phase::ReduceScatter) ringLag.through(command.tiles.count);
    if (sent_) sent_(command.tiles.count);
  });
  const auto waits = [this](bool begins) { ringLag.waitsForZeros(begins); };
  std::vector<GemmKernel*> gemms;
  std::vector<StepKernel*> steps;
  for (const Gpu::Kernels& kernels : gpu.nodes) {
    if (kernels.gemm) gemms.push_back(kernels.gemm.get());
    for (const auto& step : kernels.steps) steps.push_back(step.get());
  }
  // A GEMM that reads what arrives has read nothing of a row that is still arriving, but perhaps
  // the row before, in whose last line of the L2 this one may begin.
  if (!gemms.empty()) {
    hbm.onArrival([gemms](std::uint64_t address, std::uint64_t bytes) {
      for (GemmKernel* gemm : gemms) gemm->storedByOthers(address, bytes);
    });
  }
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
  if (tracker) tracker->commands.bind(gpu.dma.trigger);
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
    for (NodeId n = 0; n < gpu.nodes.size(); ++n) {
      const Gpu::Kernels& kernels = gpu.nodes[n];
      if (kernels.steps.empty() || context.graph.planOf(n) != nullptr) continue;
      bind(kernels.steps[route.kernelOf(p)]->egress.port(p % kernelPorts));
    }
    if (gpu.dma.gatherEgress.ports() != 0) bind(gpu.dma.gatherEgress.port(p));
  }
  for (NodeId n = 0; n < gpu.nodes.size(); ++n) {
    if (context.graph.planOf(n) == nullptr) continue;
    for (const auto& step : gpu.nodes[n].steps) {
      for (std::uint32_t p = 0; p < step->egress.ports(); ++p) {
        const std::uint32_t link = config.fabric.linkOfPort(context.gpu.value, p, links.size());
        step->egress.port(p).socket.bind(links[link]->in);
      }
    }
  }
}

/// The engine takes every block that is done, so nothing interrupts the software.
void GpuNode::programTracker(const CollectivePlan& plan) {
  const TrackedProgram& program = plan.program(gpu_.value);
  if (program.rows == 0) return;
  for (const TrackedRows& rows : trackedRows(program)) {
    TrackedRegion& region = regions_.emplace_back();
    region.tiles = {plan.grid().workgroup(rows.first, 0), plan.grid().workgroup(rows.count, 0)};
    region.updatesPerElement = rows.updates;
    region.trigger = true;
    region.firstCommand = CommandId{region.tiles.first};
    region.bytes = program.memoryEnd;
  }
  driver->program(plan.grid().tiling(program.rows), MemoryLayout{}, 0, regions_);
}

void GpuNode::programTrackerAgain(const CollectivePlan& plan, TrackerDriver::Done done) {
  if (regions_.empty()) return done();
  driver->programAgain(plan.grid().tiling(plan.program(gpu_.value).rows), 0, regions_,
                       std::move(done));
}

}  // namespace t3
