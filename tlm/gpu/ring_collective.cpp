// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/ring_collective.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "tlm/gpu/element_add.h"

namespace t3 {
namespace {

constexpr unsigned kLocalCopy = 0, kReceivedCopy = 1;

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/collective", text.c_str()); }

}  // namespace

RingCollective::RingCollective(const sc_core::sc_module_name& name, RingKernel kernel,
                               const GpuConfig& config, const Tiling& tiling,
                               const MemoryLayout& layout, DataType dataType, DataMode mode,
                               GpuId gpu, PayloadPool& pool, const std::optional<RingPath>& ring)
    : sc_module(name),
      memory("memory", *this),
      egress("egress", *this),
      program_(programOf(kernel, gpu, ring.value_or(RingPath{tiling.chunks(), 1, 0}), layout)),
      config_(config.collective),
      layout_(layout),
      dataType_(dataType),
      mode_(mode),
      gpu_(gpu),
      pool_(pool),
      clock_(config.clock_mhz),
      sync_(picosecondsFromNs(config.collective.slice_sync_ns)),
      due_("due", [this](std::uint32_t slot) { proceed(slot); }),
      syncing_("syncing", [this](SliceId id) { sliceReady(id); }),
      announced_("announced", [this](ChunkId id) {
        localCopy_[id.value] = true;
        issue();
      }) {
  const std::uint64_t computeUnits =
      config_.compute_units != 0 ? config_.compute_units : config.compute_units;
  outstandingLimit_ = computeUnits * config_.outstanding_bytes_per_cu;
  addBytesPerCycle_ = computeUnits * config_.add_bytes_per_cu_cycle;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) {
    Chunk chunk{segmentsOf(tiling, tiling.chunk(ChunkId{c})), {}, 0};
    for (const Segment& segment : chunk.segments) {
      chunk.starts.push_back(chunk.bytes);
      chunk.bytes += segment.bytes;
    }
    chunks_.push_back(std::move(chunk));
  }
  forgetArrivals();
}

void RingCollective::forgetArrivals() {
  slices_.assign(program_.arrivals.size(), {});
  slicesLeft_ = 0;
  for (std::size_t a = 0; a < slices_.size(); ++a) {
    const std::uint64_t bytes = chunk(program_.arrivals[a].chunk).bytes;
    slices_[a].resize((bytes + config_.slice_bytes - 1) / config_.slice_bytes);
    slicesLeft_ += slices_[a].size();
  }
}

std::uint64_t RingCollective::sliceBytes(std::uint32_t arrival, std::uint32_t slice) const {
  const std::uint64_t first = std::uint64_t{slice} * config_.slice_bytes;
  return std::min<std::uint64_t>(chunk(program_.arrivals[arrival].chunk).bytes - first,
                                 config_.slice_bytes);
}

void RingCollective::launch(Done done, LocalCopies copies) {
  if (running_) {
    reportError(std::string(name()) + ": launched while it runs");
    return;
  }
  running_ = true;
  announce({.kind = EventKind::KernelBegin});
  done_ = std::move(done);
  localCopy_.assign(chunks_.size(), copies == LocalCopies::Ready);
  const auto sent = std::count_if(program_.steps.begin(), program_.steps.end(),
                                  [](const Step& step) { return step.remote; });
  sending_ = {0, static_cast<std::uint32_t>(sent), 0, 0, 0};
  keeping_ = {sending_.end, static_cast<std::uint32_t>(program_.steps.size()), 0, 0, 0};
  issue();
}

void RingCollective::localCopyReady(ChunkId chunk, Picoseconds when) {
  announced_.post(when + sync_, chunk);
}

void RingCollective::arrived(const Payload& payload, Picoseconds when) {
  const std::uint32_t step = traffic(payload).step;
  const std::uint64_t address = payload.get_address();
  std::uint64_t left = payload.get_data_length();
  const auto outside = [&] {
    reportError(std::string(name()) + ": a write of step " + std::to_string(step) + " to address " +
                std::to_string(address) + " is not part of the collective");
  };
  if (step >= program_.arrivals.size()) return outside();
  const Arrival& arrival = program_.arrivals[step];
  if (address < arrival.destination) return outside();

  const Chunk& target = chunk(arrival.chunk);
  std::uint64_t offset = address - arrival.destination;  // becomes the offset in the chunk
  if (!arrival.dense) {
    const auto behind = std::upper_bound(
        target.segments.begin(), target.segments.end(), offset,
        [](std::uint64_t position, const Segment& segment) { return position < segment.offset; });
    if (behind == target.segments.begin()) return outside();
    const Segment& segment = *std::prev(behind);
    if (offset + left > segment.offset + segment.bytes) return outside();
    offset += target.starts[static_cast<std::size_t>(behind - target.segments.begin()) - 1] -
              segment.offset;
  } else if (offset + left > target.bytes) {
    return outside();
  }

  statistics_.arrivedBytes += left;
  while (left > 0) {
    const auto index = static_cast<std::uint32_t>(offset / config_.slice_bytes);
    Slice& slice = slices_[step][index];
    const std::uint64_t inSlice =
        std::min(left, (index + std::uint64_t{1}) * config_.slice_bytes - offset);
    slice.arrivedBytes += inSlice;
    slice.latest = std::max(slice.latest, when);
    const std::uint64_t expected = sliceBytes(step, index);
    if (slice.arrivedBytes > expected) {
      reportError(std::string(name()) + ": a slice of step " + std::to_string(step) +
                  " arrived more than once");
      return;
    }
    if (slice.arrivedBytes == expected) syncing_.post(slice.latest + sync_, {step, index});
    offset += inSlice;
    left -= inSlice;
  }
}

void RingCollective::sliceReady(SliceId id) {
  slices_[id.arrival][id.slice].ready = true;
  --slicesLeft_;
  if (!running_) return;
  issue();
  finishKernelIfDone();
}

bool RingCollective::ready(const Cursor& cursor) const {
  if (cursor.step == cursor.end) return false;
  const Step& step = program_.steps[cursor.step];
  return localCopy_[step.chunk.value] &&
         (!step.waits || slices_[cursor.step - 1][cursor.chunkOffset / config_.slice_bytes].ready);
}

void RingCollective::issue() {
  while (true) {
    Cursor& cursor = ready(keeping_) ? keeping_ : sending_;
    if (!ready(cursor) || !issueAt(cursor)) return;
  }
}

bool RingCollective::issueAt(Cursor& cursor) {
  const Step& step = program_.steps[cursor.step];
  const auto& segments = chunk(step.chunk).segments;
  const Segment& segment = segments[cursor.segment];
  const std::uint64_t sliceLeft = config_.slice_bytes - cursor.chunkOffset % config_.slice_bytes;
  const auto bytes = static_cast<std::uint32_t>(std::min(
      {segment.bytes - cursor.segmentOffset, std::uint64_t{config_.request_bytes}, sliceLeft}));
  const std::uint64_t registers = step.adds ? 2 * std::uint64_t{bytes} : bytes;
  if (outstanding_ != 0 && outstanding_ + registers > outstandingLimit_) return false;

  if (freeWork_.empty()) {
    freeWork_.push_back(static_cast<std::uint32_t>(work_.size()));
    work_.emplace_back();
  }
  const std::uint32_t slot = freeWork_.back();
  freeWork_.pop_back();
  Work& work = work_[slot];
  work = {};
  work.step = cursor.step;
  work.outputOffset = segment.offset + cursor.segmentOffset;
  work.chunkOffset = cursor.chunkOffset;
  work.bytes = bytes;
  work.loadsLeft = step.adds ? 2 : 1;
  ++inWork_;
  if (cursor.chunkOffset == 0) announce({.kind = EventKind::StepBegin, .number = cursor.step});
  outstanding_ += registers;
  statistics_.peakOutstandingBytes = std::max(statistics_.peakOutstandingBytes, outstanding_);
  load(slot, kLocalCopy, layout_.output + work.outputOffset);
  if (step.adds) load(slot, kReceivedCopy, step.received + work.chunkOffset);

  cursor.segmentOffset += bytes;
  cursor.chunkOffset += bytes;
  if (cursor.segmentOffset == segment.bytes) {
    cursor.segmentOffset = 0;
    if (++cursor.segment == segments.size()) {
      announce({.kind = EventKind::StepEnd, .number = cursor.step});
      cursor = {cursor.step + 1, cursor.end, 0, 0, 0};
    }
  }
  return true;
}

void RingCollective::load(std::uint32_t slot, unsigned copy, std::uint64_t address) {
  const Work& work = work_[slot];
  Payload& payload =
      pool_.allocate(tlm::TLM_READ_COMMAND, address, work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Compute;
  extension.phase = program_.steps[work.step].phase;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.step = work.step;
  extension.context = std::uint64_t{slot} << 1 | copy;
  statistics_.loadBytes += work.bytes;
  memory.send(payload);
}

void RingCollective::proceed(std::uint32_t slot) {
  Work& work = work_[slot];
  if (work.stage == Work::Stage::Storing) return storeDone(slot);
  if (work.stage == Work::Stage::Adding || !program_.steps[work.step].adds) return store(slot);
  work.stage = Work::Stage::Adding;
  const Picoseconds adding =
      (work.bytes * clock_.period() + addBytesPerCycle_ - 1) / addBytesPerCycle_;
  adderFreeAt_ = std::max(adderFreeAt_, now()) + adding;
  due_.post(adderFreeAt_, slot);
}

void RingCollective::store(std::uint32_t slot) {
  Work& work = work_[slot];
  const Step& step = program_.steps[work.step];
  work.stage = Work::Stage::Storing;
  work.storesLeft = (step.remote ? 1 : 0) + (step.keeps ? 1 : 0);
  if (unsigned char* local = work.loads[kLocalCopy]->get_data_ptr();
      local != nullptr && step.adds) {
    addElements(dataType_, local, work.loads[kReceivedCopy]->get_data_ptr(), local, work.bytes);
  }
  if (step.keeps) sendStore(slot, layout_.output + work.outputOffset, false);
  if (step.remote) {
    sendStore(slot,
              step.destination + (step.denseDestination ? work.chunkOffset : work.outputOffset),
              true);
  }
  for (Payload*& loaded : work.loads) {
    if (loaded != nullptr) std::exchange(loaded, nullptr)->release();
  }
}

void RingCollective::sendStore(std::uint32_t slot, std::uint64_t address, bool remote) {
  const Work& work = work_[slot];
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, address, work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.stream = remote ? Stream::Communication : Stream::Compute;
  // Where a finished sum is sent on, the all-gather begins.
  const Step& step = program_.steps[work.step];
  extension.phase = remote && step.keeps ? Phase::AllGather : step.phase;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.step = work.step;
  extension.context = std::uint64_t{slot} << 1;
  if (unsigned char* data = payload.get_data_ptr(); data != nullptr) {
    std::memcpy(data, work.loads[kLocalCopy]->get_data_ptr(), work.bytes);
  }
  (remote ? egress : memory).send(payload);
}

void RingCollective::accepted(Payload& payload) {
  if (payload.is_read() || traffic(std::as_const(payload)).stream != Stream::Communication) return;
  const auto slot = static_cast<std::uint32_t>(traffic(payload).context >> 1);
  statistics_.remoteStoreBytes += payload.get_data_length();
  // Tells the store's completion, which may come later, that there is nothing left to do.
  traffic(payload).context = ~std::uint64_t{0};
  storeDone(slot);
}

void RingCollective::completed(Payload& payload, Picoseconds when) {
  if (payload.is_response_error()) {
    reportError(std::string(name()) + ": a request failed");
    return;
  }
  const std::uint64_t context = traffic(payload).context;
  if (context == ~std::uint64_t{0}) return;
  const auto slot = static_cast<std::uint32_t>(context >> 1);
  Work& work = work_[slot];
  if (payload.is_write()) {
    statistics_.localStoreBytes += payload.get_data_length();
    due_.post(when, slot);
    return;
  }
  payload.acquire();
  work.loads[context & 1] = &payload;
  work.loaded = std::max(work.loaded, when);
  if (--work.loadsLeft == 0) due_.post(work.loaded, slot);
}

void RingCollective::storeDone(std::uint32_t slot) {
  Work& work = work_[slot];
  if (--work.storesLeft != 0) return;
  outstanding_ -= program_.steps[work.step].adds ? 2 * std::uint64_t{work.bytes} : work.bytes;
  --inWork_;
  freeWork_.push_back(slot);
  issue();
  finishKernelIfDone();
}

void RingCollective::finishKernelIfDone() {
  if (sending_.step < sending_.end || keeping_.step < keeping_.end || inWork_ != 0 ||
      slicesLeft_ != 0) {
    return;
  }
  running_ = false;
  announce({.kind = EventKind::KernelEnd});
  forgetArrivals();
  const Done done = std::exchange(done_, nullptr);  // it may launch again
  if (done) done(now());
}

void RingCollective::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("step", 8, "", [this] { return sending_.step; });
  list.level("in_work", 16, "requests", [this] { return inWork_; });
  list.level("outstanding", 32, "bytes", [this] { return outstanding_; });
  list.level("slices_missing", 16, "slices", [this] { return slicesLeft_; });
  list.counter("loaded", "bytes", [this] { return statistics_.loadBytes; });
  list.counter("sent", "bytes", [this] { return statistics_.remoteStoreBytes; });
}

std::string RingCollective::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (idle()) {
    text << "idle";
    return text.str();
  }
  text << (running_ ? "" : "not running, ") << sending_.step << " of " << sending_.end
       << " steps sent, " << inWork_ << " requests in work (" << outstanding_ << " of "
       << outstandingLimit_ << " bytes), " << egress.waiting() << " wait for the link";
  for (const Cursor& cursor : {sending_, keeping_}) {
    if (!running_ || cursor.step == cursor.end || ready(cursor)) continue;
    text << "; step " << cursor.step << " waits for ";
    if (const ChunkId id = program_.steps[cursor.step].chunk; !localCopy_[id.value]) {
      text << "the own copy of chunk " << id.value;
    } else {
      text << "slice " << cursor.chunkOffset / config_.slice_bytes << " of the previous GPU";
    }
  }
  if (running_ && inWork_ == 0 && slicesLeft_ != 0) {
    text << "; " << slicesLeft_ << " slices have not arrived";
  }
  return text.str();
}

RingCollective::Program RingCollective::programOf(RingKernel kernel, GpuId gpu,
                                                  const RingPath& ring,
                                                  const MemoryLayout& layout) {
  Program program;
  switch (kernel) {
    case RingKernel::ReduceScatter:
      addReduceScatter(program, gpu, ring, layout);
      break;
    case RingKernel::AllGather:
      addAllGather(program, gpu, ring, layout);
      break;
    case RingKernel::AllReduce: {
      addReduceScatter(program, gpu, ring, layout);
      // The step that keeps the sum is the first of the all-gather.
      Step sum = program.steps.back();
      program.steps.pop_back();
      addAllGather(program, gpu, ring, layout);
      Step& first = program.steps[ring.gpus - 1];
      sum.remote = true;
      sum.destination = first.destination;
      first = sum;
      break;
    }
  }
  return program;
}

/// N-1 steps that send and one that keeps.
void RingCollective::addReduceScatter(Program& program, GpuId gpu, const RingPath& ring,
                                      const MemoryLayout& layout) {
  const auto buffer = [&](std::uint32_t step) {
    return layout.receive +
           (ring.index * (ring.gpus - 1) + step) * std::uint64_t{layout.receiveStrideBytes};
  };
  for (std::uint32_t s = 0; s < ring.gpus; ++s) {
    Step step;
    step.chunk = ring.behind(gpu, s + 1);
    step.waits = step.adds = s > 0;
    step.received = s > 0 ? buffer(s - 1) : 0;
    step.remote = step.denseDestination = s + 1 < ring.gpus;
    step.keeps = !step.remote;
    if (step.remote) {
      step.destination = globalAddress(ring.next(gpu), buffer(s));
      program.arrivals.push_back({ring.behind(gpu, s + 2), buffer(s), true});
    }
    program.steps.push_back(step);
  }
}

/// N-1 steps that send.
void RingCollective::addAllGather(Program& program, GpuId gpu, const RingPath& ring,
                                  const MemoryLayout& layout) {
  for (std::uint32_t s = 0; s + 1 < ring.gpus; ++s) {
    Step step;
    step.chunk = ring.behind(gpu, s);
    step.phase = Phase::AllGather;
    step.waits = s > 0;
    step.remote = true;
    step.destination = globalAddress(ring.next(gpu), layout.output);
    program.steps.push_back(step);
    program.arrivals.push_back({ring.behind(gpu, s + 1), layout.output, false});
  }
}

}  // namespace t3
