// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_kernel.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "tlm/gpu/element_add.h"

namespace t3 {
namespace {

/// Position of the local copy among the loads; a request's `context` holds its slot above this many
/// bits of it.
constexpr unsigned kLocalCopy = 0;
constexpr unsigned kCopyBits = 8;

/// The memory works badly with loads that are shorter than this.
constexpr std::uint64_t kLeastLoadBytes = 256;

std::vector<ChunkSegments> chunksOf(const Tiling& tiling) {
  std::vector<ChunkSegments> chunks;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) chunks.emplace_back(tiling, ChunkId{c});
  return chunks;
}

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/collective", text.c_str()); }

}  // namespace

CollectiveKernel::CollectiveKernel(const sc_core::sc_module_name& name, CollectiveProgram program,
                                   const GpuConfig& config, const Tiling& tiling,
                                   const MemoryLayout& layout, DataType dataType, DataMode mode,
                                   GpuId gpu, PayloadPool& pool)
    : sc_module(name),
      memory("memory", *this),
      egress(*this, program.ports),
      program_(std::move(program)),
      config_(config.collective),
      layout_(layout),
      dataType_(dataType),
      mode_(mode),
      gpu_(gpu),
      pool_(pool),
      chunks_(chunksOf(tiling)),
      clock_(config.clock_mhz),
      sync_(picosecondsFromNs(config.collective.slice_sync_ns)),
      due_("due", [this](std::uint32_t slot) { proceed(slot); }),
      arrivals_(this->name(), config_, program_.arrivals, chunks_, [this] { sliceReady(); }),
      announced_("announced", [this](ChunkId id) {
        localCopy_[id.value] = true;
        issue();
      }) {
  const std::uint64_t computeUnits =
      config_.compute_units != 0 ? config_.compute_units : config.compute_units;
  outstandingLimit_ = computeUnits * config_.outstanding_bytes_per_cu;
  const auto keeping = std::ranges::count_if(
      program_.threadBlocks, [this](const auto& threadBlock) { return onlyKeeps(threadBlock); });
  outstandingShare_ =
      outstandingLimit_ / std::max<std::uint64_t>(1, program_.threadBlocks.size() - keeping);
  addBytesPerCycle_ = computeUnits * config_.add_bytes_per_cu_cycle;
}

void CollectiveKernel::launch(Done done, LocalCopies copies) {
  if (running_) {
    reportError(std::string(name()) + ": launched while it runs");
    return;
  }
  running_ = true;
  announce({.kind = EventKind::KernelBegin});
  done_ = std::move(done);
  localCopy_.assign(chunks_.size(), copies == LocalCopies::Ready);
  cursors_.clear();
  for (const auto& threadBlock : program_.threadBlocks)
    cursors_.push_back({threadBlock.first, threadBlock.end});
  turn_ = 0;
  issue();
}

void CollectiveKernel::localCopyReady(ChunkId chunk, Picoseconds when) {
  announced_.post(when + sync_, chunk);
}

void CollectiveKernel::sliceReady() {
  if (!running_) return;
  issue();
  finishKernelIfDone();
}

bool CollectiveKernel::onlyKeeps(const CollectiveProgram::ThreadBlock& threadBlock) const {
  return std::all_of(program_.steps.begin() + threadBlock.first,
                     program_.steps.begin() + threadBlock.end,
                     [](const Step& step) { return step.sends.empty(); });
}

bool CollectiveKernel::ready(const Cursor& cursor) const {
  if (cursor.step == cursor.end) return false;
  const Step& step = program_.steps[cursor.step];
  const std::uint64_t slice = cursor.chunkOffset / config_.slice_bytes;
  return localCopy_[step.chunk.value] &&
         std::ranges::all_of(
             step.waitsFor, [&](std::uint32_t arrival) { return arrivals_.ready(arrival, slice); });
}

void CollectiveKernel::issue() {
  const auto threadBlocks = static_cast<std::uint32_t>(cursors_.size());
  std::uint32_t first = 0;
  if (onlyKeeps(program_.threadBlocks.front())) {
    first = 1;
    while (ready(cursors_.front())) {
      if (!issueAt(0)) return;  // this thread block gets the next registers that are free
    }
  }
  const std::uint32_t sending = threadBlocks - first;
  for (std::uint32_t asked = 0; asked < sending; ++asked) {
    const std::uint32_t threadBlock = first + (turn_ + asked) % sending;
    while (ready(cursors_[threadBlock]) && issueAt(threadBlock)) {
    }
  }
  if (sending > 1) turn_ = (turn_ + 1) % sending;
}

bool CollectiveKernel::issueAt(std::uint32_t threadBlock) {
  Cursor& cursor = cursors_[threadBlock];
  const Step& step = program_.steps[cursor.step];
  const ChunkSegments& segments = chunk(step.chunk);
  const Segment& segment = segments[cursor.segment];
  const auto copies = static_cast<std::uint32_t>(1 + step.addresses.size());
  // A request that adds more copies is shorter: in all it loads no more than one that adds two.
  const std::uint64_t requestBytes =
      copies <= 2 ? config_.request_bytes
                  : std::max<std::uint64_t>(kLeastLoadBytes, 2ULL * config_.request_bytes / copies /
                                                                 kLeastLoadBytes * kLeastLoadBytes);
  const std::uint64_t sliceLeft = config_.slice_bytes - cursor.chunkOffset % config_.slice_bytes;
  const auto bytes = static_cast<std::uint32_t>(
      std::min({segment.bytes - cursor.segmentOffset, requestBytes, sliceLeft}));
  const std::uint64_t registers = std::uint64_t{copies} * bytes;
  if (outstanding_ != 0 && outstanding_ + registers > outstandingLimit_) return false;
  if (!step.sends.empty() && cursor.outstanding != 0 &&
      cursor.outstanding + registers > outstandingShare_) {
    return false;
  }

  if (freeWork_.empty()) {
    freeWork_.push_back(static_cast<std::uint32_t>(work_.size()));
    work_.emplace_back();
  }
  const std::uint32_t slot = freeWork_.back();
  freeWork_.pop_back();
  Work& work = work_[slot];
  work.stage = Work::Stage::Loading;
  work.step = cursor.step;
  work.threadBlock = threadBlock;
  work.outputOffset = segment.offset + cursor.segmentOffset;
  work.chunkOffset = cursor.chunkOffset;
  work.bytes = bytes;
  work.loadsLeft = copies;
  work.loaded = 0;
  work.loads.assign(copies, nullptr);
  ++inWork_;
  if (cursor.chunkOffset == 0) announce({.kind = EventKind::StepBegin, .number = cursor.step});
  outstanding_ += registers;
  cursor.outstanding += registers;
  statistics_.peakOutstandingBytes = std::max(statistics_.peakOutstandingBytes, outstanding_);

  cursor.segmentOffset += bytes;
  cursor.chunkOffset += bytes;
  if (cursor.segmentOffset == segment.bytes) {
    cursor.segmentOffset = 0;
    if (++cursor.segment == segments.size()) {
      announce({.kind = EventKind::StepEnd, .number = cursor.step});
      ++cursor.step;
      cursor.segment = 0;
      cursor.chunkOffset = 0;
    }
  }
  load(slot, kLocalCopy, layout_.output + work.outputOffset);
  for (std::uint32_t copy = 1; copy < copies; ++copy) {
    load(slot, copy, step.addresses[copy - 1] + work_[slot].chunkOffset);
  }
  return true;
}

void CollectiveKernel::load(std::uint32_t slot, unsigned copy, std::uint64_t address) {
  const Work& work = work_[slot];
  Payload& payload =
      pool_.allocate(tlm::TLM_READ_COMMAND, address, work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Communication;
  extension.phase = program_.steps[work.step].phase;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.step = work.step;
  extension.context = std::uint64_t{slot} << kCopyBits | copy;
  statistics_.loadBytes += work.bytes;
  memory.send(payload);
}

void CollectiveKernel::proceed(std::uint32_t slot) {
  Work& work = work_[slot];
  if (work.stage == Work::Stage::Storing) return storeDone(slot);
  const std::uint64_t additions = work.loads.size() - 1;
  if (work.stage == Work::Stage::Adding || additions == 0) return store(slot);
  work.stage = Work::Stage::Adding;
  const Picoseconds adding =
      (additions * work.bytes * clock_.period() + addBytesPerCycle_ - 1) / addBytesPerCycle_;
  adderFreeAt_ = std::max(adderFreeAt_, now()) + adding;
  due_.post(adderFreeAt_, slot);
}

void CollectiveKernel::store(std::uint32_t slot) {
  Work& work = work_[slot];
  const Step& step = program_.steps[work.step];
  work.stage = Work::Stage::Storing;
  work.storesLeft = static_cast<std::uint32_t>(step.sends.size()) + (step.keeps ? 1 : 0);
  if (unsigned char* local = values(*work.loads[kLocalCopy]); local != nullptr) {
    for (std::size_t copy = 1; copy < work.loads.size(); ++copy) {
      addElements(dataType_, local, work.loads[copy]->get_data_ptr(), local, work.bytes);
    }
  }
  if (step.keeps) storeLocal(slot);
  for (const CollectiveSend& send : step.sends) storeRemote(slot, send);
  for (Payload* loaded : work.loads) loaded->release();
}

Payload& CollectiveKernel::makeStore(std::uint32_t slot, std::uint64_t address) {
  const Work& work = work_[slot];
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, address, work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.phase = program_.steps[work.step].phase;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.step = work.step;
  extension.context = std::uint64_t{slot} << kCopyBits;
  if (unsigned char* data = values(payload); data != nullptr) {
    std::memcpy(data, work.loads[kLocalCopy]->get_data_ptr(), work.bytes);
  }
  return payload;
}

void CollectiveKernel::storeLocal(std::uint32_t slot) {
  Payload& payload = makeStore(slot, layout_.output + work_[slot].outputOffset);
  traffic(payload).stream = Stream::Compute;
  memory.send(payload);
}

void CollectiveKernel::storeRemote(std::uint32_t slot, const CollectiveSend& send) {
  const Work& work = work_[slot];
  Payload& payload =
      makeStore(slot, send.destination + (send.dense ? work.chunkOffset : work.outputOffset));
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Communication;
  extension.phase = send.phase;
  extension.step = send.arrival;
  egress.port(send.port).send(payload);
}

void CollectiveKernel::accepted(Payload& payload) {
  if (payload.is_read() || traffic(std::as_const(payload)).stream != Stream::Communication) return;
  const auto slot = static_cast<std::uint32_t>(traffic(payload).context >> kCopyBits);
  statistics_.remoteStoreBytes += payload.get_data_length();
  // The completion of the store may come later. This tells it that nothing is left to do.
  traffic(payload).context = ~std::uint64_t{0};
  storeDone(slot);
}

void CollectiveKernel::completed(Payload& payload, Picoseconds when) {
  if (payload.is_response_error()) {
    reportError(std::string(name()) + ": a request failed");
    return;
  }
  const std::uint64_t context = traffic(payload).context;
  if (context == ~std::uint64_t{0}) return;
  const auto slot = static_cast<std::uint32_t>(context >> kCopyBits);
  Work& work = work_[slot];
  if (payload.is_write()) {
    statistics_.localStoreBytes += payload.get_data_length();
    due_.post(when, slot);
    return;
  }
  payload.acquire();
  work.loads[context & ((1U << kCopyBits) - 1)] = &payload;
  work.loaded = std::max(work.loaded, when);
  if (--work.loadsLeft == 0) due_.post(work.loaded, slot);
}

void CollectiveKernel::storeDone(std::uint32_t slot) {
  Work& work = work_[slot];
  if (--work.storesLeft != 0) return;
  const std::uint64_t registers = std::uint64_t{work.loads.size()} * work.bytes;
  outstanding_ -= registers;
  cursors_[work.threadBlock].outstanding -= registers;
  --inWork_;
  freeWork_.push_back(slot);
  issue();
  finishKernelIfDone();
}

void CollectiveKernel::finishKernelIfDone() {
  const bool issued =
      std::ranges::all_of(cursors_, [](const Cursor& cursor) { return cursor.step == cursor.end; });
  if (!issued || inWork_ != 0 || arrivals_.missing() != 0) return;
  running_ = false;
  announce({.kind = EventKind::KernelEnd});
  arrivals_.reset();
  const Done done = std::exchange(done_, nullptr);  // it may launch again
  if (done) done(now());
}

void CollectiveKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("steps_issued", 8, "", [this] { return stepsIssued(); });
  list.level("in_work", 16, "requests", [this] { return inWork_; });
  list.level("outstanding", 32, "bytes", [this] { return outstanding_; });
  list.level("slices_missing", 16, "slices", [this] { return arrivals_.missing(); });
  list.counter("loaded", "bytes", [this] { return statistics_.loadBytes; });
  list.counter("sent", "bytes", [this] { return statistics_.remoteStoreBytes; });
}

std::uint32_t CollectiveKernel::stepsIssued() const {
  std::uint32_t left = 0;
  for (const Cursor& cursor : cursors_) left += cursor.end - cursor.step;
  return static_cast<std::uint32_t>(program_.steps.size()) - left;
}

std::string CollectiveKernel::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << (running_ ? "" : "not running, ") << stepsIssued() << " of " << program_.steps.size()
       << " steps issued, " << inWork_ << " requests in work (" << outstanding_ << " of "
       << outstandingLimit_ << " bytes), " << egress.waiting() << " wait for the link";
  for (const Cursor& cursor : cursors_) {
    if (!running_ || cursor.step == cursor.end || ready(cursor)) continue;
    const Step& step = program_.steps[cursor.step];
    text << "; step " << cursor.step << " waits for ";
    if (!localCopy_[step.chunk.value]) {
      text << "the own copy of chunk " << step.chunk.value;
    } else {
      text << "slice " << cursor.chunkOffset / config_.slice_bytes << " of another GPU";
    }
  }
  if (running_ && inWork_ == 0 && arrivals_.missing() != 0) {
    text << "; " << arrivals_.missing() << " slices have not arrived";
  }
  return text.str();
}

}  // namespace t3
