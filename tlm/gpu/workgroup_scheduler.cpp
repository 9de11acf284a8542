// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/workgroup_scheduler.h"

#include <algorithm>
#include <utility>

namespace t3 {

WorkgroupScheduler::WorkgroupScheduler(GemmContext& context, OperandLoader& loader,
                                       StorePath& stores)
    : context_(context),
      loader_(loader),
      stores_(stores),
      syncTime_(context.clock.cycles(context.config.gemm.step_sync_cycles)),
      steps_((context.shape.depth + context.config.gemm.k_step - 1) / context.config.gemm.k_step),
      slots_(context.array.slots()) {
  context.array.add(*this);
}

void WorkgroupScheduler::launch(GemmOrder order) {
  tiles_ = static_cast<std::uint32_t>(order.workgroups.size());
  order_ = std::move(order.workgroups);
  rowsHeld_ = 0;
  if (context_.launch.rowByRow) {
    order_.clear();
    rowsHeld_ = context_.shape.tiling.tilesDown();
  }
  released_.clear();
  bandRows_ = std::max(1U, order.swizzleRows);
  backwards_ = false;
  dispatched_ = 0;
  stepsDone_ = 0;
  const auto slots = static_cast<std::uint32_t>(slots_.size());
  const std::uint32_t waves = (tiles_ + slots - 1) / slots;
  stageLeft_.assign(waves, slots);
  stageLeft_.back() = tiles_ - (waves - 1) * slots;
  context_.statistics.stageEnds.assign(waves, 0);
  chunkTiles_.assign(context_.shape.tiling.chunks(), {});
}

void WorkgroupScheduler::release(std::uint32_t tileRow) {
  --rowsHeld_;
  released_.push_back(tileRow);
  context_.array.offer();
}

/// Makes one band of the rows that are there.
void WorkgroupScheduler::addBand() {
  const auto rows = static_cast<std::ptrdiff_t>(std::min<std::size_t>(bandRows_, released_.size()));
  const std::vector<std::uint32_t> band(released_.begin(), released_.begin() + rows);
  released_.erase(released_.begin(), released_.begin() + rows);
  const std::vector<WorkgroupId> workgroups = bandOrder(context_.shape.tiling, band, backwards_);
  order_.insert(order_.end(), workgroups.begin(), workgroups.end());
  backwards_ = context_.config.gemm.serpentine && !backwards_;
}

// ---- workgroups ---------------------------------------------------------------------------------

void WorkgroupScheduler::begin(std::uint32_t index) {
  if (dispatched_ == order_.size()) addBand();
  if (dispatched_ == 0 && context_.launch.firstBegins) context_.launch.firstBegins();
  Slot& slot = slots_[index];
  slot.sequence = dispatched_;
  slot.workgroup = order_[dispatched_++];
  slot.mathPending = false;
  slot.stepsDone = 0;
  slot.since = now();
  GemmStatistics& statistics = context_.statistics;
  statistics.peakWorkgroups = std::max(statistics.peakWorkgroups, ++tilesInFlight_);
  const ChunkId chunk = context_.shape.tiling.chunkOf(slot.workgroup);
  if (chunkTiles_[chunk.value].begun++ == 0) {
    context_.kernel.announce({.kind = EventKind::ChunkBegin, .number = chunk.value});
  }
  context_.kernel.announce(
      {.kind = EventKind::TileBegin, .number = index, .workgroup = slot.workgroup});
  const std::uint32_t ahead = std::min(context_.config.gemm.load_stages, steps_);
  for (std::uint32_t step = 0; step < ahead; ++step) {
    loader_.load(index, slot.workgroup, step);
    tryMath(index);
  }
}

void WorkgroupScheduler::stored(std::uint32_t index) {
  Slot& slot = slots_[index];
  GemmStatistics& statistics = context_.statistics;
  statistics.epilogueTime += spent(slot, now());
  --tilesInFlight_;
  ++statistics.tiles;
  context_.kernel.announce(
      {.kind = EventKind::TileEnd, .number = index, .workgroup = slot.workgroup});
  const ChunkId chunk = context_.shape.tiling.chunkOf(slot.workgroup);
  if (++chunkTiles_[chunk.value].ended == context_.shape.tiling.chunk(chunk).count) {
    context_.kernel.announce({.kind = EventKind::ChunkEnd, .number = chunk.value});
  }
  const std::uint32_t stage = slot.sequence / static_cast<std::uint32_t>(slots_.size());
  if (--stageLeft_[stage] == 0) {
    statistics.stageEnds[stage] = now();
    context_.kernel.announce({.kind = EventKind::StageEnd, .number = stage});
    if (stage == 0 && context_.launch.firstStageDone) context_.launch.firstStageDone();
  }
  context_.array.giveBack(index);
  if (done()) stores_.flush();
}

// ---- math ---------------------------------------------------------------------------------------

Picoseconds WorkgroupScheduler::stepTime(std::uint32_t step) const {
  const GemmConfig& gemm = context_.config.gemm;
  return context_.clock.cycles(
      gemm.mathCycles(std::min(gemm.k_step, context_.shape.depth - step * gemm.k_step)));
}

Picoseconds WorkgroupScheduler::spent(Slot& slot, Picoseconds until) {
  return until - std::exchange(slot.since, until);
}

/// Starts (or schedules) the slot's next step once it is known when its operands arrive.
void WorkgroupScheduler::tryMath(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.mathPending || slot.stepsDone == steps_) return;
  const auto arrival = loader_.arrival(index, slot.stepsDone);
  if (!arrival) return;
  slot.mathPending = true;
  GemmStatistics& statistics = context_.statistics;
  const Picoseconds arrived = std::max(*arrival, now());
  (slot.stepsDone == 0 ? statistics.prologueTime : statistics.lateTime) += spent(slot, arrived);
  const Picoseconds ready = arrived + syncTime_;
  statistics.syncTime += spent(slot, ready);
  if (context_.config.gemm.workgroups_per_cu == 1) {
    // A CU with one slot: nobody else can ask for its matrix unit.
    context_.array.takeMatrixUnit(index);
    startMath(index, ready);
  } else {
    context_.events.post(ready, {GemmEvent::Kind::StepReady, index, 0});
  }
}

void WorkgroupScheduler::stepReady(std::uint32_t slot) {
  if (context_.array.takeMatrixUnit(slot)) startMath(slot, now());
}

void WorkgroupScheduler::matrixUnitFree(std::uint32_t slot) { startMath(slot, now()); }

void WorkgroupScheduler::startMath(std::uint32_t slot, Picoseconds from) {
  const Picoseconds time = stepTime(slots_[slot].stepsDone);
  context_.statistics.matrixWait += spent(slots_[slot], from);
  context_.statistics.mathTime += spent(slots_[slot], from + time);
  context_.events.post(from + time, {GemmEvent::Kind::StepDone, slot, 0});
}

void WorkgroupScheduler::stepDone(std::uint32_t index) {
  context_.array.freeMatrixUnit(index);
  Slot& slot = slots_[index];
  slot.mathPending = false;
  const std::uint32_t next = slot.stepsDone++ + context_.config.gemm.load_stages;
  ++stepsDone_;
  if (next < steps_) loader_.load(index, slot.workgroup, next);
  if (slot.stepsDone != steps_) {
    tryMath(index);
    return;
  }
  context_.statistics.multiplyAdds +=
      context_.shape.tiling.tile(slot.workgroup).elements() * context_.shape.depth;
  stores_.store(index, slot.workgroup);
}

// ---- state --------------------------------------------------------------------------------------

double WorkgroupScheduler::progress() const {
  if (tiles_ == 0) return 0.0;
  return static_cast<double>(stepsDone_) / (static_cast<double>(tiles_) * steps_);
}

std::uint32_t WorkgroupScheduler::stage() const {
  const auto going = std::find_if(stageLeft_.begin(), stageLeft_.end(),
                                  [](std::uint32_t left) { return left != 0; });
  return static_cast<std::uint32_t>(going - stageLeft_.begin());
}

ChunkId WorkgroupScheduler::chunk() const {
  return dispatched_ == 0 ? ChunkId{} : context_.shape.tiling.chunkOf(order_[dispatched_ - 1]);
}

}  // namespace t3
