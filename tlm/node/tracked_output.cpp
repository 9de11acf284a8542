// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/tracked_output.h"

#include <algorithm>
#include <utility>

#include "tlm/node/bounds.h"
#include "tlm/node/machine.h"
#include "tlm/node/reference.h"

namespace t3 {
namespace {

/// With all that shares rows of the memory with the areas, in order of their addresses. In an
/// output these are parts of chunks that others store later, and in front of the output and behind
/// it nothing.
Areas wholeRows(Areas areas, std::uint64_t rowsBytes) {
  std::ranges::sort(areas);
  Areas whole;
  for (const auto& [address, bytes] : areas) {
    const std::uint64_t first = address / rowsBytes * rowsBytes;
    const std::uint64_t end = (address + bytes + rowsBytes - 1) / rowsBytes * rowsBytes;
    if (!whole.empty() && first <= whole.back().first + whole.back().second) {
      whole.back().second = std::max(whole.back().second, end - whole.back().first);
    } else {
      whole.emplace_back(first, end - first);
    }
  }
  return whole;
}

/// Of a GEMM or norm that works on rows of a node when they are final.
std::optional<NodeId> rowsOf(const Graph& graph, std::optional<NodeId> node) {
  for (const GraphEdge& edge : graph.edges) {
    if (node && edge.from == *node && edge.gate == Gate::Rows) return edge.to;
  }
  return std::nullopt;
}

}  // namespace

TrackedOutput::TrackedOutput(Machine& machine, const Tracking& tracking)
    : machine_(machine),
      use_(tracking.use),
      output_(machine.outputs()[machine.graph().outputOf(tracking)]),
      sums_(tracking.sums),
      gathers_(tracking.gathers),
      norm_(rowsOf(machine.graph(), sums_)),
      consumer_(rowsOf(machine.graph(), gathers_)),
      producer_(machine.graph().producerOf(tracking).value_or(0)),
      bounds_(boundParts(withoutHeaders(machine.config()), machine.route(), output_.tiling,
                         machine.graph().collectives(), true, true)),
      gpus_(machine.config().simulatedGpus()) {}

// ---- set-up -----------------------------------------------------------------------------------

void TrackedOutput::program(std::uint32_t gpu) {
  machine_.node(gpu).commands = 0;  // the tracker is cleared
  makePlan(gpu);
  machine_.node(gpu).driver->program(programOf(gpu));
}

void TrackedOutput::programNext(std::uint32_t gpu, TrackerDriver::Done done) {
  makePlan(gpu);
  machine_.node(gpu).driver->programNext(programOf(gpu), std::move(done));
}

TrackerProgram TrackedOutput::programOf(std::uint32_t gpu) const {
  return {output_.tiling, output_.layout, machine_.config().tracker.block_log2,
          of(gpu).plan.regions};
}

/// And all that tracker, DMA engine and memory are told beside the registers.
void TrackedOutput::makePlan(std::uint32_t gpu) {
  const SystemConfig& config = machine_.config();
  Gpu& own = of(gpu);
  own.plan = planTracker(machine_.route(), output_.tiling, GpuId{gpu}, config.tracker.block_log2,
                         use_, output_.layout);
  own.programmed = true;
  GpuNode& node = machine_.node(gpu);
  const GpuBound& bound = bounds_.gpus[gpu % gpus_.size()];
  node.ringLag.limit(lagLimit(config.ofGpu(gpu), bound, use_.gathers));
  node.hbm.expectTraffic(expectedTraffic(bound, use_.gathers));
  own.sums.clear();
  for (const auto& [slot, tiles] : own.plan.reduced) own.sums.emplace(slot, tiles);
  own.starts.clear();
  if (use_.gathers) {
    for (const auto& [slot, tiles] : use_.norms ? own.plan.normed : own.plan.reduced) {
      own.starts.insert(slot);
    }
  }
  armCommands(gpu);
  node.gpu.dma.onTriggered([this, gpu](CommandId command) { triggered(gpu, command); });
  node.driver->onRegionDone([this, gpu](std::uint32_t region) { regionDone(gpu, region); });
  if (use_.releases || use_.norms) {
    node.onRelease([this, gpu](std::uint32_t row) { released(gpu, row); });
  }
  node.onSent([this, gpu](std::uint32_t tiles) { tileSent(gpu, tiles); });
  expectTiles(gpu);
  if (config.leavesOut()) admitFirst(gpu);
}

void TrackedOutput::admitFirst(std::uint32_t gpu) {
  const Route& route = machine_.route();
  const Tiling& tiling = output_.tiling;
  AdmissionTable::Sums sums;
  for (const ChunkId chunk : route.order(GpuId{gpu})) {
    if (route.duty(GpuId{gpu}, chunk) != Route::Duty::Keeps) continue;
    const TileRange tiles = tiling.chunk(chunk);
    sums = {output_.layout.base(sumBuffer(route, GpuId{gpu}, chunk)), tiling.outputBytes(),
            tiles.first, tiles.count, machine_.config().tracker.block_log2};
  }
  machine_.node(gpu).hbm.admitFirst(sums, machine_.config().workload.contributions);
}

void TrackedOutput::programAgain(std::uint32_t gpu, TrackerDriver::Done done) {
  armCommands(gpu);
  machine_.node(gpu).driver->programAgain(programOf(gpu), std::move(done));
}

void TrackedOutput::armCommands(std::uint32_t gpu) {
  Gpu& own = of(gpu);
  for (const TrackerPlan::Command& command : own.plan.commands) {
    DmaTransfer transfer = command.transfer;
    const NodeId node = sums_ && transfer.phase != Phase::AllGather ? *sums_ : *gathers_;
    transfer.node = node;
    machine_.node(gpu).gpu.dma.program(command.slot, std::move(transfer));
  }
  own.nextCommand = own.plan.slots;
  machine_.node(gpu).commands += own.plan.triggered;
}

void TrackedOutput::expectTiles(std::uint32_t gpu) {
  Gpu& own = of(gpu);
  for (const auto& command : own.plan.commands) {
    if (command.transfer.moves()) own.tilesToSend += command.transfer.tiles.count;
  }
  own.triggersLeft += own.plan.triggered;
  own.ownRegionsLeft.insert(own.plan.reducedRegions.begin(), own.plan.reducedRegions.end());
  own.arrivalRegionsLeft.insert(own.plan.arrivedRegions.begin(), own.plan.arrivedRegions.end());
}

/// Updates add to what is in memory, so memory must hold zeros first. The GPU holds a write whose
/// bytes are not ready for it.
///
/// * InMemory: the accumulation buffer holds zeros between kernels, because each sum is read once
///   and its read clears it. The chunks that stay are cleared when the kernel starts.
/// * ZeroOverBus: the DMA engine writes the zeros of all chunks that are summed here beside the
///   GEMM, in the order in which updates will come.
void TrackedOutput::prepareMemory(std::uint32_t gpu, Picoseconds start) {
  const SystemConfig& config = machine_.config();
  if (config.data == DataMode::Checked) poisonWithNan(gpu);
  GpuNode& node = machine_.node(gpu);
  const Route& route = machine_.route();
  const bool clears = config.hbm.initial_value == InitialValue::InMemory;
  Areas areas;
  for (const ChunkId chunk : route.order(GpuId{gpu})) {
    const Route::Duty duty = route.duty(GpuId{gpu}, chunk);
    if (duty == Route::Duty::Sends || (clears && duty == Route::Duty::Passes)) continue;
    const auto some = output_.areas(chunk, sumBuffer(route, GpuId{gpu}, chunk));
    areas.insert(areas.end(), some.begin(), some.end());
  }
  TimeSpan& zeroing = machine_.executor().zeroing(gpu);
  zeroing.start = start;
  const auto done = [this, gpu](Picoseconds when) { machine_.executor().zeroing(gpu).end = when; };
  const auto whose = producer_;
  if (!clears) return node.gpu.dma.fillZero(std::move(areas), done, start, whose);
  const std::uint64_t rows = node.hbm.rowsBytes();
  if (rows != 0) areas = wholeRows(std::move(areas), rows);
  node.gpu.dma.clear(std::move(areas), static_cast<std::uint32_t>(rows), done, start, whose);
}

/// Only a buffer that holds zeros between kernels is not filled.
void TrackedOutput::poisonWithNan(std::uint32_t gpu) {
  const DebugAccess memory = memoryOf(machine_.node(gpu));
  const MemoryLayout& layout = output_.layout;
  const std::uint64_t bytes = output_.tiling.outputBytes();
  if (layout.normed != 0) poison(memory, layout.normed, bytes);
  poison(memory, layout.output, bytes);
  if (machine_.config().hbm.initial_value == InitialValue::InMemory) return;
  poison(memory, layout.accumulation, bytes);
}

// ---- what happens -----------------------------------------------------------------------------

bool TrackedOutput::begun(std::uint32_t gpu, std::optional<NodeId> node) const {
  return node && machine_.executor().span(gpu, *node).begun();
}
bool TrackedOutput::ended(std::uint32_t gpu, std::optional<NodeId> node) const {
  return !node || machine_.executor().span(gpu, *node).end != 0;
}

void TrackedOutput::start(std::uint32_t gpu, NodeId node) {
  machine_.executor().begun(gpu, node);
  node == gathers_ ? sendOwnChunks(gpu) : sendUntracked(gpu);
}

void TrackedOutput::sumsBegin(std::uint32_t gpu) { machine_.executor().begun(gpu, *sums_); }

/// The tracker has said that a block is complete.
void TrackedOutput::triggered(std::uint32_t gpu, CommandId command) {
  Gpu& own = of(gpu);
  if (!begun(gpu, gathers_) && own.starts.contains(command)) {
    machine_.executor().begun(gpu, *gathers_);
  }
  const auto sum = own.sums.find(command);
  if (sum != own.sums.end()) machine_.node(gpu).ringLag.through(sum->second.count);
  if (--own.triggersLeft > 0) return;
  // Not before the DMA engine has taken it.
  machine_.fabric().at(gpu, now(), [this, gpu] { machine_.executor().look(gpu); });
}

void TrackedOutput::regionDone(std::uint32_t gpu, std::uint32_t region) {
  Gpu& own = of(gpu);
  if (own.ownRegionsLeft.erase(region) != 0) {
    if (!own.ownRegionsLeft.empty()) return;
    machine_.executor().ended(gpu, *sums_, now());
    endWithoutTiles(gpu);
  } else if (own.arrivalRegionsLeft.erase(region) != 0) {
    if (!own.arrivalRegionsLeft.empty()) return;
    if (!begun(gpu, gathers_)) machine_.executor().begun(gpu, *gathers_);
    machine_.executor().ended(gpu, *gathers_, now());
  }
  // Of others the blocks have triggered.
}

/// The slots of the consumer's rows come first, then those of the norm's.
void TrackedOutput::released(std::uint32_t gpu, std::uint32_t row) {
  const auto& nodes = machine_.node(gpu).gpu.nodes;
  const std::uint32_t rows = output_.tiling.tilesDown();
  if (row < rows) return nodes[*consumer_].gemm->release(row);
  nodes[*norm_].norm->release(row - rows + of(gpu).plan.firstOwnRow);
}

void TrackedOutput::tileSent(std::uint32_t gpu, std::uint32_t tiles) {
  of(gpu).tilesToSend -= tiles;
  machine_.executor().look(gpu);
}

bool TrackedOutput::saidAll(std::uint32_t gpu) const {
  return of(gpu).ownRegionsLeft.empty() && of(gpu).arrivalRegionsLeft.empty();
}

void TrackedOutput::endWithoutTiles(std::uint32_t gpu) {
  const Gpu& own = of(gpu);
  if (!own.programmed) return;
  if (own.plan.reducedRegions.empty() && begun(gpu, sums_) && !ended(gpu, sums_)) {
    if (use_.gathers && !begun(gpu, gathers_)) machine_.executor().begun(gpu, *gathers_);
    machine_.executor().ended(gpu, *sums_, now());
  }
  if (!use_.gathers || !own.plan.arrivedRegions.empty()) return;
  if (ended(gpu, sums_) && !ended(gpu, gathers_)) {
    machine_.executor().begun(gpu, *gathers_);
    machine_.executor().ended(gpu, *gathers_, now());
  }
}

// ---- what software starts ---------------------------------------------------------------------

/// The chunks that t3 does not store here, and those to which nobody adds.
void TrackedOutput::sendUntracked(std::uint32_t gpu) {
  endWithoutTiles(gpu);
  const Route& route = machine_.route();
  DmaEngine& engine = machine_.node(gpu).gpu.dma;
  const std::uint32_t blockTiles = 1U << machine_.config().tracker.block_log2;
  for (const ChunkId chunk : route.order(GpuId{gpu})) {
    const Route::Duty duty = route.duty(GpuId{gpu}, chunk);
    if (duty == Route::Duty::Keeps) continue;
    if (duty == Route::Duty::Passes && route.updatesPerElement(GpuId{gpu}, chunk) > 1) continue;
    const TileRange tiles = output_.tiling.chunk(chunk);
    const std::uint32_t port = route.port(GpuId{gpu}, chunk);
    const GpuId peer = route.peer(GpuId{gpu}, port);
    const bool passes = duty == Route::Duty::Passes;
    const OutputBuffer from = passes ? sumBuffer(route, GpuId{gpu}, chunk) : OutputBuffer::Output;
    const std::uint64_t to = output_.layout.base(sumBuffer(route, peer, chunk));
    DmaTransfer transfer{.tiling = &output_.tiling,
                         .source = output_.layout.base(from),
                         .node = *sums_,
                         .remote = {{.destination = globalAddress(peer, to),
                                     .operation = MemoryOperation::Add,
                                     .row = 0,
                                     .port = port}}};
    for (std::uint32_t wg = tiles.first; wg < tiles.end(); wg += blockTiles) {
      transfer.tiles = {wg, std::min(blockTiles, tiles.end() - wg)};
      const CommandId command{of(gpu).nextCommand++};
      engine.program(command, transfer);
      engine.start(command);
    }
  }
}

/// As the tracker was programmed with `TrackerUse::gathers`.
void TrackedOutput::sendOwnChunks(std::uint32_t gpu) {
  endWithoutTiles(gpu);
  for (const TrackerPlan::Command& command : of(gpu).plan.commands) {
    const WorkgroupId first{command.transfer.tiles.first};
    const ChunkId chunk = output_.tiling.chunkOf(first);
    if (machine_.route().owner(chunk) != GpuId{gpu}) continue;
    machine_.node(gpu).gpu.dma.start(command.slot);
  }
}

}  // namespace t3
