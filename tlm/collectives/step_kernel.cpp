// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/step_kernel.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace t3 {
namespace {

bool sends(const StepProgram::Step& step) { return !step.sends.empty(); }

std::uint64_t largestChunk(const StepProgram& program) {
  std::uint64_t bytes = 0;
  for (const ChunkSegments& chunk : *program.shapes) bytes = std::max(bytes, chunk.bytes());
  return bytes;
}

/// Thread blocks that send.
std::size_t sendersOf(const StepProgram& program) {
  std::set<std::uint32_t> senders;
  for (const StepProgram::Run& run : program.runs) {
    if (sends(run.front())) senders.insert(run.front().threadBlock);
  }
  return senders.size();
}

ChunkPlace at(const ChunkPlace& place, std::uint64_t position, std::uint64_t offset) {
  return {place.address + (place.dense ? position : offset), place.dense};
}

}  // namespace

StepKernel::StepKernel(const sc_core::sc_module_name& name, StepProgram program,
                       const GpuConfig& config, std::uint64_t loopBytes,
                       const RequestMaker& requests)
    : StepWorker(name),
      CollectiveRequests({this->name(), requests, program.node}, config, program.protocol,
                         program.ports,
                         {program.threadBlocks, sendersOf(program), program.ownBlocks}),
      program_(std::move(program)),
      config_(config.collective),
      loopBytes_(loopBytes != 0 || !program_.ownBlocks ? loopBytes
                                                       : config_.of(program_.protocol).loop_bytes),
      sliceBytes_(static_cast<std::uint32_t>(
          config_.sliceBytes(program_.protocol, largestChunk(program_), loopBytes_))),
      sync_(config_.sync(program_.protocol)),
      flagTime_(picosecondsFromNs(config_.simple.slice_ns) + config_.sync(Protocol::Simple)),
      arrivals_(this->name(), program_, sliceBytes_, sync_, [this] { sliceReady(); }),
      flagsSeen_("flags_seen",
                 [this](Sums seen) {
                   sums_ = seen;
                   sliceReady();
                 }),
      announced_("announced",
                 [this](ChunkId chunk) {
                   if (!running()) return early_.push_back(chunk);
                   localCopy_[chunk.value] = true;
                   issue();
                 }),
      flagsOfSteps_("flags_of_steps", [this](const Told& told) {
        if (!running() || told.launch != launches_) return;  // nobody waited for it
        told_[told.step.run][told.step.step] = told.slices;
        issue();
      }) {
  for (const StepProgram::Run& run : program_.runs) {
    quiet_ += sends(run.front()) || program_.ownBlocks ? 0 : 1;
    for (const Step& step : run) {
      slices_ = std::max(slices_, slicesOf(step));
      addSlices(slicesOf(step));
    }
  }
  if (program_.ownBlocks) {
    findFlags();
    findPrimitives();
  }
  const std::uint64_t perLoop = (loopBytes_ + sliceBytes_ - 1) / sliceBytes_;
  slicesPerLoop_ = loopBytes_ == 0
                       ? slices_
                       : static_cast<std::uint32_t>(std::min<std::uint64_t>(perLoop, slices_));
}

void StepKernel::findFlags() {
  for (const StepProgram::Run& run : program_.runs) tells_.emplace_back(run.size());
  for (std::uint32_t r = 0; r < program_.runs.size(); ++r) {
    for (const Step& step : program_.runs[r]) {
      for (const auto& earlier : step.dependencies) {
        if (flagged(earlier, r)) tells_[earlier.run][earlier.step] = true;
      }
    }
  }
}

void StepKernel::rewind() {
  runs_.clear();
  turn_ = 0;
  bytesLeft_.clear();
  told_.clear();
  for (const StepProgram::Run& run : program_.runs) {
    runs_.push_back({.number = static_cast<std::uint32_t>(runs_.size())});
    auto& ofRun = bytesLeft_.emplace_back();
    told_.emplace_back(run.size());
    for (const Step& step : run) {
      auto& left = ofRun.emplace_back();
      for (std::uint32_t s = 0; s < slicesOf(step); ++s) left.push_back(sliceBytes(step, s));
    }
  }
}

void StepKernel::launch(Done done, LocalCopies copies) {
  if (running()) {
    reportError("launched while it runs");
    return;
  }
  beginRun(std::move(done));
  ++launches_;
  rewind();
  localCopy_.assign(program_.shapes->size(), copies == LocalCopies::Ready);
  for (const ChunkId chunk : std::exchange(early_, {})) localCopy_[chunk.value] = true;
  if (program_.loadsSums) {
    sums_ = Sums::AwaitBegun;
    raise(program_.phase, kBegun);
    takeFlags();
  }
  issue();
  finishIfDone();
}

void StepKernel::sliceReady() {
  if (!running()) return;
  issue();
  finishIfDone();
}

std::uint32_t StepKernel::slicesOf(const Step& step) const {
  return static_cast<std::uint32_t>((program_.chunkBytes(step.shape) + sliceBytes_ - 1) /
                                    sliceBytes_);
}

/// The last slice of a chunk may be shorter.
std::uint64_t StepKernel::sliceBytes(const Step& step, std::uint32_t slice) const {
  const std::uint64_t first = std::uint64_t{slice} * sliceBytes_;
  return std::min<std::uint64_t>(sliceBytes_, program_.chunkBytes(step.shape) - first);
}

/// Whether a step for which another one waits has ended on the slice; of another thread block that
/// works by itself: on the loop, as the flag says. It may be one of a smaller chunk, which has no
/// such slice.
bool StepKernel::ended(const StepProgram::Dependency& step, const Run& run) const {
  const auto& left = bytesLeft_[step.run][step.step];
  if (flagged(step, run.number)) {
    return told_[step.run][step.step] >= std::min<std::size_t>(loopEnd(run), left.size());
  }
  return run.slice >= left.size() || left[run.slice] == 0;
}

/// A step has ended on a slice: if that was the last one of the loop, others are told.
void StepKernel::tell(const Piece& piece) {
  if (!program_.ownBlocks || !tells_[piece.run][piece.step]) return;
  const auto& left = bytesLeft_[piece.run][piece.step];
  const auto slice = static_cast<std::uint32_t>(piece.position / sliceBytes_);
  const auto first = slice / slicesPerLoop_ * slicesPerLoop_;
  const auto end = std::min<std::size_t>(std::size_t{first} + slicesPerLoop_, left.size());
  for (std::size_t one = first; one < end; ++one) {
    if (left[one] != 0) return;
  }
  flagsOfSteps_.post(now() + flagTime_,
                     {{piece.run, piece.step}, static_cast<std::uint32_t>(end), launches_});
}

/// A primitive of the protocol moves as many chunks of a step as a loop holds: they share its
/// slices and windows.
void StepKernel::findPrimitives() {
  for (const StepProgram::Run& run : program_.runs) {
    auto& primitives = primitives_.emplace_back();
    for (std::size_t begin = 0; begin < run.size();) {
      const std::uint64_t chunk = std::max<std::uint64_t>(1, program_.chunkBytes(run[begin].shape));
      const std::uint64_t most = std::max<std::uint64_t>(1, loopBytes_ / chunk);
      std::size_t end = begin;
      while (end < run.size() && end - begin < most && run[end].number == run[begin].number) ++end;
      const std::uint64_t slice =
          config_.sliceBytes(program_.protocol, (end - begin) * chunk, loopBytes_);
      for (std::size_t s = begin; s < end; ++s) primitives.push_back({s == begin, slice});
      begin = end;
    }
  }
}

/// How long a thread block works on a run's next bytes. Only steps that send or take a message have
/// slices. Local ones work on plain data, as Simple does in every protocol; a sum loads its sources
/// one after another, the further ones for as long as their bytes take.
Picoseconds StepKernel::paceOf(const Run& run, std::uint32_t bytes) const {
  const auto begun = [&](std::uint64_t unit) {
    return (run.moved + bytes + unit - 1) / unit - (run.moved + unit - 1) / unit;
  };
  const Step& step = stepOf(run);
  const ProtocolConfig& protocol = step.hops() ? config_.of(program_.protocol) : config_.simple;
  const std::uint64_t slices =
      step.hops() ? begun(primitives_[run.number][run.step].sliceBytes) : 0;
  const Picoseconds pace = slices * picosecondsFromNs(protocol.slice_ns);
  if (protocol.block_gb_s == 0) return pace;
  const std::uint64_t further = step.hops() ? 0 : step.loads.size() - 1;
  const std::uint64_t moved =
      begun(protocol.window_bytes) * protocol.window_bytes + further * bytes;
  return pace + picosecondsFromNs(static_cast<double>(moved) / protocol.block_gb_s);
}

bool StepKernel::ready(const Run& run) const {
  if (atEnd(run)) return false;
  const Step& step = stepOf(run);
  return localCopy_[step.shape] && (sums_ == Sums::Loads || !step.loadsSum) &&
         std::ranges::all_of(step.arrivals,
                             [&](std::uint32_t a) { return arrivals_.ready(a, run.slice); }) &&
         std::ranges::all_of(step.dependencies,
                             [&](const auto& earlier) { return ended(earlier, run); });
}

void StepKernel::issue() {
  for (std::uint32_t r = 0; r < quiet_; ++r) {
    while (ready(runs_[r])) {
      if (!issueRequest(runs_[r])) return;  // it gets the next registers that are free
    }
  }
  const auto sending = static_cast<std::uint32_t>(runs_.size()) - quiet_;
  for (std::uint32_t asked = 0; asked < sending; ++asked) {
    Run& run = runs_[quiet_ + (turn_ + asked) % sending];
    while (ready(run) && issueRequest(run)) {
    }
  }
  if (sending > 1) turn_ = (turn_ + 1) % sending;
}

bool StepKernel::issueRequest(Run& run) {
  const Step& step = stepOf(run);
  const ChunkSegments& segments = (*program_.shapes)[step.shape];
  const auto copies = static_cast<std::uint32_t>(step.loads.size());
  const std::uint64_t inChunk = std::uint64_t{run.slice} * sliceBytes_ + run.offset;
  const Segment rest = segments.from(inChunk);
  const std::uint64_t ofSlice = sliceBytes(step, run.slice);
  const auto bytes = static_cast<std::uint32_t>(
      std::min({rest.bytes, requestBytes(copies), ofSlice - run.offset}));
  Picoseconds pace = 0;
  if (program_.ownBlocks) {
    if (run.offset == 0 && primitives_[run.number][run.step].begins) run.moved = 0;
    pace = paceOf(run, bytes);
  }
  std::uint64_t codes = hasCodec() && sends(step) ? bytes : 0;
  if (hasCodec() && program_.ownBlocks) codes += step.arrivals.size() * bytes;
  if (program_.ownBlocks) pace += codingTime(std::exchange(codes, 0), true);
  const auto request = begin(step.threadBlock, bytes, copies, sends(step), pace, codes);
  if (!request) return false;

  pieces_.resize(std::max<std::size_t>(pieces_.size(), *request + 1));
  const Piece piece{run.number, run.step, inChunk, rest.offset};
  pieces_[*request] = piece;
  if (inChunk == 0 && (run.step == 0 || !sameStep(run, run.step - 1))) {
    announceStep(EventKind::StepBegin, step.threadBlock, step.number);
  }
  run.moved += bytes;
  run.offset += bytes;
  if (run.offset == ofSlice) {
    run.offset = 0;
    nextSlice(run);
  }
  if (step.loadsSum) {
    loadSum(*request, at(step.loads.front(), piece.position, piece.offset).address,
            {program_.phase, step.number});
    return true;
  }
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    load(*request, copy, at(step.loads[copy], piece.position, piece.offset).address,
         {program_.phase, step.number});
  }
  return true;
}

/// Goes on to the next chunk of the step that has the slice, slice, step of the loop, or loop.
void StepKernel::nextSlice(Run& run) {
  do {
    next(run);
  } while (!atEnd(run) && run.slice >= slicesOf(stepOf(run)));
}

void StepKernel::next(Run& run) {
  const StepProgram::Run& steps = program_.runs[run.number];
  if (run.step + 1 < steps.size() && sameStep(run, run.step + 1)) {
    ++run.step;
    return;
  }
  const std::uint32_t loopEnd = this->loopEnd(run);
  const Step& step = stepOf(run);
  std::uint32_t first = run.step, slices = slicesOf(step);  // of the step's chunks: the most
  for (; first != 0 && sameStep(run, first - 1); --first) {
    slices = std::max(slices, slicesOf(steps[first - 1]));
  }
  ++run.slice;
  if (run.slice == slices) announceStep(EventKind::StepEnd, step.threadBlock, step.number);
  if (run.slice < std::min(loopEnd, slices)) {
    run.step = first;
    return;
  }
  run.slice = run.loop;
  if (++run.step < steps.size() || loopEnd == slices_) return;
  run.step = 0;
  run.slice = run.loop = loopEnd;
}

void StepKernel::storeSum(std::uint32_t request) {
  const Piece& piece = pieces_[request];
  const Step& step = program_.runs[piece.run][piece.step];
  if (step.store) {
    storeLocal(request, at(*step.store, piece.position, piece.offset).address,
               {program_.phase, step.number});
  }
  for (const StepProgram::Send& to : step.sends) {
    send(request, to.port, at(to.destination, piece.position, piece.offset).address, to.toAll,
         {program_.phase, to.arrival});
  }
}

void StepKernel::requestEnded(std::uint32_t request) {
  const Piece& piece = pieces_[request];
  std::uint64_t& left = bytesLeft_[piece.run][piece.step][piece.position / sliceBytes_];
  left -= bytesOf(request);
  if (left == 0) {
    countSlice();
    tell(piece);
  }
  issue();
  finishIfDone();
}

bool StepKernel::allIssued() const {
  return std::ranges::all_of(runs_, [this](const Run& run) { return atEnd(run); });
}

void StepKernel::flagArrived(std::uint32_t flag) {
  ++flags_[flag];
  takeFlags();
}

/// Takes the flags of all GPUs for which the kernel waits. One of a next launch may come before
/// this one has ended; it stays for that.
void StepKernel::takeFlags() {
  const auto take = [this](Sums waiting, Flag flag, Sums taken, Sums seen) {
    if (sums_ != waiting || flags_[flag] < program_.gpus) return;
    flags_[flag] -= program_.gpus;
    sums_ = taken;
    flagsSeen_.post(now() + sync_, seen);
  };
  take(Sums::AwaitBegun, kBegun, Sums::Begun, Sums::Loads);
  take(Sums::AwaitLoaded, kLoaded, Sums::Loaded, Sums::Ended);
}

/// Whether all GPUs have loaded what they want of this one's memory. What arrives shows it, if each
/// sum does.
bool StepKernel::sumsEnded() {
  if (!program_.loadsSums || program_.sumsArrive) return true;
  if (sums_ == Sums::Loads) {
    sums_ = Sums::AwaitLoaded;
    raise(program_.phase, kLoaded);
    takeFlags();
  }
  return sums_ == Sums::Ended;
}

void StepKernel::finishIfDone() {
  if (!running() || !allIssued() || inWork() != 0 || arrivals_.missing() != 0) return;
  if (!sumsEnded()) return;
  arrivals_.reset();
  endRun();  // it may be launched again
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

std::string StepKernel::whatFor(const Run& run) const {
  const Step& step = stepOf(run);
  if (step.loadsSum && sums_ != Sums::Loads) return "the kernels of other GPUs";
  if (!localCopy_[step.shape]) return "the own copy of chunk " + std::to_string(step.shape);
  const bool there = std::ranges::all_of(
      step.arrivals, [&](std::uint32_t a) { return arrivals_.ready(a, run.slice); });
  return "slice " + std::to_string(run.slice) + (there ? " of another step" : " of another GPU");
}

std::string StepKernel::describeWork() const {
  std::ostringstream text;
  text << describeRequests();
  constexpr std::size_t kMostListed = 4;
  std::size_t listed = 0;
  for (const Run& run : runs_) {
    if (listed == kMostListed || !running() || atEnd(run) || ready(run)) continue;
    ++listed;
    const Step& step = stepOf(run);
    text << "; thread block " << step.threadBlock << ", step " << step.number << " waits for "
         << whatFor(run);
  }
  if (running() && inWork() == 0 && arrivals_.missing() != 0) {
    text << "; " << arrivals_.missing() << " slices have not arrived";
  }
  if (sums_ == Sums::AwaitLoaded) text << "; waits for the sums of other GPUs";
  return text.str();
}

}  // namespace t3
