// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_kernel.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "tlm/gpu/element_add.h"

namespace t3 {
namespace {

/// A request's `context` holds its slot above this many bits of the operand's number.
constexpr unsigned kOperandBits = 8;
/// A store that a link has taken; the kernel waits for nothing more.
constexpr std::uint64_t kForgotten = ~std::uint64_t{0};
/// The memory works badly with loads that are shorter than this.
constexpr std::uint64_t kLeastLoadBytes = 256;

void reportError(const std::string& text) { SC_REPORT_ERROR("t3/collective", text.c_str()); }

}  // namespace

StepKernel::StepKernel(const sc_core::sc_module_name& name, const StepProgram& program,
                       const GpuConfig& config, std::uint64_t loopBytes, DataType dataType,
                       DataMode mode, GpuId gpu, Phase phase, PayloadPool& pool)
    : sc_module(name),
      memory("memory", *this),
      egress(*this, program.ports),
      program_(program),
      config_(config.collective),
      dataType_(dataType),
      mode_(mode),
      gpu_(gpu),
      phase_(phase),
      pool_(pool),
      clock_(config.clock_mhz),
      due_("due", [this](std::uint32_t slot) { proceed(slot); }),
      arrivals_(this->name(), program_, config_.slice_bytes,
                picosecondsFromNs(config_.slice_sync_ns), [this] {
                  if (!running_) return;
                  issueAll();
                  finishIfDone();
                }) {
  slices_ = static_cast<std::uint32_t>((program_.chunkBytes + config_.slice_bytes - 1) /
                                       config_.slice_bytes);
  const std::uint64_t perLoop = (loopBytes + config_.slice_bytes - 1) / config_.slice_bytes;
  slicesPerLoop_ = loopBytes == 0
                       ? slices_
                       : static_cast<std::uint32_t>(std::min<std::uint64_t>(perLoop, slices_));
  for (const StepProgram::ThreadBlock& steps : program_.threadBlocks) {
    blocks_.push_back({.steps = &steps});
    blocks_.back().slices.resize(slices_);
    slicesToDo_ += steps.size() * slices_;
    addRuns(static_cast<std::uint32_t>(blocks_.size()) - 1);
  }
  const auto senders = static_cast<std::uint64_t>(
      std::ranges::count_if(program_.threadBlocks, [](const StepProgram::ThreadBlock& steps) {
        return std::ranges::any_of(steps, [](const Step& step) { return step.send.has_value(); });
      }));
  const std::uint64_t computeUnits =
      config_.compute_units != 0 ? config_.compute_units : config.compute_units;
  outstandingLimit_ = computeUnits * config_.outstanding_bytes_per_cu;
  outstandingShare_ = outstandingLimit_ / std::max<std::uint64_t>(1, senders);
  addBytesPerCycle_ = computeUnits * config_.add_bytes_per_cu_cycle;
}

void StepKernel::addRuns(std::uint32_t threadBlock) {
  const StepProgram::ThreadBlock& steps = *blocks_[threadBlock].steps;
  for (std::uint32_t s = 0; s < steps.size();) {
    Run run{.threadBlock = threadBlock, .first = s, .end = s, .sends = steps[s].send.has_value()};
    while (run.end < steps.size() && steps[run.end].send.has_value() == run.sends) ++run.end;
    run.step = run.first;
    s = run.end;
    (run.sends ? sending_ : quiet_).push_back(run);
  }
}

void StepKernel::launch(Done done) {
  running_ = true;
  announce({.kind = EventKind::KernelBegin});
  done_ = std::move(done);
  issueAll();
  finishIfDone();
}

/// The last slice of a chunk may be shorter.
std::uint64_t StepKernel::sliceBytes(std::uint32_t slice) const {
  const std::uint64_t first = std::uint64_t{slice} * config_.slice_bytes;
  return std::min<std::uint64_t>(config_.slice_bytes, program_.chunkBytes - first);
}

bool StepKernel::ready(const Run& run) const {
  if (atEnd(run)) return false;
  const Step& step = stepOf(run);
  if (blocks_[run.threadBlock].slices[run.slice].ended != run.step) return false;
  for (const auto& [other, before] : step.dependencies) {
    if (blocks_[other].slices[run.slice].ended <= before) return false;
  }
  return !step.arrival || arrivals_.ready(*step.arrival, run.slice);
}

/// A slice that ends may let others go on, so all are asked again until none can.
void StepKernel::issueAll() {
  again_ = true;
  if (issuing_) return;
  issuing_ = true;
  const auto askAll = [this] {
    for (Run& run : quiet_) {
      if (!issue(run)) return;  // it gets the next registers that are free
    }
    const auto sending = static_cast<std::uint32_t>(sending_.size());
    for (std::uint32_t asked = 0; asked < sending; ++asked) {
      issue(sending_[(turn_ + asked) % sending]);
    }
    if (sending > 1) turn_ = (turn_ + 1) % sending;
  };
  while (again_) {
    again_ = false;
    askAll();
  }
  issuing_ = false;
}

bool StepKernel::issue(Run& run) {
  while (ready(run)) {
    if (!stepOf(run).loads.empty()) {
      if (!issueRequest(run)) return false;
      continue;
    }
    const std::uint32_t slice = run.slice;
    if (slice == 0) announce({.kind = EventKind::StepBegin, .number = stepOf(run).number});
    nextSlice(run);
    sliceEnded(blocks_[run.threadBlock], slice);
  }
  return true;
}

bool StepKernel::issueRequest(Run& run) {
  ThreadBlock& block = blocks_[run.threadBlock];
  const Step& step = stepOf(run);
  const auto operands = static_cast<std::uint32_t>(step.loads.size());
  // A request that adds more copies is shorter: in all it loads no more than one that adds two.
  const std::uint64_t requestBytes =
      operands <= 2
          ? config_.request_bytes
          : std::max<std::uint64_t>(kLeastLoadBytes, 2ULL * config_.request_bytes / operands /
                                                         kLeastLoadBytes * kLeastLoadBytes);
  const auto bytes =
      static_cast<std::uint32_t>(std::min(requestBytes, sliceBytes(run.slice) - run.offset));
  const std::uint64_t registers = std::uint64_t{operands} * bytes;
  if (outstanding_ != 0 && outstanding_ + registers > outstandingLimit_) return false;
  if (run.sends && block.outstanding != 0 && block.outstanding + registers > outstandingShare_) {
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
  work.threadBlock = run.threadBlock;
  work.slice = run.slice;
  work.step = &step;
  work.offset =
      run.chunk * program_.chunkBytes + std::uint64_t{run.slice} * config_.slice_bytes + run.offset;
  work.bytes = bytes;
  work.loadsLeft = operands;
  work.loaded = 0;
  work.loads.assign(operands, nullptr);
  ++inWork_;
  outstanding_ += registers;
  block.outstanding += registers;
  statistics_.peakOutstandingBytes = std::max(statistics_.peakOutstandingBytes, outstanding_);

  if (run.chunk == 0 && run.offset == 0) {
    block.slices[run.slice].bytesLeft = step.chunks * sliceBytes(run.slice);
    if (run.slice == 0) announce({.kind = EventKind::StepBegin, .number = step.number});
  }
  run.offset += bytes;
  if (run.offset == sliceBytes(run.slice)) {
    run.offset = 0;
    if (++run.chunk == step.chunks) {
      run.chunk = 0;
      nextSlice(run);
    }
  }
  for (std::uint32_t operand = 0; operand < operands; ++operand) load(slot, operand);
  return true;
}

/// Goes on to the next slice of the step, step of the loop, or loop.
void StepKernel::nextSlice(Run& run) {
  const std::uint32_t loopEnd = std::min(run.loop + slicesPerLoop_, slices_);
  if (++run.slice < loopEnd) return;
  if (loopEnd == slices_) announce({.kind = EventKind::StepEnd, .number = stepOf(run).number});
  run.slice = run.loop;
  if (++run.step < run.end) return;
  run.step = run.first;
  run.loop = loopEnd;
  run.slice = loopEnd;
}

void StepKernel::sliceEnded(ThreadBlock& block, std::uint32_t slice) {
  ++block.slices[slice].ended;
  ++slicesDone_;
  again_ = true;
}

void StepKernel::load(std::uint32_t slot, std::uint32_t operand) {
  const Work& work = work_[slot];
  Payload& payload = pool_.allocate(tlm::TLM_READ_COMMAND, work.step->loads[operand] + work.offset,
                                    work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.stream = Stream::Communication;
  extension.phase = phase_;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.context = std::uint64_t{slot} << kOperandBits | operand;
  statistics_.loadBytes += work.bytes;
  memory.send(payload);
}

void StepKernel::proceed(std::uint32_t slot) {
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

void StepKernel::store(std::uint32_t slot) {
  Work& work = work_[slot];
  const Step& step = *work.step;
  work.stage = Work::Stage::Storing;
  work.storesLeft = (step.send ? 1U : 0U) + (step.store ? 1U : 0U);
  if (unsigned char* sum = values(*work.loads[0]); sum != nullptr) {
    for (std::size_t operand = 1; operand < work.loads.size(); ++operand) {
      addElements(dataType_, sum, work.loads[operand]->get_data_ptr(), sum, work.bytes);
    }
  }
  if (step.store) {
    Payload& payload = makeStore(slot, *step.store + work.offset);
    traffic(payload).stream = Stream::Compute;
    memory.send(payload);
  }
  if (step.send) {
    Payload& payload = makeStore(slot, step.send->destination + work.offset);
    traffic(payload).stream = Stream::Communication;
    traffic(payload).step = step.send->arrival;
    egress.port(step.send->port).send(payload);
  }
  for (Payload* loaded : work.loads) loaded->release();
}

Payload& StepKernel::makeStore(std::uint32_t slot, std::uint64_t address) {
  const Work& work = work_[slot];
  Payload& payload =
      pool_.allocate(tlm::TLM_WRITE_COMMAND, address, work.bytes, mode_ == DataMode::Checked);
  TrafficExtension& extension = traffic(payload);
  extension.phase = phase_;
  extension.dataType = dataType_;
  extension.source = gpu_;
  extension.context = std::uint64_t{slot} << kOperandBits;
  if (unsigned char* data = values(payload); data != nullptr) {
    std::memcpy(data, work.loads[0]->get_data_ptr(), work.bytes);
  }
  return payload;
}

void StepKernel::accepted(Payload& payload) {
  if (payload.is_read() || traffic(std::as_const(payload)).stream != Stream::Communication) return;
  const auto slot = static_cast<std::uint32_t>(traffic(payload).context >> kOperandBits);
  statistics_.remoteStoreBytes += payload.get_data_length();
  traffic(payload).context = kForgotten;
  storeDone(slot);
}

void StepKernel::completed(Payload& payload, Picoseconds when) {
  if (payload.is_response_error()) return reportError(std::string(name()) + ": a request failed");
  const std::uint64_t context = traffic(payload).context;
  if (context == kForgotten) return;
  const auto slot = static_cast<std::uint32_t>(context >> kOperandBits);
  if (payload.is_write()) {
    statistics_.localStoreBytes += payload.get_data_length();
    due_.post(when, slot);
    return;
  }
  Work& work = work_[slot];
  payload.acquire();
  work.loads[context & ((1U << kOperandBits) - 1)] = &payload;
  work.loaded = std::max(work.loaded, when);
  if (--work.loadsLeft == 0) due_.post(work.loaded, slot);
}

void StepKernel::storeDone(std::uint32_t slot) {
  Work& work = work_[slot];
  if (--work.storesLeft != 0) return;
  const std::uint64_t registers = std::uint64_t{work.loads.size()} * work.bytes;
  ThreadBlock& block = blocks_[work.threadBlock];
  outstanding_ -= registers;
  block.outstanding -= registers;
  --inWork_;
  freeWork_.push_back(slot);
  std::uint64_t& left = block.slices[work.slice].bytesLeft;
  left -= work.bytes;
  if (left == 0) sliceEnded(block, work.slice);
  issueAll();
  finishIfDone();
}

void StepKernel::finishIfDone() {
  if (!running_ || slicesDone_ != slicesToDo_) return;
  running_ = false;
  finished_ = true;
  announce({.kind = EventKind::KernelEnd});
  if (done_) std::exchange(done_, nullptr)(now());
}

void StepKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("in_work", 16, "requests", [this] { return inWork_; });
  list.level("outstanding", 32, "bytes", [this] { return outstanding_; });
  list.level("slices_missing", 32, "slices", [this] { return arrivals_.missing(); });
  list.counter("slices_done", "slices", [this] { return slicesDone_; });
  list.counter("loaded", "bytes", [this] { return statistics_.loadBytes; });
  list.counter("sent", "bytes", [this] { return statistics_.remoteStoreBytes; });
}

std::string StepKernel::describe() const {
  std::ostringstream text;
  text << name() << ": ";
  if (finished_ && idle()) {
    text << "done";
    return text.str();
  }
  text << (running_ ? "" : "not running, ") << slicesDone_ << " of " << slicesToDo_
       << " slices of steps done, " << inWork_ << " requests in work (" << outstanding_ << " of "
       << outstandingLimit_ << " bytes), " << egress.waiting() << " wait for the link";
  constexpr std::size_t kMostListed = 4;
  std::size_t listed = 0;
  for (const auto* runs : {&quiet_, &sending_}) {
    for (const Run& run : *runs) {
      if (listed == kMostListed || atEnd(run) || ready(run)) continue;
      ++listed;
      const Step& step = stepOf(run);
      text << "; thread block " << run.threadBlock << ", step " << step.number << ", slice "
           << run.slice << " waits for ";
      const std::uint32_t ended = blocks_[run.threadBlock].slices[run.slice].ended;
      if (ended != run.step) {
        text << "step " << (*blocks_[run.threadBlock].steps)[ended].number;
      } else if (step.arrival && !arrivals_.ready(*step.arrival, run.slice)) {
        text << "another GPU";
      } else {
        text << "another thread block";
      }
    }
  }
  return text.str();
}

}  // namespace t3
