// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_kernel.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace t3 {
namespace {

std::size_t sendersOf(const StepProgram& program) {
  return static_cast<std::size_t>(
      std::ranges::count_if(program.threadBlocks, [](const StepProgram::ThreadBlock& steps) {
        return std::ranges::any_of(
            steps, [](const StepProgram::Step& step) { return step.send.has_value(); });
      }));
}

}  // namespace

StepKernel::StepKernel(const sc_core::sc_module_name& name, const StepProgram& program,
                       const GpuConfig& config, std::uint64_t loopBytes, DataType dataType,
                       DataMode mode, GpuId gpu, Phase phase, PayloadPool& pool)
    : StepWorker(name),
      CollectiveRequests({this->name(), gpu, dataType, mode}, config, program.ports,
                         program.threadBlocks.size(), sendersOf(program), pool),
      program_(program),
      config_(config.collective),
      phase_(phase),
      arrivals_(this->name(), program_, config_.slice_bytes,
                picosecondsFromNs(config_.slice_sync_ns), [this] {
                  if (!running()) return;
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
    addSlices(steps.size() * slices_);
    addRuns(static_cast<std::uint32_t>(blocks_.size()) - 1);
  }
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
  beginRun(std::move(done));
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
    if (slice == 0) announceStep(EventKind::StepBegin, run.threadBlock, stepOf(run).number);
    nextSlice(run);
    sliceEnded(blocks_[run.threadBlock], slice);
  }
  return true;
}

bool StepKernel::issueRequest(Run& run) {
  ThreadBlock& block = blocks_[run.threadBlock];
  const Step& step = stepOf(run);
  const auto operands = static_cast<std::uint32_t>(step.loads.size());
  const auto bytes = static_cast<std::uint32_t>(
      std::min(requestBytes(operands), sliceBytes(run.slice) - run.offset));
  const auto request = begin(run.threadBlock, bytes, operands, run.sends);
  if (!request) return false;

  pieces_.resize(std::max<std::size_t>(pieces_.size(), *request + 1));
  const Piece piece{run.slice, &step,
                    run.chunk * program_.chunkBytes +
                        std::uint64_t{run.slice} * config_.slice_bytes + run.offset};
  pieces_[*request] = piece;
  if (run.chunk == 0 && run.offset == 0) {
    block.slices[run.slice].bytesLeft = step.chunks * sliceBytes(run.slice);
    if (run.slice == 0) announceStep(EventKind::StepBegin, run.threadBlock, stepOf(run).number);
  }
  run.offset += bytes;
  if (run.offset == sliceBytes(run.slice)) {
    run.offset = 0;
    if (++run.chunk == step.chunks) {
      run.chunk = 0;
      nextSlice(run);
    }
  }
  for (std::uint32_t operand = 0; operand < operands; ++operand) {
    load(*request, operand, step.loads[operand] + piece.offset, {phase_});
  }
  return true;
}

/// Goes on to the next slice of the step, step of the loop, or loop.
void StepKernel::nextSlice(Run& run) {
  const std::uint32_t loopEnd = std::min(run.loop + slicesPerLoop_, slices_);
  if (++run.slice < loopEnd) return;
  if (loopEnd == slices_) announceStep(EventKind::StepEnd, run.threadBlock, stepOf(run).number);
  run.slice = run.loop;
  if (++run.step < run.end) return;
  run.step = run.first;
  run.loop = loopEnd;
  run.slice = loopEnd;
}

void StepKernel::sliceEnded(ThreadBlock& block, std::uint32_t slice) {
  ++block.slices[slice].ended;
  countSlice();
  again_ = true;
}

void StepKernel::storeSum(std::uint32_t request) {
  const Piece& piece = pieces_[request];
  const Step& step = *piece.step;
  if (step.store) storeLocal(request, *step.store + piece.offset, {phase_});
  if (step.send) {
    send(request, step.send->port, step.send->destination + piece.offset,
         {phase_, step.send->arrival});
  }
}

void StepKernel::requestEnded(std::uint32_t request) {
  const std::uint32_t slice = pieces_[request].slice;
  ThreadBlock& block = blocks_[threadBlockOf(request)];
  std::uint64_t& left = block.slices[slice].bytesLeft;
  left -= bytesOf(request);
  if (left == 0) sliceEnded(block, slice);
  issueAll();
  finishIfDone();
}

void StepKernel::finishIfDone() {
  if (running() && allSlicesDone()) endRun();
}

void StepKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running(); });
  list.level("in_work", 16, "requests", [this] { return inWork(); });
  list.level("outstanding", 32, "bytes", [this] { return outstanding(); });
  list.level("slices_missing", 32, "slices", [this] { return arrivals_.missing(); });
  list.counter("slices_done", "slices", [this] { return slicesDone(); });
  list.counter("loaded", "bytes", [this] { return statistics().loadBytes; });
  list.counter("sent", "bytes", [this] { return statistics().remoteStoreBytes; });
}

std::string StepKernel::describeWork() const {
  std::ostringstream text;
  text << describeRequests();
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
