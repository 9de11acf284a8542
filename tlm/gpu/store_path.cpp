// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/store_path.h"

#include <algorithm>
#include <utility>

#include "tlm/gpu/elements.h"

namespace t3 {

WriteBackQueue::Row WriteBackQueue::next() {
  auto first = tiles_.upper_bound(lastAddress_);
  if (first == tiles_.end()) first = tiles_.begin();
  lastAddress_ = first->first;
  auto node = tiles_.extract(first);
  auto& [tile, rest, waiter] = node.mapped();
  const Row row{lastAddress_, rest.bytes, tile, waiter};
  if (--rest.rows != 0) {  // the tile goes back in, under the address of its next row
    node.key() += rest.pitch;
    tiles_.insert(std::move(node));
  }
  return row;
}

StorePath::StorePath(GemmContext& context, EgressPorts& egress, L2Cache& l2,
                     L2Bandwidth& l2Bandwidth, StoreClient& client)
    : context_(context),
      egress_(egress),
      l2_(l2),
      l2Bandwidth_(l2Bandwidth),
      client_(client),
      gate_(context.kernel, context.statistics.zeroWait),
      tiles_(context.array.slots()) {}

void StorePath::guardUpdates(Readiness& rule) {
  gate_.setRule(rule);
  rule.whenChanged([this] { pump(); });
}

void StorePath::launch() {
  flushing_ = false;
  lastPerformed_ = now();
  writeBacks_.restart();
  chunks_.clear();
  for (std::uint32_t c = 0; c < context_.shape.tiling.chunks(); ++c) {
    chunks_.push_back({context_.shape.tiling.chunkBytes(ChunkId{c}), 0});
  }
}

// ---- tiles --------------------------------------------------------------------------------------

/// The time that the store path of a compute unit needs for `bytes`.
Picoseconds StorePath::cycles(std::uint64_t bytes) const {
  const std::uint32_t width = context_.config.gemm.store_bytes_per_cu_per_cycle;
  return context_.clock.cycles((bytes + width - 1) / width);
}

void StorePath::store(std::uint32_t slot, WorkgroupId workgroup) {
  const Tiling& tiling = context_.shape.tiling;
  const Rectangle area = tiling.tile(workgroup);
  const std::uint64_t bytes = tiling.bytes(area);
  Tile& tile = tiles_[slot];
  tile.workgroup = workgroup;
  tile.output = context_.launch.output.lookup(workgroup);
  context_.kernel.announce(
      {.kind = EventKind::TileStore, .number = slot, .workgroup = workgroup, .bytes = bytes});
  const bool checked = context_.requests.checked();
  if (checked) computeValues(tile);
  if (tile.output.mapping == OutputMapping::Discard) {
    // The reduce-scatter that follows in the simulation needs the values, although no store
    // carries them.
    if (checked) writeValues(tile);
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
  if (context_.requests.checked()) writeValues(tile);
  tile.pending = 1;
  const bool through = tile.output.mapping == OutputMapping::WriteThrough;
  l2_.write(block, at.rows * at.bytes, !through);
  if (through) writeBack(block, slot);
  addDisplaced(slot);
  pump();
  context_.events.post(when, {GemmEvent::Kind::CachedTileDone, slot, 0});
}

/// Sends one update for each row of a wavefront tile.
void StorePath::bandReady(std::uint32_t slot, WavefrontId wavefront) {
  const Tiling& tiling = context_.shape.tiling;
  const Tile& tile = tiles_[slot];
  const bool remote = tile.output.mapping == OutputMapping::RemoteMap;
  const Rectangle area = tiling.tile(tile.workgroup);
  const Rectangle band = tiling.wavefrontTile(tile.workgroup, wavefront);
  const std::uint32_t rowBytes = band.columns * tiling.elementBytes();
  const std::uint64_t base = context_.shape.layout.base(tile.output.buffer);
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
    Payload& payload = context_.requests.make(
        tlm::TLM_WRITE_COMMAND, remote ? globalAddress(tile.output.destination, address) : address,
        rowBytes);
    TrafficExtension& extension = traffic(payload);
    // At the GPU where it arrives, a remote store is the first step of the collective.
    extension.stream = remote ? Stream::Communication : Stream::Compute;
    extension.phase = remote ? context_.launch.remotePhase : context_.phase;
    extension.node = remote ? context_.launch.remoteNode : context_.launch.node;
    extension.operation = MemoryOperation::Add;
    extension.tracked = true;
    extension.workgroup = tile.workgroup;
    extension.wavefront = wavefront;
    extension.context = slot;
    if (unsigned char* data = values(payload); data != nullptr) {
      std::copy_n(tile.values.data() + std::size_t{band.row - area.row + row} * rowBytes, rowBytes,
                  data);
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

// ---- values in checked mode ---------------------------------------------------------------------

/// A x B^T of one tile, row by row without gaps.
void StorePath::computeValues(Tile& tile) const {
  const Rectangle area = context_.shape.tiling.tile(tile.workgroup);
  const MemoryLayout& layout = context_.shape.layout;
  partialProduct(context_.requests.dataType, readRows(layout.operandA, area.row, area.rows),
                 readRows(layout.operandB, area.column, area.columns), area.rows, area.columns,
                 context_.shape.depth, tile.values);
}

std::vector<unsigned char> StorePath::readRows(std::uint64_t operand, std::uint32_t first,
                                               std::uint32_t rows) const {
  const std::uint32_t rowBytes = context_.blocks.rowBytes();
  std::vector<unsigned char> values(std::size_t{rows} * rowBytes);
  for (std::uint32_t row = 0; row < rows; ++row) {
    context_.memory.debugAccess(
        tlm::TLM_READ_COMMAND,
        operand + (std::uint64_t{first} + row) * context_.shape.layout.operandPitchBytes,
        values.data() + std::size_t{row} * rowBytes, rowBytes);
  }
  return values;
}

/// Puts them into the output.
void StorePath::writeValues(Tile& tile) const {
  const GemmBlocks::Place at = context_.blocks.place(context_.blocks.output(tile.workgroup));
  for (std::uint32_t row = 0; row < at.rows; ++row) {
    context_.memory.debugAccess(tlm::TLM_WRITE_COMMAND, at.address + row * at.pitch,
                                tile.values.data() + std::size_t{row} * at.bytes, at.bytes);
  }
}

// ---- write-backs --------------------------------------------------------------------------------

void StorePath::writeBack(GemmBlocks::Block block, std::uint32_t waiter) {
  const GemmBlocks::Place at = context_.blocks.place(block);
  if (waiter != WriteBackQueue::kNobody) tiles_[waiter].pending += at.rows;
  open_ += at.rows;
  context_.statistics.writeBackBytes += at.totalBytes();
  writeBacks_.add(context_.blocks.tileOf(block), at, waiter);
}

void StorePath::addDisplaced(std::uint32_t waiter) {
  for (const GemmBlocks::Block block : l2_.displaced()) writeBack(block, waiter);
  l2_.clearDisplaced();
}

void StorePath::sendWriteBack() {
  const WriteBackQueue::Row row = writeBacks_.next();
  Payload& payload = context_.requests.make(tlm::TLM_WRITE_COMMAND, row.address, row.bytes, false);
  TrafficExtension& extension = traffic(payload);
  extension.phase = context_.phase;
  extension.node = context_.launch.node;
  extension.workgroup = row.tile;
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
    GemmBlocks::Block block = 0;
    while (l2_.cleanOne(block)) writeBack(block, WriteBackQueue::kNobody);
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
  const ChunkId id = context_.shape.tiling.chunkOf(extension.workgroup);
  ChunkStores& chunk = chunks_[id.value];
  chunk.left -= store.get_data_length();
  chunk.latest = std::max(chunk.latest, when);
  if (chunk.left == 0 && context_.launch.chunkStored) {
    context_.launch.chunkStored(id, chunk.latest);
  }
}

}  // namespace t3
