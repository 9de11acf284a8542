// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/operand_loader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace t3 {

OperandLoader::OperandLoader(GemmContext& context, L2Cache& l2, L2Bandwidth& l2Bandwidth,
                             StorePath& stores, OperandClient& client)
    : context_(context),
      l2_(l2),
      l2Bandwidth_(l2Bandwidth),
      stores_(stores),
      client_(client),
      fetchLimit_(context.config.l2.banks * context.config.l2.outstanding_fetches_per_bank),
      hitLatency_(picosecondsFromNs(context.config.l2.hit_latency_ns)),
      stages_(std::size_t{context.array.slots()} * context.config.gemm.load_stages),
      computeUnits_(context.config.compute_units),
      ready_(context.blocks.operandBlocks()),
      fetchOf_(context.blocks.operandBlocks()) {}

void OperandLoader::guardLoads(Readiness& rule) {
  rule_ = &rule;
  rule.whenChanged([this] { retryNotReady(); });
  readyWaits_.assign(context_.array.slots(), {});
  knownReady_.assign(context_.blocks.operandBlocks(), false);
}

void OperandLoader::launch() { std::fill(knownReady_.begin(), knownReady_.end(), false); }

void OperandLoader::load(std::uint32_t slot, WorkgroupId workgroup, std::uint32_t step) {
  stageOf(slot, step) = {};
  const Rectangle tile = context_.shape.tiling.tile(workgroup);
  loadOperand(slot, step, context_.blocks.panelA(workgroup), tile.rows);
  loadOperand(slot, step, context_.blocks.panelB(workgroup), tile.columns);
}

void OperandLoader::loadOperand(std::uint32_t slot, std::uint32_t step, Block panel,
                                std::uint32_t rows) {
  const std::uint32_t stepBytes = context_.config.gemm.k_step * bytesOf(context_.requests.dataType);
  const std::uint32_t slabBytes = context_.config.l2.fetch_bytes;
  const std::uint32_t end = std::min((step + 1) * stepBytes, context_.blocks.rowBytes());
  for (std::uint32_t begin = step * stepBytes; begin < end;) {
    const std::uint32_t slab = begin / slabBytes;
    const std::uint32_t stop = std::min((slab + 1) * slabBytes, end);
    const Load load{
        slot, step, panel + slab, begin - slab * slabBytes, stop - begin, rows * (stop - begin)};
    ++stageOf(slot, step).missing;
    if (rule_ == nullptr || ready(load.block)) {
      start(load);
    } else {
      putAside(load);
    }
    begin = stop;
  }
}

// ---- readiness ----------------------------------------------------------------------------------

bool OperandLoader::ready(Block block) {
  if (knownReady_[block]) return true;
  const GemmBlocks::Place at = context_.blocks.place(block);
  for (std::uint32_t row = 0; row < at.rows; ++row) {
    if (!rule_->ready(at.address + row * at.pitch, at.bytes)) return false;
  }
  knownReady_[block] = true;
  return true;
}

void OperandLoader::putAside(const Load& load) {
  notReady_.push_back(load);
  ReadyWait& wait = readyWaits_[load.slot];
  if (wait.loads++ == 0) wait.since = now();
}

/// The rule has changed: starts the loads that were put aside and are ready now.
void OperandLoader::retryNotReady() {
  const auto firstReady = std::stable_partition(
      notReady_.begin(), notReady_.end(), [this](const Load& load) { return !ready(load.block); });
  const std::vector<Load> nowReady(firstReady, notReady_.end());
  notReady_.erase(firstReady, notReady_.end());
  for (const Load& load : nowReady) {
    ReadyWait& wait = readyWaits_[load.slot];
    if (--wait.loads == 0) context_.statistics.operandWait += now() - wait.since;
    start(load);
    tellIfKnown(load);
  }
}

// ---- outstanding bytes --------------------------------------------------------------------------

void OperandLoader::start(const Load& load) {
  const std::uint32_t index = context_.array.computeUnitOf(load.slot);
  ComputeUnit& cu = computeUnits_[index];
  if (cu.blocked.empty() && admit(cu, load.bytes)) {
    access(load);
  } else {
    cu.blocked.push_back(load);
    postRetry(index);
  }
}

/// Adds `bytes` to the outstanding bytes of a compute unit, if the limit allows it.
bool OperandLoader::admit(ComputeUnit& cu, std::uint32_t bytes) {
  const auto fits = [&] {
    return cu.outstandingBytes == 0 ||
           cu.outstandingBytes + bytes <= context_.config.gemm.outstanding_load_bytes_per_cu;
  };
  if (!fits()) {
    std::erase_if(cu.arrivals, [&](const Arrival& arrival) {
      if (arrival.when > now()) return false;
      cu.outstandingBytes -= arrival.bytes;
      return true;
    });
    if (!fits()) return false;
  }
  cu.outstandingBytes += bytes;
  return true;
}

/// Makes blocked loads try again at the next arrival.
void OperandLoader::postRetry(std::uint32_t index) {
  ComputeUnit& cu = computeUnits_[index];
  if (cu.retryPosted || cu.blocked.empty() || cu.arrivals.empty()) return;
  const auto first = std::min_element(cu.arrivals.begin(), cu.arrivals.end(),
                                      [](const auto& a, const auto& b) { return a.when < b.when; });
  cu.retryPosted = true;
  context_.events.post(std::max(first->when, now()), {GemmEvent::Kind::RetryLoads, index, 0});
}

void OperandLoader::retry(std::uint32_t index) {
  ComputeUnit& cu = computeUnits_[index];
  cu.retryPosted = false;
  while (!cu.blocked.empty() && admit(cu, cu.blocked.front().bytes)) {
    const Load load = cu.blocked.front();
    cu.blocked.pop_front();
    access(load);
    tellIfKnown(load);
  }
  postRetry(index);
}

// ---- L2 and fill path ---------------------------------------------------------------------------

void OperandLoader::access(const Load& load) {
  const GemmBlocks::Place at = context_.blocks.place(load.block);
  const Picoseconds served = l2Bandwidth_.reserve(load.bytes);
  const L2Cache::Lookup lookup = l2_.read(load.block, at.rows, at.bytes);
  countLines(load, at.rows, lookup);
  if (lookup.pending) {
    fetchOf(load.block).waiters.push_back(load);
    return;
  }
  if (lookup.missingRows == 0) {
    // The time may lie ahead: the memory has announced when the data comes.
    arrived(load, std::max(served, ready_[load.block]));
    return;
  }
  ready_[load.block] = served;
  beginFetch(load.block, lookup.missingRows).waiters.push_back(load);
  stores_.writeBackDisplaced();
  fetchQueue_.push_back(load.block);
  issueFetches();
}

/// What became of the lines of a load. Those of a row that is not there are missing each on its
/// own; the first one touched fetches the others too.
void OperandLoader::countLines(const Load& load, std::uint32_t rows,
                               const L2Cache::Lookup& lookup) {
  const L2Config& l2 = context_.config.l2;
  const std::uint32_t linesPerRow =
      (load.offset + load.rowBytes + l2.line_bytes - 1) / l2.line_bytes -
      load.offset / l2.line_bytes;
  const std::uint32_t lines = rows * linesPerRow;
  std::uint32_t misses = 0;
  if (lookup.missingRows != 0) {
    const double missing = static_cast<double>(lookup.missingRows) / rows;
    misses = static_cast<std::uint32_t>(
        std::llround(rows * (1 - std::pow(1 - missing, l2.fetch_bytes / l2.line_bytes))));
  }
  const std::uint32_t merged = lookup.pending ? lines : lookup.missingRows * (linesPerRow - 1);
  GemmStatistics& statistics = context_.statistics;
  statistics.l2Misses += misses;
  statistics.l2Merged += merged;
  statistics.l2Hits += lines - misses - merged;
}

OperandLoader::Fetch& OperandLoader::beginFetch(Block block, std::uint32_t rows) {
  if (idleFetches_.empty()) {
    idleFetches_.push_back(static_cast<std::uint32_t>(fetches_.size()));
    fetches_.emplace_back();
  }
  fetchOf_[block] = idleFetches_.back();
  idleFetches_.pop_back();
  Fetch& fetch = fetchOf(block);
  fetch.rows = fetch.rowsLeft = rows;
  return fetch;
}

/// The bytes of `load` leave the L2 at `when`.
void OperandLoader::arrived(const Load& load, Picoseconds when) {
  const std::uint32_t width = context_.config.gemm.load_bytes_per_cu_per_cycle;
  ComputeUnit& cu = computeUnits_[context_.array.computeUnitOf(load.slot)];
  Picoseconds& fillPathFree = context_.array.fillPathFree(load.slot);
  fillPathFree = std::max(when + hitLatency_,
                          fillPathFree + context_.clock.cycles((load.bytes + width - 1) / width));
  cu.arrivals.push_back({fillPathFree, load.bytes});
  Stage& stage = stageOf(load.slot, load.step);
  stage.ready = std::max(stage.ready, fillPathFree);
  --stage.missing;
}

void OperandLoader::tellIfKnown(const Load& load) {
  if (stageOf(load.slot, load.step).missing == 0) client_.operandsKnown(load.slot);
}

void OperandLoader::issueFetches() {
  while (!fetchQueue_.empty()) {
    const Block block = fetchQueue_.front();
    const std::uint32_t count = fetchOf(block).rows;
    if (fetchesInFlight_ != 0 && fetchesInFlight_ + count > fetchLimit_) return;
    fetchQueue_.pop_front();
    fetchesInFlight_ += count;
    const GemmBlocks::Place at = context_.blocks.place(block);
    for (std::uint32_t i = 0; i < count; ++i) {  // spread over the block
      const std::uint64_t row = std::uint64_t{i} * at.rows / count;
      context_.statistics.readBytes += at.bytes;
      Payload& payload = context_.requests.make(tlm::TLM_READ_COMMAND, at.address + row * at.pitch,
                                                at.bytes, false);
      TrafficExtension& extension = traffic(payload);
      extension.phase = context_.phase;
      extension.node = context_.launch.node;
      extension.context = block;
      context_.memory.send(payload);
    }
  }
}

void OperandLoader::fetchesDone(std::uint32_t count) {
  fetchesInFlight_ -= count;
  issueFetches();
}

void OperandLoader::completed(const Payload& read, Picoseconds when) {
  const auto block = static_cast<Block>(traffic(read).context);
  const std::uint32_t place = fetchOf_[block];
  ready_[block] = std::max(ready_[block], when);
  if (--fetches_[place].rowsLeft != 0) return;
  l2_.filled(block);
  context_.events.post(ready_[block], {GemmEvent::Kind::FetchesDone, fetches_[place].rows, 0});
  // What a load does next may begin other fetches.
  std::vector<Load> waiters = std::exchange(fetches_[place].waiters, {});
  for (const Load& load : waiters) {
    arrived(load, ready_[block]);
    tellIfKnown(load);
    postRetry(context_.array.computeUnitOf(load.slot));
  }
  waiters.clear();
  fetches_[place].waiters = std::move(waiters);
  idleFetches_.push_back(place);
}

}  // namespace t3
