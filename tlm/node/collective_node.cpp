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

std::vector<std::unique_ptr<StepWorker>> makeKernels(const SystemConfig& config, GpuId gpu,
                                                     const CollectivePlan& plan,
                                                     PayloadPool& pool) {
  const std::uint32_t units = config.gpu.collectiveUnits();
  std::vector<std::unique_ptr<StepWorker>> kernels;
  for (std::uint32_t k = 0; k < plan.kernels(); ++k) {
    kernels.push_back(std::make_unique<StepKernel>(
        numbered("kernel", k).c_str(), plan.kernel(k, gpu.value),
        sharedByKernels(config.gpu, units, plan.kernels(), k), config.collective.loop_bytes,
        dataTypeOf(config, plan), config.data, gpu, pool));
  }
  return kernels;
}

}  // namespace

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const CollectivePlan& plan, PayloadPool& pool)
    : FabricNode(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phaseNames(plan)),
      workers(makeKernels(config, gpu, plan, pool)),
      host("host", [](const std::function<void()>& step) { step(); }) {
  connect(config, gpu, plan, pool);
}

CollectiveNode::CollectiveNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                               GpuId gpu, const CollectivePlan& plan, const TrackedUse& use,
                               PayloadPool& pool)
    : FabricNode(name),
      hbm("hbm", config.hbm, config.tracker.lanes, phaseNames(plan)),
      tracker(makeTracker("tracker", use.tracker, config.tracker, use.rtl)),
      paper(std::make_unique<PaperTracker>()),
      driver(std::make_unique<TrackerDriver>(
          "driver", fromPicoseconds(picosecondsFromNs(config.tracker.register_access_ns)))),
      host("host", [](const std::function<void()>& step) { step(); }) {
  auto dma =
      std::make_unique<StepDma>("dma", use.program, use.grid, config.gpu.dma,
                                dataTypeOf(config, plan), config.data, gpu, plan.phase(), pool);
  StepDma& engine = *dma;
  tracker->commands.bind(dma->trigger);
  releases_ = std::make_unique<tlm_utils::simple_target_socket<CollectiveNode>>("releases");
  releases_->register_nb_transport_fw(this, &CollectiveNode::release);
  tracker->releases.bind(*releases_);
  for (std::uint32_t lane = 0; lane < config.tracker.lanes; ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver->registers.bind(tracker->registers);
  driver->tell(*paper);
  tracker->observe(*paper);
  workers.push_back(std::move(dma));
  connect(config, gpu, plan, pool);
  if (gemmSide) {
    engine.onInputThrough([this](std::uint32_t tiles) { gemmSide->ringLag.through(tiles); });
  }
}

/// The engine takes every block that is done, so nothing interrupts the software.
void CollectiveNode::programTracker(const TrackedUse& use) {
  if (use.program.rows == 0) return;
  const Tiling tiling = use.grid.tiling(use.program.rows);
  std::vector<TrackedRegion> regions;
  for (const TrackedRows& rows : trackedRows(use.program)) {
    TrackedRegion& region = regions.emplace_back();
    region.tiles = {use.grid.workgroup(rows.first, 0), use.grid.workgroup(rows.count, 0)};
    region.updatesPerElement = rows.updates;
    region.trigger = true;
    region.firstCommand = CommandId{region.tiles.first >> use.grid.blockLog2()};
    region.bytes = use.program.memoryEnd;
  }
  driver->program(tiling, MemoryLayout{}, use.grid.blockLog2(), regions);
}

void CollectiveNode::connect(const SystemConfig& config, GpuId gpu, const CollectivePlan& plan,
                             PayloadPool& pool) {
  if (plan.gemm() != nullptr) {
    gemmSide = std::make_unique<GemmSide>("gpu", config, gpu, plan, pool,
                                          [this](bool behind) { hbm.communicationBehind(behind); });
  }
  for (const auto& worker : workers) worker->memoryPort().socket.bind(hbm.target);
  const std::uint32_t linkCount = plan.linksPerGpu();
  for (std::uint32_t l = 0; l < linkCount; ++l) {
    ingress.push_back(std::make_unique<Ingress>(
        numbered("ingress", l).c_str(), Ingress::kUsualDepth,
        [this, l](const Payload& payload, Picoseconds when) { arrived(payload, l, when); }));
    ingress.back()->memory.socket.bind(hbm.target);
    links.push_back(std::make_unique<Link>(numbered("link", l).c_str(),
                                           config.fabric.linkOf(config.link, config.gpus, l)));
  }
  for (const auto& worker : workers) {
    for (std::uint32_t p = 0; p < worker->egressPorts().ports(); ++p) {
      worker->egressPorts().port(p).socket.bind(links[p % linkCount]->in);
    }
  }
  if (gemmSide) connectGemmSide(plan, gpu);
  if (plan.sumBytes(gpu.value) != 0) connectSwitchLoads(config, gpu, pool);
}

void CollectiveNode::connectSwitchLoads(const SystemConfig& config, GpuId gpu, PayloadPool& pool) {
  switchLoads = std::make_unique<SwitchLoads>("switch_loads", gpu, config.link, config.data, pool);
  switchLoads->memory.socket.bind(hbm.target);
  switchLoads->requests.socket.bind(links.front()->in);
  switchLoads->answers.socket.bind(links.front()->in);
  ingress.front()->onSumLoad([this](Payload& message) { switchLoads->arrived(message); });
  for (const auto& worker : workers) {
    auto& kernel = dynamic_cast<StepKernel&>(*worker);
    if (kernel.loadsSums()) kernel.useSwitch(*switchLoads);
  }
}

void CollectiveNode::connectGemmSide(const CollectivePlan& plan, GpuId gpu) {
  GemmSide& side = *gemmSide;
  const auto waits = [&side](bool begins) { side.ringLag.waitsForZeros(begins); };
  side.gemm.onUpdateWait(waits);
  for (const auto& entry : ingress) {
    entry->guardUpdates(side.zeros.frontier());
    entry->onUpdateWait(waits);
  }
  hbm.onArrival([&side](std::uint64_t address, std::uint64_t bytes) {
    side.gemm.storedByOthers(address, bytes);
  });
  side.gemm.memory.socket.bind(hbm.target);
  side.zeros.memory.socket.bind(hbm.target);
  for (std::uint32_t p = 0; p < side.gemm.egress.ports(); ++p) {
    side.gemm.egress.port(p).socket.bind(links[p % links.size()]->in);
  }
  for (const auto& kernel : side.gather) kernel->memory.socket.bind(hbm.target);
  if (side.gather.empty()) return;
  const Route& route = plan.gatherRoute();
  const std::uint32_t ofKernel = route.ports() / route.kernels();
  for (std::uint32_t p = 0; p < route.ports(); ++p) {
    const std::uint32_t port = plan.gatherPort(gpu.value, p);
    side.gather[route.kernelOf(p)]
        ->egress.port(p % ofKernel)
        .socket.bind(links[port % links.size()]->in);
  }
}

tlm::tlm_sync_enum CollectiveNode::release(Payload& /*payload*/, tlm::tlm_phase& /*phase*/,
                                           sc_core::sc_time& /*delay*/) {
  return tlm::TLM_COMPLETED;
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

void CollectiveNode::debugAccess(tlm::tlm_command command, std::uint64_t address, void* data,
                                 std::uint32_t bytes) {
  workers.front()->memoryPort().debugAccess(command, address, data, bytes);
}

bool CollectiveNode::idle() const {
  return host.empty() &&
         std::ranges::all_of(workers, [](const auto& worker) { return worker->idle(); }) &&
         (!gemmSide || gemmSide->idle()) && (!switchLoads || switchLoads->idle()) && hbm.idle() &&
         (!tracker || tracker->idle()) &&
         std::ranges::all_of(ingress, [](const auto& entry) { return entry->idle(); }) &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

}  // namespace t3
