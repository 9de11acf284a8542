// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/store_path.h"

#include <algorithm>
#include <utility>

namespace t3 {

StorePath::StorePath(GemmContext& context, EgressPorts& egress, L2Model& l2,
                     L2Bandwidth& l2Bandwidth, StoreClient& client)
    : context_(context),
      egress_(egress),
      l2_(l2),
      l2Bandwidth_(l2Bandwidth),
      client_(client),
      tileValues_(context),
      gate_(context.kernel, context.statistics.zeroWait),
      tiles_(context.array.slots()),
      writeBacks_(context.blocks) {}

void StorePath::guardUpdates(Readiness& rule) {
  gate_.setRule(rule);
  rule.whenChanged([this] { pump(); });
}

void StorePath::launch() {
  flushing_ = false;
  lastPerformed_ = now();
  writeBacks_.restart();
  chunks_.clear();
  for (std::uint32_t c = 0; c < context_.tiling.chunks(); ++c) {
    chunks_.push_back({context_.tiling.chunkBytes(ChunkId{c}), 0});
  }
}

// ---- tiles --------------------------------------------------------------------------------------

/// The time that the store path of a compute unit needs for `bytes`.
Picoseconds StorePath::cycles(std::uint64_t bytes) const {
  const std::uint32_t width = context_.config.gemm.store_bytes_per_cu_per_cycle;
  return context_.clock.cycles((bytes + width - 1) / width);
}

void StorePath::store(std::uint32_t slot, WorkgroupId workgroup) {
  const Tiling& tiling = context_.tiling;
  const Rectangle area = tiling.tile(workgroup);
  const std::uint64_t bytes = tiling.bytes(area);
  Tile& tile = tiles_[slot];
  tile.workgroup = workgroup;
  tile.output = context_.launch.output.lookup(workgroup);
  context_.kernel.announce(
      {.kind = EventKind::TileStore, .number = slot, .workgroup = workgroup, .bytes = bytes});
  const bool checked = context_.dataMode == DataMode::Checked;
  if (checked) tileValues_.compute(workgroup, tile.values);
  if (tile.output.mapping == OutputMapping::Discard) {
    // The reduce-scatter that follows in the simulation needs the values, although no store
    // carries them.
    if (checked) tileValues_.write(workgroup, tile.values);
    client_.stored(slot);
    return;
  }
  context_.statistics.storedBytes += bytes;
  if (tile.output.mapping == OutputMapping::Cached ||
      tile.output.mapping == OutputMapping::WriteThrough) {
    storeCached(slot, std::max(now() + cycles(bytes), l2Bandwidth_.reserve(bytes)));
    return;
  }
  if (tile.output.mapping == OutputMapping::DmaMap && context_.launch.trackedTileDone) {
    context_.launch.trackedTileDone();
  }
  tile.pending = area.rows;
  std::uint64_t sent = 0;
  for (std::uint32_t wf = 0; wf < tiling.liveWavefronts(workgroup); ++wf) {
    sent += tiling.bytes(tiling.wavefrontTile(workgroup, WavefrontId{wf}));
    context_.events.post(now() + cycles(sent), {GemmEvent::Kind::BandReady, slot, wf});
  }
}

/// The tile is in the L2 at `when`.
void StorePath::storeCached(std::uint32_t slot, Picoseconds when) {
  Tile& tile = tiles_[slot];
  const GemmBlocks::Block block = context_.blocks.output(tile.workgroup);
  const GemmBlocks::Place at = context_.blocks.place(block);
  // Write-backs carry no values, so the values are put into memory now.
  if (context_.dataMode == DataMode::Checked) tileValues_.write(tile.workgroup, tile.values);
  tile.pending = 1;
  const bool through = tile.output.mapping == OutputMapping::WriteThrough;
  l2_.write(block, at.rows, at.bytes, !through);
  if (through) writeBack({block, 0, at.rows, 0, at.bytes}, slot);
  addDisplaced(slot);
  pump();
  context_.events.post(when, {GemmEvent::Kind::CachedTileDone, slot, 0});
}

/// Sends one update for each row of a wavefront tile.
void StorePath::bandReady(std::uint32_t slot, WavefrontId wavefront) {
  const Tiling& tiling = context_.tiling;
  const Tile& tile = tiles_[slot];
  const bool remote = tile.output.mapping == OutputMapping::RemoteMap;
  const bool checked = context_.dataMode == DataMode::Checked;
  const Rectangle area = tiling.tile(tile.workgroup);
  const Rectangle band = tiling.wavefrontTile(tile.workgroup, wavefront);
  const std::uint32_t rowBytes = band.columns * tiling.elementBytes();
  const std::uint64_t base = context_.layout.base(tile.output.buffer);
  GemmStatistics& statistics = context_.statistics;
  (remote ? statistics.remoteBytes : statistics.updateBytes) += tiling.bytes(band);
  open_ += band.rows;
  context_.kernel.announce({.kind = EventKind::BandStore,
                            .number = wavefront.value,
                            .workgroup = tile.workgroup,
                            .address = base + tiling.offset(band, 0),
                            .bytes = tiling.bytes(band)});
  for (std::uint32_t row = 0; row < band.rows; ++row) {
    const std::uint64_t address = base + tiling.offset(band, row);
    Payload& payload = context_.pool.allocate(
        tlm::TLM_WRITE_COMMAND, remote ? globalAddress(tile.output.destination, address) : address,
        rowBytes, checked);
    TrafficExtension& extension = traffic(payload);
    // At the GPU where it arrives, a remote store is the first step of the collective.
    extension.stream = remote ? Stream::Communication : Stream::Compute;
    extension.phase = remote ? context_.launch.remotePhase : context_.phase;
    extension.node = remote ? context_.launch.remoteNode : context_.launch.node;
    extension.operation = MemoryOperation::Add;
    extension.dataType = context_.dataType;
    extension.tracked = true;
    extension.workgroup = tile.workgroup;
    extension.wavefront = wavefront;
    extension.source = context_.gpu;
    extension.context = slot;
    if (checked) {
      std::copy_n(tile.values.data() + std::size_t{band.row - area.row + row} * rowBytes, rowBytes,
                  payload.get_data_ptr());
    }
    if (remote) {
      egress_.send(payload);
    } else {
      updates_.push_back(&payload);
      pump();
    }
  }
}

void StorePath::taken(std::uint32_t slot, std::uint32_t requests) {
  tiles_[slot].pending -= requests;
  if (tiles_[slot].pending == 0) client_.stored(slot);
}

// ---- write-backs --------------------------------------------------------------------------------

void StorePath::writeBack(const L2Model::Part& part, std::uint32_t waiter) {
  if (waiter != WriteBackQueue::kNobody) tiles_[waiter].pending += part.rows;
  open_ += part.rows;
  context_.statistics.writeBackBytes += std::uint64_t{part.rows} * part.bytes;
  writeBacks_.add(part, waiter);
}

void StorePath::addDisplaced(std::uint32_t waiter) {
  displaced_.clear();
  l2_.takeDisplaced(displaced_);
  for (const L2Model::Part& part : displaced_) writeBack(part, waiter);
}

void StorePath::sendWriteBack() {
  const WriteBackQueue::Row row = writeBacks_.next();
  Payload& payload = context_.pool.allocate(tlm::TLM_WRITE_COMMAND, row.address, row.bytes, false);
  TrafficExtension& extension = traffic(payload);
  extension.phase = context_.phase;
  extension.node = context_.launch.node;
  extension.dataType = context_.dataType;
  extension.workgroup = row.tile;
  extension.source = context_.gpu;
  extension.context = row.waiter;
  context_.memory.send(payload);
}

void StorePath::flush() {
  flushing_ = true;
  pump();
}

// ---- ports --------------------------------------------------------------------------------------

void StorePath::pump() {
  while (context_.memory.waiting() == 0) {
    if (!updates_.empty()) {
      Payload& update = *updates_.front();
      if (!gate_.passes(update)) return;
      updates_.pop_front();
      context_.memory.send(update);
      continue;
    }
    if (!writeBacks_.empty()) {
      sendWriteBack();
      continue;
    }
    if (!flushing_) return;
    flushing_ = false;
    displaced_.clear();
    l2_.clean(displaced_);
    for (const L2Model::Part& part : displaced_) writeBack(part, WriteBackQueue::kNobody);
  }
}

void StorePath::accepted(const Payload& store) {
  const TrafficExtension& extension = traffic(store);
  if (extension.stream == Stream::Communication) --open_;
  if (extension.context != WriteBackQueue::kNobody) {
    taken(static_cast<std::uint32_t>(extension.context), 1);
  }
}

void StorePath::completed(const Payload& store, Picoseconds when) {
  const TrafficExtension& extension = traffic(store);
  if (extension.stream == Stream::Communication) return;  // remote: done when accepted
  --open_;
  lastPerformed_ = std::max(lastPerformed_, when);
  const ChunkId id = context_.tiling.chunkOf(extension.workgroup);
  ChunkStores& chunk = chunks_[id.value];
  chunk.left -= store.get_data_length();
  chunk.latest = std::max(chunk.latest, when);
  if (chunk.left == 0 && context_.launch.chunkStored) {
    context_.launch.chunkStored(id, chunk.latest);
  }
}

}  // namespace t3
