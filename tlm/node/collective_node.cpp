// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_node.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tlm/collectives/step_kernel.h"
#include "tlm/tracker/make_tracker.h"
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
                               GpuId gpu, const StepProgram& program, std::uint32_t linkCount,
                               PayloadPool& pool)
    : sc_module(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phaseNames()),
      worker(std::make_unique<StepKernel>("kernel", program, config.gpu,
                                          config.collective.loop_bytes, config.collective.data_type,
                                          config.data, gpu, kCollectivePhase, pool)),
      host("host", [](const std::function<void()>& step) { step(); }) {
  connect(config, linkCount);
}

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const TrackedUse& use, std::uint32_t linkCount,
                               PayloadPool& pool)
    : sc_module(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phaseNames()),
      tracker(makeTracker("tracker", use.tracker, config.tracker, use.rtl)),
      driver(std::make_unique<TrackerDriver>(
          "driver", fromPicoseconds(picosecondsFromNs(config.tracker.register_access_ns)))),
      host("host", [](const std::function<void()>& step) { step(); }) {
  auto dma = std::make_unique<StepDma>("dma", use.program, use.grid, config.gpu.dma,
                                       config.collective.data_type, config.data, gpu,
                                       kCollectivePhase, pool);
  tracker->commands.bind(dma->trigger);
  tracker->notifications.bind(dma->notification);
  tracker->spill.bind(hbm.target);
  for (std::uint32_t lane = 0; lane < config.tracker.lanes; ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver->registers.bind(tracker->registers);
  worker = std::move(dma);
  connect(config, linkCount);
}

void CollectiveNode::programTracker(const SystemConfig& config, const TrackedUse& use) {
  if (use.program.rows == 0) return;
  const Tiling tiling = use.grid.tiling(use.program.rows);
  std::vector<TrackedRegion> regions;
  for (const TrackedRows& rows : trackedRows(use.program)) {
    TrackedRegion& region = regions.emplace_back();
    region.tiles = {use.grid.workgroup(rows.first, 0), rows.count * use.grid.slices()};
    region.updatesPerElement = rows.updates;
    region.trigger = rows.triggers;
    region.notify = !rows.triggers;
    region.firstCommand = CommandId{region.tiles.first};
    region.park = rows.updates > 1 && config.tracker.parking;
    region.geometry = rows.updates > 1 ? 0 : 1;
    region.bytes = use.program.memoryEnd;
  }
  driver->program(tiling, use.records, 0, 1, regions);
}

void CollectiveNode::connect(const SystemConfig& config, std::uint32_t linkCount) {
  worker->memoryPort().socket.bind(hbm.target);
  for (std::uint32_t l = 0; l < linkCount; ++l) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", l).c_str(), Ingress::kUsualDepth,
        [this](const Payload& payload, Picoseconds when) { worker->arrived(payload, when); }));
    ingress.back()->memory.socket.bind(hbm.target);
    links.push_back(std::make_unique<Link>(numbered("link", l).c_str(),
                                           config.fabric.linkOf(config.link, config.gpus)));
  }
  for (std::uint32_t p = 0; p < worker->egressPorts().ports(); ++p) {
    worker->egressPorts().port(p).socket.bind(links[p % linkCount]->in);
  }
}

std::uint64_t CollectiveNode::sentBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->payloadBytes();
  return bytes;
}

void CollectiveNode::debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                                 std::uint32_t bytes) {
  worker->memoryPort().debugAccess(command, address, data, bytes);
}

bool CollectiveNode::idle() const {
  return host.empty() && worker->idle() && hbm.idle() && (!tracker || tracker->idle()) &&
         std::ranges::all_of(ingress, [](const auto& entry) { return entry->idle(); }) &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

}  // namespace t3
