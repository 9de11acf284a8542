// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/gemm_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tlm/gpu/dispatch_order.h"
#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/partial_product.h"

namespace t3 {
namespace {

/// `TrafficExtension::context` of a store nobody waits for.
constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

/// Band heights that tuning tries, the squarest waves first. These start fastest, and a GEMM that
/// is bound by its math gains no time from reading less, so another height has to halve the reads
/// (docs/gpu.md has the measured times).
constexpr std::uint32_t kSwizzleRows[] = {8, 4, 16, 2, 32, 1, 64};
constexpr double kWorthwhile = 0.5;
/// The exception, where no chunk has to come before another: one row of tiles at a time, if the
/// operands are then read (almost) once, and bands of 8 read more. Measured as well.
constexpr double kReadOnce = 1.1;
constexpr double kFewer = 0.98;

std::uint32_t ceilDiv(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

GemmKernel::GemmKernel(const sc_core::sc_module_name& name, const GpuConfig& config,
                       const Tiling& tiling, std::uint32_t depth, const MemoryLayout& layout,
                       DataType dataType, DataMode dataMode, GpuId gpu, PayloadPool& pool,
                       const Route* route)
    : sc_module(name),
      memory("memory", *this),
      egress(*this, tiling, gpu, route),
      config_(config),
      tiling_(tiling),
      layout_(layout),
      dataType_(dataType),
      dataMode_(dataMode),
      gpu_(gpu),
      pool_(pool),
      clock_(config.clock_mhz),
      depth_(depth),
      steps_(ceilDiv(depth, config.gemm.k_step)),
      rowBytes_(depth * bytesOf(dataType)),
      slabs_(ceilDiv(rowBytes_, config.l2.fetch_bytes)),
      operandBlocks_((tiling.tilesDown() + tiling.tilesAcross()) * slabs_),
      fetchLimit_(config.l2.banks * config.l2.outstanding_fetches_per_bank),
      l2BytesPerPs_(static_cast<double>(config.l2.banks) * config.l2.bank_bytes_per_cycle /
                    static_cast<double>(clock_.period())),
      hitLatency_(picosecondsFromNs(config.l2.hit_latency_ns)),
      events_("events", [this](Event event) { handle(event); }),
      l2_(makeL2Model(config.l2, operandBlocks_ + tiling.tiles())),
      slots_(std::size_t{config.compute_units} * config.gemm.workgroups_per_cu),
      cus_(config.compute_units),
      fetches_(operandBlocks_) {
  for (Slot& slot : slots_) slot.stages.resize(config.gemm.load_stages);
}

void GemmKernel::guardUpdates(ZeroFrontier& zeros) {
  zeros_ = &zeros;
  zeros.wake([this] { pumpStores(); });
}

void GemmKernel::launch(GemmLaunch launch) {
  if (running_) {
    SC_REPORT_ERROR("t3/gemm", "launch while a kernel is running");
    return;
  }
  running_ = true;
  launch_ = std::move(launch);
  statistics_ = GemmStatistics{};
  statistics_.start = now();
  order_ = chooseOrder();
  l2_->clear();
  flushing_ = ending_ = false;
  lastLeft_ = 0;
  nextTile_ = 0;
  stepsDone_ = 0;
  l2Free_ = lastCompletion_ = now();
  const auto slots = static_cast<std::uint32_t>(slots_.size());
  const auto tiles = static_cast<std::uint32_t>(order_.size());
  stageLeft_.assign(ceilDiv(tiles, slots), slots);
  stageLeft_.back() = tiles - (ceilDiv(tiles, slots) - 1) * slots;
  statistics_.stageEnds.assign(stageLeft_.size(), 0);
  chunkTiles_.assign(tiling_.chunks(), {});
  chunkStores_.clear();
  for (std::uint32_t c = 0; c < tiling_.chunks(); ++c) {
    chunkStores_.push_back({tiling_.chunkBytes(ChunkId{c}), 0});
  }
  events_.post(now(), {Event::Kind::Begin, 0, 0});
}

/// The order of dispatch; `swizzle_rows` 0 is settled here.
std::vector<WorkgroupId> GemmKernel::chooseOrder() {
  const GemmConfig& gemm = config_.gemm;
  const auto orderOf = [&](std::uint32_t height) {
    return dispatchOrder(tiling_, launch_.chunkOrder, gemm.workgroup_order, height,
                         launch_.sideBySide);
  };
  statistics_.swizzleRows = gemm.swizzle_rows;
  if (gemm.workgroup_order != WorkgroupOrder::Swizzled || gemm.swizzle_rows != 0) {
    return orderOf(gemm.swizzle_rows);
  }
  std::vector<WorkgroupId> best;
  double fewest = std::numeric_limits<double>::infinity();
  double ofFirst = 0;
  for (const std::uint32_t height : kSwizzleRows) {
    std::vector<WorkgroupId> order = orderOf(height);
    const auto reads = static_cast<double>(countReads(order));
    if (best.empty()) ofFirst = reads;
    const bool oneRow = height == 1 && launch_.chunkOrder.empty() &&
                        reads <= kReadOnce * static_cast<double>(operandBytes()) &&
                        reads < kFewer * ofFirst;
    if (reads >= kWorthwhile * fewest && !oneRow) continue;
    fewest = std::min(fewest, reads);
    best = std::move(order);
    statistics_.swizzleRows = height;
  }
  return best;
}

/// Of both operands, once.
std::uint64_t GemmKernel::operandBytes() const {
  std::uint64_t bytes = 0;
  for (Block block = 0; block < operandBlocks_; ++block) {
    const BlockPlace at = place(block);
    bytes += std::uint64_t{at.rows} * at.bytes;
  }
  return bytes;
}

/// Operand bytes that `order` reads from memory if every wave of workgroups walks K in step. By
/// block, whatever the model of the run: a library's choice does not depend on how it is simulated.
std::uint64_t GemmKernel::countReads(const std::vector<WorkgroupId>& order) {
  L2Cache cache(config_.l2.capacity_bytes, config_.l2.ways, operandBlocks_ + tiling_.tiles());
  std::uint64_t bytes = 0;
  std::vector<Block> panels;  // of one wave; their blocks are `slab` further on
  for (std::size_t wave = 0; wave < order.size(); wave += slots_.size()) {
    const std::size_t waveEnd = std::min(wave + slots_.size(), order.size());
    panels.clear();
    for (std::size_t i = wave; i < waveEnd; ++i) {
      panels.push_back(order[i].value / tiling_.tilesAcross() * slabs_);
      panels.push_back((tiling_.tilesDown() + order[i].value % tiling_.tilesAcross()) * slabs_);
    }
    std::sort(panels.begin(), panels.end());
    panels.erase(std::unique(panels.begin(), panels.end()), panels.end());
    for (std::uint32_t slab = 0; slab < slabs_; ++slab) {
      for (const Block panel : panels) {
        const BlockPlace at = place(panel + slab);
        const L2Cache::Lookup lookup = cache.read(panel + slab, at.rows, at.bytes);
        if (lookup.missingRows == 0) continue;
        cache.filled(panel + slab);
        bytes += std::uint64_t{lookup.missingRows} * at.bytes;
      }
    }
    for (std::size_t i = wave; i < waveEnd; ++i) {
      const OutputMapping mapping = launch_.output.lookup(order[i]).mapping;
      if (mapping != OutputMapping::Cached && mapping != OutputMapping::WriteThrough) continue;
      cache.write(outputBlock(order[i]),
                  static_cast<std::uint32_t>(tiling_.bytes(tiling_.tile(order[i]))));
    }
    cache.clearDisplaced();
  }
  return bytes;
}

void GemmKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("tiles_dispatched", 16, "tiles", [this] { return nextTile_; });
  list.level("tiles_in_flight", 16, "tiles", [this] { return tilesInFlight_; });
  list.level("tiles_done", 16, "tiles", [this] { return statistics_.tiles; });
  list.level("stage", 16, "", [this] {
    const auto going = std::find_if(stageLeft_.begin(), stageLeft_.end(),
                                    [](std::uint32_t left) { return left != 0; });
    return static_cast<std::uint64_t>(going - stageLeft_.begin());
  });
  list.level("chunk", 8, "",
             [this] { return nextTile_ == 0 ? 0 : tiling_.chunkOf(order_[nextTile_ - 1]).value; });
  list.level("stores_waiting", 16, "requests", [this] { return stores_.size() + leaving_.size(); });
  list.flag("waits_for_zeros", [this] { return zeroWaitFrom_.has_value(); });
  list.level("fetches", 16, "requests", [this] { return fetchesInFlight_; });
  list.counter("read", "bytes", [this] { return statistics_.readBytes; });
  list.counter("stored", "bytes", [this] { return statistics_.storedBytes; });
}

double GemmKernel::progress() const {
  if (order_.empty()) return 0.0;
  return static_cast<double>(stepsDone_) / (static_cast<double>(order_.size()) * steps_);
}

void GemmKernel::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::Begin:
      announce({.kind = EventKind::KernelBegin});
      for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) dispatch(slot);
      break;
    case Event::Kind::StepReady: {
      ComputeUnit& cu = cus_[cuOf(event.index)];
      if (cu.mathBusy) {
        cu.mathQueue.push_back(event.index);
      } else {
        startMath(event.index, now());
      }
      break;
    }
    case Event::Kind::StepDone:
      stepDone(event.index);
      break;
    case Event::Kind::StoreBand:
      storeBand(event.index, WavefrontId{event.wavefront});
      break;
    case Event::Kind::StoresDone:
      storesTaken(event.index, 1);
      break;
    case Event::Kind::RetryLoads:
      cus_[event.index].retryArmed = false;
      retryLoads(event.index);
      break;
    case Event::Kind::FetchesDone:
      fetchesInFlight_ -= event.index;
      issueFetches();
      break;
    case Event::Kind::End:
      running_ = false;
      statistics_.end = now();
      announce({.kind = EventKind::KernelEnd});
      if (launch_.done) launch_.done(now());
      break;
  }
}

// ---- workgroups ---------------------------------------------------------------------------------

void GemmKernel::dispatch(std::uint32_t index) {
  if (nextTile_ == order_.size()) return;
  Slot& slot = slots_[index];
  slot.sequence = nextTile_;
  slot.workgroup = order_[nextTile_++];
  slot.output = launch_.output.lookup(slot.workgroup);
  slot.busy = true;
  slot.mathPending = false;
  slot.stepsDone = 0;
  statistics_.peakWorkgroups = std::max(statistics_.peakWorkgroups, ++tilesInFlight_);
  const ChunkId chunk = tiling_.chunkOf(slot.workgroup);
  if (chunkTiles_[chunk.value].begun++ == 0) {
    announce({.kind = EventKind::ChunkBegin, .number = chunk.value});
  }
  announce({.kind = EventKind::TileBegin, .number = index, .workgroup = slot.workgroup});
  const std::uint32_t ahead = std::min(config_.gemm.load_stages, steps_);
  for (std::uint32_t step = 0; step < ahead; ++step) requestStep(index, step);
}

void GemmKernel::slotFree(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.busy = false;
  --tilesInFlight_;
  ++statistics_.tiles;
  announce({.kind = EventKind::TileEnd, .number = index, .workgroup = slot.workgroup});
  const ChunkId chunk = tiling_.chunkOf(slot.workgroup);
  if (++chunkTiles_[chunk.value].ended == tiling_.chunk(chunk).count) {
    announce({.kind = EventKind::ChunkEnd, .number = chunk.value});
  }
  const std::uint32_t stage = slot.sequence / static_cast<std::uint32_t>(slots_.size());
  if (--stageLeft_[stage] == 0) {
    statistics_.stageEnds[stage] = now();
    announce({.kind = EventKind::StageEnd, .number = stage});
    if (stage == 0 && launch_.firstStageDone) launch_.firstStageDone();
  }
  dispatch(index);
  if (tilesInFlight_ == 0) {
    flushing_ = true;
    pumpStores();
    endWhenDrained();
  }
}

// ---- loads --------------------------------------------------------------------------------------

void GemmKernel::requestStep(std::uint32_t index, std::uint32_t step) {
  Slot& slot = slots_[index];
  slot.stages[step % config_.gemm.load_stages] = {};
  const std::uint32_t row = slot.workgroup.value / tiling_.tilesAcross();
  const std::uint32_t column = slot.workgroup.value % tiling_.tilesAcross();
  const Rectangle tile = tiling_.tile(slot.workgroup);
  requestOperand(index, step, row * slabs_, tile.rows);
  requestOperand(index, step, (tiling_.tilesDown() + column) * slabs_, tile.columns);
  tryMath(index);
}

void GemmKernel::requestOperand(std::uint32_t index, std::uint32_t step, Block firstBlock,
                                std::uint32_t rows) {
  const std::uint32_t stepBytes = config_.gemm.k_step * bytesOf(dataType_);
  const std::uint32_t fetch = config_.l2.fetch_bytes;
  const std::uint32_t end = std::min((step + 1) * stepBytes, rowBytes_);
  LoadStage& stage = slots_[index].stages[step % config_.gemm.load_stages];
  ComputeUnit& cu = cus_[cuOf(index)];
  for (std::uint32_t begin = step * stepBytes; begin < end;) {
    const std::uint32_t slab = begin / fetch;
    const std::uint32_t stop = std::min((slab + 1) * fetch, end);
    const Load load{
        index, step, firstBlock + slab, begin - slab * fetch, stop - begin, rows * (stop - begin)};
    ++stage.missing;
    if (cu.blocked.empty() && admit(cu, load.bytes)) {
      access(load);
    } else {
      cu.blocked.push_back(load);
      armRetry(cuOf(index));
    }
    begin = stop;
  }
}

/// Room for `bytes` more among the CU's outstanding loads? One load always may.
bool GemmKernel::admit(ComputeUnit& cu, std::uint32_t bytes) {
  const auto fits = [&] {
    return cu.outstandingBytes == 0 ||
           cu.outstandingBytes + bytes <= config_.gemm.outstanding_load_bytes_per_cu;
  };
  if (!fits()) {
    std::erase_if(cu.arrivals, [&](const ComputeUnit::Arrival& arrival) {
      if (arrival.when > now()) return false;
      cu.outstandingBytes -= arrival.bytes;
      return true;
    });
    if (!fits()) return false;
  }
  cu.outstandingBytes += bytes;
  return true;
}

void GemmKernel::armRetry(std::uint32_t index) {
  ComputeUnit& cu = cus_[index];
  if (cu.retryArmed || cu.blocked.empty() || cu.arrivals.empty()) return;
  const auto first = std::min_element(cu.arrivals.begin(), cu.arrivals.end(),
                                      [](const auto& a, const auto& b) { return a.when < b.when; });
  cu.retryArmed = true;
  events_.post(std::max(first->when, now()), {Event::Kind::RetryLoads, index, 0});
}

void GemmKernel::retryLoads(std::uint32_t index) {
  ComputeUnit& cu = cus_[index];
  while (!cu.blocked.empty() && admit(cu, cu.blocked.front().bytes)) {
    const Load load = cu.blocked.front();
    cu.blocked.pop_front();
    access(load);
    tryMath(load.slot);
  }
  armRetry(index);
}

/// When the L2 has had the bandwidth to hand out `bytes` more.
Picoseconds GemmKernel::reserveL2(std::uint64_t bytes) {
  l2Free_ = std::max(l2Free_, now()) +
            static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) / l2BytesPerPs_));
  return l2Free_;
}

void GemmKernel::access(const Load& load) {
  const BlockPlace at = place(load.block);
  Fetch& fetch = fetches_[load.block];
  const Picoseconds served = reserveL2(load.bytes);
  const bool joins = l2_->pending(load.block);
  if (!joins) fetch.parts.clear();
  const L2Model::Lookup lookup =
      l2_->read({load.block, 0, at.rows, load.offset, load.rowBytes}, at.bytes, fetch.parts);
  statistics_.l2Hits += lookup.hits;
  statistics_.l2Merged += lookup.merged;
  statistics_.l2Misses += lookup.misses;
  if (joins) {
    fetch.waiters.push_back(load);
    return;
  }
  if (fetch.parts.empty()) {
    // `ready` may lie ahead: the memory has announced the data, it is not here yet.
    arrived(load, std::max(served, fetch.ready));
    return;
  }
  fetch.partsLeft = static_cast<std::uint32_t>(fetch.parts.size());
  fetch.ready = served;
  fetch.waiters.push_back(load);
  writeBackDisplaced(kNoSlot);
  fetchQueue_.push_back(load.block);
  issueFetches();
}

/// The bytes of `load` leave the L2 at `when`.
void GemmKernel::arrived(const Load& load, Picoseconds when) {
  ComputeUnit& cu = cus_[cuOf(load.slot)];
  cu.fillPathFree =
      std::max(when + hitLatency_,
               cu.fillPathFree +
                   clock_.cycles(ceilDiv(load.bytes, config_.gemm.load_bytes_per_cu_per_cycle)));
  cu.arrivals.push_back({cu.fillPathFree, load.bytes});
  LoadStage& stage = slots_[load.slot].stages[load.step % config_.gemm.load_stages];
  stage.ready = std::max(stage.ready, cu.fillPathFree);
  --stage.missing;
}

void GemmKernel::issueFetches() {
  while (!fetchQueue_.empty()) {
    const Block block = fetchQueue_.front();
    const BlockPlace at = place(block);
    const std::vector<L2Model::Part>& parts = fetches_[block].parts;
    const auto count = static_cast<std::uint32_t>(parts.size());
    // What a block misses is fetched as a whole; one block always may.
    if (fetchesInFlight_ != 0 && fetchesInFlight_ + count > fetchLimit_) return;
    fetchQueue_.pop_front();
    fetchesInFlight_ += count;
    incomplete_ += count;
    for (const L2Model::Part& part : parts) {
      statistics_.readBytes += part.bytes;
      Payload& payload =
          pool_.allocate(tlm::TLM_READ_COMMAND, at.address + part.firstRow * at.pitch + part.offset,
                         part.bytes, false);
      TrafficExtension& extension = traffic(payload);
      extension.dataType = dataType_;
      extension.source = gpu_;
      extension.context = block;
      memory.send(payload);
    }
  }
}

/// First row and shape of a block in memory.
GemmKernel::BlockPlace GemmKernel::place(Block block) const {
  if (block >= operandBlocks_) {
    const Rectangle tile = tiling_.tile(WorkgroupId{block - operandBlocks_});
    return {layout_.output + tiling_.offset(tile, 0), tiling_.pitchBytes(), tile.rows,
            tile.columns * tiling_.elementBytes()};
  }
  const std::uint32_t panel = block / slabs_;
  const std::uint32_t offset = block % slabs_ * config_.l2.fetch_bytes;
  const bool isA = panel < tiling_.tilesDown();
  const std::uint32_t first =
      isA ? panel * tiling_.tileRows() : (panel - tiling_.tilesDown()) * tiling_.tileColumns();
  const std::uint64_t pitch = layout_.operandPitchBytes;
  return {
      (isA ? layout_.operandA : layout_.operandB) + first * pitch + offset, pitch,
      isA ? std::min(tiling_.tileRows(), tiling_.rows() - first)
          : std::min(tiling_.tileColumns(), tiling_.columns() - first),
      static_cast<std::uint32_t>(std::min<std::uint64_t>(config_.l2.fetch_bytes, pitch - offset))};
}

// ---- math ---------------------------------------------------------------------------------------

Picoseconds GemmKernel::stepTime(std::uint32_t step) const {
  const std::uint32_t k = std::min(config_.gemm.k_step, depth_ - step * config_.gemm.k_step);
  const double macs = static_cast<double>(tiling_.tileRows()) * tiling_.tileColumns() * k;
  return clock_.cycles(static_cast<std::uint64_t>(
      std::ceil(macs / (config_.gemm.macs_per_cu_per_cycle * config_.gemm.issue_efficiency))));
}

/// Starts (or schedules) the slot's next step once its operands' arrival is known.
void GemmKernel::tryMath(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.mathPending || slot.stepsDone == steps_) return;
  const LoadStage& stage = slot.stages[slot.stepsDone % config_.gemm.load_stages];
  if (stage.missing != 0) return;
  slot.mathPending = true;
  const Picoseconds ready = std::max(stage.ready, now());
  if (config_.gemm.workgroups_per_cu == 1) {
    startMath(index, ready);  // nobody else uses the matrix unit: no event needed to queue for it
  } else {
    events_.post(ready, {Event::Kind::StepReady, index, 0});
  }
}

void GemmKernel::startMath(std::uint32_t index, Picoseconds from) {
  cus_[cuOf(index)].mathBusy = true;
  const Picoseconds time = stepTime(slots_[index].stepsDone);
  statistics_.mathTime += time;
  events_.post(from + time, {Event::Kind::StepDone, index, 0});
}

void GemmKernel::stepDone(std::uint32_t index) {
  ComputeUnit& cu = cus_[cuOf(index)];
  cu.mathBusy = false;
  if (!cu.mathQueue.empty()) {
    const std::uint32_t next = cu.mathQueue.front();
    cu.mathQueue.pop_front();
    startMath(next, now());
  }
  Slot& slot = slots_[index];
  slot.mathPending = false;
  const std::uint32_t next = slot.stepsDone++ + config_.gemm.load_stages;
  ++stepsDone_;
  if (next < steps_) requestStep(index, next);
  if (slot.stepsDone == steps_) {
    epilogue(index);
  } else {
    tryMath(index);
  }
}

// ---- stores -------------------------------------------------------------------------------------

void GemmKernel::epilogue(std::uint32_t index) {
  Slot& slot = slots_[index];
  const Rectangle tile = tiling_.tile(slot.workgroup);
  const std::uint64_t bytes = tiling_.bytes(tile);
  announce(
      {.kind = EventKind::TileStore, .number = index, .workgroup = slot.workgroup, .bytes = bytes});
  statistics_.multiplyAdds += tile.elements() * depth_;
  if (dataMode_ == DataMode::Checked) computeValues(slot);
  if (slot.output.mapping == OutputMapping::Discard) {
    if (dataMode_ == DataMode::Checked) writeValues(slot);
    slotFree(index);
    return;
  }
  statistics_.storedBytes += bytes;
  const auto cyclesFor = [&](std::uint64_t count) {
    const std::uint32_t width = config_.gemm.store_bytes_per_cu_per_cycle;
    return clock_.cycles((count + width - 1) / width);
  };
  if (slot.output.mapping == OutputMapping::Cached ||
      slot.output.mapping == OutputMapping::WriteThrough) {
    storeCached(index, std::max(now() + cyclesFor(bytes), reserveL2(bytes)));
    return;
  }
  slot.pendingStores = tile.rows;
  std::uint64_t sent = 0;
  for (std::uint32_t wf = 0; wf < tiling_.liveWavefronts(slot.workgroup); ++wf) {
    sent += tiling_.bytes(tiling_.wavefrontTile(slot.workgroup, WavefrontId{wf}));
    events_.post(now() + cyclesFor(sent), {Event::Kind::StoreBand, index, wf});
  }
}

/// Updates for the rows of one wavefront tile.
void GemmKernel::storeBand(std::uint32_t index, WavefrontId wavefront) {
  const Slot& slot = slots_[index];
  const bool remote = slot.output.mapping == OutputMapping::RemoteMap;
  const Rectangle tile = tiling_.tile(slot.workgroup);
  const Rectangle band = tiling_.wavefrontTile(slot.workgroup, wavefront);
  const std::uint32_t rowBytes = band.columns * tiling_.elementBytes();
  const bool checked = dataMode_ == DataMode::Checked;
  (remote ? statistics_.remoteBytes : statistics_.updateBytes) += tiling_.bytes(band);
  incomplete_ += band.rows;
  announce({.kind = EventKind::BandStore,
            .number = wavefront.value,
            .workgroup = slot.workgroup,
            .address = layout_.output + tiling_.offset(band, 0),
            .bytes = tiling_.bytes(band)});
  for (std::uint32_t row = 0; row < band.rows; ++row) {
    const std::uint64_t address = layout_.output + tiling_.offset(band, row);
    Payload& payload = pool_.allocate(
        tlm::TLM_WRITE_COMMAND, remote ? globalAddress(slot.output.destination, address) : address,
        rowBytes, checked);
    TrafficExtension& extension = traffic(payload);
    // Where it arrives, a remote store is the first step of the reduce-scatter.
    extension.stream = remote ? Stream::Communication : Stream::Compute;
    extension.phase = remote ? Phase::ReduceScatter : Phase::Gemm;
    extension.operation = MemoryOperation::Add;
    extension.dataType = dataType_;
    extension.tracked = true;
    extension.workgroup = slot.workgroup;
    extension.wavefront = wavefront;
    extension.source = gpu_;
    extension.context = index;
    if (checked) {
      std::copy_n(slot.values.data() + std::size_t{band.row - tile.row + row} * rowBytes, rowBytes,
                  payload.get_data_ptr());
    }
    if (remote) {
      egress.send(payload);
    } else {
      sendStore(payload);
    }
  }
}

/// The tile is in the L2 at `when`, and stored when whatever it displaced, or the tile itself if it
/// is written through, is on its way out.
void GemmKernel::storeCached(std::uint32_t index, Picoseconds when) {
  Slot& slot = slots_[index];
  const BlockPlace at = place(outputBlock(slot.workgroup));
  if (dataMode_ == DataMode::Checked) writeValues(slot);
  slot.pendingStores = 1;
  const bool through = slot.output.mapping == OutputMapping::WriteThrough;
  l2_->write(outputBlock(slot.workgroup), at.rows, at.bytes, !through);
  if (through) writeBack({outputBlock(slot.workgroup), 0, at.rows, 0, at.bytes}, index);
  writeBackDisplaced(index);
  pumpStores();
  events_.post(when, {Event::Kind::StoresDone, index, 0});
}

/// Puts a tile's values into local memory without timing: write-backs carry none, and a discarded
/// tile's are still what a later part of the simulation works on.
void GemmKernel::writeValues(Slot& slot) {
  const BlockPlace at = place(outputBlock(slot.workgroup));
  for (std::uint32_t row = 0; row < at.rows; ++row) {
    debugAccess(tlm::TLM_WRITE_COMMAND, at.address + row * at.pitch,
                slot.values.data() + std::size_t{row} * at.bytes, at.bytes);
  }
}

void GemmKernel::storesTaken(std::uint32_t index, std::uint32_t count) {
  slots_[index].pendingStores -= count;
  if (slots_[index].pendingStores == 0) slotFree(index);
}

void GemmKernel::writeBackDisplaced(std::uint32_t slot) {
  displaced_.clear();
  l2_->takeDisplaced(displaced_);
  for (const L2Model::Part& part : displaced_) writeBack(part, slot);
}

/// A part of a tile is to leave the L2 for memory; `index` (if any) is the slot whose store waits
/// for it.
void GemmKernel::writeBack(const L2Model::Part& part, std::uint32_t index) {
  if (index != kNoSlot) slots_[index].pendingStores += part.rows;
  incomplete_ += part.rows;
  statistics_.writeBackBytes += std::uint64_t{part.rows} * part.bytes;
  const BlockPlace at = place(part.block);
  leaving_.emplace(at.address + part.firstRow * at.pitch + part.offset, Leaving{part, index});
}

/// Whatever leaves the L2 goes in order of address, round and round: tiles that lie side by side
/// share DRAM rows, and the DRAM queue alone is too short to find that (docs/gpu.md,
/// "Write-backs").
void GemmKernel::sendLeavingRow() {
  auto next = leaving_.upper_bound(lastLeft_);
  if (next == leaving_.end()) next = leaving_.begin();
  lastLeft_ = next->first;
  auto node = leaving_.extract(next);
  L2Model::Part& part = node.mapped().rows;
  Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, lastLeft_, part.bytes, false);
  TrafficExtension& extension = traffic(payload);
  extension.dataType = dataType_;
  extension.workgroup = WorkgroupId{part.block - operandBlocks_};
  extension.source = gpu_;
  extension.context = node.mapped().slot;
  ++part.firstRow;
  if (--part.rows != 0) {  // the same node, at its next row
    node.key() += place(part.block).pitch;
    leaving_.insert(std::move(node));
  }
  memory.send(payload);
}

void GemmKernel::sendStore(Payload& payload) {
  stores_.push_back(&payload);
  pumpStores();
}

/// Whether `store`, the next one, has zeros under it if it needs them.
bool GemmKernel::zeroed(const Payload& store) {
  const bool passed = zeros_ == nullptr || traffic(store).operation == MemoryOperation::Store ||
                      zeros_->passed(store.get_address(), store.get_data_length());
  if (!passed && !zeroWaitFrom_) {
    zeroWaitFrom_ = now();
    announce({.kind = EventKind::ZeroWaitBegin,
              .workgroup = traffic(store).workgroup,
              .address = store.get_address()});
  }
  if (passed && zeroWaitFrom_) {
    statistics_.zeroWait += now() - *std::exchange(zeroWaitFrom_, {});
    announce({.kind = EventKind::ZeroWaitEnd,
              .workgroup = traffic(store).workgroup,
              .address = store.get_address()});
  }
  return passed;
}

/// Reads first: they stall the compute units sooner than stores do. At the kernel's end the dirty
/// tiles follow, as fast as the memory takes them.
void GemmKernel::pumpStores() {
  while (memory.waiting() == 0) {
    if (!stores_.empty()) {
      Payload& payload = *stores_.front();
      if (!zeroed(payload)) return;
      stores_.pop_front();
      memory.send(payload);
      continue;
    }
    if (!leaving_.empty()) {
      sendLeavingRow();
      continue;
    }
    if (!flushing_) return;
    flushing_ = false;
    displaced_.clear();
    l2_->clean(displaced_);
    for (const L2Model::Part& part : displaced_) writeBack(part, kNoSlot);
  }
}

// ---- ports --------------------------------------------------------------------------------------

void GemmKernel::accepted(Payload& payload) {
  if (payload.is_write()) {
    const TrafficExtension& extension = traffic(std::as_const(payload));
    if (extension.stream == Stream::Communication) --incomplete_;
    if (extension.context != kNoSlot) {
      storesTaken(static_cast<std::uint32_t>(extension.context), 1);
    }
  }
  pumpStores();
  endWhenDrained();
}

void GemmKernel::completed(Payload& payload, Picoseconds when) {
  const TrafficExtension& extension = traffic(std::as_const(payload));
  if (extension.stream == Stream::Communication) return;  // remote: done when accepted
  --incomplete_;
  lastCompletion_ = std::max(lastCompletion_, when);
  if (payload.is_write()) {
    const ChunkId chunk = tiling_.chunkOf(extension.workgroup);
    ChunkStores& stores = chunkStores_[chunk.value];
    stores.left -= payload.get_data_length();
    stores.latest = std::max(stores.latest, when);
    if (stores.left == 0 && launch_.chunkStored) launch_.chunkStored(chunk, stores.latest);
  } else {
    const auto block = static_cast<Block>(extension.context);
    Fetch& fetch = fetches_[block];
    fetch.ready = std::max(fetch.ready, when);
    if (--fetch.partsLeft == 0) {
      l2_->filled(block);
      events_.post(fetch.ready,
                   {Event::Kind::FetchesDone, static_cast<std::uint32_t>(fetch.parts.size()), 0});
      for (const Load& load : fetch.waiters) {
        arrived(load, fetch.ready);
        tryMath(load.slot);
        armRetry(cuOf(load.slot));
      }
      fetch.waiters.clear();
    }
  }
  endWhenDrained();
}

void GemmKernel::endWhenDrained() {
  if (ending_ || flushing_ || incomplete_ != 0 || tilesInFlight_ != 0 ||
      nextTile_ != order_.size()) {
    return;
  }
  ending_ = true;
  events_.post(std::max(lastCompletion_, now()), {Event::Kind::End, 0, 0});
}

// ---- data ---------------------------------------------------------------------------------------

void GemmKernel::computeValues(Slot& slot) {
  const Rectangle tile = tiling_.tile(slot.workgroup);
  const auto readRows = [&](std::uint64_t base, std::uint32_t first, std::uint32_t rows) {
    std::vector<unsigned char> values(std::size_t{rows} * rowBytes_);
    for (std::uint32_t row = 0; row < rows; ++row) {
      debugAccess(tlm::TLM_READ_COMMAND,
                  base + (std::uint64_t{first} + row) * layout_.operandPitchBytes,
                  values.data() + std::size_t{row} * rowBytes_, rowBytes_);
    }
    return values;
  };
  partialProduct(dataType_, readRows(layout_.operandA, tile.row, tile.rows),
                 readRows(layout_.operandB, tile.column, tile.columns), tile.rows, tile.columns,
                 depth_, slot.values);
}

void GemmKernel::debugAccess(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                             std::uint32_t bytes) {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (memory.socket->transport_dbg(payload) != bytes) {
    SC_REPORT_ERROR("t3/gemm", "operand or output outside the memory");
  }
}

}  // namespace t3
