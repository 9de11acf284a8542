// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/collective_kernel.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace t3 {
namespace {

std::vector<ChunkSegments> chunksOf(const Tiling& tiling) {
  std::vector<ChunkSegments> chunks;
  for (std::uint32_t c = 0; c < tiling.chunks(); ++c) chunks.emplace_back(tiling, ChunkId{c});
  return chunks;
}

bool onlyKeeps(const CollectiveProgram& program,
               const CollectiveProgram::ThreadBlock& threadBlock) {
  return std::all_of(program.steps.begin() + threadBlock.first,
                     program.steps.begin() + threadBlock.end,
                     [](const CollectiveStep& step) { return step.sends.empty(); });
}

std::size_t sendersOf(const CollectiveProgram& program) {
  return static_cast<std::size_t>(std::ranges::count_if(
      program.threadBlocks,
      [&](const auto& threadBlock) { return !onlyKeeps(program, threadBlock); }));
}

}  // namespace

CollectiveKernel::CollectiveKernel(const sc_core::sc_module_name& name, CollectiveProgram program,
                                   const GpuConfig& config, const Tiling& tiling,
                                   const MemoryLayout& layout, DataType dataType, DataMode mode,
                                   GpuId gpu, PayloadPool& pool)
    : sc_module(name),
      CollectiveRequests({this->name(), gpu, dataType, mode}, config, program.ports,
                         program.threadBlocks.size(), sendersOf(program), pool),
      program_(std::move(program)),
      config_(config.collective),
      layout_(layout),
      chunks_(chunksOf(tiling)),
      sync_(picosecondsFromNs(config.collective.slice_sync_ns)),
      arrivals_(this->name(), config_, program_.arrivals, chunks_, [this] { sliceReady(); }),
      announced_("announced", [this](ChunkId id) {
        localCopy_[id.value] = true;
        issue();
      }) {}

void CollectiveKernel::launch(Done done, LocalCopies copies) {
  if (running_) {
    reportError("launched while it runs");
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
  if (onlyKeeps(program_, program_.threadBlocks.front())) {
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
  const std::uint64_t sliceLeft = config_.slice_bytes - cursor.chunkOffset % config_.slice_bytes;
  const auto bytes = static_cast<std::uint32_t>(
      std::min({segment.bytes - cursor.segmentOffset, requestBytes(copies), sliceLeft}));
  const auto request = begin(threadBlock, bytes, copies, !step.sends.empty());
  if (!request) return false;

  pieces_.resize(std::max<std::size_t>(pieces_.size(), *request + 1));
  const Piece piece{cursor.step, segment.offset + cursor.segmentOffset, cursor.chunkOffset};
  pieces_[*request] = piece;
  if (cursor.chunkOffset == 0) announce({.kind = EventKind::StepBegin, .number = cursor.step});
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
  const Label label{step.phase, piece.step};
  load(*request, 0, layout_.output + piece.outputOffset, label);
  for (std::uint32_t copy = 1; copy < copies; ++copy) {
    load(*request, copy, step.addresses[copy - 1] + piece.chunkOffset, label);
  }
  return true;
}

void CollectiveKernel::storeSum(std::uint32_t request) {
  const Piece& piece = pieces_[request];
  const Step& step = program_.steps[piece.step];
  if (step.keeps) {
    storeLocal(request, layout_.output + piece.outputOffset, {step.phase, piece.step});
  }
  for (const CollectiveSend& to : step.sends) {
    send(request, to.port, to.destination + (to.dense ? piece.chunkOffset : piece.outputOffset),
         {to.phase, to.arrival});
  }
}

void CollectiveKernel::requestEnded(std::uint32_t) {
  issue();
  finishKernelIfDone();
}

void CollectiveKernel::finishKernelIfDone() {
  const bool issued =
      std::ranges::all_of(cursors_, [](const Cursor& cursor) { return cursor.step == cursor.end; });
  if (!issued || inWork() != 0 || arrivals_.missing() != 0) return;
  running_ = false;
  announce({.kind = EventKind::KernelEnd});
  arrivals_.reset();
  const Done done = std::exchange(done_, nullptr);  // it may launch again
  if (done) done(now());
}

void CollectiveKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("steps_issued", 8, "", [this] { return stepsIssued(); });
  list.level("in_work", 16, "requests", [this] { return inWork(); });
  list.level("outstanding", 32, "bytes", [this] { return outstanding(); });
  list.level("slices_missing", 16, "slices", [this] { return arrivals_.missing(); });
  list.counter("loaded", "bytes", [this] { return statistics().loadBytes; });
  list.counter("sent", "bytes", [this] { return statistics().remoteStoreBytes; });
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
       << " steps issued, " << describeRequests();
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
  if (running_ && inWork() == 0 && arrivals_.missing() != 0) {
    text << "; " << arrivals_.missing() << " slices have not arrived";
  }
  return text.str();
}

}  // namespace t3
