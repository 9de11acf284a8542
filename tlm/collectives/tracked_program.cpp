// SPDX-License-Identifier: Apache-2.0
#include "tlm/collectives/tracked_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/payload.h"

namespace t3 {

namespace {

class TrackedCompiler {
 public:
  TrackedCompiler(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
                  const AlgorithmPorts& ports, bool clears)
      : meaning_(meaning), form_(meaning.form()), layout_(layout), ports_(ports), clears_(clears) {}

  std::vector<TrackedProgram> compile() {
    const std::uint32_t gpus = form_.algorithm().gpuCount();
    programs_.resize(gpus);
    for (TrackedProgram& program : programs_) {
      program.chunkBytes = layout_.chunkBytes();
      program.ports = ports_.ports;
      program.sentBytes.resize(ports_.ports);
      program.memoryEnd = layout_.staging();
    }
    arrivals_.resize(form_.threadBlocks());
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) placeArrivals(b);
    for (TrackedProgram& program : programs_) numberRows(program);
    for (std::uint32_t b = 0; b < form_.threadBlocks(); ++b) {
      const std::uint32_t gpu = form_.gpuOf(b);
      auto& steps = programs_[gpu].threadBlocks.emplace_back();
      for (std::uint32_t s = 0; s < form_.threadBlock(b).steps.size(); ++s) {
        steps.push_back(compile({b, s}));
      }
    }
    return std::move(programs_);
  }

 private:
  std::uint64_t source(StepId id) const {
    const AlgorithmStep& step = form_.step(id);
    return layout_.address(
        meaning_.buffers().slot(form_.gpuOf(id.threadBlock), step.sourceBuffer, step.source));
  }
  std::uint64_t target(StepId id) const {
    const AlgorithmStep& step = form_.step(id);
    return layout_.address(
        meaning_.buffers().slot(form_.gpuOf(id.threadBlock), step.targetBuffer, step.target));
  }
  /// What a step receives goes where it belongs.
  bool inPlace(StepId id) const {
    return form_.step(id).kind->addsReceived() ? meaning_.sourceMayBecomeSum(id)
                                               : meaning_.targetIsFree(id);
  }

  void placeArrivals(std::uint32_t b) {
    TrackedProgram& program = programs_[form_.gpuOf(b)];
    const auto& steps = form_.threadBlock(b).steps;
    arrivals_[b].resize(steps.size());
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      const StepKind& kind = *steps[s].kind;
      if (!kind.receives) continue;
      const StepId id{b, s};
      arrivals_[b][s] = static_cast<std::uint32_t>(program.arrivals.size());
      TrackedProgram::Arrival& arrival = program.arrivals.emplace_back();
      arrival.chunks = steps[s].count;
      if (inPlace(id)) {
        arrival.address = kind.addsReceived() ? source(id) : target(id);
        continue;
      }
      arrival.address = program.memoryEnd;
      arrival.updates = kind.addsReceived() ? 2 : 1;
      program.memoryEnd += arrival.chunks * layout_.chunkBytes();
    }
  }

  static void numberRows(TrackedProgram& program) {
    for (const std::uint32_t updates : kUpdates) {
      for (TrackedProgram::Arrival& arrival : program.arrivals) {
        if (arrival.updates != updates) continue;
        arrival.row = program.rows;
        program.rows += arrival.chunks;
      }
    }
  }

  TrackedProgram::Step compile(StepId id) {
    const AlgorithmStep& step = form_.step(id);
    const StepKind& kind = *step.kind;
    TrackedProgram::Step result;
    result.chunks = step.count;
    if (step.dependency) result.dependencies.push_back(*step.dependency);
    DmaTransfer transfer;
    if (kind.receives) {
      result.arrival = arrivals_[id.threadBlock][id.step];
      const auto& arrival = programs_[form_.gpuOf(id.threadBlock)].arrivals[*result.arrival];
      transfer.source = arrival.address;
      transfer.triggered = true;
      transfer.clears = clears_ && arrival.updates == 2;
      if (arrival.updates == 2) {
        result.before = DmaTransfer{
            .source = source(id), .local = {{arrival.address, MemoryOperation::Add, arrival.row}}};
      }
      if (kind.writesTarget && !inPlace(id)) transfer.local = {target(id)};
    } else if (&kind == &kCopy && source(id) != target(id)) {
      transfer.source = source(id);
      transfer.local = {target(id)};
    } else if (&kind == &kReduce) {
      transfer.source = source(id);
      transfer.local = {target(id), MemoryOperation::Add, {}};
    } else if (kind.sends) {
      transfer.source = source(id);
    }
    if (kind.sends) transfer.remote = {compileSend(id)};
    if (transfer.moves()) result.after = transfer;
    return result;
  }

  std::uint32_t portOf(StepId id) const {
    const AlgorithmThreadBlock& block = form_.threadBlock(id.threadBlock);
    return ports_.port(form_.gpuOf(id.threadBlock), *block.sendsTo, block.channel);
  }
  void countSent(StepId id, std::uint32_t port) {
    programs_[form_.gpuOf(id.threadBlock)].sentBytes[port] +=
        form_.step(id).count * layout_.chunkBytes();
  }

  DmaWrite compileSend(StepId id) {
    const std::uint32_t peer = *form_.threadBlock(id.threadBlock).sendsTo;
    const StepId receiver = meaning_.receiverOf(id);
    DmaWrite remote;
    remote.port = portOf(id);
    countSent(id, remote.port);
    const auto& arrival = programs_[peer].arrivals[arrivals_[receiver.threadBlock][receiver.step]];
    remote.destination = globalAddress(GpuId{peer}, arrival.address);
    if (form_.step(receiver).kind->addsReceived()) remote.operation = MemoryOperation::Add;
    remote.row = arrival.row;
    return remote;
  }

 public:
  /// That an element of a message may get: rows of those with as many follow one another.
  static constexpr std::array<std::uint32_t, 2> kUpdates{2, 1};

 private:
  const AlgorithmMeaning& meaning_;
  const AlgorithmForm& form_;
  const AlgorithmLayout& layout_;
  const AlgorithmPorts& ports_;
  const bool clears_;
  std::vector<TrackedProgram> programs_;
  std::vector<std::vector<std::uint32_t>> arrivals_;  ///< [thread block][step]
};

}  // namespace

std::vector<TrackedRows> trackedRows(const TrackedProgram& program) {
  std::vector<TrackedRows> all;
  std::uint32_t first = 0;
  for (const std::uint32_t updates : TrackedCompiler::kUpdates) {
    TrackedRows rows{first, 0, updates};
    for (const TrackedProgram::Arrival& arrival : program.arrivals) {
      if (arrival.updates == updates) rows.count += arrival.chunks;
    }
    if (rows.count != 0) all.push_back(rows);
    first += rows.count;
  }
  return all;
}

std::vector<TrackedProgram> makeTrackedPrograms(const AlgorithmMeaning& meaning,
                                                const AlgorithmLayout& layout,
                                                const AlgorithmPorts& ports, bool clears) {
  return TrackedCompiler(meaning, layout, ports, clears).compile();
}

namespace {

/// A slot of the tracker counts two contributions to the longest slice.
constexpr std::uint32_t kLongestSlice = TrackerConfig::kMostCount / 2;
/// Elements of the tracker's grid; only bytes count.
constexpr std::uint32_t kGridElement = 2;

/// A chunk whose slices are runs of bytes.
Tiling rowOf(std::uint64_t chunkBytes, std::uint32_t sliceBytes) {
  return {{1, static_cast<std::uint32_t>(chunkBytes / kGridElement), kGridElement},
          {1, sliceBytes / kGridElement, 1},
          1};
}

}  // namespace

std::optional<TrackedGrid> TrackedGrid::make(std::uint32_t rows, std::uint64_t chunkBytes,
                                             std::uint32_t sliceBytes, std::uint32_t slots) {
  for (std::uint64_t bytes = std::min(sliceBytes, kLongestSlice);;
       bytes = std::min<std::uint64_t>(2 * bytes, kLongestSlice)) {
    const TrackedGrid grid(rowOf(chunkBytes, static_cast<std::uint32_t>(bytes)));
    if (std::uint64_t{rows} * grid.slices() <= slots) return grid;
    if (bytes == kLongestSlice) return std::nullopt;
  }
}

std::uint64_t TrackedGrid::leastSlots(std::uint32_t rows, std::uint64_t chunkBytes) {
  return rows * ((chunkBytes + kLongestSlice - 1) / kLongestSlice);
}

Tiling TrackedGrid::tiling(std::uint32_t rows) const {
  return {{rows * row_.rows(), row_.columns(), row_.elementBytes()},
          {row_.tileRows(), row_.tileColumns(), row_.wavefronts()},
          1};
}

}  // namespace t3
