// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_node.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tlm/collectives/step_joins.h"
#include "tlm/collectives/step_kernel.h"
#include "tlm/collectives/tracked_program.h"
#include "tlm/transport/numbered.h"

namespace t3 {
namespace {

PhaseNames phaseNames() {
  PhaseNames names{};
  names[static_cast<std::size_t>(kCollectivePhase)] = "collective";
  return names;
}

}  // namespace

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const CollectivePlan& plan, std::uint32_t linkCount,
                               std::uint32_t entryCount, const std::optional<TrackerChoice>& choice,
                               PayloadPool& pool)
    : FabricNode(name, config, phaseNames(), choice), gpu_(gpu), plan_(plan) {
  if (tracker) {
    addEngine(config, pool);
  } else {
    addKernels(config, pool);
  }
  connect(config, linkCount, entryCount, pool);
}

void CollectiveNode::addKernels(const SystemConfig& config, PayloadPool& pool) {
  const std::uint32_t units = config.gpu.collectiveUnits();
  for (std::uint32_t k = 0; k < plan_.kernels(); ++k) {
    workers.push_back(std::make_unique<StepKernel>(
        numbered("kernel", k).c_str(), plan_.kernel(k, gpu_.value),
        sharedByKernels(config.gpu, units, plan_.kernels(), k), config.collective.loop_bytes,
        config.collective.data_type, config.data, gpu_, pool));
  }
}

void CollectiveNode::addEngine(const SystemConfig& config, PayloadPool& pool) {
  const TrackedProgram& program = plan_.program(gpu_.value);
  dma = std::make_unique<DmaEngine>("dma", config.gpu.dma, plan_.grid().row(), MemoryLayout{},
                                    config.collective.data_type, config.data, gpu_, pool,
                                    DmaPorts{.links = program.ports, .local = true});
  tracker->commands.bind(dma->trigger);
  workers.push_back(std::make_unique<StepJoins>("joins", program, plan_.grid(), *dma));
}

/// The engine takes every block that is done, so nothing interrupts the software.
void CollectiveNode::programTracker() {
  const TrackedProgram& program = plan_.program(gpu_.value);
  const TrackedGrid& grid = plan_.grid();
  if (program.rows == 0) return;
  for (const TrackedRows& rows : trackedRows(program)) {
    TrackedRegion& region = regions_.emplace_back();
    region.tiles = {grid.workgroup(rows.first, 0), grid.workgroup(rows.count, 0)};
    region.updatesPerElement = rows.updates;
    region.trigger = true;
    region.firstCommand = CommandId{region.tiles.first};
    region.bytes = program.memoryEnd;
  }
  driver->program(grid.tiling(program.rows), MemoryLayout{}, 0, regions_);
}

void CollectiveNode::programTrackerAgain(TrackerDriver::Done done) {
  if (regions_.empty()) return done();
  driver->programAgain(plan_.grid().tiling(plan_.program(gpu_.value).rows), 0, regions_,
                       std::move(done));
}

void CollectiveNode::connect(const SystemConfig& config, std::uint32_t linkCount,
                             std::uint32_t entryCount, PayloadPool& pool) {
  for (const auto& worker : workers) worker->memoryPort().socket.bind(hbm.target);
  for (std::uint32_t l = 0; l < entryCount; ++l) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", l).c_str(), Ingress::kUsualDepth,
        [this](const Payload& payload, Picoseconds when) { arrived(payload, when); }));
    ingress.back()->memory.socket.bind(hbm.target);
  }
  addLinks(config, gpu_, linkCount);
  const auto linkOf = [&](std::uint32_t port) {
    return links[config.fabric.linkOfPort(gpu_.value, port, linkCount)].get();
  };
  for (const auto& worker : workers) {
    for (std::uint32_t p = 0; p < worker->egressPorts().ports(); ++p) {
      worker->egressPorts().port(p).socket.bind(linkOf(p)->in);
    }
  }
  for (std::uint32_t p = 0; dma && p < dma->gatherEgress.ports(); ++p) {
    dma->gatherEgress.port(p).socket.bind(linkOf(p)->in);
  }
  for (const auto& worker : workers) {
    if (auto* kernel = dynamic_cast<StepKernel*>(worker.get())) {
      connectToSwitch(*kernel, config, gpu_, pool);
    }
  }
}

void CollectiveNode::arrived(const Payload& payload, Picoseconds when) {
  if (traffic(payload).tracked) return;  // the tracker counts it
  const auto worker =
      std::ranges::find_if(workers, [&](const auto& one) { return one->expects(payload); });
  (worker != workers.end() ? *worker : workers.front())->arrived(payload, when);
}

void CollectiveNode::launch(std::function<void(Picoseconds)> done) {
  // Kernels with nothing to do end at once, before others are launched.
  const auto last = [left = std::make_shared<std::size_t>(workers.size()),
                     done = std::move(done)](Picoseconds when) {
    if (--*left == 0) done(when);
  };
  for (const auto& worker : workers) worker->launch(last);
}

void CollectiveNode::renew() {
  for (const auto& worker : workers) worker->renew();
}

bool CollectiveNode::finished() const {
  return std::ranges::all_of(workers, [](const auto& worker) { return worker->finished(); });
}

bool CollectiveNode::idle() const {
  const auto idle = [](const auto& part) { return part->idle(); };
  return FabricNode::idle() && std::ranges::all_of(workers, idle) &&
         std::ranges::all_of(ingress, idle);
}

}  // namespace t3
