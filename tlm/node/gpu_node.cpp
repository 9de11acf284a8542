// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/gpu_node.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tlm/collectives/tracked_program.h"
#include "tlm/node/collective_plan.h"
#include "tlm/tracker/make_tracker.h"
#include "tlm/tracker/stacked_tracker.h"
#include "tlm/transport/numbers.h"
#include "tlm/transport/traffic.h"

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

/// A unit, called `name` inside the model `owner`.
std::unique_ptr<Tracker> makeUnit(const std::string& owner, const char* name,
                                  const TrackerConfig& config, const TrackerChoice& choice) {
  if (choice.rtl.ownTracker) return choice.rtl.ownTracker(name, config);
  return makeTracker(name, choice.kind, config, choice.rtl.tracker(owner + "." + name));
}

/// One unit, or one for each stack of the memory.
std::unique_ptr<Tracker> makeTracker(const std::string& gpu, const SystemConfig& config,
                                     const TrackerChoice& choice) {
  if (config.hbm.stacks == 1) return makeUnit(gpu, "tracker", config.tracker, choice);
  const StackedTracker::Parts parts{.stacks = config.hbm.stacks,
                                    .kind = choice.kind,
                                    .unit =
                                        [&](const char* name, const TrackerConfig& unit) {
                                          return makeUnit(gpu + ".tracker", name, unit, choice);
                                        },
                                    .joins = choice.rtl.stackJoins};
  return std::make_unique<StackedTracker>("tracker", config.tracker, parts);
}

std::unique_ptr<TrackerDriver> makeDriver(const SystemConfig& config) {
  return std::make_unique<TrackerDriver>(
      "driver", fromPicoseconds(picosecondsFromNs(config.tracker.register_access_ns)),
      StackShares(config.hbm));
}

}  // namespace

GpuNode::GpuNode(const sc_core::sc_module_name& name, const SystemConfig& config,
                 const std::optional<TrackerChoice>& choice, const GpuContext& context)
    : sc_module(name),
      hbm("hbm", config.hbm, config.hbm.stacks * config.tracker.lanes,
          phaseNames(context.graph, !context.outputs.empty())),
      ringLag([this](bool behind) { hbm.communicationBehind(behind); }),
      host("host", [](const std::function<void()>& step) { step(); }),
      tracker(choice ? makeTracker(this->name(), config, *choice) : nullptr),
      driver(choice ? makeDriver(config) : nullptr),
      gpu("gpu", config, context),
      gpu_(context.gpu) {
  if (tracker) connectTracker();
  gpu.dma.onFinished([this](const DmaTransfer& command) {
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
  for (std::uint32_t l = 0; l < context.links; ++l) {
    links.push_back(
        std::make_unique<Link>(numbered("link", l).c_str(), config.linkOf(gpu_.value, l)));
  }
  connectLinks(config, context);
  for (StepKernel* step : steps) connectToSwitch(*step, config, context.pool);
}

void GpuNode::connectTracker() {
  for (std::uint32_t lane = 0; lane < tracker->lanes.size(); ++lane) {
    hbm.taps[lane].bind(tracker->lanes[lane]);
  }
  driver->registers.bind(tracker->registers);
  driver->tell(paper);
  driver->seeInterrupts([this] { return tracker->interrupts(); });
  tracker->onInterrupt([this] { driver->interrupted(); });
  tracker->observe(paper);
  tracker->commands.bind(gpu.dma.trigger);
  releases_ = std::make_unique<tlm_utils::simple_target_socket<GpuNode>>("releases");
  releases_->register_nb_transport_fw(this, &GpuNode::release);
  tracker->releases.bind(*releases_);
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
}

void GpuNode::connectLinks(const SystemConfig& config, const GpuContext& context) {
  const Route& route = context.route;
  const std::uint32_t kernelPorts = route.size().ports / route.size().kernels;
  for (std::uint32_t p = 0; p < route.size().ports; ++p) {
    Link& link = *links[config.fabric.linkOfPort(context.gpu.value, p, links.size())];
    const auto bind = [&link](MemoryPort& port) { port.socket.bind(link.in); };
    for (const Gpu::Kernels& kernels : gpu.nodes) {
      if (kernels.gemm && kernels.gemm->egress.ports() != 0) bind(kernels.gemm->egress.port(p));
    }
    bind(gpu.dma.egress.port(p));
    for (NodeId n = 0; n < gpu.nodes.size(); ++n) {
      const Gpu::Kernels& kernels = gpu.nodes[n];
      if (kernels.steps.empty() || context.graph.planOf(n) != nullptr) continue;
      bind(kernels.steps[route.size().kernelOf(p)]->egress.port(p % kernelPorts));
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

void GpuNode::connectToSwitch(StepKernel& kernel, const SystemConfig& config, PayloadPool& pool) {
  if (!kernel.loadsSums()) return;
  if (!switchLoads) {
    switchLoads =
        std::make_unique<SwitchLoads>("switch_loads", gpu_, config.link, config.data, pool);
    switchLoads->memory.socket.bind(hbm.target);
    switchLoads->requests.socket.bind(links.front()->in);
    switchLoads->answers.socket.bind(links.front()->in);
    gpu.ingress.front()->onSumLoad([this](Payload& message) { switchLoads->arrived(message); });
  }
  kernel.useSwitch(*switchLoads);
}

bool GpuNode::idle() const {
  return host.empty() && hbm.idle() && gpu.idle() && (!tracker || tracker->idle()) &&
         (!switchLoads || switchLoads->idle()) &&
         std::ranges::all_of(links, [](const auto& link) { return link->idle(); });
}

std::uint64_t GpuNode::sentBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->payloadBytes();
  return bytes;
}

std::uint64_t GpuNode::sentBytes(NodeId node) const {
  std::uint64_t bytes = 0;
  for (const auto& link : links) bytes += link->statistics().nodeBytes.of(node);
  return bytes;
}

tlm::tlm_sync_enum GpuNode::release(Payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ && released_) {
    ReleaseMessage message;
    std::memcpy(&message, payload.get_data_ptr(), sizeof message);
    if (message.spoiled) {
      SC_REPORT_ERROR("t3/node", ("a block too many was counted for row slot " +
                                  std::to_string(message.row) + " while it waited")
                                     .c_str());
    }
    if (delay == sc_core::SC_ZERO_TIME) {
      released_(message.row);
    } else {
      host.post(now() + toPicoseconds(delay), [this, row = message.row] { released_(row); });
    }
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

/// The engine takes every block that is done, so nothing interrupts the software.
void GpuNode::programTracker(const CollectivePlan& plan) {
  const TrackedProgram& tracked = plan.program(gpu_.value);
  if (tracked.rows == 0) return;
  program_.tiling = plan.grid().tiling(tracked.rows);
  for (const TrackedRows& rows : trackedRows(tracked)) {
    TrackedRegion& region = program_.regions.emplace_back();
    region.tiles = {plan.grid().workgroup(rows.first, 0), plan.grid().workgroup(rows.count, 0)};
    region.updatesPerElement = rows.updates;
    region.trigger = true;
    region.firstCommand = CommandId{region.tiles.first};
    region.bytes = tracked.memoryEnd;
  }
  program_.rowAddresses.resize(tracked.rows);
  for (const TrackedProgram::Arrival& arrival : tracked.arrivals) {
    for (std::uint32_t chunk = 0; chunk < arrival.chunks; ++chunk) {
      program_.rowAddresses[arrival.row + chunk] = arrival.address + chunk * tracked.chunkBytes;
    }
  }
  commands = std::uint64_t{tracked.rows} * plan.grid().slices();
  driver->program(program_);
}

void GpuNode::programTrackerAgain(const CollectivePlan& plan, TrackerDriver::Done done) {
  if (program_.regions.empty()) return done();
  commands += std::uint64_t{plan.program(gpu_.value).rows} * plan.grid().slices();
  driver->programAgain(program_, std::move(done));
}

}  // namespace t3
