// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_node.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/collectives/step_joins.h"
#include "tlm/collectives/step_kernel.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/transport/numbered.h"

namespace t3 {
namespace {

PhaseNames phaseNames(const CollectivePlan& plan) {
  PhaseNames names{};
  if (plan.gemm() != nullptr) names = kPhaseNames;
  const bool own = plan.gemm() == nullptr || plan.gemm()->phase() == kCollectivePhase;
  if (own) names[static_cast<std::size_t>(kCollectivePhase)] = "collective";
  return names;
}

DataType dataTypeOf(const SystemConfig& config, const CollectivePlan& plan) {
  return plan.gemm() == nullptr ? config.collective.data_type : config.workload.data_type;
}

}  // namespace

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const CollectivePlan& plan,
                               const std::optional<TrackerChoice>& choice, PayloadPool& pool)
    : FabricNode(name, config, phaseNames(plan), choice), gpu_(gpu), plan_(plan) {
  if (tracker) {
    addEngine(config, pool);
  } else {
    addKernels(config, pool);
  }
  connect(config, pool);
}

void CollectiveNode::addKernels(const SystemConfig& config, PayloadPool& pool) {
  const std::uint32_t units = config.gpu.collectiveUnits();
  for (std::uint32_t k = 0; k < plan_.kernels(); ++k) {
    workers.push_back(std::make_unique<StepKernel>(
        numbered("kernel", k).c_str(), plan_.kernel(k, gpu_.value),
        sharedByKernels(config.gpu, units, plan_.kernels(), k), config.collective.loop_bytes,
        dataTypeOf(config, plan_), config.data, gpu_, pool));
  }
}

void CollectiveNode::addEngine(const SystemConfig& config, PayloadPool& pool) {
  const TrackedProgram& program = plan_.program(gpu_.value);
  dma = std::make_unique<DmaEngine>("dma", config.gpu.dma, plan_.grid().row(), MemoryLayout{},
                                    dataTypeOf(config, plan_), config.data, gpu_, pool,
                                    DmaPorts{.links = program.ports, .local = true});
  tracker->commands.bind(dma->trigger);
  auto joins = std::make_unique<StepJoins>("joins", program, plan_.grid(), *dma, plan_.phase());
  if (plan_.gemm() != nullptr) {
    joins->onInputThrough([this](std::uint32_t tiles) { ringLag.through(tiles); });
  }
  workers.push_back(std::move(joins));
}

/// The engine takes every block that is done, so nothing interrupts the software.
void CollectiveNode::programTracker() {
  const TrackedProgram& program = plan_.program(gpu_.value);
  const TrackedGrid& grid = plan_.grid();
  if (program.rows == 0) return;
  std::vector<TrackedRegion> regions;
  for (const TrackedRows& rows : trackedRows(program)) {
    TrackedRegion& region = regions.emplace_back();
    region.tiles = {grid.workgroup(rows.first, 0), grid.workgroup(rows.count, 0)};
    region.updatesPerElement = rows.updates;
    region.trigger = true;
    region.firstCommand = CommandId{region.tiles.first >> grid.blockLog2()};
    region.bytes = program.memoryEnd;
  }
  driver->program(grid.tiling(program.rows), MemoryLayout{}, grid.blockLog2(), regions);
}

void CollectiveNode::connect(const SystemConfig& config, PayloadPool& pool) {
  if (plan_.gemm() != nullptr) {
    gemmSide = std::make_unique<GemmSide>("gpu", config, gpu_, plan_, pool);
  }
  for (const auto& worker : workers) worker->memoryPort().socket.bind(hbm.target);
  const std::uint32_t linkCount = plan_.linksPerGpu();
  for (std::uint32_t l = 0; l < linkCount; ++l) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", l).c_str(), Ingress::kUsualDepth,
        [this, l](const Payload& payload, Picoseconds when) { arrived(payload, l, when); }));
    ingress.back()->memory.socket.bind(hbm.target);
  }
  addLinks(config, linkCount);
  for (const auto& worker : workers) {
    for (std::uint32_t p = 0; p < worker->egressPorts().ports(); ++p) {
      worker->egressPorts().port(p).socket.bind(links[p % linkCount]->in);
    }
  }
  for (std::uint32_t p = 0; dma && p < dma->gatherEgress.ports(); ++p) {
    dma->gatherEgress.port(p).socket.bind(links[p % linkCount]->in);
  }
  if (gemmSide) connectGemmSide();
  if (plan_.loadsSums()) connectSwitchLoads(config, pool);
}

void CollectiveNode::connectSwitchLoads(const SystemConfig& config, PayloadPool& pool) {
  switchLoads = std::make_unique<SwitchLoads>("switch_loads", gpu_, config.link, config.data, pool);
  switchLoads->memory.socket.bind(hbm.target);
  switchLoads->requests.socket.bind(links.front()->in);
  switchLoads->answers.socket.bind(links.front()->in);
  ingress.front()->onSumLoad([this](Payload& message) { switchLoads->arrived(message); });
  for (const auto& worker : workers) {
    auto& kernel = dynamic_cast<StepKernel&>(*worker);
    if (kernel.loadsSums()) kernel.useSwitch(*switchLoads);
  }
}

void CollectiveNode::connectGemmSide() {
  GemmSide& side = *gemmSide;
  if (dma) {
    const auto waits = [this](bool begins) { ringLag.waitsForZeros(begins); };
    side.gemm.guardUpdates(dma->zeros());
    side.gemm.onUpdateWait(waits);
    for (const auto& entry : ingress) {
      entry->guardUpdates(dma->zeros());
      entry->onUpdateWait(waits);
    }
  }
  hbm.onArrival([&side](std::uint64_t address, std::uint64_t bytes) {
    side.gemm.storedByOthers(address, bytes);
  });
  side.gemm.memory.socket.bind(hbm.target);
  for (std::uint32_t p = 0; p < side.gemm.egress.ports(); ++p) {
    side.gemm.egress.port(p).socket.bind(links[p % links.size()]->in);
  }
  for (const auto& kernel : side.gather) kernel->memory.socket.bind(hbm.target);
  if (side.gather.empty()) return;
  const Route& route = plan_.gatherRoute();
  const std::uint32_t ofKernel = route.ports() / route.kernels();
  for (std::uint32_t p = 0; p < route.ports(); ++p) {
    const std::uint32_t port = plan_.gatherPort(gpu_.value, p);
    side.gather[route.kernelOf(p)]
        ->egress.port(p % ofKernel)
        .socket.bind(links[port % links.size()]->in);
  }
}

void CollectiveNode::arrived(const Payload& payload, std::uint32_t entry, Picoseconds when) {
  if (traffic(payload).tracked) return;  // the tracker counts it
  if (gemmSide && traffic(payload).phase == Phase::AllGather) {
    return gemmSide->gatherAt(entry).arrived(payload, when);
  }
  const auto worker =
      std::ranges::find_if(workers, [&](const auto& one) { return one->expects(payload); });
  (worker != workers.end() ? *worker : workers.front())->arrived(payload, when);
}

void CollectiveNode::launch(std::function<void(Picoseconds)> done) {
  const auto last = [this, done = std::move(done)](Picoseconds when) {
    if (finished()) done(when);
  };
  for (const auto& worker : workers) worker->launch(last);
}

bool CollectiveNode::finished() const {
  return std::ranges::all_of(workers, [](const auto& worker) { return worker->finished(); });
}

bool CollectiveNode::idle() const {
  const auto idle = [](const auto& part) { return part->idle(); };
  return FabricNode::idle() && std::ranges::all_of(workers, idle) &&
         (!gemmSide || gemmSide->idle()) && (!switchLoads || switchLoads->idle()) &&
         std::ranges::all_of(ingress, idle);
}

}  // namespace t3
